package lint

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// Kinds of JSON values, as valueType names them.
const (
	aString  = "a string"
	aBoolean = "a boolean"
	aNumber  = "a number"
	anObject = "an object"
	anArray  = "an array"
)

// manifestFields are the fields of plugin.json with the kinds that the client
// takes; none means that any is taken.
func manifestFields() map[string][]string {
	paths := []string{aString, anArray, anObject}
	return map[string][]string{
		"$schema": {aString}, "name": {aString}, "displayName": {aString}, "version": {aString}, "description": {aString},
		"license": {aString}, "homepage": {aString}, "repository": {aString}, "privacyPolicyUrl": {aString}, "supportUrl": {aString},
		"author": {anObject}, "keywords": {anArray}, "defaultEnabled": {aBoolean}, "icon": nil, "settings": {anObject},
		"userConfig": {anObject}, "channels": {anArray}, "dependencies": {anArray}, "network": nil, "metadata": nil, "experimental": nil,
		"skills": {aString, anArray}, "agents": {aString, anArray}, "outputStyles": {aString, anArray}, "workflows": {aString, anArray},
		"commands": paths, "hooks": paths, "mcpServers": paths, "lspServers": paths, "themes": {aString, anArray}, "monitors": paths,
	}
}

// members returns the values of a document's object by key, or nil.
func members(doc *project.Document, keys ...string) map[string]any {
	var values map[string]any
	if doc == nil || doc.Problem != nil {
		return nil
	}
	_ = doc.Decode(&values, keys...)
	return values
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

func manifestType() rule[*plugin] {
	return rule[*plugin]{
		code: "manifest-type", level: diag.Error,
		meaning: "a field of the manifest has a type that the client refuses",
		page: Page{
			Group: Manifest,
			Why:   "The client's check refuses the plugin. Some of these forms still load today, because what starts plugins is laxer than what checks them.",
			Wrong: `{"version": 1, "author": "Ada", "keywords": "time", "repository": {"url": "…"}}`,
			Do:    "Write version, homepage and repository as strings, author as an object with a name, keywords as a list of strings, homepage as a whole URL.",
		},
		find: func(p *plugin, report reporter) {
			values, fields := p.stated(), manifestFields()
			for _, name := range slices.Sorted(maps.Keys(values)) {
				if kinds := fields[name]; kinds != nil && !slices.Contains(kinds, valueType(values[name])) {
					report.at(p.manifest.Position(name), "write "+strings.Join(kinds, " or "), "%s is %s and must be %s", name, valueType(values[name]), strings.Join(kinds, " or "))
				}
			}
			p.manifestParts(values, report)
		},
	}
}

// manifestParts looks inside the fields whose types are right.
func (p *plugin) manifestParts(values map[string]any, report reporter) {
	if author, ok := values["author"].(map[string]any); ok {
		if name, _ := author["name"].(string); name == "" {
			report.at(p.manifest.Position("author", "name"), `write {"name": …}`, "the author has no name")
		}
	}
	if keywords, ok := values["keywords"].([]any); ok {
		for i, word := range keywords {
			if _, ok := word.(string); !ok {
				report.at(p.manifest.Position("keywords", strconv.Itoa(i)), "write strings", "a keyword is %s", valueType(word))
			}
		}
	}
	if homepage, ok := values["homepage"].(string); ok {
		if !isURL(homepage) {
			report.at(p.manifest.Position("homepage"), "write a whole URL, with https://", "homepage %s is no URL", clip(printable(homepage)))
		}
	}
	if channels, ok := values["channels"].([]any); ok {
		for i, channel := range channels {
			entry, _ := channel.(map[string]any)
			if server, _ := entry["server"].(string); server == "" {
				report.at(p.manifest.Position("channels", strconv.Itoa(i)), `write {"server": …}`, "a channel names no server")
			}
			for _, key := range slices.Sorted(maps.Keys(entry)) {
				if key != "server" && key != "userConfig" && key != "displayName" {
					report.at(p.manifest.KeyPosition("channels", strconv.Itoa(i), key), "use server and userConfig", "a channel has the key %s, which is not known", clip(printable(key)))
				}
			}
		}
	}
}

// isURL reports whether the client takes a text as the address of a page.
func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme != "" && (u.Host != "" || !strings.HasPrefix(u.Scheme, "http"))
}

