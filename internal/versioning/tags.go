package versioning

import (
	"cmp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Tag is a tag of a repository that stands for a release.
type Tag struct {
	Name    string // of the tag, without refs/tags/
	Version *semver.Version
	Own     bool // it names the plugin, as the client's own tags do
	Merged  bool // its commit is part of the history of what is checked out
}

// TagName is the tag that the client gives a version of a plugin.
func TagName(plugin, version string) string { return plugin + "--v" + version }

// TagMessage is what the client writes into such a tag.
func TagMessage(plugin, version string) string { return plugin + " " + version }

// ParseTag reads the name of a tag as that of a release of the plugin: PLUGIN--vX.Y.Z,
// vX.Y.Z or X.Y.Z.
func ParseTag(plugin, name string) (Tag, bool) {
	text, own := strings.CutPrefix(name, plugin+"--v")
	if !own {
		text = strings.TrimPrefix(name, "v")
	}
	version, err := semver.StrictNewVersion(text)
	if err != nil || version.Metadata() != "" || plugin == "" && own {
		return Tag{}, false
	}
	return Tag{Name: name, Version: version, Own: own}, true
}

// Releases returns the tags that count as releases before a version, the last release
// first. Tags that name the plugin count alone where there are any, and so do those in
// the history of what is checked out. Pre-releases stand behind, unless the version is
// one itself and follows them.
func Releases(tags []Tag, before *semver.Version, prereleases bool) []Tag {
	tags = keep(tags, func(t Tag) bool { return before == nil || t.Version.LessThan(before) })
	for _, better := range []func(Tag) bool{func(t Tag) bool { return t.Own }, func(t Tag) bool { return t.Merged }} {
		if some := keep(tags, better); len(some) > 0 {
			tags = some
		}
	}
	sortTags(tags, prereleases)
	return tags
}

func keep(tags []Tag, wanted func(Tag) bool) (kept []Tag) {
	for _, t := range tags {
		if wanted(t) {
			kept = append(kept, t)
		}
	}
	return kept
}

// sortTags puts the highest version first.
func sortTags(tags []Tag, prereleases bool) {
	slices.SortFunc(tags, func(a, b Tag) int {
		if left, right := a.Version.Prerelease() != "", b.Version.Prerelease() != ""; left != right && !prereleases {
			if left {
				return 1
			}
			return -1
		}
		return cmp.Or(b.Version.Compare(a.Version), cmp.Compare(b.Name, a.Name))
	})
}
