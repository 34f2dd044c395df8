package lint

import (
	"path"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"omcbuild/internal/diag"
)

// stated is a version that some file states for the plugin.
type stated struct {
	version string
	place   diag.Position
}

// versions returns the versions that the plugin's files state: package.json,
// the manifest, and its entry in the catalog.
func (p *plugin) versions() (found []stated) {
	if version := p.pkg.String("version"); version != "" {
		found = append(found, stated{version, p.pkg.Position("version")})
	}
	if version := p.manifest.String("version"); version != "" {
		found = append(found, stated{version, p.manifest.Position("version")})
	}
	for _, i := range p.ownEntries() {
		if version := p.catalog.String("plugins", i, "version"); version != "" {
			found = append(found, stated{version, p.catalog.Position("plugins", i, "version")})
		}
	}
	return found
}

// ownEntries returns the positions in the catalog of the entries for this very
// folder.
func (p *plugin) ownEntries() (found []string) {
	for i := range p.entries() {
		index := strconv.Itoa(i)
		if source := p.catalog.String("plugins", index, "source"); source != "" && path.Clean(source) == "." {
			found = append(found, index)
		}
	}
	return found
}

// maxEntries is how many entries of a catalog are looked at.
const maxEntries = 1000

// entries returns the number of plugins in the catalog.
func (p *plugin) entries() int {
	var list []any
	if p.catalog == nil || p.catalog.Decode(&list, "plugins") != nil {
		return 0
	}
	return min(len(list), maxEntries)
}

func versionMismatch() rule[*plugin] {
	return rule[*plugin]{
		code: "version-mismatch", level: diag.Error,
		meaning: "the plugin's files state different versions; clients go by plugin.json, and users stay on the old one",
		page: Page{
			Group: Versions,
			Why:   "The client goes by `plugin.json`. A catalog that promises another version shows users an update that they never get.",
			Wrong: "package.json   \"version\": \"1.1.0\"\nplugin.json    \"version\": \"1.0.0\"",
			Do:    "Run `omcbuild sync`; package.json is the one place for the version.",
		},
		find: func(p *plugin, report reporter) {
			versions := p.versions()
			for _, v := range versions {
				if v.version != versions[0].version {
					report.at(v.place, "run omcbuild sync", "version %q differs from %q in %s", clip(v.version), clip(versions[0].version), versions[0].place.File)
				}
			}
		},
	}
}

// longestVersion is how many characters of a version surely fit into the name of
// a folder.
const longestVersion = 128

func versionForm() rule[*plugin] {
	return rule[*plugin]{
		code: "version-form", level: diag.Error,
		meaning: "the plugin's version is no semantic version, begins with v, or is too long for the name of a folder",
		page: Page{
			Group: Versions,
			Why:   "The client takes any text as a version and compares it as text. `plugin tag` refuses what is no semantic version, turns `v1.0.0` into the tag `NAME--vv1.0.0`, and a very long version makes a folder name that systems refuse.",
			Wrong: "{\"version\": \"v1.2\"}",
			Do:    "Write three numbers: `1.2.0`.",
		},
		find: func(p *plugin, report reporter) {
			for _, v := range p.versions() {
				if len(v.version) > longestVersion {
					report.at(v.place, "write three numbers, for example 1.4.0", "the version has %d characters", len(v.version))
					continue
				}
				if _, err := semver.StrictNewVersion(v.version); err == nil {
					continue
				}
				hint := "write three numbers, for example 1.4.0"
				if strings.HasPrefix(v.version, "v") {
					hint = "leave the v out; a tag adds its own"
				}
				report.at(v.place, hint, "%q is no semantic version", clip(v.version))
			}
		},
	}
}

func versionMissing() rule[*plugin] {
	return rule[*plugin]{
		code: "version-missing", level: diag.Warning,
		meaning: "plugin.json states no version; clients then go by the commit, and a folder without one never updates",
		page: Page{
			Group: Versions,
			Why:   "Without a version the client uses the commit, and outside git the word unknown. Then nobody can say which version they have.",
			Wrong: "{\"name\": \"clock\"}",
			Do:    "Run `omcbuild sync`, which takes it from package.json.",
		},
		find: func(p *plugin, report reporter) {
			if p.manifest != nil && p.manifest.Problem == nil && p.manifest.String("version") == "" {
				report.at(p.manifest.Position("version"), "run omcbuild sync", "states no version")
			}
		},
	}
}

func versionBuild() rule[*plugin] {
	return rule[*plugin]{
		code: "version-build", level: diag.Warning,
		meaning: "the plugin's version has build metadata, which clients replace in the name of their cache folder, so that two versions share one",
		page: Page{
			Group: Versions,
			Why:   "The client replaces the plus sign in the name of its cache folder, so `1.0.0+b.1` and `1.0.0-b.1` share one and the second is never installed.",
			Wrong: "{\"version\": \"1.0.0+b.1\"}",
			Do:    "Leave out the plus sign and what follows.",
		},
		find: func(p *plugin, report reporter) {
			if version := p.manifest.String("version"); strings.Contains(version, "+") {
				report.at(p.manifest.Position("version"), "leave out the + and what follows", "the version %q has build metadata", clip(version))
			}
		},
	}
}
