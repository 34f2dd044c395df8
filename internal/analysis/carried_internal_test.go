package analysis

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCarriedIsReadFromComments(t *testing.T) {
	for line, want := range map[string]string{
		"// node_modules/ajv/dist/ajv.js":                                                       "ajv",
		"//#region ../../node_modules/.pnpm/ajv@8.18.0/node_modules/ajv/dist/ajv.js":            "ajv 8.18.0",
		"\t// ../node_modules/.pnpm/@s+n@1.0.0-rc.1_react@18.0.0/node_modules/@s/n/index.mjs\r": "@s/n 1.0.0-rc.1",
		"//#region node_modules/.bun/ajv@8.18.0+abc/node_modules/ajv/a.js":                      "ajv 8.18.0",
		`  !*** ./node_modules/webpack-one/lib/a.js ***!`:                                       "webpack-one",
		`/***/ "./node_modules/x/y.js":`:                                                        "",
		"// see node_modules/ajv/README for more":                                               "",
		`require("node_modules/ajv/a.js")`:                                                      "",
		"// node_modules/ajv":                                                                   "",
		"// node_modules/.cache/a.js":                                                           "",
		"// node_modules/<b>/a.js":                                                              "",
		"// a/node_modules/old/node_modules/zod/index.js":                                       "zod",
		"// node_modules/" + strings.Repeat("a", 300) + "/a.js":                                 "",
		"// node_modules/" + strings.Repeat("a", 100) + "/" + strings.Repeat("b/", 200) + "a.js (a line too long)": "",
	} {
		got := ""
		for _, c := range namedInComments([]byte("const before = 1;\n" + line + "\nconst after = 2;")) {
			got += c.Label()
		}
		if got != want {
			t.Errorf("%q names %q, want %q", line, got, want)
		}
	}
}

// Whatever a file holds, a package that is found in it has a name that can be printed
// and put into a path.
func FuzzCarried(f *testing.F) {
	f.Add("// node_modules/ajv/dist/ajv.js")
	f.Add("//#region node_modules/.pnpm/@s+n@1.0.0/node_modules/@s/n/a.js")
	f.Add("{\"sources\": [\"node_modules/../../etc/passwd\"]}")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range append(namedInComments([]byte(text)), namedInMap([]byte(text))...) {
			if strings.Contains(c.Name, "..") && !filepath.IsLocal(c.Name) || !filepath.IsLocal(c.Name) || strings.ContainsAny(c.Label(), "\n\x1b<>\\") {
				t.Errorf("%q names %q", text, c.Label())
			}
		}
	})
}

func TestDigestsOfLockfiles(t *testing.T) {
	const sum, other = "sha512-YQ==", "sha512-Yg=="
	root := t.TempDir()
	for name, text := range map[string]string{
		"package-lock.json":           `{"packages": {"": {}, "node_modules/a": {"version": "1.0.0", "integrity": "` + sum + `"}, "node_modules/weak": {"version": "1.0.0", "integrity": "sha1-YQ=="}}}`,
		"plugins/p/package-lock.json": `not JSON`,
		"q/pnpm-lock.yaml":            "packages:\n  '@s/n@1.0.0':\n    resolution: {integrity: " + sum + "}\n  /b@2.0.0(react@18.0.0):\n    resolution: {integrity: " + other + "}\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ root, folder, name, version, want string }{
		{"", "node_modules/a", "a", "1.0.0", sum},
		{"", "node_modules/a", "a", "1.0.1", ""},
		{"plugins/p", "../../node_modules/a", "a", "1.0.0", sum},
		{"", "node_modules/weak", "weak", "1.0.0", ""},
		{"", "node_modules/x/node_modules/a", "a", "1.0.0", ""},
		{"q", "node_modules/.pnpm/@s+n@1.0.0/node_modules/@s/n", "@s/n", "1.0.0", sum},
		{"q", "node_modules/b", "b", "2.0.0", other},
	} {
		l := lockfiles{root: filepath.Join(root, filepath.FromSlash(c.root)), above: root, read: map[string]map[string]locked{}}
		if got := l.integrity(&Material{Name: c.name, Version: c.version, Folders: []string{c.folder}}); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.folder, c.root, got, c.want)
		}
	}
}

func TestUnnamedWantsWholeNames(t *testing.T) {
	inv := &Inventory{Materials: []*Material{{Name: "@s/zod", Version: "1.0.0"}, {Name: "zod", Version: "4.0.0", Carries: []Carried{{Name: "ajv"}}}, {Name: "own", Linked: true}}}
	for text, want := range map[string]string{
		"": "@s/zod 1.0.0, zod 4.0.0, ajv",
		"We use zod-like things, @s/zod and ajv.":  "zod 4.0.0",
		"Zod: MIT\nnode_modules/@s/zod\nAJV@8.0.0": "",
		"@s/zod (zod), ajv-formats":                "ajv",
	} {
		if got := strings.Join(inv.Unnamed([]byte(text)), ", "); got != want {
			t.Errorf("%q: unnamed are %q, want %q", text, got, want)
		}
	}
}

func TestTextsAreComparedWithoutTheirForm(t *testing.T) {
	if got := string(plainText([]byte("\uFEFF\r\n\r\n  MIT \r\n\f\x1b[31mred\xff\r\rend\n\n"))); got != "  MIT\n\uFFFD[31mred\uFFFD\n\nend" {
		t.Errorf("%q", got)
	}
	m := &Material{}
	m.addText(Text{"a", []byte("x")})
	m.addText(Text{"b", []byte("x")})
	if !slices.EqualFunc(m.Texts, []string{"a"}, func(text Text, file string) bool { return text.File == file }) {
		t.Errorf("texts: %+v", m.Texts)
	}
}
