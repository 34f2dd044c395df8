package metadata

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/project"
)

const pluginRoot = "${CLAUDE_PLUGIN_ROOT}/"

// syncServers makes sure that the client starts every registered bundle, from
// wherever the plugin is installed.
func syncServers(d *desk) {
	var bundles []project.Bundle
	for _, b := range d.project.Bundles {
		if b.Register {
			bundles = append(bundles, b)
		}
	}
	if len(bundles) == 0 {
		return
	}
	places, ok := serverMaps(d)
	if !ok {
		return
	}
	for _, b := range bundles {
		found := false
		for _, place := range places {
			if place.find(b.Name) != nil {
				found = true
				repairServer(d, place, b)
			}
		}
		if !found {
			addServer(d, &places, b)
		}
	}
	for _, place := range places {
		place.editor.save()
	}
}

// serverMaps returns the objects in which the plugin declares servers:
// .mcp.json first if it exists, then what plugin.json holds or names.
func serverMaps(d *desk) ([]node, bool) {
	var out []node
	failed := false
	open := func(file string) {
		e := d.document(file)
		if e == nil {
			s := d.sheet(file)
			failed = failed || s.unusual || s.now != nil
			return
		}
		servers, ok := serversOf(d, e)
		failed = failed || !ok
		if ok {
			out = append(out, servers)
		}
	}
	open(project.ServersFile)
	if manifest := d.document(project.ManifestFile); manifest != nil {
		inline, files := manifestServers(manifest.object())
		out = append(out, inline...)
		for _, file := range files {
			if file != project.ServersFile {
				open(file)
			}
		}
	}
	return out, !failed
}

// serversOf returns the map of servers in a file: under mcpServers, or the
// whole file when it is a bare map, which the client also reads.
func serversOf(d *desk, e *editor) (node, bool) {
	root := e.object()
	if v := root.find("mcpServers"); v != nil {
		servers, ok := root.child("mcpServers")
		if !ok {
			d.add("invalid-servers", diag.Error, e.at("mcpServers"), "mcpServers is not an object", "write it as { \"KEY\": { \"command\": …, \"args\": […] } }")
		}
		return servers, ok
	}
	for _, m := range root.object.Members {
		if server, ok := m.Value.Value.(*hujson.Object); ok {
			n := node{object: server}
			if n.find("command") != nil || n.find("url") != nil {
				return root, true
			}
		}
	}
	return root.setObject("mcpServers", nil), true
}

// manifestServers returns the servers that plugin.json holds itself, and the
// JSON files inside the plugin it names for others.
func manifestServers(root node) (inline []node, files []string) {
	v := root.find("mcpServers")
	if v == nil {
		return nil, nil
	}
	take := func(v *hujson.Value, keys ...string) {
		if servers, ok := v.Value.(*hujson.Object); ok {
			inline = append(inline, node{editor: root.editor, object: servers, keys: keys})
			return
		}
		file := project.Text(v)
		if strings.HasPrefix(file, "./") && strings.HasSuffix(file, ".json") && !strings.Contains(file, "..") {
			files = append(files, path.Clean(file))
		}
	}
	if array, ok := v.Value.(*hujson.Array); ok {
		for i := range array.Elements {
			take(&array.Elements[i], "mcpServers", strconv.Itoa(i))
		}
		return inline, files
	}
	take(v, "mcpServers")
	return inline, files
}

// addServer registers a bundle that no file names yet.
func addServer(d *desk, places *[]node, b project.Bundle) {
	for _, place := range *places {
		if key := startedAs(place, b); key != "" {
			d.add("server-key", diag.Error, place.at(key),
				fmt.Sprintf("the server %s starts %s, which is the bundle %s; of two servers with the same command the client keeps one", key, b.Outfile, b.Name),
				fmt.Sprintf("give both the same name: rename the server to %s, or the bundle to %s, which keeps the names of its tools", b.Name, key))
			return
		}
	}
	if len(*places) == 0 || (*places)[0].editor.doc.Path != project.ServersFile {
		e := create(d.sheet(project.ServersFile))
		*places = slices.Insert(*places, 0, e.object().setObject("mcpServers", nil))
	}
	place := (*places)[0]
	place.insert(b.Name, object{{"command", "node"}, {"args", append([]string{pluginRoot + b.Outfile}, b.Args...)}}, nil)
	place.note("server " + b.Name + " added")
}

