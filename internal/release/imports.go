package release

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// maxScript is the size in bytes above which a script is not read for its imports.
const maxScript = 1 << 20

// CheckImports finds what scripts of the package import and will not find where it is
// installed: packages, since nothing is installed with a plugin that has no lockfile,
// and files that are not in the package. It looks at those scripts for which of says
// so; bundles are the bundler's business. What a try block surrounds may be missing.
func (p *Payload) CheckImports(of func(file string) bool) (list diag.List) {
	for _, f := range p.files {
		if !slices.Contains([]string{".js", ".mjs", ".cjs"}, path.Ext(f.Path)) || len(f.Contents) > maxScript || !of(f.Path) {
			continue
		}
		text := string(f.Contents)
		scanned, ok := jsscan.Scan(text)
		if !ok {
			continue
		}
		for i := range scanned.Tokens {
			spec, ok := importedAt(scanned, i)
			if !ok || scanned.Tokens[i].Tries > 0 {
				continue
			}
			message, hint := p.lacks(f.Path, spec)
			if message == "" {
				continue
			}
			line, column := jsscan.Position(text, scanned.Tokens[i].Start)
			list.Add(diag.Diagnostic{Code: "package-import", Level: diag.Warning, Position: diag.Position{File: f.Path, Line: line, Column: column}, Message: message, Hint: hint})
		}
	}
	return list
}

// importedAt returns the name at token i when it is one that is imported or required.
func importedAt(f *jsscan.File, i int) (string, bool) {
	spec, ok := f.Literal(i)
	if !ok || spec == "" {
		return "", false
	}
	switch {
	case f.Is(i-1, "from"), f.Is(i-1, "import") && !f.Is(i-2, "."):
		return spec, true
	case f.Is(i-1, "(") && (f.Is(i-2, "require") || f.Is(i-2, "import")) && !f.Is(i-3, ".") && (f.Is(i+1, ")") || f.Is(i+1, ",")):
		return spec, true
	}
	return "", false
}

// lacks says what a script imports in vain, or "".
func (p *Payload) lacks(script, spec string) (message, hint string) {
	switch {
	case bundler.IsBuiltin(spec), strings.Contains(spec, ":"), strings.HasPrefix(spec, "/"), strings.HasPrefix(spec, "#"):
		return "", ""
	case !strings.HasPrefix(spec, "."):
		return fmt.Sprintf("imports %s, which is not in the package and is not installed with it", spec), "bundle the script, with an entry of kind script under bundles"
	}
	target := path.Join(path.Dir(script), spec)
	for _, ending := range []string{"", ".js", ".cjs", ".json", ".mjs", "/index.js", "/index.cjs", "/package.json"} {
		if _, there := p.File(target + ending); there {
			return "", ""
		}
	}
	return fmt.Sprintf("imports %s, which is not in the package", spec), "name the file under package.include, or bundle the script"
}
