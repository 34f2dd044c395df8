package bundler

import (
	"os"
	"path/filepath"
	"strings"

	"omcbuild/internal/jsscan"
)

// patternImports lets import(`./tools/${name}.js`) find the sources that such names mean
// after a compilation: esbuild bundles what matches the pattern, and ./tools/*.js
// matches no TypeScript.
func patternImports(file string, f *jsscan.File) (edits []edit) {
	for i := range f.Tokens {
		call := f.Is(i, "import") || f.Is(i, "require")
		if !call || !f.Is(i+1, "(") || f.Is(i-1, ".") {
			continue
		}
		folder, open := f.Literal(i + 2)
		if f.Kind(i+2) == jsscan.TemplatePart {
			folder, open = strings.TrimSuffix(strings.TrimPrefix(f.Source(i+2), "`"), "${"), true
		}
		cut := strings.LastIndexByte(folder, '/')
		end := f.Close(i + 1)
		if !open || cut < 0 || !strings.HasPrefix(folder, ".") || end < i+4 {
			continue
		}
		tail := f.Source(end - 1)
		quoted := strings.TrimRight(tail, "\"'`")
		if f.Kind(end-1) != jsscan.String && f.Kind(end-1) != jsscan.TemplatePart || !strings.HasSuffix(quoted, ".js") {
			continue
		}
		if onlyTypeScript(filepath.Join(filepath.Dir(file), filepath.FromSlash(folder[:cut]))) {
			at := f.Tokens[end-1].Start + len(quoted)
			edits = append(edits, edit{at - len("js"), at, "ts"})
		}
	}
	return edits
}

// onlyTypeScript reports whether a folder has TypeScript and no JavaScript.
func onlyTypeScript(dir string) (found bool) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".js":
			return false
		case ".ts":
			found = true
		}
	}
	return found
}
