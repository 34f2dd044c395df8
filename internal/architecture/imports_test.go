package architecture

import (
	"slices"
	"strings"
	"testing"
)

// layers lists the packages from the top down. A package imports packages of
// lower layers only, never of its own: so there is no circle, and what stands
// at the bottom can be read without the rest.
var layers = [][]string{
	{"cmd/omcbuild", "internal/bench", "internal/dist", "internal/realclient"},
	{"internal/pipeline"},
	{"internal/lint", "internal/front", "internal/release", "internal/versioning"},
	{"internal/schemadiff", "internal/metadata", "internal/scaffold", "internal/analysis"},
	{"internal/surface", "internal/registry"},
	{"internal/stdio", "internal/doctor", "internal/typecheck", "internal/inspect", "bundler"},
	{"internal/process", "internal/project", "internal/products", "internal/report", "internal/jsscan", "internal/watch"},
	{"internal/diag", "internal/lazyregexp", "plugin-template", "internal/architecture"},
}

// owners names the packages that alone may import a dependency. The name of a
// dependency stands for the packages below it as well.
var owners = map[string][]string{
	"os/exec":                                {"internal/process"},
	"flag":                                   {"internal/bench", "internal/dist", "internal/realclient"},
	"log":                                    {},
	"log/slog":                               {},
	"github.com/evanw/esbuild":               {"bundler", "internal/bench"},
	"github.com/spf13/cobra":                 {"cmd/omcbuild"},
	"github.com/mattn/go-isatty":             {"cmd/omcbuild"},
	"github.com/jedib0t/go-pretty/v6":        {"internal/report"},
	"github.com/google/renameio/v2":          {"internal/products"},
	"github.com/fsnotify/fsnotify":           {"internal/watch"},
	"github.com/gofrs/flock":                 {"internal/pipeline", "internal/surface"},
	"github.com/github/go-spdx/v2":           {"internal/analysis"},
	"github.com/CycloneDX/cyclonedx-go":      {"internal/release"},
	"github.com/tailscale/hujson":            {"bundler", "internal/project", "internal/metadata", "internal/inspect", "internal/versioning"},
	"mvdan.cc/sh/v3":                         {"internal/inspect"},
	"github.com/modelcontextprotocol/go-sdk": {},
	"github.com/santhosh-tekuri/jsonschema":  {"internal/project", "internal/lint"},
}

// layerOf returns the position of a package in layers, the top being 0.
func layerOf(folder string) int {
	return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, folder) })
}

func TestEveryPackageHasItsLayer(t *testing.T) {
	for _, f := range goFiles(t) {
		if layerOf(f.folder) < 0 {
			t.Errorf("%s: package %s has no layer; add it to layers in internal/architecture/imports_test.go", f.path, f.folder)
		}
	}
}

func TestImportsPointDown(t *testing.T) {
	for _, f := range product(goFiles(t)) {
		for _, imported := range f.imports() {
			folder, ours := strings.CutPrefix(imported, module+"/")
			if !ours {
				continue
			}
			if from, to := layerOf(f.folder), layerOf(folder); to <= from && to >= 0 {
				t.Errorf("%s: imports %s, which is not below %s", f.path, folder, f.folder)
			}
		}
	}
}

func TestDependenciesHaveTheirOwners(t *testing.T) {
	for _, f := range product(goFiles(t)) {
		for _, imported := range f.imports() {
			for dependency, allowed := range owners {
				if imported != dependency && !strings.HasPrefix(imported, dependency+"/") {
					continue
				}
				if !slices.Contains(allowed, f.folder) {
					t.Errorf("%s: imports %s, which belongs to %s", f.path, imported, ownersOf(allowed))
				}
			}
		}
	}
}

func ownersOf(folders []string) string {
	if len(folders) == 0 {
		return "nobody"
	}
	return strings.Join(folders, " and ")
}
