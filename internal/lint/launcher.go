package lint

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// Server is a program that the client starts as a server of the plugin. Those that
// are reached over the network, and those that the client drops, are none.
type Server struct {
	Key     string
	Command string
	Args    []string
	Env     []string      // variables of the entry, "NAME=value", in order
	EnvAt   diag.Position // of these variables
	Place   diag.Position // of the command
	File    string        // the file of the plugin that node runs, relative to its root, or ""
	Eval    bool          // node is given the program itself, after -e or the like
	// Bundle is the one that is started in the end, "" when that cannot be told. Direct
	// says that the entry names it, and nothing stands before it but node.
	Bundle string
	Direct bool
	// Options are the options of the user in the entry, with their defaults as text; nil
	// where there is none.
	Options map[string]*string
}

// StartedServers returns the servers that a plugin's manifests start, as PluginInput
// describes it, in the order of the manifests.
func StartedServers(in PluginInput) ([]Server, error) {
	root, err := os.OpenRoot(in.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	p := &plugin{PluginInput: in, root: root}
	p.manifest, p.mcp = p.read(manifestFile), p.read(mcpFile)
	p.readServers()
	var found []Server
	for _, s := range p.servers {
		if s.text("command") != "" && (s.text("type") == "" || s.text("type") == "stdio") && len(s.faults()) == 0 {
			found = append(found, p.describe(s))
		}
	}
	return found, nil
}

// NamedBundles returns the .mcpb files that the manifest names as servers.
func NamedBundles(in PluginInput) ([]Server, error) {
	root, err := os.OpenRoot(in.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	p := &plugin{PluginInput: in, root: root}
	p.manifest = p.read(manifestFile)
	value := p.stated()["mcpServers"]
	var found []Server
	for _, name := range append(stringsOf(value), textOf(value)) {
		if path.Ext(name) == ".mcpb" || path.Ext(name) == ".dxt" {
			found = append(found, Server{Key: name, File: path.Clean(name), Place: p.manifest.Position("mcpServers")})
		}
	}
	return found, nil
}

// RemoteServers returns the servers of a plugin that the client reaches over the
// network, with their keys, places and, as the command, their kind: "http" or the like.
func RemoteServers(in PluginInput) ([]Server, error) {
	root, err := os.OpenRoot(in.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	p := &plugin{PluginInput: in, root: root}
	p.manifest, p.mcp = p.read(manifestFile), p.read(mcpFile)
	p.readServers()
	var found []Server
	for _, s := range p.servers {
		if s.text("url") != "" && s.text("type") != "" && s.text("type") != "stdio" {
			found = append(found, Server{Key: s.key, Command: s.text("type"), Place: s.at("url")})
		}
	}
	return found, nil
}

var optionPlaceholder = lazyregexp.New(`\$\{user_config\.([\w.-]+)\}`)

func (p *plugin) describe(s server) Server {
	d := Server{Key: s.key, Command: s.text("command"), Args: stringsOf(s.fields["args"]), Place: s.at("command"), EnvAt: s.at("env"), Options: map[string]*string{}}
	env, _ := s.fields["env"].(map[string]any)
	for _, name := range sortedKeys(env) {
		d.Env = append(d.Env, fmt.Sprintf("%s=%s", name, env[name]))
	}
	for _, text := range slices.Concat(d.Args, d.Env) {
		for _, match := range optionPlaceholder.FindAllStringSubmatch(text, -1) {
			d.Options[match[1]] = nil
		}
	}
	for _, o := range p.options() {
		if _, used := d.Options[o.name]; used && o.fields["default"] != nil {
			text := fmt.Sprint(o.fields["default"])
			d.Options[o.name] = &text
		}
	}
	if d.Command != "node" {
		return d
	}
	script, eval := nodeScript(d.Args)
	if d.Eval = eval; eval {
		d.Bundle = p.bundleIn(script)
		return d
	}
	file, inside := strings.CutPrefix(script, "${"+rootName+"}/")
	if file = path.Clean(file); !inside || file == ".." || strings.HasPrefix(file, "../") {
		return d
	}
	d.File = file
	if slices.Contains(p.servable(), file) {
		d.Bundle, d.Direct = file, d.Args[0] == script
	} else if text, ok := p.text(file); ok && len(text) <= maxLauncher {
		d.Bundle = p.bundleIn(string(text))
	}
	return d
}

// maxLauncher is up to how many bytes a file counts as one that starts others. A
// larger one is a program of its own, whatever names stand in it.
const maxLauncher = 16 << 10

// nodeScript returns what node runs when it is given arguments: a file, or the text of
// a program.
func nodeScript(args []string) (script string, eval bool) {
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		switch name {
		case "-e", "--eval", "-p", "--print", "-pe":
			if !given && i+1 < len(args) {
				value = args[i+1]
			}
			return value, true
		case "-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions":
			if !given {
				i++
			}
		default:
			if !strings.HasPrefix(name, "-") {
				return args[i], false
			}
		}
	}
	return "", false
}

// servable are the files of the plugin that are known to be servers by themselves.
func (p *plugin) servable() []string { return slices.Concat(p.Bundles, p.Unregistered) }

// bundleIn returns the bundle that the text of a launcher names, or "".
func (p *plugin) bundleIn(text string) string {
	for _, bundle := range p.servable() {
		named := regexp.MustCompile("[/\"'`]" + regexp.QuoteMeta(path.Base(bundle)) + "[\"'`]")
		if named.MatchString(text) {
			return bundle
		}
	}
	return ""
}

func commandWrapper() rule[*plugin] {
	return rule[*plugin]{
		code: "command-wrapper", level: diag.Warning,
		meaning: "a server is started by a script that starts the bundle; it is one more file to keep in step, and nothing that the bundle needs",
		page: Page{
			Group: Servers,
			Why:   "The script runs at every start, before the bundle. It has to follow when the bundle is renamed, can fail on its own, and where it starts node again, each session has a process more.",
			Wrong: "{\"command\": \"node\", \"args\": [\"${CLAUDE_PLUGIN_ROOT}/start.mjs\"]}",
			Do:    "Start `node` with the bundle. `verify --plugin` runs such a script too, as the client does, and compares the tools with the bundle's.",
		},
		find: func(p *plugin, report reporter) {
			for _, s := range p.servers {
				if s.text("command") != "node" {
					continue
				}
				d := p.describe(s)
				if d.Bundle == "" || d.File == d.Bundle {
					continue
				}
				by := d.File
				if d.Eval {
					by = "a program in its arguments"
				}
				report.at(s.at("args"), "start the bundle directly: node ${"+rootName+"}/"+d.Bundle, "server %s: %s is started by %s", s.key, d.Bundle, clip(by))
			}
		},
	}
}
