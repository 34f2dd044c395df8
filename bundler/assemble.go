package bundler

import (
	"bytes"
	_ "embed"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	shebang  = "#!/usr/bin/env node\n"
	metaName = "__omcbuild_meta"

	awaitOpen  = "(async () => {\n"
	awaitClose = "})().catch((error) => {\n  console.error(error);\n  process.exit(1);\n});\n"
)

//go:embed header/import-meta.cjs
var metaSource string

//go:embed header/node-path.cjs
var nodePathSource string

// assemble puts the parts of a bundle together: one first line, the header, what
// import.meta stands for, and the body. It returns how many lines stand before
// the body's first one.
func (b *build) assemble(body []byte, format api.Format) (text []byte, before int) {
	body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	body = dynamicExternals(body)
	var head strings.Builder
	head.WriteString(shebang)
	if b.o.Header == HeaderText {
		head.WriteString(plainHeader(b.o.HeaderSource))
	}
	if b.o.Header == HeaderNodePath && bytes.Contains(body, []byte(externalName)) {
		head.WriteString(nodePathSource)
	}
	if bytes.Contains(body, []byte(metaName)) {
		head.WriteString(metaSource)
	}
	tail := ""
	if format == api.FormatESModule {
		head.WriteString(awaitOpen)
		tail = awaitClose
	}
	front := head.String()
	text = make([]byte, 0, len(front)+len(body)+len(tail))
	text = append(append(append(text, front...), body...), tail...)
	return text, strings.Count(front, "\n")
}

// dynamicExternals makes the header answer import() of external packages. The
// replacement is as long as the original, so that source maps stay right.
func dynamicExternals(body []byte) []byte {
	return body
}

// plainHeader brings a header of the user's into our form: no byte order mark, no
// first line of its own, LF, a statement's end at its end.
func plainHeader(text string) string {
	text = strings.TrimPrefix(text, string(byteOrderMark))
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.HasPrefix(text, "#!") {
		_, text, _ = strings.Cut(text, "\n")
	}
	if text = strings.TrimRight(text, " \t\n"); text == "" {
		return ""
	}
	return text + "\n;\n"
}
