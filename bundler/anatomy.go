package bundler

import (
	"bytes"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// Graph is what a bundle is made of, and why. The bytes of Modules and Rest add up
// to the bytes of the bundle.
type Graph struct {
	Outfile string   // relative to the root, slash separated
	Entry   string   // path of the module that the program starts from; "" when it is virtual
	Modules []Module // every file that was read, in order of path; of some nothing is in the bundle
	Rest    []Part   // what comes from no module, in order of place, the remainder last

	reach *reach
}

// Module is one file of the graph.
type Module struct {
	Path    string // relative to the root, slash separated
	Bytes   int64  // size as read
	Kept    int64  // bytes of the bundle that come from it
	Package string // npm package it belongs to, "" for the project's own
	Folder  string // of that package, relative to the root; "" for the project's own
	Imports []Import
}

// Import is one import of a module, in the order of its text.
type Import struct {
	Specifier string // as written
	Module    string // path of what it leads to, "" when that is outside the bundle
	External  string // package that stays outside, "" otherwise; built-in modules have neither
	Kind      string // "import", "require", "dynamic import", "require.resolve"
}

// Part is a share of the bundle that comes from no module.
type Part struct {
	Name  string
	Bytes int64
}

// Place returns where a module writes an import, as near as it is known.
func (g *Graph) Place(module string, i Import) diag.Position {
	sites := g.reach.sites(module, i.Specifier)
	if f := g.reach.scan(module); f != nil {
		for _, site := range sites {
			if site.offset > 0 && strings.HasSuffix(strings.TrimRight(f.Text[:site.offset], " \t\r\n"), callOf[i.Kind]) {
				return g.reach.position(site)
			}
		}
	}
	return g.reach.position(sites[0])
}

// callOf is what stands in front of the name in a kind of import; nothing is certain
// for statements.
var callOf = map[string]string{"require": "require(", "dynamic import": "import(", "require.resolve": ".resolve("}

// kinds are the metafile's words for imports, in ours.
var kinds = map[string]string{
	"import-statement": "import", "require-call": "require",
	"dynamic-import": "dynamic import", "require-resolve": "require.resolve",
}

// anatomy describes a finished bundle.
func (b *build) anatomy(g *graph, r *Result, text []byte) *Graph {
	out := &Graph{Outfile: b.o.Outfile, Entry: g.entry, reach: &reach{b: b, g: g, scans: map[string]*jsscan.File{}}}
	if out.Entry == virtualEntry {
		out.Entry = ""
		for _, edge := range g.Inputs[virtualEntry].Imports {
			if b.o.Entry != "" && isFile(edge.Path) && !edge.External {
				out.Entry = edge.Path
			}
		}
	}
	for _, input := range r.Inputs {
		m := Module{Path: input.Path, Bytes: input.Bytes, Kept: input.Kept}
		m.Package, m.Folder = b.packageOfInput(input.Path)
		for _, edge := range g.Inputs[input.Path].Imports {
			// An import of which TypeScript uses types alone is listed as external, and is
			// not in the output.
			if to, ok := edgeImport(edge.Path, edge.Original, edge.Kind, edge.External); ok && (!edge.External || g.left[edge.Path]) {
				m.Imports = append(m.Imports, to)
			}
		}
		out.Modules = append(out.Modules, m)
	}
	out.Rest = b.rest(g, text)
	return out
}

// edgeImport says in our words what the metafile says of an import; the bundler's
// own modules are none.
func edgeImport(path, original, kind string, external bool) (Import, bool) {
	outside := strings.TrimPrefix(strings.TrimPrefix(path, externalNamespace+":"), externalToken)
	i := Import{Specifier: original, Kind: kinds[kind]}
	switch {
	case path == "<runtime>", strings.HasPrefix(path, lateNamespace+":"), i.Kind == "":
		return i, false
	case external || outside != path:
		i.Specifier = outside
		if name := packageName(outside); !isBuiltin(outside) && !strings.HasPrefix(name, ".") {
			i.External = name
		}
	default:
		i.Module = path
	}
	return i, true
}

// rest accounts for the bytes of a bundle that come from no module.
func (b *build) rest(g *graph, text []byte) []Part {
	left := int64(len(text))
	var parts []Part
	take := func(name string, n int64) {
		if n > 0 {
			parts = append(parts, Part{name, n})
			left -= n
		}
	}
	for _, p := range b.frame {
		take(p.Name, p.Bytes)
	}
	var virtual int64
	for name, kept := range g.kept {
		if isFile(name) {
			left -= kept
		} else {
			virtual += kept
		}
	}
	take("access to externals", virtual)
	take("licence comments", licenceComments(text))
	if names := pathComments(text, g); names <= left {
		take("comments that name the modules", names)
	}
	if left != 0 {
		parts = append(parts, Part{"helpers and blank lines of the bundler", left})
	}
	return parts
}

// licenceComments is the length of the comment in which esbuild gathers the licences
// of packages at the end.
func licenceComments(text []byte) int64 {
	start := bytes.LastIndex(text, []byte("/*! Bundled license information:"))
	if start < 0 {
		return 0
	}
	length := bytes.LastIndex(text[start:], []byte("*/"))
	return int64(length + len("*/"))
}

// pathComments is the length of the lines that name a module of the bundle, each
// counted once.
func pathComments(text []byte, g *graph) (n int64) {
	seen := map[string]bool{}
	for line := range bytes.Lines(text) {
		name, ok := strings.CutPrefix(string(bytes.TrimRight(line, "\n")), "// ")
		if _, known := g.Inputs[name]; ok && known && !seen[name] {
			seen[name] = true
			n += int64(len(line))
		}
	}
	return n
}

// frameOf names what assemble puts around a body.
func (b *build) frameOf(head []Part, format api.Format, tail int) []Part {
	if format == api.FormatESModule {
		head = append(head, Part{"function that waits", int64(len(awaitOpen) + len(awaitClose))})
		tail -= len(awaitClose)
	}
	return append(head, Part{"reference to the source map", int64(tail)})
}
