package architecture

import (
	"go/ast"
	"path"
	"slices"
	"sort"
	"strings"
	"testing"
)

const (
	longestFile        = 350 // lines of a file that is not a test
	longestMost        = 45  // lines of nine functions in ten
	longestOneFunction = 90  // lines of any function
)

// vague are names that say nothing about what a package holds.
var vague = []string{"util", "utils", "common", "helper", "helpers", "types", "misc", "shared", "base", "core"}

func TestPackageNamesSayWhatTheyHold(t *testing.T) {
	for _, f := range goFiles(t) {
		for _, name := range []string{path.Base(f.folder), f.syntax.Name.Name} {
			if slices.Contains(vague, name) {
				t.Errorf("%s: a package called %s says nothing about what it holds", f.path, name)
			}
		}
	}
}

func TestEveryPackageHasOneComment(t *testing.T) {
	comments := map[string][]string{}
	for _, f := range product(goFiles(t)) {
		if _, seen := comments[f.folder]; !seen {
			comments[f.folder] = nil
		}
		if f.syntax.Doc == nil {
			continue
		}
		comments[f.folder] = append(comments[f.folder], f.path)
		start := "Package " + f.syntax.Name.Name + " "
		if f.program() {
			start = "Command " + path.Base(f.folder) + " "
		}
		if !strings.HasPrefix(f.syntax.Doc.Text(), start) {
			t.Errorf("%s: the package comment does not begin with %q", f.path, start)
		}
	}
	for folder, files := range comments {
		if len(files) != 1 {
			t.Errorf("package %s has %d package comments %v, want one", folder, len(files), files)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	for _, name := range paths(t, ".go", ".ts", ".js", ".cjs", ".mjs") {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".test.ts") {
			continue
		}
		text := read(t, name)
		if lines := strings.Count(text, "\n"); lines > longestFile && !strings.HasPrefix(text, "// Code generated ") {
			t.Errorf("%s has %d lines, more than %d; split it by meaning", name, lines, longestFile)
		}
	}
}

func TestFunctionsAreShort(t *testing.T) {
	var lengths []int
	for _, f := range product(goFiles(t)) {
		for _, declaration := range f.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || f.generated() {
				continue
			}
			lines := f.tokens.Position(function.End()).Line - f.tokens.Position(function.Pos()).Line + 1
			lengths = append(lengths, lines)
			if lines > longestOneFunction {
				t.Errorf("%s: %s has %d lines, more than %d", f.at(function.Pos()), function.Name.Name, lines, longestOneFunction)
			}
		}
	}
	sort.Ints(lengths)
	if p90 := lengths[len(lengths)*9/10]; p90 > longestMost {
		t.Errorf("one function in ten is %d lines or longer, want at most %d", p90, longestMost)
	}
}

// reserved are the calls and variables that only a program may use: a library
// package gets its streams, its environment and its way out as values.
var reserved = map[string][]string{
	"os":  {"Stdin", "Stdout", "Stderr", "Args", "Exit", "Getenv", "LookupEnv", "Environ", "ExpandEnv", "Setenv", "Unsetenv", "Clearenv", "Chdir", "Getwd", "UserHomeDir", "UserCacheDir", "UserConfigDir"},
	"fmt": {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
}

func TestOnlyProgramsTouchTheProcess(t *testing.T) {
	for _, f := range product(goFiles(t)) {
		if f.program() {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if name, ok := selector.X.(*ast.Ident); ok && slices.Contains(reserved[name.Name], selector.Sel.Name) {
				t.Errorf("%s: uses %s.%s, which only a program may", f.at(selector.Pos()), name.Name, selector.Sel.Name)
			}
			return true
		})
	}
}

func TestNothingHappensAtImport(t *testing.T) {
	for _, f := range product(goFiles(t)) {
		for _, declaration := range f.syntax.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "init" {
				t.Errorf("%s: has an init function", f.at(function.Pos()))
			}
		}
	}
}

func TestNoTestIsSkipped(t *testing.T) {
	for _, f := range goFiles(t) {
		if !f.test {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, selector.Sel.Name) {
				t.Errorf("%s: skips a test", f.at(selector.Pos()))
			}
			return true
		})
	}
}
