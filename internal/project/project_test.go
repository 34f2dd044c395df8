package project_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"omcbuild/internal/project"
)

func load(t *testing.T, root string) *project.Project {
	t.Helper()
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fixture is a plugin that loads.
func fixture(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, "package.json", `{ "name": "demo", "version": "1.2.3" }`)
	write(t, root, "src/mcp/standalone-server.ts", "")
	return root
}

func TestBundleHasItsDefaults(t *testing.T) {
	root := fixture(t)
	write(t, root, "src/mcp/team-server.ts", "")
	p := load(t, root)
	b, ok := p.Bundle("t")
	if !ok || b.Kind != project.MCP || !b.Register || b.Header != project.HeaderNodePath || b.Front.Enabled ||
		b.LockFile != "bridge/mcp-server.tools.json" || b.Target != "node20" || !slices.Equal(b.External, []string{"@ast-grep/napi"}) {
		t.Errorf("got %+v", b)
	}
	if at := b.Where("entry"); at.File != "" {
		t.Errorf("a default stands at %s", at)
	}
	if team, _ := p.Bundle("team"); team.Register || team.External != nil || team.LockFile != "bridge/team-mcp.tools.json" {
		t.Errorf("got %+v", team)
	}
	if _, ok := p.Bundle("x"); ok {
		t.Error("found a bundle that is not there")
	}
}

func TestBundleKnowsItsPlaces(t *testing.T) {
	root := fixture(t)
	write(t, root, "omcbuild.jsonc", "{\n\"bundles\": [\n{ \"name\": \"t\",\n\"entry\": \"src/mcp/standalone-server.ts\",\n\"outfile\": \"o.cjs\" }\n]\n}")
	b := load(t, root).Bundles[0]
	for field, want := range map[string]string{"entry": "omcbuild.jsonc:4:10", "outfile": "omcbuild.jsonc:5:12", "registry": "omcbuild.jsonc:3:1"} {
		if got := b.Where(field).String(); got != want {
			t.Errorf("%s stands at %s, want %s", field, got, want)
		}
	}
	if b.External != nil {
		t.Errorf("a bundle that is written down has the externals %v", b.External)
	}
}

// TestEffectiveConfigurationIsAConfiguration proves that what config prints
// can be saved as omcbuild.jsonc and then says the same.
func TestEffectiveConfigurationIsAConfiguration(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/load/full.txtar")
	if err != nil {
		t.Fatal(err)
	}
	root, _ := unpack(t, archive)
	first := load(t, root).Effective()
	write(t, root, "omcbuild.jsonc", string(first.JSON))
	second := load(t, root).Effective()
	if string(first.JSON) != string(second.JSON) {
		t.Errorf("before:\n%s\nafter:\n%s", first.JSON, second.JSON)
	}
	for _, o := range second.Origins {
		if o.From == "default" && o.Key != "target" {
			t.Errorf("%s is written down and yet a default", o.Key)
		}
	}
}

// TestEveryValueHasAnOrigin compares the keys of the effective configuration
// with those of the schema.
func TestEveryValueHasAnOrigin(t *testing.T) {
	archive, _ := txtar.ParseFile("testdata/load/full.txtar")
	root, _ := unpack(t, archive)
	seen := map[string]bool{}
	for _, o := range load(t, root).Effective().Origins {
		if o.From == "" || o.Value == "" {
			t.Errorf("%+v is incomplete", o)
		}
		seen[o.Key] = true
	}
	bundle, _ := schemaObject(t)["$defs"].(map[string]any)["bundle"].(map[string]any)["properties"].(map[string]any)
	for key := range bundle {
		if !seen["bundles[0]."+key] && !seen["bundles[0]."+key+".bytes"] {
			t.Errorf("the effective configuration does not show %s", key)
		}
	}
}