func manifestKey() rule[*plugin] {
	fromNpm := []string{"main", "module", "types", "scripts", "files", "bin", "private", "type", "engines", "devDependencies", "peerDependencies", "exports", "bugs", "contributors", "workspaces"}
	return rule[*plugin]{
		code: "manifest-key-ignored", level: diag.Warning,
		meaning: "the manifest has a key that the client does not know and ignores",
		page: Page{
			Group: Manifest,
			Why:   "A misspelled key is silently without effect, and the client's strict check fails.",
			Wrong: `{"name": "clock", "desciption": "Tells the time."}`,
			Do:    "Correct the name, or remove the key.",
		},
		find: func(p *plugin, report reporter) {
			fields := manifestFields()
			for _, name := range slices.Sorted(maps.Keys(p.stated())) {
				if _, known := fields[name]; known {
					continue
				}
				hint := "remove it"
				if near := nearest(name, slices.Sorted(maps.Keys(fields))); near != "" {
					hint = "write " + near
				} else if slices.Contains(fromNpm, name) {
					hint = "remove it; it belongs into package.json"
				}
				report.at(p.manifest.KeyPosition(name), hint, "%s has no effect", clip(printable(name)))
			}
		},
	}
}

// nearest returns the known name that a misspelled one most likely stands for,
// or "".
func nearest(name string, known []string) string {
	best, least := "", 1+min(2, len(name)/3)
	for _, candidate := range known {
		if d := project.Distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

func manifestIncomplete() rule[*plugin] {
	return rule[*plugin]{
		code: "manifest-incomplete", level: diag.Warning,
		meaning: "the manifest lacks a description or an author",
		page: Page{
			Group: Manifest,
			Why:   "Users choose by these, and the client's strict check fails without them.",
			Wrong: `{"name": "clock", "version": "1.0.0"}`,
			Do:    "Write them into package.json and run `omcbuild sync`.",
		},
		find: func(p *plugin, report reporter) {
			if p.manifest == nil || p.manifest.Problem != nil {
				return
			}
			values := p.stated()
			for _, name := range []string{"description", "author"} {
				if text, isText := values[name].(string); values[name] == nil || isText && strings.TrimSpace(text) == "" {
					report.at(diag.Position{File: manifestFile}, "add it to package.json and run omcbuild sync", "has no %s", name)
				}
			}
		},
	}
}

func manifestIgnored() rule[*plugin] {
	return rule[*plugin]{
		code: "manifest-value-ignored", level: diag.Warning,
		meaning: "a field of the manifest has a value that the client ignores or that will stop working",
		page: Page{
			Group: Manifest,
			Why:   "The client loads the plugin without what the field says. themes and monitors at the top level still load, and are to be removed.",
			Wrong: `{"metadata": "x", "themes": "./themes/"}`,
			Do:    "Write metadata and experimental as objects, and move themes and monitors into experimental.",
		},
		find: func(p *plugin, report reporter) {
			values := p.stated()
			for _, name := range []string{"metadata", "experimental"} {
				if value := values[name]; value != nil && valueType(value) != anObject {
					report.at(p.manifest.Position(name), "write an object", "%s is %s and is ignored", name, valueType(value))
				}
			}
			for _, name := range []string{"monitors", "themes"} {
				if values[name] != nil {
					report.at(p.manifest.KeyPosition(name), "move it to experimental."+name, "%s belongs under experimental", name)
				}
			}
		},
	}
}

func pluginDisabled() rule[*plugin] {
	return rule[*plugin]{
		code: "plugin-disabled", level: diag.Warning,
		meaning: "the plugin is installed switched off, so none of its servers starts",
		page: Page{
			Group: Manifest,
			Why:   "The client installs the plugin disabled. Users who do not enable it by hand see no tools and no error.",
			Wrong: `{"defaultEnabled": false}`,
			Do:    "Remove the field, or say in the README how to enable the plugin.",
		},
		find: func(p *plugin, report reporter) {
			if p.stated()["defaultEnabled"] == false {
				report.at(p.manifest.Position("defaultEnabled"), "remove it, or tell users how to enable the plugin", "the plugin is off until a user enables it")
			}
		},
	}
}
