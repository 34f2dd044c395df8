package plugintemplate_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	plugintemplate "omcbuild/plugin-template"
)

// awkward is a plugin whose description needs quoting in every language.
var awkward = plugintemplate.Values{
	Name: "hello-plugin", Version: "0.1.0", Description: `Says "hello" to <you> & \me: done.`,
	Author: plugintemplate.Person{Name: `Zoë "Z" O'Hara`, Email: "zoe@example.org", URL: "https://example.org/zoe"}, License: "MIT", Key: "h",
}

func render(t *testing.T, v plugintemplate.Values) map[string][]byte {
	t.Helper()
	files, err := plugintemplate.Render(v)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		if _, twice := out[f.Path]; twice {
			t.Errorf("%s is rendered twice", f.Path)
		}
		out[f.Path] = f.Contents
	}
	return out
}

// read decodes one JSON file; comments and trailing commas are allowed only
// where the file's name says so.
func read(t *testing.T, files map[string][]byte, path string) map[string]any {
	t.Helper()
	text := files[path]
	if strings.HasSuffix(path, ".jsonc") {
		standard, err := hujson.Standardize(slices.Clone(text))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		text = standard
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

// at follows keys and list indexes into decoded JSON.
func at(t *testing.T, value any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch s := step.(type) {
		case string:
			value = value.(map[string]any)[s]
		case int:
			value = value.([]any)[s]
		}
	}
	return value
}

func TestTheWholePluginIsThere(t *testing.T) {
	files := render(t, awkward)
	want := []string{
		".claude-plugin/marketplace.json", ".claude-plugin/plugin.json", ".editorconfig", ".gitattributes", ".github/workflows/build.yml", ".github/workflows/release.yml",
		".gitignore", ".mcp.json",
		"LICENSE", "README.md", "omcbuild.jsonc", "package.json", "skills/hello/SKILL.md", "src/mcp/standalone-server.ts",
		"src/mcp/tool-registry.ts", "src/package.json", "src/tools/hello-tools.test.ts", "src/tools/hello-tools.ts",
		"src/tools/types.ts", "src/tsconfig.json",
	}
	for _, path := range want {
		if len(files[path]) == 0 {
			t.Errorf("%s is missing or empty", path)
		}
	}
	if len(files) != len(want) {
		t.Errorf("%d files are rendered, %d are expected here", len(files), len(want))
	}
}

func TestFilesAreSortedAndEndInOneNewline(t *testing.T) {
	files, err := plugintemplate.Render(awkward)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(files, func(a, b plugintemplate.File) int { return strings.Compare(a.Path, b.Path) }) {
		t.Error("the files are not sorted by path")
	}
	for _, f := range files {
		text := string(f.Contents)
		if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
			t.Errorf("%s does not end in exactly one newline", f.Path)
		}
		if strings.Contains(text, "\r") {
			t.Errorf("%s has a carriage return", f.Path)
		}
	}
}

func TestNoPlaceholderSurvives(t *testing.T) {
	for path, text := range render(t, awkward) {
		for _, left := range []string{"{{.", "{{json", "<no value>"} {
			if strings.Contains(string(text), left) {
				t.Errorf("%s still holds %q", path, left)
			}
		}
	}
}

func TestEveryFileSaysTheSameIdentity(t *testing.T) {
	files := render(t, awkward)
	identity := read(t, files, "package.json")
	manifest := read(t, files, ".claude-plugin/plugin.json")
	catalog := read(t, files, ".claude-plugin/marketplace.json")
	entry := at(t, catalog, "plugins", 0).(map[string]any)

	for field, want := range map[string]string{"name": awkward.Name, "version": awkward.Version, "description": awkward.Description} {
		for file, document := range map[string]map[string]any{"package.json": identity, "plugin.json": manifest, "the catalog's entry": entry} {
			if got := document[field]; got != want {
				t.Errorf("%s of %s is %q, want %q", field, file, got, want)
			}
		}
	}
	if catalog["name"] != awkward.Name {
		t.Errorf("the catalog is named %q, want %q", catalog["name"], awkward.Name)
	}
	author := at(t, manifest, "author")
	if !reflect.DeepEqual(at(t, catalog, "owner"), author) || !reflect.DeepEqual(at(t, entry, "author"), author) {
		t.Error("plugin.json and the catalog name different authors")
	}
	if want := awkward.Author.String(); identity["author"] != want || at(t, author, "name") != awkward.Author.Name {
		t.Errorf("the author is %v in package.json and %v in plugin.json, want %s", identity["author"], author, want)
	}
	if _, has := identity["dependencies"]; has {
		t.Error("package.json at the root has dependencies; they belong to src/")
	}
}

