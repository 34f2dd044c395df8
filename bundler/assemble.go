package bundler

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

const (
	shebang  = "#!/usr/bin/env node\n"
	metaName = "__omcbuild_meta"

	// programName stands for the path of the program that was started.
	programName   = "__omcbuild_program"
	programSource = "// The program that was started; its path as it was given may be a link to this file.\n" +
		"var " + programName + " = require.main === module ? __filename : process.argv[1];\n"

	// A program with top-level await is bundled as an ES module, without any import
	// or export statement left in it (see resolve), and runs as the body of an
	// async function. As in Node, an error at the top ends the process with 1, and an
	// end while it still waits there with 13.
	awaitOpen = "const __omcbuild_waits = () => {\n" +
		"  console.error(\"the program ended while a module still waits at its top level\");\n  process.exitCode = 13;\n};\n" +
		"process.once(\"beforeExit\", __omcbuild_waits);\n(async () => {\n"
	awaitClose = "})().catch((error) => {\n  console.error(error);\n  process.exit(1);\n})" +
		".then(() => process.off(\"beforeExit\", __omcbuild_waits));\n"
)

//go:embed header/import-meta.cjs
var metaSource string

//go:embed header/node-path.cjs
var nodePathSource string

// assemble puts the parts of a bundle together: one first line, the header, what
// import.meta stands for, and the body. It returns how many lines stand before
// the body's first one.
func (b *build) assemble(body []byte, format api.Format) (text []byte, before int) {
	if bytes.IndexByte(body, '\r') >= 0 {
		body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	}
	if b.externals.any() {
		body = linkExternals(body)
	}
	body, circle := circles(body, format)
	var head, tail strings.Builder
	var parts []Part
	write := func(name, text string) {
		head.WriteString(text)
		parts = append(parts, Part{name, int64(len(text))})
	}
	write("first line", shebang)
	if b.o.Header == HeaderText {
		write("header", plainHeader(b.o.HeaderSource))
	}
	if b.o.Header == HeaderNodePath && b.externals.any() && bytes.Contains(body, []byte(externalName)) {
		ranges, _ := json.Marshal(b.wantedVersions())
		write("header", b.snippet(strings.Replace(nodePathSource, "/* RANGES */ {}", string(ranges), 1)))
	}
	if bytes.Contains(body, []byte(metaName)) {
		write("import.meta", b.snippet(metaSource))
	}
	if b.asks {
		head.WriteString(b.snippet(programSource))
	}
	if circle != "" {
		write("circles of waiting modules", b.snippet(circle))
	}
	if format == api.FormatESModule {
		head.WriteString(awaitOpen)
		tail.WriteString(awaitClose)
	}
	if b.o.Sourcemap {
		tail.WriteString("//# sourceMappingURL=" + path.Base(b.o.Outfile) + ".map\n")
	}
	b.frame = b.frameOf(parts, format, tail.Len())
	text = make([]byte, 0, head.Len()+len(body)+tail.Len())
	text = append(append(append(text, head.String()...), body...), tail.String()...)
	return text, strings.Count(head.String(), "\n")
}

// snippet is JavaScript of ours as it goes into the bundle.
func (b *build) snippet(source string) string {
	if !b.o.Minify {
		return source
	}
	return minify(source)
}

// minify shortens JavaScript of ours.
func minify(source string) string {
	done := api.Transform(source, api.TransformOptions{MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Charset: api.CharsetUTF8})
	if len(done.Errors) > 0 {
		return source
	}
	return string(done.Code)
}

// linkExternals makes the header answer import() and require.resolve of external
// packages, whose names carry a token (see external.go). A replacement is as long
// as the original, so that source maps stay right.
func linkExternals(body []byte) []byte {
	token := []byte(externalToken)
	for at := bytes.Index(body, token); at >= 0; {
		start, call := at-len(`import("`), externalName+".import("
		if !bytes.HasSuffix(body[:at], []byte(`import("`)) {
			start, call = at-len(`.resolve("`), externalName+".resolve("
			for start > 0 && isNameByte(body[start-1]) {
				start--
			}
		}
		end := at + len(token)
		copy(body[start:end], call+strings.Repeat(" ", end-start-len(call)-1)+`"`)
		next := bytes.Index(body[end:], token)
		if next < 0 {
			break
		}
		at = end + next
	}
	return body
}

func isNameByte(c byte) bool { return isPathByte(c) && c != '-' && c != '.' || c == '$' }

// plainHeader brings a header of the user's into our form: no byte order mark, no
// first line of its own, LF, a statement's end at its end.
func plainHeader(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	for done := false; !done; {
		switch {
		case strings.HasPrefix(text, string(byteOrderMark)):
			text = text[len(byteOrderMark):]
		case strings.HasPrefix(text, "#!"):
			_, text, _ = strings.Cut(text, "\n")
		default:
			done = true
		}
	}
	if text = strings.TrimRight(text, " \t\n"); text == "" {
		return ""
	}
	return text + "\n;\n"
}

// checkHeader parses a header of the user's on its own, so that what is wrong in
// it is not blamed on the program.
func (b *build) checkHeader() error {
	if b.o.Header != HeaderText {
		return nil
	}
	text := plainHeader(b.o.HeaderSource)
	if scan, ok := jsscan.Scan(text); ok {
		for i := range scan.Tokens {
			statement := scan.Is(i, "import") && !scan.Is(i+1, "(") && !scan.Is(i+1, ".") || scan.Is(i, "export")
			if statement && scan.Tokens[i].Parens == 0 && !scan.Is(i-1, ".") {
				return b.parse(text, "the header is an ES module, and a bundle is not", scan.Tokens[i].Start)
			}
		}
	}
	return b.parse(text, "the header does not parse", -1)
}

// checkText parses a finished bundle that has a header of the user's: its names may
// collide with the program's. What esbuild prints, and our own header with names
// nobody else uses, needs no second look.
func (b *build) checkText(text []byte) error {
	if b.o.Header != HeaderText {
		return nil
	}
	return b.parse(string(text), "the bundle with its header does not parse", -1)
}

// parse fails when text is no CommonJS module, or when fault names the offset of
// what is known to be wrong with it.
func (b *build) parse(text, what string, fault int) error {
	d := diag.Diagnostic{Code: "header", Message: what,
		Hint: "the header is plain CommonJS: no import or export statements, no name that the program declares too"}
	if fault >= 0 {
		line, _ := jsscan.Position(text, fault)
		d.Message += fmt.Sprintf(": line %d", line)
		return diag.Fail(d)
	}
	done := api.Transform(text, api.TransformOptions{Format: api.FormatIIFE, LogLevel: api.LogLevelSilent})
	if len(done.Errors) == 0 {
		return nil
	}
	d.Message += fmt.Sprintf(": %s (line %d)", lowerFirst(done.Errors[0].Text), position(done.Errors[0].Location).Line)
	return diag.Fail(d)
}
