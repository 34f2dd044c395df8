// Package metadata keeps a plugin's manifests in step with package.json.
//
// package.json is the one place where name, version, description, author,
// licence, links and keywords are written by hand. Plan compares it with what
// repeats them and returns the files that would have to change:
//
//   - .claude-plugin/plugin.json, created when it is missing
//   - .claude-plugin/marketplace.json, if there is one: the plugin's entry, and
//     the catalog's own version when the plugin is all it lists
//   - .mcp.json: one server for each registered bundle, started as
//     node ${CLAUDE_PLUGIN_ROOT}/OUTFILE; created when a bundle needs it
//   - the markers of omcbuild.jsonc: versions, names and counts in any file
//
// One of several plugins of a repository leaves the repository's catalog to
// PlanCatalog, which brings all entries into step at once; a catalog in its own
// folder is a file like the others. Such a plugin may do without
// servers and without package.json; its manifest is then what is written by
// hand.
//
// Nothing is written here. A Change holds the file before and after; bytes
// that carry no such value (unknown keys, key order, indentation, line endings,
// the last newline) are the same in both, and a file that is in step is no
// Change at all. What package.json does not say is left as it stands.
package metadata

import (
	"github.com/rogpeppe/go-internal/diff"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// Facts are what Plan cannot read from files.
type Facts struct {
	// Tools is the number of tools each bundle lists, by the bundle's name. A
	// marker that needs a number which is not here is left alone, with a warning.
	Tools map[string]int
	// Edited are files as they will be, by their paths, in place of those on disk.
	Edited map[string][]byte
}

// Result is what has to change.
type Result struct {
	Files       []string  // every file that was compared, manifests first, then files with markers
	Changes     []Change  // in the order of Files; empty when all is in step
	Entry       Entry     // what the plugin's entry of a catalog has to say
	Diagnostics diag.List // warnings
}

// Change is one file to write.
type Change struct {
	Path   string   // relative to the root, slash separated
	Before []byte   // nil when the file is created
	After  []byte   // never nil
	Fields []string // what is new, in words: "version 0.1.0 → 0.2.0", "server t added"
}

// Diff returns the change as a unified difference.
func Diff(c Change) string {
	return string(diff.Diff("a/"+c.Path, c.Before, "b/"+c.Path, c.After))
}

// VersionFile is the file in which the plugin's version is written by hand:
// package.json, or the manifest of a plugin that is described by it alone.
func VersionFile(p *project.Project) string {
	if manifestLeads(p) {
		return project.ManifestFile
	}
	return project.PackageFile
}

// Plan compares package.json with everything that repeats it. The error is a
// *diag.Failure of class Failed: package.json lacks what the client needs or
// says what it refuses, a manifest is broken, or a marker is not found.
func Plan(p *project.Project, facts Facts) (*Result, error) {
	d := newDesk(p)
	d.edited = facts.Edited
	m := markers{desk: d, facts: facts}
	// Markers in package.json come first: what they change is repeated elsewhere.
	m.fill(func(file string) bool { return file == project.PackageFile })
	byHand := manifestLeads(p)
	read := readIdentity
	if byHand {
		read = manifestIdentity
	}
	id := read(d)
	if !d.found.HasErrors() {
		if !byHand {
			syncManifest(d, id)
		}
		if p.Within == nil || p.Within.Path != "." {
			syncCatalog(d, id)
		}
		syncServers(d)
		m.fill(func(file string) bool { return file != project.PackageFile })
	}
	result, err := d.result()
	if err == nil {
		result.Entry = Entry{within: p.Within, identity: id}
	}
	return result, err
}
