package bundler

import (
	"path/filepath"
	"strings"

	"omcbuild/internal/jsscan"
)

// The logger pino loads what writes its lines in a worker, by the name of a package:
//
//	pino.transport({ target: "pino-pretty" })
//
// That package becomes a program of its own, and its name the path of its bundle,
// which pino takes as well.

// namesTransport reports whether a script may do so.
func namesTransport(text string) bool {
	return strings.Contains(text, "pino") && strings.Contains(text, "target")
}

// transports takes along the packages that are named so and installed.
func (n *neighbourhood) transports() {
	f := n.r.f
	if !namesTransport(f.Text) {
		return
	}
	for i := range f.Tokens {
		name, constant := f.Literal(i)
		if !constant || !f.Is(i-1, ":") || !f.Is(i-2, "target") && f.Source(i-2) != `"target"` || isPath(name) || packageName(name) != name {
			continue
		}
		if script := n.b.mainOf(filepath.Dir(n.file), name); script != "" {
			p := place{first: i, last: i, whole: true, installed: true}
			a := n.program(p, script)
			if e, ok := n.rewrite(p, a.target, ""); ok && f.Kind(i) == jsscan.String {
				n.edits = append(n.edits, e)
				n.reads = append(n.reads, a)
			}
		}
	}
}

// mainOf returns the file that a package is loaded from, "" when the package is not
// installed, not plain JavaScript, or to stay outside.
func (b *build) mainOf(dir, name string) string {
	p := b.packages.find(dir, name)
	if isBuiltin(name) || p == nil || p.native != "" || b.o.declares(name) {
		return ""
	}
	m := readManifest(p.dir)
	if m == nil {
		return ""
	}
	main, _ := m.Main.(string)
	if main == "" {
		main = "index.js"
	}
	file := filepath.Join(p.dir, filepath.FromSlash(main))
	for _, candidate := range []string{file, file + ".js", filepath.Join(file, "index.js")} {
		if script := scriptAt(candidate); script != "" && inOwnPackage(script) {
			return script
		}
	}
	return ""
}
