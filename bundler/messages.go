package bundler

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
)

// finding travels in the Detail of a message of our own through esbuild, which
// adds the place.
type finding struct {
	code, hint string
	file       string // in which it is, if that is not the place that esbuild adds
}

// diagnostics turns esbuild's messages into ours.
func (b *build) diagnostics(messages []api.Message, level diag.Level) diag.List {
	var list diag.List
	for _, m := range messages {
		if b.said(m) {
			continue
		}
		list.Add(b.diagnostic(m, level))
	}
	return together(list)
}

// said reports whether a message is about a module of our own, or comes twice: what
// is not there in this letter case has a warning of its own.
func (b *build) said(m api.Message) bool {
	file, unreadable := strings.CutPrefix(m.Text, "Cannot read file: ")
	return m.Location != nil && strings.HasPrefix(m.Location.File, lateNamespace+":") ||
		unreadable && b.spelled(file) != "" && b.spelled(file) != b.rel(file)
}

// diagnostic turns one message into a diagnostic.
func (b *build) diagnostic(m api.Message, level diag.Level) diag.Diagnostic {
	d := diag.Diagnostic{Code: m.ID, Level: level, Message: lowerFirst(strings.TrimSuffix(m.Text, ".")), Position: position(m.Location)}
	if own, ok := m.Detail.(finding); ok {
		d.Code, d.Hint = own.code, own.hint
		if own.file != "" {
			d.Position = diag.Position{File: own.file}
		}
		return d
	}
	b.unshifted(&d)
	var notes []string
	for _, n := range m.Notes {
		if n.Text != "" && !strings.Contains(n.Text, "mark the path") {
			notes = append(notes, n.Text)
		}
	}
	d.Hint = strings.Join(notes, " ")
	inPackage := strings.Contains(d.File, "node_modules/")
	switch {
	case strings.HasPrefix(m.Text, "Could not resolve"):
		d.Code = "unresolved-import"
		b.explainUnresolved(&d, m)
	case strings.HasPrefix(m.Text, "Cannot find base config file"):
		d.Code = "tsconfig-base"
		d.Message = "extends " + quote(between(m.Text, `"`)) + ", which is not there, so what it sets is missing"
		d.Hint = "install the package that has it, or correct extends"
	case m.ID == "different-path-case":
		if names := strings.Split(m.Text, `"`); len(names) > 3 {
			d = letterCase(d.Position, filepath.ToSlash(names[3]), filepath.ToSlash(names[1]))
		}
	case strings.Contains(m.Text, "No loader is configured"):
		d.Code = "no-loader"
		d.Hint = "name a loader for this kind of file, for example text, in the bundle's loader table"
	case strings.HasPrefix(m.Text, awaitUnsupported):
		d.Code = "top-level-await"
		d.Message = "a module that others require cannot wait at its top level"
		d.Hint = "move the await into a function, or make the bundle a script"
	case m.ID == "empty-import-meta":
		d.Level = diag.Error
	case m.ID == "unsupported-require-call" || m.ID == "unsupported-dynamic-import":
		d.Code = "variable-import"
		d.Message = "an import whose name is computed is not bundled; the module must be there when it runs"
		d.Hint = "write the name as text, or choose between imports of constant names"
	case level == diag.Error && d.Code == "":
		d.Code = "syntax"
		if m.Location == nil {
			d.Code = "bundle-failed"
		}
	case d.Code == "":
		d.Code = "bundler-warning"
	}
	if inPackage && d.Level == diag.Warning {
		d.Level = diag.Note
	}
	return d
}

// hasName reports whether a path is the wanted one to the letter, but for an ending.
func hasName(actual, wanted string, endings []string) bool {
	return actual == wanted || slices.ContainsFunc(endings, func(ending string) bool { return actual == strings.TrimSuffix(wanted, ".js")+ending })
}

