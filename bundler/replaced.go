package bundler

import (
	"strings"

	"omcbuild/internal/jsscan"
)

// Some make a path of the module's own by changing its text:
//
//	fileURLToPath(import.meta.url).replace(/[^/]+$/, "page.html")
//	__dirname.split("/").slice(0, -2).join("/")
//
// What comes out depends on where the file lies, and in a bundle that is another place.

// replaced reports whether the text of a place is changed into that of another. To
// change how it is written, as in replaceAll("\\", "/"), or to compare it makes none.
func replaced(f *jsscan.File, p place) bool {
	if !f.Is(p.last+1, ".") || !f.Is(p.last+3, "(") {
		return false
	}
	end := f.Close(p.last + 3)
	if end < 0 || f.Is(end+1, "=") || f.Is(end+1, "!") || f.Is(p.first-1, "=") && f.Is(p.first-2, "=") {
		return false
	}
	switch f.Source(p.last + 2) {
	case "replace", "replaceAll":
		return f.Is(end+1, "+") || namesPart(f, end-1)
	case "slice", "substring", "substr":
		return f.Is(end+1, "+")
	case "split":
		for f.Is(end+1, ".") && f.Is(end+3, "(") {
			if f.Is(end+2, "join") {
				return true
			}
			if end = f.Close(end + 3); end < 0 {
				return false
			}
		}
	}
	return false
}

// namesPart reports whether token i is a text with part of a path's name in it, and so
// more than a separator or nothing.
func namesPart(f *jsscan.File, i int) bool {
	if f.Kind(i) == jsscan.TemplatePart {
		return true
	}
	return f.Kind(i) == jsscan.String && strings.Trim(f.Source(i), "\"'`/\\") != "" && !strings.HasPrefix(strings.Trim(f.Source(i), "\"'`"), "file:")
}
