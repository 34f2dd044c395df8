package architecture

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"testing"
)

// What is compiled for a package variable is compiled at the start of every command,
// needed or not; package lazyregexp waits until it is.
func TestExpressionsWaitForTheirUse(t *testing.T) {
	for _, f := range product(goFiles(t)) {
		for _, declaration := range f.syntax.Decls {
			if variables, ok := declaration.(*ast.GenDecl); ok {
				for _, call := range callsOf(variables, "regexp", "MustCompile") {
					t.Errorf("%s: compiles an expression at the start of the program; use lazyregexp.New", f.at(call.Pos()))
				}
			}
		}
	}
}

func TestExpressionsCompile(t *testing.T) {
	checked := 0
	for _, f := range product(goFiles(t)) {
		for _, call := range callsOf(f.syntax, "lazyregexp", "New") {
			value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(call.Args[0]))
			if err != nil || value.Value == nil {
				t.Errorf("%s: the expression is no constant text, so no test can compile it", f.at(call.Pos()))
				continue
			}
			if _, err := regexp.Compile(constant.StringVal(value.Value)); err != nil {
				t.Errorf("%s: %v", f.at(call.Pos()), err)
			}
			checked++
		}
	}
	if checked == 0 {
		t.Error("no expression was checked")
	}
}

// callsOf lists the calls of a function of a package below a node.
func callsOf(node ast.Node, of, name string) (calls []*ast.CallExpr) {
	ast.Inspect(node, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if function, ok := call.Fun.(*ast.SelectorExpr); ok && function.Sel.Name == name && types.ExprString(function.X) == of {
				calls = append(calls, call)
			}
		}
		return true
	})
	return calls
}
