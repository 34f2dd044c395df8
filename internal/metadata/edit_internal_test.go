package metadata

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// someone is an identity that says everything.
func someone() identity {
	return identity{
		name: "demo", version: "1.2.3", description: "Says \"<how>\"\n& why.", license: "MIT",
		homepage: "https://example.org", repository: "https://example.org/demo.git",
		author: project.Person{Name: "Ada", Email: "ada@example.org"}, keywords: []string{"one", "two"},
	}
}

// sync brings texts of a manifest, a catalog and .mcp.json into step, in memory.
func sync(id identity, manifest, catalog, servers []byte) *desk {
	bundle := project.Bundle{Name: "t", Kind: project.MCP, Outfile: "bridge/mcp-server.cjs", Register: true}
	d := newDesk(&project.Project{Bundles: []project.Bundle{bundle}})
	for path, text := range map[string][]byte{project.ManifestFile: manifest, project.CatalogFile: catalog, project.ServersFile: servers} {
		d.sheets = append(d.sheets, &sheet{path: path, before: text, now: text})
	}
	syncManifest(d, id)
	syncCatalog(d, id)
	syncServers(d)
	return d
}

func manifestOf(text string) string {
	d := sync(someone(), []byte(text), nil, nil)
	return string(d.sheet(project.ManifestFile).now)
}

func TestEditKeepsEveryOtherByte(t *testing.T) {
	full := `"name": "demo", "version": "%", "description": "Says \"<how>\"\n& why.", "author": {"name":"Ada","email":"ada@example.org"}, ` +
		`"homepage": "https://example.org", "repository": "https://example.org/demo.git", "license": "MIT", "keywords": ["one","two"]`
	for _, frame := range []string{
		"{%}", "{%}\n", "\n\n{ % }\n\n", "{\t%\t}", "{\r\n%\r\n}", "{% , \"x\" : [ 1 ,2,{ } ] }", `{"\u0078": 1e5, %, "z": "\u00e9\/"}`,
	} {
		before := strings.ReplaceAll(frame, "%", strings.ReplaceAll(full, "%", "0.0.1"))
		want := strings.ReplaceAll(frame, "%", strings.ReplaceAll(full, "%", "1.2.3"))
		if got := manifestOf(before); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		if got := manifestOf(want); got != want {
			t.Errorf("in step, and yet changed: %q", got)
		}
	}
}

func TestSameTextInOtherWordsStays(t *testing.T) {
	text := `{"name":"\u0064emo","version":"1.2.3","description":"Says \u0022\u003chow>\"\u000a& why.","author":{"email":"ada@example.org","name":"Ada","x":1},` +
		`"homepage":"https:\/\/example.org","repository":"https://example.org/demo.git","license":"MIT","keywords":["one",` + "\n" + `"two"]}`
	if got := manifestOf(text); got != text {
		t.Errorf("changed to %s", got)
	}
}