// What is left out of an author leaves nothing behind.
func TestAnAuthorMayBeANameAlone(t *testing.T) {
	v := awkward
	v.Author = plugintemplate.Person{Name: "Ada"}
	files := render(t, v)
	want := map[string]any{"name": "Ada"}
	if got := at(t, read(t, files, ".claude-plugin/plugin.json"), "author"); !reflect.DeepEqual(got, want) {
		t.Errorf("plugin.json: the author is %v", got)
	}
	if got := at(t, read(t, files, "package.json"), "author"); got != "Ada" {
		t.Errorf("package.json: the author is %v", got)
	}
}

func TestEveryLicenceHasItsText(t *testing.T) {
	first := map[string]string{"Apache-2.0": "Apache License", "ISC": "ISC License", "MIT": "MIT License"}
	if names := plugintemplate.Licenses(); len(names) != len(first) || !slices.IsSorted(names) {
		t.Errorf("the licences are %v", names)
	}
	for name, title := range first {
		v := awkward
		v.License = name
		files := render(t, v)
		line, text, _ := strings.Cut(string(files["LICENSE"]), "\n")
		if strings.TrimSpace(line) != title {
			t.Errorf("%s: the text begins with %q", name, line)
		}
		if name != "Apache-2.0" && !strings.Contains(text, "Copyright (c) "+v.Author.Name) {
			t.Errorf("%s: the author is not named", name)
		}
		if got := at(t, read(t, files, "package.json"), "license"); got != name {
			t.Errorf("package.json has the licence %v, want %s", got, name)
		}
	}
	v := awkward
	v.License = "../files/README.md"
	if _, err := plugintemplate.Render(v); err == nil {
		t.Error("a licence without a text is accepted")
	}
}

func TestServerIsTheBundleThatIsBuilt(t *testing.T) {
	files := render(t, awkward)
	bundle := at(t, read(t, files, "omcbuild.jsonc"), "bundles", 0).(map[string]any)
	server := at(t, read(t, files, ".mcp.json"), "mcpServers", bundle["name"])
	if server == nil {
		t.Fatalf(".mcp.json has no server %q", bundle["name"])
	}
	if got, want := at(t, server, "args", 0), "${CLAUDE_PLUGIN_ROOT}/"+bundle["outfile"].(string); got != want {
		t.Errorf("the server starts %q, want %q", got, want)
	}
	for _, key := range []string{"entry", "registry"} {
		if path := bundle[key].(string); files[path] == nil {
			t.Errorf("omcbuild.jsonc: %s names %s, which the template does not have", key, path)
		}
	}
	if !strings.Contains(string(files[".gitignore"]), "node_modules/") || strings.Contains(string(files[".gitignore"]), "\nbridge") {
		t.Error(".gitignore has to ignore node_modules and keep bridge")
	}
}

// The client refuses a listing whose README has fewer than 40 words, and asks
// for an install line.
func TestReadmeSuitsTheDirectory(t *testing.T) {
	text := string(render(t, awkward)["README.md"])
	if words := len(strings.Fields(text)); words < 40 {
		t.Errorf("README.md has %d words", words)
	}
	if !strings.Contains(text, "/plugin install "+awkward.Name+"@"+awkward.Name) {
		t.Error("README.md has no install line")
	}
	// The client takes a folder only with a slash in it.
	if !strings.Contains(text, "/plugin marketplace add ./\n") {
		t.Error("README.md does not add the folder of the clone as a catalog")
	}
}

func TestVersionsArePinnedAsInTheWorkspace(t *testing.T) {
	text, err := os.ReadFile("../src/package.json")
	if err != nil {
		t.Fatal(err)
	}
	ours := read(t, map[string][]byte{"package.json": text}, "package.json")
	theirs := read(t, render(t, awkward), "src/package.json")
	for _, group := range []string{"dependencies", "devDependencies"} {
		known := ours[group].(map[string]any)
		for name, version := range theirs[group].(map[string]any) {
			if known[name] != version {
				t.Errorf("%s: the template has %s, src/package.json has %v", name, version, known[name])
			}
		}
	}
}

// The TypeScript of the template compiles and passes its own tests with the
// packages it pins, which are those of src/node_modules, and it is written as that
// of the repository is.
func TestWorkspaceCompilesAndPasses(t *testing.T) {
	modules, err := filepath.Abs("../src/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(modules); err != nil {
		t.Fatal("src/node_modules is missing; run make build")
	}
	root := t.TempDir()
	for path, contents := range render(t, awkward) {
		target := filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, contents, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	src := filepath.Join(root, "src")
	if err := os.Symlink(modules, filepath.Join(src, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"node_modules/typescript/bin/tsc", "--noEmit"},
		{"node_modules/vitest/vitest.mjs", "run"},
		{"node_modules/oxlint/bin/oxlint", "-c", filepath.Join(filepath.Dir(modules), ".oxlintrc.json"), "--deny-warnings", "mcp", "tools"},
	} {
		cmd := exec.CommandContext(t.Context(), "node", command...)
		cmd.Dir = src
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", strings.Join(command, " "), err, out)
		}
	}
}
