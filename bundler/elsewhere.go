package bundler

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// elsewhere finds what a source takes from the way its author starts it and what a
// plugin's server, started by node alone, will not have: what is Bun's own, and the
// variables that npm sets for its scripts. What has a counterpart is changed to it.
func (b *build) elsewhere(file string, f *jsscan.File) (edits []edit, list diag.List) {
	loaders := loadersOf(f)
	for i := range f.Tokens {
		if name, constant := f.Literal(i); constant && strings.HasPrefix(name, npmPrefix) && f.Is(i-1, "[") && f.Is(i-2, "env") && f.Is(i+1, "]") {
			b.npmVariable(file, f, i-4, i+1, name, &edits, &list)
			continue
		}
		name := f.Source(i)
		if f.Kind(i) != jsscan.Ident {
			continue
		}
		switch {
		case strings.HasPrefix(name, npmPrefix) && f.Is(i-1, ".") && f.Is(i-2, "env"):
			b.npmVariable(file, f, i-4, i, name, &edits, &list)
		case uses(f, i, "Bun") && !asksForBun(f):
			list.Add(onlyIn("Bun", diag.Diagnostic{Code: "bun-global", Position: b.at(file, f.Text, f.Tokens[i].Start)}))
		case uses(f, i, "Deno") && !asksForDeno(f):
			list.Add(onlyIn("Deno", diag.Diagnostic{Code: "deno-global", Position: b.at(file, f.Text, f.Tokens[i].Start)}))
		case f.Is(i+1, "(") && asksByValue(f, i, loaders):
			list.Add(computed(b.at(file, f.Text, f.Tokens[i].Start), name, f.Tokens[i].Tries > 0))
		case name == "Worker" || name == "fork":
			if text, constant := f.Literal(i + 2); constant && f.Is(i+1, "(") && strings.HasPrefix(text, ".") {
				list.Add(diag.Diagnostic{Code: "relative-program", Level: diag.Warning, Position: b.at(file, f.Text, f.Tokens[i+2].Start),
					Message: quote(text) + " is looked for in the folder in which the server is started, which is the user's project",
					Hint:    "write new URL(" + quote(text) + ", import.meta.url), which is followed into the bundle"})
			}
		case strings.HasPrefix(name, "readFile") && f.Is(i+1, "("):
			list.Add(b.relativeFile(file, f, i+2)...)
		case name == "import" && f.Is(i+1, ".") && f.Is(i+2, "meta") && f.Is(i+3, "."):
			b.foreignMeta(file, f, i+4, &edits, &list)
		}
	}
	return edits, list
}

const npmPrefix = "npm_package_"

// npmVariable puts the value of a variable in its place: process.env.NAME, of which
// the tokens go from first to last. Where env came from elsewhere it is only reported.
func (b *build) npmVariable(file string, f *jsscan.File, first, last int, name string, edits *[]edit, list *diag.List) {
	whole := f.Is(first, "process") && f.Is(first+1, ".")
	if !whole {
		first += 2
	}
	_, defined := b.o.Define["process.env."+name]
	if whole && defined {
		return
	}
	d := diag.Diagnostic{Code: "npm-variable", Level: diag.Warning, Position: b.at(file, f.Text, f.Tokens[first].Start),
		Message: name + " is set by npm for its scripts and is missing when node starts the bundle",
		Hint:    "import package.json, or put the value in with define"}
	if f.Is(last+1, "=") && comparison(f, last+1) == 0 {
		return // it is set here
	}
	if value, ok := b.ownField(file, strings.TrimPrefix(name, npmPrefix)); ok && whole {
		text, _ := json.Marshal(value)
		*edits = append(*edits, edit{f.Tokens[first].Start, f.Tokens[last].End, string(text)})
		d.Level, d.Hint = diag.Note, ""
		d.Message = fmt.Sprintf("%s, which only npm's scripts have, is replaced by %s from package.json", name, text)
	}
	list.Add(d)
}

// ownField returns a text of the nearest package.json above a file of the project.
func (b *build) ownField(file, key string) (string, bool) {
	for dir := path.Dir(b.rel(file)); ; dir = path.Dir(dir) {
		text, err := readRegular(filepath.Join(b.o.Root, filepath.FromSlash(dir), "package.json"))
		if err == nil {
			var fields map[string]any
			if json.Unmarshal([]byte(strings.TrimPrefix(string(text), string(byteOrderMark))), &fields) != nil {
				return "", false
			}
			value, ok := fields[key].(string)
			return value, ok
		}
		if dir == "." || dir == "/" || strings.HasPrefix(dir, "..") {
			return "", false
		}
	}
}

// relativeFile reports that the file named at token i, which is the project's, is looked
// for where the server is started. What lies at the root of the project may be meant to
// be the user's file of that name, such as package.json.
func (b *build) relativeFile(file string, f *jsscan.File, i int) (list diag.List) {
	name, constant := f.Literal(i)
	if !constant || !filepath.IsLocal(filepath.FromSlash(name)) || !exists(b.o.Root, filepath.FromSlash(name)) {
		return nil
	}
	d := diag.Diagnostic{Code: "relative-file", Level: diag.Warning, Position: b.at(file, f.Text, f.Tokens[i].Start),
		Message: quote(name) + " is looked for in the folder in which the server is started, which is the user's project",
		Hint:    "read it with new URL(NAME, import.meta.url), NAME relative to this source; it is then copied beside the bundle"}
	if !strings.Contains(path.Clean(name), "/") {
		d.Level = diag.Note
	}
	return append(list, d)
}

// onlyIn says that a global exists in another runtime only.
func onlyIn(runtime string, d diag.Diagnostic) diag.Diagnostic {
	d.Level = diag.Warning
	d.Message = runtime + " exists only in " + runtime + ", and this bundle runs in Node"
	d.Hint = "use a module of Node's, or ask typeof " + runtime + " first"
	return d
}

// uses reports whether token i is the global of a runtime in use.
func uses(f *jsscan.File, i int, global string) bool {
	if !f.Is(i, global) || f.Is(i-1, ".") && !f.Is(i-2, "globalThis") {
		return false
	}
	return f.Is(i+1, ".") && !optional(f, i) || f.Is(i-1, "=") && f.Is(i-2, "}")
}

// optional reports whether what stands behind token i is asked for only when there is
// such a thing: Deno?.env.
func optional(f *jsscan.File, i int) bool {
	return strings.HasPrefix(f.Text[f.Tokens[i].End:], "?.")
}

// asksForDeno reports whether a file asks whether Deno runs it, or declares the name.
func asksForDeno(f *jsscan.File) bool {
	for i := range f.Tokens {
		if text, constant := f.Literal(i); constant && text == "Deno" && f.Is(i+1, "in") {
			return true
		}
		if f.Is(i, "Deno") && (f.Is(i-1, "typeof") || f.Is(i-1, "const") || f.Is(i-1, "import") || f.Is(i-1, "{") || optional(f, i)) {
			return true
		}
	}
	return false
}

// asksForBun reports whether a file asks whether Bun runs it, or declares the name.
func asksForBun(f *jsscan.File) bool {
	for i := range f.Tokens {
		if f.Is(i, "Bun") && (f.Is(i-1, "typeof") || f.Is(i-1, "const") || f.Is(i-1, "import") || f.Is(i-1, "{")) ||
			f.Is(i, "bun") && f.Is(i-1, ".") && f.Is(i-2, "versions") || f.Is(i, "isBun") {
			return true
		}
	}
	return false
}

// isBun reports whether a module is one of Bun's.
func isBun(spec string) bool { return spec == "bun" || strings.HasPrefix(spec, "bun:") }
