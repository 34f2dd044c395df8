package architecture

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"omcbuild/internal/lint"
)

var update = flag.Bool("update", false, "write the tables of rules into docs/checks.md")

const checksPage = "docs/checks.md"

// The tables of rules stand in docs/checks.md between two comments for each
// subject and are what lint.Rules says.
func TestChecksPageListsTheRules(t *testing.T) {
	page := read(t, checksPage)
	wanted := page
	for _, subject := range []lint.Subject{lint.OfSurface, lint.OfBundle, lint.OfPlugin} {
		begin, end := fmt.Sprintf("<!-- rules of a %s -->\n", subject), fmt.Sprintf("<!-- end of the rules of a %s -->", subject)
		before, rest, opened := strings.Cut(wanted, begin)
		_, after, closed := strings.Cut(rest, end)
		if !opened || !closed {
			t.Fatalf("%s: the comments around the rules of a %s are not there", checksPage, subject)
		}
		wanted = before + begin + rulesTable(subject) + end + after
	}
	if wanted == page {
		return
	}
	if !*update {
		t.Fatalf("%s does not list the rules as they are; run go test ./internal/architecture -update", checksPage)
	}
	if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(checksPage)), []byte(wanted), 0o644); err != nil {
		t.Fatal(err)
	}
}

func rulesTable(subject lint.Subject) string {
	var b strings.Builder
	b.WriteString("| code | level | meaning |\n|---|---|---|\n")
	for _, r := range lint.Rules() {
		code := "`" + r.Code + "`"
		if r.Page.Group != "" {
			code = fmt.Sprintf("[%s](checks/%s.md#%s)", code, r.Page.Group, r.Code)
		}
		if r.Subject == subject {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", code, r.Level, strings.ReplaceAll(r.Meaning, "|", `\|`))
		}
	}
	return b.String()
}

// computedCodes are on the page and are put together at run time.
var computedCodes = []string{"surface-breaking", "surface-feature", "surface-text"}

// Whoever looks up a code finds it, and finds no code that nothing reports.
func TestChecksPageExplainsEveryCode(t *testing.T) {
	reported := codesInSource(t)
	for _, r := range lint.Rules() {
		reported[r.Code] = "internal/lint"
	}
	for _, code := range computedCodes {
		reported[code] = "internal/pipeline"
	}
	explained := map[string]bool{}
	for _, match := range regexp.MustCompile("(?m)^\\| \\[?`([a-z-]+)`[^|]* \\|").FindAllStringSubmatch(read(t, checksPage), -1) {
		explained[match[1]] = true
	}
	for _, code := range slices.Sorted(maps.Keys(reported)) {
		if !explained[code] {
			t.Errorf("%s reports %s, which %s does not explain", reported[code], code, checksPage)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(explained)) {
		if reported[code] == "" {
			t.Errorf("%s explains %s, which nothing reports", checksPage, code)
		}
	}
}

// codesInSource collects the codes of diagnostics that stand in the source as
// text, each with a place that has it. In schemadiff the same forms name kinds of
// changes.
func codesInSource(t *testing.T) map[string]string {
	t.Helper()
	codes := map[string]string{}
	for _, f := range product(goFiles(t)) {
		if f.folder == "internal/lint" || f.folder == "internal/schemadiff" {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			for _, expression := range codeExpressions(n) {
				if code, ok := codeIn(expression); ok {
					codes[code] = f.at(expression.Pos())
				}
			}
			return true
		})
	}
	if len(codes) < 60 {
		t.Errorf("only %d codes were found in the source, which is too few to be true", len(codes))
	}
	return codes
}

// reporters are functions that make a diagnostic, with the place of the code among
// their arguments.
var reporters = map[string]int{"add": 0, "try": 0, "refused": 0, "report": 1, "lack": 0}

// codeExpressions returns the expressions in a node that stand where a code does:
// the field Code or code of a literal, what is assigned to one, and an argument of
// a function that reports.
func codeExpressions(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if isCodeName(n.Key) {
			return []ast.Expr{n.Value}
		}
	case *ast.AssignStmt:
		var out []ast.Expr
		for i, left := range n.Lhs {
			if isCodeName(left) && len(n.Lhs) == len(n.Rhs) {
				out = append(out, n.Rhs[i])
			}
		}
		return out
	case *ast.CallExpr:
		if at, ok := reporters[lastName(n.Fun)]; ok && at < len(n.Args) {
			return []ast.Expr{n.Args[at]}
		}
	}
	return nil
}

func isCodeName(e ast.Expr) bool { return strings.EqualFold(lastName(e), "code") }

// lastName returns the identifier that an expression ends in.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

var kebab = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// codeIn returns the code that an expression spells out.
func codeIn(e ast.Expr) (string, bool) {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil && kebab.MatchString(text)
}
