package bundler

import (
	"fmt"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
)

// Plain returns a source as esbuild writes it again: parsed, without types and
// comments, every import kept, each statement ended by a semicolon. Two sources
// that mean the same read the same, and a source that is no valid TypeScript is a
// *diag.Failure of class Failed that names the line. file is its name, which says
// how to read it: .ts, .tsx, .js and the like.
func Plain(file, text string) (plain string, err error) {
	defer func() {
		if r := recover(); r != nil {
			plain, err = "", diag.Fail(diag.Diagnostic{Code: "bundler-internal", Position: diag.Position{File: file},
				Message: fmt.Sprintf("the parser broke down: %v", r), Hint: "report this with the file"})
		}
	}()
	loader := api.LoaderTS
	switch path.Ext(file) {
	case ".tsx", ".jsx":
		loader = api.LoaderTSX
	case ".js", ".mjs", ".cjs":
		loader = api.LoaderJS
	}
	result := api.Transform(strings.TrimPrefix(text, string(byteOrderMark)), api.TransformOptions{
		Loader: loader, Sourcefile: file, Target: api.ESNext, Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone,
		LogLevel: api.LogLevelSilent, Color: api.ColorNever, JSX: api.JSXPreserve,
		TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":true}}`,
	})
	if len(result.Errors) == 0 {
		return string(result.Code), nil
	}
	m := result.Errors[0]
	return "", diag.Fail(diag.Diagnostic{Code: "syntax", Position: position(m.Location),
		Message: lowerFirst(strings.TrimSuffix(m.Text, ".")), Hint: "correct the source"})
}
