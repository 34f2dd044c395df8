package release

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Launched is how hosts of .mcpb files start the server of one, in the words of
// .mcp.json: ${CLAUDE_PLUGIN_ROOT} is the unpacked folder.
type Launched struct {
	Name       string
	EntryPoint string // path in the package
	Command    string
	Args       []string
	Env        []string           // "NAME=value"
	Options    map[string]*string // of the user, by name, with their defaults; nil where there has to be one and is none
}

// ReadMCPB reads the manifest of an .mcpb file, nil when it is a manifest of something
// else. What keeps a host from starting the server is returned as a sentence.
func ReadMCPB(manifest []byte) (*Launched, string) {
	var m struct {
		Version    *string `json:"manifest_version"`
		OldVersion *string `json:"dxt_version"`
		Name       string
		Server     struct {
			EntryPoint string `json:"entry_point"`
			Config     struct {
				Command string
				Args    []string
				Env     map[string]string
			} `json:"mcp_config"`
		}
		UserConfig map[string]struct {
			Required bool
			Default  any
		} `json:"user_config"`
	}
	err := json.Unmarshal(manifest, &m)
	if m.Version == nil && m.OldVersion == nil {
		return nil, ""
	}
	config := m.Server.Config
	switch {
	case err != nil:
		return nil, "is not a manifest that hosts read: " + err.Error()
	case m.Server.EntryPoint == "":
		return nil, "server.entry_point is missing"
	case config.Command == "":
		return nil, "server.mcp_config.command is missing"
	}
	root := strings.NewReplacer("${__dirname}", "${CLAUDE_PLUGIN_ROOT}", "${/}", "/", "${pathSeparator}", "/")
	l := &Launched{Name: m.Name, EntryPoint: path.Clean(m.Server.EntryPoint), Command: root.Replace(config.Command), Options: map[string]*string{}}
	for _, arg := range config.Args {
		l.Args = append(l.Args, root.Replace(arg))
	}
	for _, name := range slices.Sorted(maps.Keys(config.Env)) {
		l.Env = append(l.Env, name+"="+root.Replace(config.Env[name]))
	}
	text := strings.Join(append(slices.Clone(l.Args), l.Env...), "\n")
	for name, option := range m.UserConfig {
		if !strings.Contains(text, "${user_config."+name+"}") {
			continue
		}
		value := ""
		switch l.Options[name] = &value; {
		case option.Default != nil:
			value = fmt.Sprint(option.Default)
		case option.Required:
			l.Options[name] = nil
		}
	}
	return l, ""
}