func isFolderAt(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// explainUnresolved names the import that was not found and what to do.
func (b *build) explainUnresolved(d *diag.Diagnostic, m api.Message) {
	spec := between(m.Text, `"`)
	d.Message = "cannot find " + quote(spec)
	switch {
	case m.Location == nil || d.File == virtualEntry && b.o.Entry != "":
		d.Code, d.Position = "missing-entry", diag.Position{File: b.o.Entry}
		d.Message = "the entry does not exist"
		d.Hint = "create it, or set the bundle's entry to the file that starts the program"
	case strings.HasPrefix(spec, "."):
		d.Hint = "check the path"
		written := filepath.Join(b.o.Root, filepath.FromSlash(path.Dir(d.File)), filepath.FromSlash(spec))
		endings := []string{".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs", ".json"}
		switch actual := b.spelled(written, endings...); {
		case actual == "":
		case !hasName(actual, b.rel(written), endings):
			*d = letterCase(d.Position, spec, actual)
		case isFolderAt(b.folder(actual)):
			d.Message += ": " + actual + " is a folder"
			d.Hint = "name a file in it, or put a file in its place"
		}
	case foreignName(spec) != "":
		d.Hint = foreignName(spec)
	default:
		d.Hint = b.explainPackage(d, packageName(spec))
	}
}

// explainPackage says what to do about a package that cannot be imported.
func (b *build) explainPackage(d *diag.Diagnostic, name string) string {
	p := b.packages.find(filepath.Join(b.o.Root, filepath.FromSlash(path.Dir(d.File))), name)
	if lower := strings.ToLower(name); p == nil && lower != name && b.packages.find(filepath.Join(b.o.Root, filepath.FromSlash(path.Dir(d.File))), lower) != nil {
		return "write " + lower + ": the names of packages have no capitals"
	}
	if p == nil && (strings.HasPrefix(name, "@/") || strings.HasPrefix(name, "~")) {
		return "check the paths in tsconfig.json, and that the file exists"
	}
	if p == nil && b.plugAndPlay() {
		return plugAndPlayHint
	}
	if p == nil {
		return b.missing(d.File, name)
	}
	if real, err := filepath.EvalSymlinks(p.dir); err == nil && !inPackage(real+string(filepath.Separator)) {
		d.Message += ": the workspace package " + b.rel(real) + " is not built"
		if m := readManifest(real); m != nil {
			for _, script := range []string{"build", "compile", "bundle", "dist", "tsc", "prepare", "prepack", "prepublishOnly"} {
				if m.Scripts[script] != nil {
					return "run npm run " + script + " in " + b.rel(real)
				}
			}
		}
		return "build it, or let its package.json point at files that exist"
	}
	if hint := explainConditions(d, name); hint != "" {
		return hint
	}
	if strings.Contains(d.Hint, "is not exported") {
		return "the package is installed, but its package.json exports no such path; import one that it does export"
	}
	return "the package is installed, but the file is missing; install it again, or correct the path"
}

// unshifted gives a place in a file that was changed the column that it had before. No
// change moves a line.
func (b *build) unshifted(d *diag.Diagnostic) {
	file := b.sources.get(filepath.Join(b.o.Root, filepath.FromSlash(d.File)))
	if file == nil || len(file.edits) == 0 || d.Line == 0 {
		return
	}
	line := 0 // its offset
	for range d.Line - 1 {
		line += strings.IndexByte(file.text[line:], '\n') + 1
	}
	moved, at, column := 0, 0, d.Column
	for _, e := range file.edits {
		if e.start < at {
			continue
		}
		start := e.start + moved
		end := start + len(e.text)
		if start >= line && end <= line+d.Column-1 {
			column -= len(e.text) - (e.end - e.start)
		}
		moved += len(e.text) - (e.end - e.start)
		at = e.end
	}
	d.Column = max(column, 1)
}

// position translates a place; esbuild counts columns from 0.
func position(l *api.Location) diag.Position {
	if l == nil {
		return diag.Position{}
	}
	return diag.Position{File: filepath.ToSlash(l.File), Line: l.Line, Column: l.Column + 1}
}

// between returns the text between the first two quotes of s.
func between(s, mark string) string {
	_, rest, _ := strings.Cut(s, mark)
	inner, _, _ := strings.Cut(rest, mark)
	return inner
}

func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}