func TestLoadWorksInAFolderOfAnyName(t *testing.T) {
	for _, name := range []string{"my plugin", "plügin ✓", "50%", "a#b?c", "[x]"} {
		root := filepath.Join(fixture(t), name)
		write(t, root, "package.json", `{ "name": "demo", "version": "1.2.3" }`)
		write(t, root, "omcbuild.jsonc", `{ "bundles": [{ "name": "t", "entry": "a.ts", "outfile": "o.cjs" }] }`)
		write(t, root, "a.ts", "")
		t.Chdir(root)
		if got := load(t, root).Bundles[0].Outfile; got != "o.cjs" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func schemaObject(t *testing.T) map[string]any {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(project.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestSchemaIsValidAndDescribesEveryKey(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("embedded:///s.json", any(schemaObject(t))); err != nil {
		t.Fatal(err)
	}
	if _, err := compiler.Compile("embedded:///s.json"); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, node any)
	walk = func(path string, node any) {
		object, ok := node.(map[string]any)
		if !ok {
			return
		}
		if properties, ok := object["properties"].(map[string]any); ok {
			if object["additionalProperties"] != false {
				t.Errorf("%s allows unknown keys", path)
			}
			for name, property := range properties {
				if text, _ := property.(map[string]any)["description"].(string); len(text) < 20 && !strings.HasPrefix(text, "One ") {
					t.Errorf("%s.%s has no description", path, name)
				}
			}
		}
		if _, ok := object["pattern"].(string); ok && object["$comment"] == nil {
			t.Errorf("%s has a pattern without words for it", path)
		}
		if _, ok := object["patternProperties"]; ok && object["$comment"] == nil {
			t.Errorf("%s has a pattern of keys without words for it", path)
		}
		for name, child := range object {
			walk(path+"/"+name, child)
		}
	}
	walk("", schemaObject(t))
}

func TestSchemaIsACopy(t *testing.T) {
	project.Schema()[0] = 'x'
	if project.Schema()[0] != '{' {
		t.Error("the embedded schema was changed")
	}
}

func TestCountsAndFamilies(t *testing.T) {
	root := fixture(t)
	for _, file := range []string{
		"skills/a/SKILL.md", "skills/b/SKILL.md", "skills/c/skill.md", "skills/README.md", "skills/d/deep/SKILL.md",
		"commands/x.md", "commands/y.txt", "agents/p.md", "agents/q.md", "agents/sub/r.md",
		"src/tools/b-tools.ts", "src/tools/a-tools.ts", "src/tools/a-tools.test.ts", "src/tools/deep/c-tools.ts",
		"src/tools/d-tools.d.ts", "src/tools/node_modules/other/e-tools.ts",
	} {
		write(t, root, file, "")
	}
	p := load(t, root)
	counts, err := p.Counts()
	if want := (project.Counts{Skills: 2, Commands: 1, Agents: 2}); err != nil || counts != want {
		t.Errorf("got %+v, %v; want %+v", counts, err, want)
	}
	families, err := p.FamilyFiles(p.Bundles[0])
	want := []string{"src/tools/a-tools.ts", "src/tools/b-tools.ts", "src/tools/deep/c-tools.ts"}
	if err != nil || !slices.Equal(families, want) {
		t.Errorf("got %v, %v; want %v", families, err, want)
	}
	if none, err := p.FamilyFiles(project.Bundle{}); none != nil || err != nil {
		t.Errorf("got %v, %v", none, err)
	}
}

func TestReadFileIsContained(t *testing.T) {
	root := fixture(t)
	p := load(t, root)
	write(t, root, "plain", "text")
	write(t, root, "huge", "")
	if err := os.Truncate(filepath.Join(root, "huge"), project.MaxFile+1); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"out": "/etc/hostname", "up": "../x", "in": "plain", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"huge":          "it has 8388609 bytes, the limit is 8388608",
		"src":           "it is not a regular file",
		"out":           "leaves the project through a symbolic link",
		"up":            "leaves the project through a symbolic link",
		"loop":          "cannot be read",
		"../plain":      "leaves the project through a symbolic link",
		"/etc/hostname": "leaves the project through a symbolic link",
	} {
		if data, problem := p.ReadFile(path); problem == nil || data != nil || !strings.Contains(problem.Message, want) || problem.Hint == "" {
			t.Errorf("%s: got %q, %v; want %q", path, data, problem, want)
		}
	}
	for path, want := range map[string]string{"plain": "text", "in": "text"} {
		if data, problem := p.ReadFile(path); problem != nil || string(data) != want {
			t.Errorf("%s: got %q, %v", path, data, problem)
		}
	}
	if data, problem := p.ReadFile("none"); data != nil || problem != nil {
		t.Errorf("a missing file gives %q, %v", data, problem)
	}
	if !p.IsLink("in") || p.IsLink("plain") || p.IsLink("none") {
		t.Error("links are not told from files")
	}
}

func TestRootIsFreeOfLinks(t *testing.T) {
	root := fixture(t)
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(root, alias); err != nil {
		t.Fatal(err)
	}
	real, _ := filepath.EvalSymlinks(root)
	if got := load(t, filepath.Join(alias, "src")).Root; got != real {
		t.Errorf("got %s, want %s", got, real)
	}
}

func TestLoadNeedsAFolder(t *testing.T) {
	root := fixture(t)
	for _, dir := range []string{filepath.Join(root, "none"), filepath.Join(root, "package.json")} {
		if _, err := project.Load(dir); err == nil || !strings.Contains(err.Error(), "cannot be used") {
			t.Errorf("%s: got %v", dir, err)
		}
	}
}
