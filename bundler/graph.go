package bundler

import (
	"encoding/json"
	"path"
	"sort"
	"strings"
)

// graph is esbuild's metafile: which file imports which, and what of each is in
// the bundle.
type graph struct {
	Inputs  map[string]graphInput  `json:"inputs"`
	Outputs map[string]graphOutput `json:"outputs"`

	names []string         // keys of Inputs in order
	entry string           // the input it all starts from
	kept  map[string]int64 // bytes of each input in the bundle
	left  map[string]bool  // paths that the bundle itself still imports
}

type graphInput struct {
	Bytes   int64  `json:"bytes"`
	Format  string `json:"format"` // "esm", "cjs" or ""
	Imports []struct {
		Path     string `json:"path"`
		Kind     string `json:"kind"` // "import-statement", "require-call", "dynamic-import", "require-resolve"
		External bool   `json:"external"`
		Original string `json:"original"` // as written; not set for externals

		With map[string]string `json:"with"`
	} `json:"imports"`
}

type graphOutput struct {
	EntryPoint string `json:"entryPoint"`
	Imports    []struct {
		Path string `json:"path"`
	} `json:"imports"`
	Inputs map[string]struct {
		BytesInOutput int64 `json:"bytesInOutput"`
	} `json:"inputs"`
}

// readGraph reads the metafile of a build with one output of code.
func readGraph(metafile, outfile string) (*graph, error) {
	g := &graph{kept: map[string]int64{}, left: map[string]bool{}}
	if err := json.Unmarshal([]byte(metafile), g); err != nil {
		return nil, err
	}
	for name := range g.Inputs {
		g.names = append(g.names, name)
	}
	sort.Strings(g.names)
	output := g.Outputs[outfile]
	g.entry = output.EntryPoint
	for _, e := range output.Imports {
		g.left[e.Path] = true
	}
	for name, input := range output.Inputs {
		g.kept[name] = input.BytesInOutput
	}
	return g, nil
}

// isFile reports whether an input is a file and not one of our virtual modules.
func isFile(input string) bool {
	return input != virtualEntry && input != "<runtime>" && !strings.HasPrefix(input, externalNamespace+":") && !strings.HasPrefix(input, lateNamespace+":")
}

// packageOf names the npm package that a path belongs to and the package's
// folder; both are "" outside node_modules.
func packageOf(input string) (name, dir string) {
	i := strings.LastIndex("/"+input, "/node_modules/")
	if i < 0 {
		return "", ""
	}
	prefix := input[:i+len("node_modules/")]
	name = packageName(input[len(prefix):])
	return name, path.Join(prefix, name)
}
