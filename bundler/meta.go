package bundler

import (
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// foreignMeta replaces or reports what Bun or Vite alone have in import.meta; its name
// is token i.
func (b *build) foreignMeta(file string, f *jsscan.File, i int, edits *[]edit, list *diag.List) {
	t := f.Tokens[i]
	switch name := f.Source(i); name {
	case "dir":
		*edits = append(*edits, edit{t.Start, t.End, "dirname"})
	case "path":
		*edits = append(*edits, edit{t.Start, t.End, "filename"})
	case "file", "require", "resolveSync":
		if asksForBun(f) {
			return
		}
		list.Add(diag.Diagnostic{Code: "bun-global", Level: diag.Warning, Position: b.at(file, f.Text, t.Start),
			Message: "import.meta." + name + " exists only in Bun, and this bundle runs in Node",
			Hint:    "use import.meta.filename, or createRequire of node:module"})
	case "glob", "globEager":
		if f.Is(i+1, "(") || f.Is(i+1, "<") {
			list.Add(diag.Diagnostic{Code: "vite-only", Position: b.at(file, f.Text, t.Start),
				Message: "import.meta." + name + " exists only in Vite, and nothing takes its place here",
				Hint:    "import each file by its name, or let a prebuild command write a module that does"})
		}
	case "env":
		b.metaEnv(file, f, i, edits, list)
	}
}

// viteWords are the variables in import.meta.env that Vite sets itself.
const viteWords = " MODE DEV PROD SSR BASE_URL "

// metaEnv makes import.meta.env, its last word at token i, the environment, as it is in
// Bun. What Vite alone puts there is reported.
func (b *build) metaEnv(file string, f *jsscan.File, i int, edits *[]edit, list *diag.List) {
	name := ""
	if f.Is(i+1, ".") && !optional(f, i) {
		name = f.Source(i + 2)
	}
	for _, defined := range []string{"import.meta.env", "import.meta.env." + name} {
		if _, set := b.o.Define[defined]; set {
			return
		}
	}
	*edits = append(*edits, edit{f.Tokens[i-4].Start, f.Tokens[i].End, "process.env"})
	if name != "" && strings.Contains(viteWords, " "+name+" ") || strings.HasPrefix(name, "VITE_") {
		list.Add(diag.Diagnostic{Code: "vite-only", Level: diag.Warning, Position: b.at(file, f.Text, f.Tokens[i-4].Start),
			Message: "import.meta.env." + name + " is set by Vite alone; in this bundle it is the variable " + name + " of the environment",
			Hint:    "give it a value with define: \"import.meta.env." + name + "\""})
	}
}

// asksByValue reports whether token i, with a parenthesis behind it, is resolve of
// require or import.meta, or a require made by createRequire, and what is asked for is
// no constant and lies in no folder that the caller names.
func asksByValue(f *jsscan.File, i int, loaders map[string]bool) bool {
	resolves := f.Is(i, "resolve") && f.Is(i-1, ".") &&
		(loaders[f.Source(i-2)] && !f.Is(i-3, ".") || f.Is(i-2, "meta") && f.Is(i-4, "import"))
	requires := loaders[f.Source(i)] && !f.Is(i, "require") && !f.Is(i-1, ".") && !f.Is(i-1, "function")
	if !resolves && !requires || f.Is(i+2, ")") {
		return false
	}
	if kind := f.Kind(i + 2); kind == jsscan.String || kind == jsscan.TemplatePart && !strings.HasPrefix(f.Source(i+2), "`${") {
		return false // the beginning is constant: followed as a place, or found not to be there
	}
	for j := i + 2; j < len(f.Tokens) && j < i+maxBody && f.Tokens[j].Parens > f.Tokens[i+1].Parens; j++ {
		if f.Is(j, ",") && f.Tokens[j].Parens == f.Tokens[i+1].Parens+1 {
			return false
		}
		if f.Is(j, "__dirname") || f.Is(j, "meta") {
			return false
		}
	}
	return true
}

// computed reports that a module is asked for by a computed name.
func computed(at diag.Position, name string, guarded bool) diag.Diagnostic {
	d := diag.Diagnostic{Code: "variable-import", Level: diag.Warning, Position: at,
		Message: "a module whose name is computed is asked for; what is in the bundle is not found by its name",
		Hint:    "write the name as text, or say with the option paths where it is looked for"}
	if name != "resolve" {
		d.Hint = "write the name as text, or choose between requires of constant names"
	}
	if guarded {
		d.Level = diag.Note
	}
	return d
}
