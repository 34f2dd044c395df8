package bundler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A package is native when its package.json or its folder says so, and only then.
func TestNativePackagesAreTold(t *testing.T) {
	cases := []struct {
		name, json string
		files      []string
		native     bool
	}{
		{"plain", `{"name":"plain","main":"index.js"}`, nil, false},
		{"binding.gyp", `{"name":"x"}`, []string{"binding.gyp"}, true},
		{"gypfile", `{"name":"x","gypfile":true}`, nil, true},
		{"main is an addon", `{"name":"x","main":"./x.node"}`, nil, true},
		{"node-gyp-build", `{"name":"x","dependencies":{"node-gyp-build":"^4"}}`, nil, true},
		{"bindings", `{"name":"x","dependencies":{"bindings":"^1"}}`, nil, true},
		{"prebuild-install", `{"name":"x","dependencies":{"prebuild-install":"^7"}}`, nil, true},
		{"node-pre-gyp", `{"name":"x","dependencies":{"@mapbox/node-pre-gyp":"^1"}}`, nil, true},
		{"binary field", `{"name":"x","binary":{"module_name":"x","module_path":"./lib"}}`, nil, true},
		{"binary that is a download", `{"name":"x","binary":{"url":"y"}}`, nil, false},
		{"platform packages of its scope", `{"name":"@f/napi","optionalDependencies":{"@f/napi-linux-x64-gnu":"1"}}`, nil, true},
		{"platform packages of a scope like its name", `{"name":"esb","optionalDependencies":{"@esb/linux-x64":"1"}}`, nil, true},
		{"platform packages that contain its name", `{"name":"sharpish","optionalDependencies":{"@img/sharpish-darwin-arm64":"1"}}`, nil, true},
		{"platform packages of another", `{"name":"agent","optionalDependencies":{"@img/sharpish-darwin-arm64":"1"}}`, nil, false},
		{"optional packages for no platform", `{"name":"x","optionalDependencies":{"x-extras":"1"}}`, nil, false},
		{"a native package among its dependencies", `{"name":"x","dependencies":{"fastdb":"1"}}`, nil, false},
		{"a builder among its development dependencies", `{"name":"x","devDependencies":{"node-gyp":"1","bindings":"1"}}`, nil, false},
		{"broken package.json", `{"name":"x","gypfile":`, nil, false},
		{"odd main", `{"name":"x","main":["bindings"]}`, nil, false},
	}
	for _, c := range cases {
		dir := t.TempDir()
		for _, f := range c.files {
			if err := os.WriteFile(filepath.Join(dir, f), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := describePackage(dir, []byte(c.json)).native; (got != "") != c.native {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
}

// Packages are found as Node finds them: the nearest first, and none inside a folder
// that is itself node_modules.
func TestPackagesAreFoundUpwards(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"node_modules/a", "src/node_modules/a", "node_modules/@s/b"} {
		full := filepath.Join(root, filepath.FromSlash(dir))
		if err := os.MkdirAll(full, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(full, "package.json"), []byte(`{"version":"1.0.0"}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := packages{byDir: map[string]*npmPackage{}, found: map[[2]string]*npmPackage{}}
	for _, c := range []struct{ from, name, want string }{
		{"src/deep/er", "a", "src/node_modules/a"},
		{"src", "@s/b", "node_modules/@s/b"},
		{"other", "a", "node_modules/a"},
		{"node_modules/a/lib", "@s/b", "node_modules/@s/b"},
		{"src", "gone", ""},
	} {
		got := p.find(filepath.Join(root, filepath.FromSlash(c.from)), c.name)
		if c.want == "" && got != nil || c.want != "" && (got == nil || got.dir != filepath.Join(root, filepath.FromSlash(c.want)) || got.version != "1.0.0") {
			t.Errorf("%s from %s: got %+v", c.name, c.from, got)
		}
	}
}

func TestNamesOfPackages(t *testing.T) {
	for spec, want := range map[string]string{"a": "a", "a/b/c": "a", "@a/b": "@a/b", "@a/b/c/d": "@a/b", "@a": "@a"} {
		if got := packageName(spec); got != want {
			t.Errorf("%s: got %s", spec, got)
		}
	}
	for input, want := range map[string]string{
		"src/a.ts": "", "node_modules/a/b.js": "a node_modules/a",
		"src/node_modules/@a/b/c.js":                 "@a/b src/node_modules/@a/b",
		"node_modules/.pnpm/a@1/node_modules/a/x.js": "a node_modules/.pnpm/a@1/node_modules/a",
		"node_modules/a/node_modules/b/lib/c.js":     "b node_modules/a/node_modules/b",
		"my_node_modules/a/x.js":                     "",
	} {
		name, dir := packageOf(input)
		if got := name + " " + dir; strings.TrimSpace(got) != want {
			t.Errorf("%s: got %s", input, got)
		}
	}
	for spec, want := range map[string]bool{"fs": true, "fs/promises": true, "node:test": true, "readline/promises": true, "fs os": false, "": false, "fs-extra": false, "zlib/x": false} {
		if isBuiltin(spec) != want {
			t.Errorf("%q: built in is %v", spec, !want)
		}
	}
	o := Options{External: []string{"a", "@s/*"}}
	for name, want := range map[string]bool{"a": true, "ab": false, "@s/b": true, "@t/b": false} {
		if o.declares(name) != want {
			t.Errorf("%q: declared is %v", name, !want)
		}
	}
}
