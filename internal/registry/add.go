// Package registry adds a family of tools to the file that exports allTools:
// an import and one more element of the array, and nothing else.
//
// The file is somebody's source, so it is edited where it stands. Its tokens say
// where allTools is declared and where its array ends; the neighbours say how an
// import is written there, and whether imports are in alphabetical order. What
// was edited is believed only after a second look: the file before and after are
// parsed by esbuild and written again in its plain form, and there the one may
// differ from the other by exactly these two things, in the right places.
//
// Where the tools are put together by calls, in another file or in any other way
// that cannot be extended safely, Add refuses and shows the two lines.
package registry

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// Name is what the registry exports.
const Name = "allTools"

// Family is what is added.
type Family struct {
	Export     string   // the name of its array, for example "helloTools"
	File       string   // its file, relative to the project, slash separated
	Neighbours []string // the files of the families that are there, as File
}

// Edit is a registry with one more family.
type Edit struct {
	Text   string // the whole file
	Import string // the line that imports the family
	Spread string // the element that was added to the array
	Style  Style  // how the file is written
}

const byteOrderMark = "\ufeff"

// What bounds how long and how deep a parser can be led.
const (
	maxBytes = 100_000 // of a registry; one of five hundred families has half of that
	maxDepth = 200     // brackets, or functions, one inside the other
)

// source is a registry as it is read.
type source struct {
	file    string
	text    string // without its byte order mark
	scan    *jsscan.File
	plain   *jsscan.File // the same in esbuild's plain form
	imports []statement
	style   Style
	family  Family
	line    string // the import to add, without its line end
}

// Add returns the registry with the family imported and spread into allTools.
// file is the registry's path, relative to the project. The error is a
// *diag.Failure of class Failed: the family is there already, the file is no
// valid source, or its allTools is of a form that cannot be extended safely.
func Add(file, text string, family Family) (*Edit, error) {
	s := &source{file: file, text: strings.TrimPrefix(text, byteOrderMark), family: family}
	if len(text) > maxBytes {
		return nil, diag.Fail(diag.Diagnostic{Code: "registry-shape", Position: s.position(0),
			Message: fmt.Sprintf("the registry has %d bytes, %d is the most that is edited", len(text), maxBytes),
			Hint:    "nothing was changed; move what is not about " + Name + " to another file"})
	}
	if err := s.read(); err != nil {
		return nil, err
	}
	if at := s.presence(); at >= 0 {
		return nil, diag.Fail(diag.Diagnostic{Code: "family-exists", Position: s.position(at),
			Message: "the registry already has " + family.Export, Hint: "choose another name; nothing was changed"})
	}
	local, why := s.local()
	if why != "" {
		return nil, s.refused(why, 0)
	}
	open, end := s.array(local)
	if open < 0 {
		return nil, s.refused("its array was not found", 0)
	}
	insertions := append(s.spread(open, end), s.importLine())
	after := insert(s.text, insertions)
	if why := s.verify(after, local); why != "" {
		return nil, s.refused(why, s.scan.Tokens[open].Start)
	}
	bom := text[:len(text)-len(s.text)]
	s.style.Suffix = strings.TrimPrefix(s.specifier(), stem(s.specifier()))
	return &Edit{Text: bom + after, Import: s.line, Spread: "..." + family.Export, Style: s.style}, nil
}

// read scans and parses the file.
func (s *source) read() error {
	scan, ok := jsscan.Scan(s.text)
	s.scan = scan
	s.imports = importsOf(scan)
	s.style = styleOf(s)
	s.line = s.style.statement("import " + s.style.braces(s.family.Export) + " from " + s.style.quoted(s.specifier()))
	if !ok || !utf8.ValidString(s.text) || strings.Contains(s.text, byteOrderMark) {
		return s.refused("the file cannot be told apart into code, texts and comments", 0)
	}
	for _, token := range scan.Tokens {
		if max(token.Parens, token.Functions) > maxDepth {
			return s.refused("something in the file is nested too deeply to be looked at", token.Start)
		}
	}
	plain, err := bundler.Plain(s.file, s.text)
	if err != nil {
		return err
	}
	if s.plain, ok = jsscan.Scan(plain); !ok {
		return s.refused("the file cannot be told apart into code, texts and comments", 0)
	}
	return nil
}

// presence returns where the file already speaks of the family, by its name or by
// its file, or -1. Comments do not count.
func (s *source) presence() int {
	for i, token := range s.scan.Tokens {
		if token.Kind == jsscan.Ident && s.scan.Source(i) == s.family.Export {
			return token.Start
		}
		if to, ok := s.scan.Literal(i); ok && s.names(to) {
			return token.Start
		}
	}
	return -1
}

// names reports whether a string in the registry is the way to the family's file.
func (s *source) names(to string) bool {
	if strings.HasPrefix(to, ".") {
		return stem(path.Join(path.Dir(s.file), to)) == stem(s.family.File)
	}
	return to != "" && to == s.specifier()
}

// stem is a path without the extension of a script.
func stem(file string) string {
	switch ext := path.Ext(file); ext {
	case ".ts", ".js", ".mts", ".mjs", ".cts", ".cjs", ".tsx", ".jsx":
		return strings.TrimSuffix(file, ext)
	}
	return file
}

// refused is the answer to a file that cannot be edited safely.
func (s *source) refused(why string, at int) error {
	return diag.Fail(diag.Diagnostic{Code: "registry-shape", Position: s.position(at),
		Message: Name + " cannot be extended safely: " + why,
		Hint:    "nothing was changed; write " + Name + " as an array, or add the family by hand with " + s.line + " and ..." + s.family.Export + ", in " + Name})
}

func (s *source) position(at int) diag.Position {
	if at == 0 {
		return diag.Position{File: s.file}
	}
	line, column := jsscan.Position(s.text, at)
	return diag.Position{File: s.file, Line: line, Column: column}
}

// insertion is text to put in at an offset.
type insertion struct {
	at   int
	text string
}

func insert(text string, list []insertion) string {
	slices.SortStableFunc(list, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	var out strings.Builder
	done := 0
	for _, in := range list {
		out.WriteString(text[done:in.at])
		out.WriteString(in.text)
		done = in.at
	}
	out.WriteString(text[done:])
	return out.String()
}