func TestNewKeysHaveTheirPlace(t *testing.T) {
	for text, want := range map[string][]string{
		`{"hooks": 1, "name": "demo", "commands": 2}`:             {"hooks", "name", "version", "description", "author", "homepage", "repository", "license", "keywords", "commands"},
		`{"license": "MIT", "version": "1.2.3"}`:                  {"name", "license", "version", "description", "author", "homepage", "repository", "keywords"},
		`{"$schema": "x", "mcpServers": {}, "keywords": ["one"]}`: {"$schema", "name", "version", "description", "author", "homepage", "repository", "license", "mcpServers", "keywords"},
	} {
		doc := project.Parse("x", []byte(manifestOf(text)), project.Strict)
		var got []string
		for _, m := range newEditor(&sheet{}, doc).object().object.Members {
			got = append(got, project.Text(&m.Name))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// owned are the keys of a manifest that package.json decides.
func owned() []string {
	return []string{"name", "version", "description", "author", "homepage", "repository", "license", "keywords"}
}

func FuzzEdit(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{ }`, "{\r\n\t\"name\": \"x\",\r\n\r\n\t\"author\": \"y\"\r\n}\r\n", `{"author":{"name":1,"x":{}},"keywords":[]}`,
		"\xef\xbb\xbf{\"mcpServers\": {\"t\": {\"command\": \"sh\", \"args\": [1]}}}", `{"mcpServers":["./a.json",{"t":{}}]}`,
		`{"plugins":[{"name":"demo","source":"./"},{"name":"x"}],"metadata":{"version":"0"}}`, `{"plugins":[{}],"owner":[]}`,
		`{"t":{"url":"x"}}`, `{"t":{"command":"node","args":["a","b.js"]}}`, "{\n\"a\":1,\"b\":2}", `{"a":{"command":"/x/bridge/mcp-server.cjs"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 {
			return
		}
		first := sync(someone(), text, text, text)
		if first.found.HasErrors() {
			return
		}
		for _, s := range first.sheets {
			if doc := project.Parse(s.path, s.now, project.Strict); doc.Problem != nil || doc.BOM {
				t.Fatalf("%s was made into %q: %v", s.path, s.now, doc.Problem)
			}
			if len(s.fields) == 0 && string(s.now) != string(text) {
				t.Fatalf("%s changed without a word to %q", s.path, s.now)
			}
		}
		sameBut(t, text, first.sheet(project.ManifestFile).now, append(owned(), "mcpServers")...)
		sameBut(t, text, first.sheet(project.CatalogFile).now, "name", "version", "description", "owner", "metadata", "plugins")
		sameBut(t, text, first.sheet(project.ServersFile).now, "mcpServers", "t")
		second := sync(someone(), first.sheet(project.ManifestFile).now, first.sheet(project.CatalogFile).now, first.sheet(project.ServersFile).now)
		for _, s := range second.sheets {
			if string(s.now) != string(s.before) {
				t.Fatalf("%s changes again: from %q to %q", s.path, s.before, s.now)
			}
		}
	})
}

// sameBut compares two JSON objects, the keys named aside.
func sameBut(t *testing.T, before, after []byte, but ...string) {
	t.Helper()
	var a, b map[string]json.RawMessage
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(before), "\xef\xbb\xbf")), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(after, &b); err != nil {
		t.Fatal(err)
	}
	for _, key := range but {
		delete(a, key)
		delete(b, key)
	}
	if !reflect.DeepEqual(a, b) {
		t.Fatalf("other keys changed: from %q to %q", before, after)
	}
}

func TestWebAddress(t *testing.T) {
	for written, want := range map[string]string{
		"":                          "",
		"example/demo":              "https://github.com/example/demo",
		"github:example/demo":       "https://github.com/example/demo",
		"gitlab:example/demo":       "https://gitlab.com/example/demo",
		"bitbucket:example/demo":    "https://bitbucket.org/example/demo",
		"gist:11081aaa281":          "https://gist.github.com/11081aaa281",
		"https://example.org/a/b":   "https://example.org/a/b",
		"https://example.org/a.git": "https://example.org/a",
		"git+https://github.com/example/demo.git":                "https://github.com/example/demo",
		"git+https://user:secret@github.com/example/demo.git":    "https://github.com/example/demo",
		"git://github.com/example/demo.git":                      "https://github.com/example/demo",
		"git@github.com:example/demo.git":                        "https://github.com/example/demo",
		"git+ssh://git@github.com/example/demo.git":              "https://github.com/example/demo",
		"ssh://git@example.org:2222/example/demo.git":            "https://example.org/example/demo",
		"https://example.org:8443/example/demo/":                 "https://example.org:8443/example/demo",
		"http://example.org/demo.git":                            "http://example.org/demo",
		"svn://example.org/demo":                                 "svn://example.org/demo",
		"  example/demo  ":                                       "https://github.com/example/demo",
		"https://github.com/example/demo/tree/main/packages/one": "https://github.com/example/demo/tree/main/packages/one",
	} {
		if got := webAddress(written); got != want {
			t.Errorf("%q: got %q, want %q", written, got, want)
		}
	}
}

func TestServerErrorsNameTheirPlace(t *testing.T) {
	d := sync(someone(), nil, nil, []byte("{\n \"mcpServers\": {\n  \"t\": 5\n }\n}"))
	errors := d.found.At(diag.Error)
	if len(errors) != 1 || errors[0].Position.String() != ".mcp.json:3:8" {
		t.Errorf("got %v", errors)
	}
}
