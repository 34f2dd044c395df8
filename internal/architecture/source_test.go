package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "omcbuild"

// sourceFile is one Go file of the repository.
type sourceFile struct {
	path   string // relative to the repository's root, slash separated
	folder string
	test   bool
	syntax *ast.File
	tokens *token.FileSet
}

// imports returns the import paths of the file, sorted.
func (f sourceFile) imports() []string {
	var out []string
	for _, spec := range f.syntax.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// at says where a node stands, as file:line.
func (f sourceFile) at(pos token.Pos) string {
	return f.path + ":" + strconv.Itoa(f.tokens.Position(pos).Line)
}

// program says whether the file belongs to a package main, which may print,
// read flags and exit.
func (f sourceFile) program() bool { return f.syntax.Name.Name == "main" }

func (f sourceFile) generated() bool { return ast.IsGenerated(f.syntax) }

// root is the folder of the repository as seen from this package's tests.
var root = filepath.Join("..", "..")

// paths lists the files of the repository with one of the suffixes. What is
// installed, built, given as a fixture or a module of its own is left out.
func paths(t *testing.T, suffixes ...string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		if entry.IsDir() {
			if foreign(relative) {
				return filepath.SkipDir
			}
			return nil
		}
		if slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(relative, s) }) {
			out = append(out, relative)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func foreign(folder string) bool {
	switch path.Base(folder) {
	case "node_modules", "testdata", ".git", "coverage":
		return true
	}
	return slices.Contains([]string{"bin", "dist", "tmp", "tools", "bridge"}, folder)
}

// goFiles parses every Go file of the repository, with comments.
func goFiles(t *testing.T) []sourceFile {
	t.Helper()
	var out []sourceFile
	for _, name := range paths(t, ".go") {
		tokens := token.NewFileSet()
		syntax, err := parser.ParseFile(tokens, filepath.Join(root, filepath.FromSlash(name)), nil, parser.ParseComments)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, sourceFile{path: name, folder: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), syntax: syntax, tokens: tokens})
	}
	if len(out) == 0 {
		t.Fatal("no Go file was found")
	}
	return out
}

// product returns the files that end up in a program or a library.
func product(files []sourceFile) []sourceFile {
	return slices.DeleteFunc(slices.Clone(files), func(f sourceFile) bool { return f.test })
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
