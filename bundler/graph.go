package bundler

import (
	"encoding/json"
	"path"
	"sort"
	"strings"
)

// graph is esbuild's metafile: which file imports which.
type graph struct {
	Inputs map[string]struct {
		Bytes   int64 `json:"bytes"`
		Imports []struct {
			Path     string `json:"path"`
			Kind     string `json:"kind"`
			External bool   `json:"external"`
			Original string `json:"original"`
		} `json:"imports"`
	} `json:"inputs"`
	names []string // keys of Inputs in order
}

func readGraph(metafile string) (*graph, error) {
	g := &graph{}
	if err := json.Unmarshal([]byte(metafile), g); err != nil {
		return nil, err
	}
	for name := range g.Inputs {
		g.names = append(g.names, name)
	}
	sort.Strings(g.names)
	return g, nil
}

// isFile reports whether an input is a file and not one of our virtual modules.
func isFile(input string) bool {
	return input != virtualEntry && input != "<runtime>" && !strings.HasPrefix(input, externalNamespace+":")
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
