package metadata_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/diag"
	"omcbuild/internal/metadata"
	"omcbuild/internal/project"
)

// plugin is a plugin in step, in memory.
const plugin = `
-- package.json --
{ "name": "demo", "version": "1.2.3", "description": "Does it." }
-- .claude-plugin/plugin.json --
{ "name": "demo", "version": "1.2.3", "description": "Does it." }
-- .claude-plugin/marketplace.json --
{ "name": "demo", "description": "Plugins.", "owner": { "name": "x" },
  "plugins": [ { "name": "demo", "source": "./", "version": "1.2.3", "description": "Does it." } ] }
-- .mcp.json --
{ "mcpServers": { "t": { "command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/bridge/mcp-server.cjs"] } } }
`

func inStep(t *testing.T) string {
	t.Helper()
	root, _ := unpack(t, txtar.Parse([]byte(plugin)))
	return root
}

func TestFilesAreThoseCompared(t *testing.T) {
	root := inStep(t)
	result, err := plan(t, root, metadata.Facts{})
	want := []string{project.ManifestFile, project.CatalogFile, project.ServersFile}
	if err != nil || !slices.Equal(result.Files, want) || len(result.Changes) != 0 {
		t.Errorf("got %+v, %v", result, err)
	}
}

// TestServersDoNotDependOnTools holds .mcp.json still whatever the server lists.
func TestServersDoNotDependOnTools(t *testing.T) {
	root := inStep(t)
	for tools := range 30 {
		result, err := plan(t, root, metadata.Facts{Tools: map[string]int{"t": tools}})
		if err != nil || len(result.Changes) != 0 {
			t.Fatalf("with %d tools: %+v, %v", tools, result, err)
		}
	}
}

// TestDriftIsRepaired damages single values at random; one plan repairs them.
func TestDriftIsRepaired(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	values := []string{`"demo"`, `"1.2.3"`, `"Does it."`, `"node"`, `["${CLAUDE_PLUGIN_ROOT}/bridge/mcp-server.cjs"]`}
	damage := []string{`"0.0.1"`, `null`, `7`, `{}`, `[]`, `""`, `"other"`, `[{"a": "b"}]`}
	files := []string{project.ManifestFile, project.ServersFile}
	for round := range 60 {
		root := inStep(t)
		file := files[random.IntN(len(files))]
		before := read(t, filepath.Join(root, file))
		damaged := strings.Replace(before, values[random.IntN(len(values))], damage[random.IntN(len(damage))], 1)
		write(t, root, file, damaged)
		result, err := plan(t, root, metadata.Facts{})
		if err != nil {
			t.Fatalf("round %d, %s: %v", round, damaged, err)
		}
		apply(t, root, result)
		again, err := plan(t, root, metadata.Facts{})
		if err != nil || len(again.Changes) != 0 {
			t.Fatalf("round %d, %s: not in step after %s", round, damaged, read(t, filepath.Join(root, file)))
		}
		if got := read(t, filepath.Join(root, file)); got != before {
			t.Errorf("round %d: %s was repaired to %s", round, damaged, got)
		}
	}
}

func TestHostileFilesAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, root string)
		want    string
	}{
		"deep manifest": {func(t *testing.T, root string) {
			write(t, root, project.ManifestFile, `{"a":`+strings.Repeat("[", 1_000_000))
		}, ".claude-plugin/plugin.json:1:105: more than 100 levels of nesting"},
		"endless servers": {func(t *testing.T, root string) {
			if err := os.Truncate(filepath.Join(root, project.ServersFile), 1<<40); err != nil {
				t.Fatal(err)
			}
		}, ".mcp.json: the file cannot be read: it has 1099511627776 bytes, the limit is 8388608"},
		"folder for a catalog": {func(t *testing.T, root string) {
			path := filepath.Join(root, project.CatalogFile)
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
				t.Fatal(err)
			}
		}, ".claude-plugin/marketplace.json: the file cannot be read: it is not a regular file"},
		"empty manifest": {func(t *testing.T, root string) {
			write(t, root, project.ManifestFile, "")
		}, ".claude-plugin/plugin.json:1:1: the file is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			root := inStep(t)
			c.prepare(t, root)
			_, err := plan(t, root, metadata.Facts{})
			var failure *diag.Failure
			if !errors.As(err, &failure) || failure.Class != diag.Failed || failure.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestPackageIsReadAnew proves that a plan sees package.json as it is now, not
// as it was when the project was loaded.
func TestPackageIsReadAnew(t *testing.T) {
	root := inStep(t)
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, project.PackageFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := metadata.Plan(p, metadata.Facts{}); err == nil || !strings.Contains(err.Error(), "no package.json") {
		t.Errorf("got %v", err)
	}
}

func ExampleDiff() {
	change := metadata.Change{
		Path:   ".claude-plugin/plugin.json",
		Before: []byte("{\n  \"name\": \"demo\",\n  \"version\": \"0.1.0\"\n}\n"),
		After:  []byte("{\n  \"name\": \"demo\",\n  \"version\": \"0.2.0\"\n}\n"),
		Fields: []string{"version 0.1.0 → 0.2.0"},
	}
	fmt.Print(metadata.Diff(change))
	// Output:
	// diff a/.claude-plugin/plugin.json b/.claude-plugin/plugin.json
	// --- a/.claude-plugin/plugin.json
	// +++ b/.claude-plugin/plugin.json
	// @@ -1,4 +1,4 @@
	//  {
	//    "name": "demo",
	// -  "version": "0.1.0"
	// +  "version": "0.2.0"
	//  }
}
