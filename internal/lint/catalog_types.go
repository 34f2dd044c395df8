package lint

import (
	"slices"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
)

// catalogTypes finds values at the top of the catalog for which the client refuses
// it.
func (p *plugin) catalogTypes(values map[string]any, report reporter) {
	expect := func(fields map[string]any, kind string, keys ...string) {
		if value, ok := fields[keys[len(keys)-1]]; ok && valueType(value) != kind {
			report.at(p.catalog.Position(keys...), "write "+kind, "%s is %s and must be %s", strings.Join(keys, "."), valueType(value), kind)
		}
	}
	for _, name := range []string{"$schema", "description", "version"} {
		expect(values, aString, name)
	}
	expect(values, anObject, "metadata")
	expect(values, anObject, "renames")
	expect(values, anArray, "allowCrossMarketplaceDependenciesOn")
	metadata, _ := values["metadata"].(map[string]any)
	for _, name := range []string{"description", "pluginRoot", "version"} {
		expect(metadata, aString, "metadata", name)
	}
	owner, _ := values["owner"].(map[string]any)
	expect(owner, aString, "owner", "email")
	renames, _ := values["renames"].(map[string]any)
	for _, name := range sortedKeys(renames) {
		if renames[name] != nil {
			expect(renames, aString, "renames", name)
		}
	}
	if list, ok := values["allowCrossMarketplaceDependenciesOn"].([]any); ok && len(stringsOf(list)) != len(list) {
		report.at(p.catalog.Position("allowCrossMarketplaceDependenciesOn"), "write names of catalogs", "allowCrossMarketplaceDependenciesOn must be an array of strings")
	}
}

// entryParts looks inside the fields of an entry whose types are right.
func (p *plugin) entryParts(e entry, place func(keys ...string) diag.Position, report reporter) {
	if author, ok := e.fields["author"].(map[string]any); ok && textOf(author["name"]) == "" {
		report.at(place("author"), `write {"name": …}`, "%s: the author has no name", e.label())
	}
	for _, field := range []string{"keywords", "tags"} {
		if list, ok := e.fields[field].([]any); ok && len(stringsOf(list)) != len(list) {
			report.at(place(field), "write strings", "%s: %s must be an array of strings", e.label(), field)
		}
	}
	if homepage, ok := e.fields["homepage"].(string); ok && !isURL(homepage) {
		report.at(place("homepage"), "write a whole URL, with https://", "%s: homepage %s is no URL", e.label(), clip(printable(homepage)))
	}
	dependencies, _ := e.fields["dependencies"].([]any)
	for i, value := range dependencies {
		if name, _, ok := dependency(value); !ok || name == "" {
			report.at(place("dependencies", strconv.Itoa(i)), `write a name, or {"name": …, "version": …}`, "%s: a dependency is %s", e.label(), compact(value))
		}
	}
	languages, _ := e.fields["lspServers"].(map[string]any)
	for _, key := range sortedKeys(languages) {
		s := server{key: key, doc: p.catalog, keys: slices.Concat([]string{"plugins", e.index, "lspServers", key})}
		s.fields, _ = languages[key].(map[string]any)
		for _, fault := range s.lspFaults() {
			report.at(place("lspServers", key), "correct it, or remove it", "%s: language server %s: %s", e.label(), clip(printable(key)), fault.text)
		}
	}
}