// startedAs returns the key of a server that starts the bundle's file, or "".
func startedAs(place node, b project.Bundle) string {
	for i := range place.object.Members {
		key := project.Text(&place.object.Members[i].Name)
		server, ok := place.child(key)
		if !ok {
			continue
		}
		args, _ := stringsOf(server.find("args"))
		if slices.ContainsFunc(append(args, server.text("command")), func(arg string) bool {
			p := plainPath(arg)
			return p == b.Outfile || strings.HasSuffix(p, "/"+b.Outfile)
		}) {
			return key
		}
	}
	return ""
}

// repairServer makes a server start the bundle with node from the plugin's
// folder. Its other keys, and arguments that are not the file, stay.
func repairServer(d *desk, place node, b project.Bundle) {
	server, ok := place.child(b.Name)
	if !ok {
		d.add("invalid-servers", diag.Error, place.at(b.Name), fmt.Sprintf("the server %s is not an object", b.Name), "remove it; sync writes it anew")
		return
	}
	if kind := server.text("type"); server.find("url") != nil || kind != "" && kind != "stdio" {
		d.add("server-key", diag.Error, place.at(b.Name), fmt.Sprintf("the server %s is a remote one, but a bundle has the same name", b.Name), "rename the server or the bundle, or set register to false for the bundle")
		return
	}
	server.label = "server " + b.Name + ": "
	command := server.text("command")
	args, readable := stringsOf(server.find("args"))
	switch {
	case isNode(command) && (readable || server.find("args") == nil):
		args = repairArguments(args, b)
	case samePath(command, b):
		args = append([]string{pluginRoot + b.Outfile}, args...)
	default:
		args = []string{pluginRoot + b.Outfile}
	}
	order := []string{"type", "command", "args", "env"}
	server.setText("command", "node", order)
	server.setTexts("args", args, order)
}

// repairArguments puts the bundle's path where the arguments name it, or a
// script in its place, or at the end.
func repairArguments(args []string, b project.Bundle) []string {
	want := pluginRoot + b.Outfile
	if slices.Contains(args, want) {
		return args
	}
	args = slices.Clone(args)
	for _, stands := range []func(string) bool{
		func(arg string) bool { return samePath(arg, b) },
		func(arg string) bool { return scriptName.MatchString(arg) && !strings.HasPrefix(arg, "-") },
	} {
		if i := slices.IndexFunc(args, stands); i >= 0 {
			args[i] = want
			return args
		}
	}
	return append(args, want)
}

var (
	scriptName  = lazyregexp.New(`\.[cm]?[jt]s$`)
	rootedPath  = lazyregexp.New(`^(?:\$\{[^}]*\}|\$[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_]+\})/*`)
	nodeProgram = lazyregexp.New(`(?i)^node(?:js)?(?:\.exe)?$`)
)

// samePath reports whether an argument means the bundle's file, however its
// folder is spelt.
func samePath(arg string, b project.Bundle) bool {
	return arg != "" && path.Base(plainPath(arg)) == path.Base(b.Outfile)
}

// plainPath is an argument without the variable it begins with.
func plainPath(arg string) string {
	arg = strings.ReplaceAll(arg, `\`, "/")
	return path.Clean(rootedPath.ReplaceAllString(arg, ""))
}

func isNode(command string) bool {
	return nodeProgram.MatchString(path.Base(strings.ReplaceAll(command, `\`, "/")))
}
