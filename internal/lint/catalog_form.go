package lint

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

var (
	catalogNameForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	githubRepo      = lazyregexp.New(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}$`)
	secureShell     = lazyregexp.New(`^[\w.-]+@[\w.-]+:`)
	commitSHA       = lazyregexp.New(`^[0-9a-f]{40}$`)
	digest          = lazyregexp.New(`^[0-9a-f]{64}$`)
	npmPackage      = lazyregexp.New(`^(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$`)
)

// entry is one plugin of the catalog.
type entry struct {
	index  string
	name   string
	fields map[string]any
}

func (p *plugin) catalogEntries() []entry {
	if p.listed != nil || p.catalog == nil {
		return p.listed
	}
	list, _ := members(p.catalog)["plugins"].([]any)
	for i, value := range list[:min(len(list), maxEntries)] {
		fields, _ := value.(map[string]any)
		p.listed = append(p.listed, entry{strconv.Itoa(i), textOf(fields["name"]), fields})
	}
	return p.listed
}

// label names an entry in a message.
func (e entry) label() string {
	if e.name == "" {
		return "entry " + e.index
	}
	return clip(printable(e.name))
}

func catalogForm() rule[*plugin] {
	return rule[*plugin]{
		code: "catalog-form", level: diag.Error,
		meaning: "the catalog has a form that the client refuses",
		page: Page{
			Group: Catalog,
			Why:   "The client refuses the whole catalog, with all of its plugins.",
			Wrong: `{"name": "my tools", "plugins": [{"name": "clock"}]}`,
			Do:    "Give it a name without spaces, an owner with a name, and a list of plugins, each with a name and a source.",
		},
		find: func(p *plugin, report reporter) {
			if p.catalog == nil || p.catalog.Problem != nil {
				return
			}
			values := members(p.catalog)
			switch name, ok := values["name"].(string); {
			case !ok || name == "":
				report.at(p.catalog.Position("name"), `add "name": "…"`, "the catalog has no name")
			case !catalogNameForm.MatchString(name):
				report.at(p.catalog.Position("name"), "use letters, digits and hyphens", "the name %s cannot be part of PLUGIN@CATALOG", clip(printable(name)))
			case slices.Contains([]string{"inline", "builtin"}, name):
				report.at(p.catalog.Position("name"), "use another name", "the name %s is reserved", name)
			}
			owner, ok := values["owner"].(map[string]any)
			if !ok || textOf(owner["name"]) == "" {
				report.at(p.catalog.Position("owner"), `write "owner": { "name": "…" }`, "the catalog has no owner with a name")
			}
			if list, ok := values["plugins"].([]any); !ok {
				report.at(p.catalog.Position("plugins"), `write "plugins": [{ "name": "…", "source": "./plugins/…" }]`, "the catalog has no list of plugins")
			} else {
				p.entryForms(list, report)
			}
			p.catalogTypes(values, report)
			p.renames(values, report)
		},
	}
}

func (p *plugin) entryForms(list []any, report reporter) {
	fields := manifestFields()
	fields["tags"], fields["strict"], fields["category"] = []string{anArray}, []string{aBoolean}, []string{aString}
	for i, e := range p.catalogEntries() {
		place := func(keys ...string) diag.Position {
			return p.catalog.Position(append([]string{"plugins", e.index}, keys...)...)
		}
		if e.fields == nil {
			report.at(place(), "write an object with name and source", "entry %s is %s", e.index, valueType(list[i]))
			continue
		}
		if e.name == "" {
			report.at(place("name"), `add "name": "…", that of the plugin`, "entry %s has no name", e.index)
		} else if strings.ContainsAny(e.name, " \t\n") {
			report.at(place("name"), "use letters, digits and hyphens", "%s: the name has spaces", e.label())
		}
		for _, field := range sortedKeys(fields) {
			if kinds := fields[field]; kinds == nil || field == "name" {
				continue
			}
			if value, ok := e.fields[field]; ok && !slices.Contains(fields[field], valueType(value)) {
				report.at(place(field), "write "+strings.Join(fields[field], " or "), "%s: %s is %s", e.label(), field, valueType(value))
			}
		}
		p.entryParts(e, place, report)
		for _, fault := range sourceFaults(e.fields["source"]) {
			report.at(place("source", fault.field), "correct the source", "%s: %s", e.label(), fault.text)
		}
	}
}

func (p *plugin) renames(values map[string]any, report reporter) {
	renames, _ := values["renames"].(map[string]any)
	for _, old := range sortedKeys(renames) {
		name, ok := renames[old].(string)
		if _, again := renames[name]; !ok || again {
			continue
		}
		if !slices.ContainsFunc(p.catalogEntries(), func(e entry) bool { return e.name == name }) {
			report.at(p.catalog.Position("renames", old), "name a plugin of the catalog, or null", "renames.%s: no plugin is named %s", clip(printable(old)), clip(printable(name)))
		}
	}
}

// sourceFaults returns what the client refuses in a source, and what it takes
// although it leads nowhere.
func sourceFaults(source any) (found []fieldFault) {
	add := func(field, format string, args ...any) {
		found = append(found, fieldFault{field, fmt.Sprintf(format, args...)})
	}
	if text, ok := source.(string); ok && text != "" {
		return nil // catalog-source speaks about folders
	}
	fields, ok := source.(map[string]any)
	if !ok {
		add("", "the source must be a folder or an object")
		return found
	}
	needs := map[string][]string{"github": {"repo"}, "url": {"url"}, "git-subdir": {"url", "path"}, "npm": {"package"}, "archive": {"url"}, "command": {"command"}}
	kind := textOf(fields["source"])
	if needs[kind] == nil {
		add("source", "the kind of source %s is not known", compact(fields["source"]))
		return found
	}
	for _, field := range needs[kind] {
		if textOf(fields[field]) == "" {
			add(field, "a source of kind %s needs %s", kind, field)
		}
	}
	for _, field := range []string{"ref", "version"} {
		if value, ok := fields[field]; ok && valueType(value) != aString {
			add(field, "%s is %s and must be a string", field, valueType(value))
		}
	}
	if len(found) > 0 {
		return found
	}
	if sha, ok := fields["sha"]; ok && !commitSHA.MatchString(textOf(sha)) {
		add("sha", "sha must be the 40 lower-case digits of a commit")
	}
	return append(found, kindFaults(kind, fields)...)
}

func kindFaults(kind string, fields map[string]any) (found []fieldFault) {
	add := func(field, format string, args ...any) {
		found = append(found, fieldFault{field, fmt.Sprintf(format, args...)})
	}
	address, err := url.Parse(textOf(fields["url"]))
	switch kind {
	case "github":
		if !githubRepo.MatchString(textOf(fields["repo"])) {
			add("repo", "repo %s is not OWNER/NAME", clip(printable(textOf(fields["repo"]))))
		}
	case "url", "git-subdir":
		text := textOf(fields["url"])
		whole := err == nil && address.Host != "" && address.Scheme != "file"
		if !whole && !secureShell.MatchString(text) && (kind == "url" || !githubRepo.MatchString(text)) {
			add("url", "url %s is no address of a repository", clip(printable(text)))
		}
		if slices.Contains(strings.Split(textOf(fields["path"]), "/"), "..") {
			add("path", "path has .. in it")
		}
	case "npm":
		if !npmPackage.MatchString(textOf(fields["package"])) {
			add("package", "package %s is no name of a package", clip(printable(textOf(fields["package"]))))
		}
		if value, ok := fields["registry"]; ok && !wholeURL(textOf(value)) {
			add("registry", "registry %s is no whole URL", compact(value))
		}
	case "archive":
		ip := net.IP(nil)
		if err == nil {
			ip = net.ParseIP(address.Hostname())
		}
		if err != nil || address.Scheme != "https" || address.Hostname() == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsLinkLocalUnicast()) {
			add("url", "url must be an https address of another machine")
		}
		if sum, ok := fields["sha256"]; ok && !digest.MatchString(textOf(sum)) {
			add("sha256", "sha256 must be 64 lower-case digits")
		}
	case "command":
		if seconds, ok := fields["timeout"].(float64); ok && seconds > 600 {
			add("timeout", "timeout is over 600 s")
		}
		if mode, ok := fields["mode"]; ok && mode != "copy" && mode != "link" {
			add("mode", "mode %s is not copy or link", compact(mode))
		}
	}
	return found
}
