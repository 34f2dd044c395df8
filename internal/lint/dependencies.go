package lint

import (
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/project"
)

var dependencyName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*(?:@[A-Za-z0-9][A-Za-z0-9._-]*)?$`)

func dependencyForm() rule[*plugin] {
	return rule[*plugin]{
		code: "dependency-form", level: diag.Error,
		meaning: "a dependency on another plugin is none that the client can install",
		page: Page{
			Group: Manifest,
			Why:   "A plugin with a dependency that cannot be installed is installed and then not loaded, with all of its servers. The client's check lets a bad range and a plugin that needs itself pass.",
			Wrong: `{"name": "clock", "dependencies": ["clock", {"name": "sun", "version": "latest"}]}`,
			Do:    "List names, or objects with name and a semantic version range such as ^1.2.0.",
		},
		find: func(p *plugin, report reporter) {
			list, _ := p.stated()["dependencies"].([]any)
			for i, value := range list {
				place := p.manifest.Position("dependencies", strconv.Itoa(i))
				name, version, ok := dependency(value)
				bare, _, _ := strings.Cut(name, "@")
				switch _, err := semver.NewConstraint(version); {
				case !ok || !dependencyName.MatchString(name):
					report.at(place, `write a name, or {"name": …, "version": …}`, "a dependency is %s", compact(value))
				case bare == p.name():
					report.at(place, "remove it", "the plugin depends on itself")
				case version != "" && err != nil:
					report.at(p.manifest.Position("dependencies", strconv.Itoa(i), "version"), "write a range such as ^1.2.0", "%s: %s is no range of versions", clip(name), clip(printable(version)))
				}
			}
		},
	}
}

// dependency reads a dependency: a name or an object.
func dependency(value any) (name, version string, ok bool) {
	switch value := value.(type) {
	case string:
		return value, "", true
	case map[string]any:
		name, named := value["name"].(string)
		version, isText := value["version"].(string)
		return name, version, named && (isText || value["version"] == nil)
	}
	return "", "", false
}

func dependencyKey() rule[*plugin] {
	known := []string{"name", "version", "marketplace"}
	return rule[*plugin]{
		code: "dependency-key-ignored", level: diag.Warning,
		meaning: "a dependency on another plugin has a key that the client ignores",
		page: Page{
			Group: Manifest,
			Why:   "The key has no effect, and nothing says so.",
			Wrong: `{"dependencies": [{"name": "sun", "range": "^1"}]}`,
			Do:    "Use name, version and marketplace.",
		},
		find: func(p *plugin, report reporter) {
			list, _ := p.stated()["dependencies"].([]any)
			for i, value := range list {
				fields, _ := value.(map[string]any)
				for _, key := range slices.Sorted(maps.Keys(fields)) {
					if !slices.Contains(known, key) {
						report.at(p.manifest.KeyPosition("dependencies", strconv.Itoa(i), key), "use name, version and marketplace", "%s has no effect", clip(printable(key)))
					}
				}
			}
		},
	}
}

func channelServer() rule[*plugin] {
	return rule[*plugin]{
		code: "channel-server", level: diag.Error,
		meaning: "a channel names a server that the plugin does not have",
		page: Page{
			Group: Manifest,
			Why:   "The client does not compare the names; the channel never delivers anything.",
			Wrong: `{"channels": [{"server": "clok"}]}`,
			Do:    "Name a server of .mcp.json or of mcpServers.",
		},
		find: func(p *plugin, report reporter) {
			list, _ := p.stated()["channels"].([]any)
			var keys []string
			for _, s := range p.servers {
				keys = append(keys, s.key)
			}
			for i, channel := range list {
				fields, _ := channel.(map[string]any)
				if name, ok := fields["server"].(string); ok && name != "" && !slices.Contains(keys, name) {
					report.at(p.manifest.Position("channels", strconv.Itoa(i), "server"), "name one of the plugin's servers", "no server is named %s%s", clip(printable(name)), suggestion(name, keys))
				}
			}
		},
	}
}

var hostName = lazyregexp.New(`^(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]{1,5})?$`)

func networkHost() rule[*plugin] {
	return rule[*plugin]{
		code: "network-host", level: diag.Warning,
		meaning: "a declared host of the network has a form that the client ignores",
		page: Page{
			Group: Manifest,
			Why:   "The client ignores the entry when it loads the plugin, so the host stays undeclared.",
			Wrong: `{"network": {"hosts": ["https://api.example.org/v1", "*"]}}`,
			Do:    "Write the name of the host alone, such as `api.example.org` or `*.example.org`, with a port if needed.",
		},
		find: func(p *plugin, report reporter) {
			hostFaults(p.stated()["network"], p.manifest, []string{"network"}, report)
			for _, s := range p.servers {
				hostFaults(s.fields["network"], s.doc, append(slices.Clone(s.keys), "network"), report)
			}
		},
	}
}

func hostFaults(value any, doc *project.Document, keys []string, report reporter) {
	if value == nil {
		return
	}
	const hint = `write {"hosts": ["api.example.org"]}`
	fields, _ := value.(map[string]any)
	list, ok := fields["hosts"].([]any)
	if !ok {
		report.at(doc.Position(keys...), hint, "network has no list of hosts")
		return
	}
	for i, host := range list {
		text, _ := host.(string)
		if !hostName.MatchString(text) && net.ParseIP(strings.Trim(text, "[]")) == nil {
			report.at(doc.Position(append(slices.Clone(keys), "hosts", strconv.Itoa(i))...), "write the host's name alone", "%s is no name of a host", compact(host))
		}
	}
}
