package bundler

import (
	"os"
	"path/filepath"
	"strings"

	"omcbuild/internal/jsscan"
)

// mayImportByPattern reports whether a script that has an import() may ask for computed
// names with it.
func mayImportByPattern(text string) bool {
	return strings.Contains(text, "import(`.") || strings.Contains(text, " + ")
}

// patternImports lets import(`./tools/${name}.js`) find the sources that such names mean
// after a compilation: esbuild bundles what matches the pattern, and ./tools/*.js
// matches no TypeScript.
func patternImports(file string, f *jsscan.File) (edits []edit) {
	for i := range f.Tokens {
		edits = append(edits, rejecting(f, i)...)
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

// rejecting makes the import() at token i of a pattern, such as import(`./tools/${name}.js`),
// answer as import() does for a module that is not there: with a promise that is
// rejected. What esbuild puts in its place throws at once.
func rejecting(f *jsscan.File, i int) []edit {
	if !f.Is(i, "import") || f.Is(i-1, ".") || !f.Is(i+1, "(") {
		return nil
	}
	end := f.Close(i + 1)
	text := strings.TrimLeft(f.Source(i+2), "\"'`")
	template := f.Kind(i+2) == jsscan.TemplatePart
	glued := f.Kind(i+2) == jsscan.String && f.Is(i+3, "+")
	if end < 0 || !template && !glued || !strings.HasPrefix(text, "./") && !strings.HasPrefix(text, "../") {
		return nil
	}
	for j := i + 2; j < end; j++ {
		if f.Is(j, "await") || f.Is(j, "yield") || f.Is(j, ",") && f.Tokens[j].Parens == f.Tokens[i+1].Parens+1 {
			return nil // these count only where they stand
		}
	}
	start, stop := f.Tokens[i].Start, f.Tokens[end].End
	return []edit{{start, start, "new Promise((__omcbuild_done) => __omcbuild_done("}, {stop, stop, "))"}}
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
