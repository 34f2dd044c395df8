package versioning

import (
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"

	"omcbuild/internal/project"
)

// SetVersion returns a JSON file with another version. Nothing but the bytes of the
// value changes. It reports false when the file has no version that is a text.
func SetVersion(doc *project.Document, version string) ([]byte, bool) {
	return replaceTexts(doc, version, []string{"version"})
}

// SetLockVersion does the same for a lockfile of npm, which repeats the version of the
// package.json beside it in two places.
func SetLockVersion(doc *project.Document, version string) ([]byte, bool) {
	return replaceTexts(doc, version, []string{"version"}, []string{"packages", "", "version"})
}

// replaceTexts puts a text in place of those at some places of a file, as far as there
// are texts.
func replaceTexts(doc *project.Document, text string, places ...[]string) ([]byte, bool) {
	value, err := json.Marshal(text)
	if err != nil {
		return nil, false
	}
	var found []*hujson.Value
	for _, keys := range places {
		if v := doc.Find(keys...); v != nil && v.Value.Kind() == '"' {
			found = append(found, v)
		}
	}
	slices.SortFunc(found, func(a, b *hujson.Value) int { return a.StartOffset - b.StartOffset })
	mark := 0 // offsets count from after a byte order mark
	if doc.BOM {
		mark = 3
	}
	var out []byte
	copied := 0
	for _, v := range found {
		out = append(append(out, doc.Data[copied:mark+v.StartOffset]...), value...)
		copied = mark + v.EndOffset
	}
	return append(out, doc.Data[copied:]...), len(found) > 0
}
