package project

import "encoding/json"

// config is omcbuild.jsonc as written; the schema has proven its types.
type config struct {
	Bundles  []bundleConfig `json:"bundles"`
	Plugins  []string       `json:"plugins"`
	Prebuild []string       `json:"prebuild"`
	Plugin   pluginConfig   `json:"plugin"`
	Metadata struct {
		Markers []markerConfig `json:"markers"`
	} `json:"metadata"`
	Package struct {
		Include []string `json:"include"`
		Exclude []string `json:"exclude"`

		Notices map[string]string `json:"notices"`
	} `json:"package"`
}

type pluginConfig struct {
	Name     string `json:"name"`
	Skills   string `json:"skills"`
	Commands string `json:"commands"`
	Agents   string `json:"agents"`
	Hooks    string `json:"hooks"`
}

type markerConfig struct {
	File    string `json:"file"`
	Pattern string `json:"pattern"`
}

type bundleConfig struct {
	Name     string            `json:"name"`
	Kind     Kind              `json:"kind"`
	Entry    string            `json:"entry"`
	Outfile  string            `json:"outfile"`
	Register *bool             `json:"register"`
	External []string          `json:"external"`
	Header   string            `json:"header"`
	Front    json.RawMessage   `json:"front"`    // object or boolean
	Registry json.RawMessage   `json:"registry"` // string or boolean
	Families json.RawMessage   `json:"families"` // string or boolean
	Define   map[string]string `json:"define"`
	Loader   map[string]string `json:"loader"`
	Assets   []string          `json:"assets"`
	Budget   struct {
		Bytes        json.RawMessage `json:"bytes"` // integer or string
		InitializeMs int64           `json:"initializeMs"`
	} `json:"budget"`
	Env     map[string]string `json:"env"`
	MayFail string            `json:"mayFail"`
	Args    []string          `json:"args"`
	Accept  []string          `json:"accept"`
}

// The layout that needs no configuration.
const (
	standaloneEntry   = "src/mcp/standalone-server.ts"
	standaloneOutfile = "bridge/mcp-server.cjs"
	teamEntry         = "src/mcp/team-server.ts"
	teamOutfile       = "bridge/team-mcp.cjs"
	teamName          = "team"

	defaultRegistry = "src/mcp/tool-registry.ts"
	defaultFamilies = "src/tools/**/*-tools.ts"
	defaultTarget   = "node20"
)

// defaultBundles are built when the configuration names none and their
// entries exist.
func defaultBundles() []bundleConfig {
	return []bundleConfig{
		{Name: "t", Kind: MCP, Entry: standaloneEntry, Outfile: standaloneOutfile, External: []string{"@ast-grep/napi"}},
		{Name: teamName, Kind: MCP, Entry: teamEntry, Outfile: teamOutfile},
	}
}

// Shown to those who have no bundles, because there is neither a configuration
// that names any nor the default layout.
const (
	noConfigHint  = "omcbuild init --here writes " + ConfigFile + " from how the plugin is built now; by hand, at least: " + smallest
	noBundlesHint = "write bundles into " + ConfigFile + ", at least: " + smallest + "; a plugin without servers has \"bundles\": []"

	smallest = `{ "bundles": [{ "name": "t", "entry": "src/server.ts", "outfile": "bridge/mcp-server.cjs" }] }`
)
