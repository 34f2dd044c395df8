package release

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// MCPBFile is the name of the manifest at the root of an .mcpb file.
const MCPBFile = "manifest.json"

// mcpbVersion is the version of the manifest's format.
const mcpbVersion = "0.3"

// Server is a server of the plugin that node starts from a file of the package.
type Server struct {
	Key   string
	File  string        // path in the package
	Args  []string      // of node, with the variables of .mcp.json
	Env   []string      // "NAME=value", with such variables
	Place diag.Position // of the entry
	Tools []ServerTool  // what it lists, as far as that is known
	// Options are the options of the user that the plugin declares, by name, each an
	// object of JSON.
	Options map[string]json.RawMessage
}

// ServerTool is one tool as a manifest shows it.
type ServerTool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Manifest of an .mcpb file, in the order in which its fields are written.
type mcpbManifest struct {
	Version         string                     `json:"manifest_version"`
	Name            string                     `json:"name"`
	DisplayName     string                     `json:"display_name,omitempty"`
	PluginVersion   string                     `json:"version"`
	Description     string                     `json:"description"`
	Author          mcpbAuthor                 `json:"author"`
	Repository      *mcpbRepository            `json:"repository,omitempty"`
	Homepage        string                     `json:"homepage,omitempty"`
	Support         string                     `json:"support,omitempty"`
	Icon            string                     `json:"icon,omitempty"`
	Server          mcpbServer                 `json:"server"`
	Tools           []ServerTool               `json:"tools,omitempty"`
	Keywords        []string                   `json:"keywords,omitempty"`
	License         string                     `json:"license,omitempty"`
	PrivacyPolicies []string                   `json:"privacy_policies,omitempty"`
	Compatibility   *mcpbCompatibility         `json:"compatibility,omitempty"`
	UserConfig      map[string]json.RawMessage `json:"user_config,omitempty"`
}

type mcpbAuthor struct {
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
	URL   string `json:"url,omitempty"`
}

type mcpbRepository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type mcpbServer struct {
	Type       string     `json:"type"`
	EntryPoint string     `json:"entry_point"`
	Config     mcpbLaunch `json:"mcp_config"`
}

type mcpbLaunch struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

type mcpbCompatibility struct {
	Runtimes map[string]string `json:"runtimes"`
}

// MCPBManifest returns the manifest of an .mcpb file with one server of the plugin.
// What hosts of such files do not know is a warning; variables of the environment
// become options that the host asks its user for.
func MCPBManifest(id Identity, s Server) ([]byte, diag.List) {
	m := mcpbManifest{
		Version: mcpbVersion, Name: id.Name, DisplayName: id.DisplayName, PluginVersion: id.Version, Description: id.Description,
		Author:   mcpbAuthor{id.Author.Name, id.Author.Email, id.Author.URL},
		Homepage: id.Homepage, Support: id.Support, Icon: id.Icon, Tools: s.Tools, Keywords: id.Keywords, License: id.License,
		Server: mcpbServer{Type: "node", EntryPoint: s.File, Config: mcpbLaunch{Command: "node", Args: []string{}}},
	}
	if path.Ext(m.Icon) != ".png" { // hosts show no other
		m.Icon = ""
	}
	if m.Description == "" {
		m.Description = id.Name
	}
	if m.Author.Name == "" {
		m.Author.Name = id.Name
	}
	if id.Repository != "" {
		m.Repository = &mcpbRepository{"git", id.Repository}
	}
	if id.Privacy != "" {
		m.PrivacyPolicies = []string{id.Privacy}
	}
	if id.NodeEngine != "" {
		m.Compatibility = &mcpbCompatibility{map[string]string{"node": id.NodeEngine}}
	}
	t := translation{server: s, options: map[string]json.RawMessage{}}
	for _, arg := range s.Args {
		m.Server.Config.Args = append(m.Server.Config.Args, t.text(arg))
	}
	for _, variable := range s.Env {
		name, value, _ := strings.Cut(variable, "=")
		if m.Server.Config.Env == nil {
			m.Server.Config.Env = map[string]string{}
		}
		m.Server.Config.Env[name] = t.text(value)
	}
	m.UserConfig = t.options
	return indented(encoded(m)), t.found
}

// translation turns the variables of .mcp.json into those of a manifest.
type translation struct {
	server  Server
	options map[string]json.RawMessage
	found   diag.List
}

var (
	variable    = lazyregexp.New(`\$\{([A-Za-z_][\w.-]*)(:-[^}]*)?\}`)
	namedSecret = lazyregexp.New(`(?i)(?:^|[_-])(?:token|secret|password|passwd|credentials?|api[_-]?key|private[_-]?key|authorization)$`)
)

// optionFields are what a manifest says of an option.
func optionFields() []string {
	return []string{"type", "title", "description", "required", "default", "multiple", "sensitive", "min", "max"}
}

func (t *translation) text(text string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		parts := variable.FindStringSubmatch(found)
		name, otherwise := parts[1], parts[2]
		option, isOption := strings.CutPrefix(name, "user_config.")
		switch {
		case name == "CLAUDE_PLUGIN_ROOT":
			return "${__dirname}"
		case isOption:
			t.option(option)
			return found
		case strings.HasPrefix(name, "CLAUDE_"):
			t.found.Add(diag.Diagnostic{Code: "mcpb-variable", Level: diag.Warning, Position: t.server.Place,
				Message: fmt.Sprintf("server %s: ${%s} has no counterpart in hosts of .mcpb files, and stays as it is written", t.server.Key, name),
				Hint:    "let the server do without it, or leave mcpb out of --format"})
			return found
		}
		t.variable(name, strings.TrimPrefix(otherwise, ":-"), otherwise != "")
		return "${user_config." + name + "}"
	})
}

// option takes over an option that the plugin declares, without what only the plugin's
// own client knows.
func (t *translation) option(name string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(t.server.Options[name], &fields) != nil {
		return
	}
	for field := range fields {
		if !slices.Contains(optionFields(), field) {
			delete(fields, field)
		}
	}
	t.options[name] = members(fields).encode(optionFields()...)
}

// variable makes an option of a variable that the plugin's client takes from its own
// environment.
func (t *translation) variable(name, otherwise string, optional bool) {
	option := members{
		"type": encoded("string"), "title": encoded(name), "description": encoded("The variable " + name + " of the server's environment."), "required": encoded(!optional),
	}
	if optional && otherwise != "" {
		option["default"] = encoded(otherwise)
	}
	if namedSecret.MatchString(name) {
		option["sensitive"] = encoded(true)
	}
	t.options[name] = option.encode(optionFields()...)
}

var unsafeInName = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// FileName returns the name of a package, from the plugin's name and version and the
// format: "acorn-1.2.0.zip". That of a folder has no version, so that it is the same
// in every release.
func FileName(plugin, version string, format Format) string {
	safe := func(text string) string {
		return cmp.Or(strings.Trim(unsafeInName.ReplaceAllString(text, "-"), "-."), "plugin")
	}
	if format == Folder {
		return safe(plugin)
	}
	return safe(plugin) + "-" + safe(version) + "." + string(format)
}
