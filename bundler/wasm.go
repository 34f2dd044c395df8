package bundler

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// wasm takes along binaries that a module loads by name from its own folder, the
// way emscripten's loaders do.
func (n *neighbourhood) wasm() {
	for i := range n.r.f.Tokens {
		name, constant := n.r.f.Literal(i)
		if !constant || n.moved(n.r.f.Tokens[i].Start) || !strings.HasSuffix(name, ".wasm") || !filepath.IsLocal(name) || strings.ContainsAny(name, "/\\") {
			continue
		}
		source := filepath.Join(filepath.Dir(n.file), name)
		if slices.ContainsFunc(n.reads, func(a asset) bool { return a.source == source }) {
			continue
		}
		if info, err := os.Stat(source); err == nil && info.Mode().IsRegular() && (n.b.contains(source) || inOwnPackage(source)) {
			n.reads = append(n.reads, asset{source: source, installed: inOwnPackage(source), target: path.Join(path.Dir(n.b.o.Outfile), name),
				from: n.b.at(n.file, n.r.f.Text, n.r.f.Tokens[i].Start)})
		}
	}
}

// moved reports whether the text at an offset is changed already.
func (n *neighbourhood) moved(offset int) bool {
	return slices.ContainsFunc(n.edits, func(e edit) bool { return e.start <= offset && offset < e.end })
}
