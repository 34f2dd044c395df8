package architecture

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// npmPackage is what the tests need of a package.json.
type npmPackage struct {
	Dependencies, DevDependencies map[string]string
	PeerDependencies, Workspaces  any
}

func readPackage(t *testing.T, name string) npmPackage {
	t.Helper()
	var out npmPackage
	if err := json.Unmarshal([]byte(read(t, name)), &out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// The client installs the dependencies it finds in the root of a plugin, on
// the machine of every user, and reads some files there that we do not mean
// for it.
func TestRootHoldsNothingTheClientTripsOver(t *testing.T) {
	for _, name := range []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "node_modules", "CLAUDE.md"} {
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			t.Errorf("%s lies in the root of the plugin; npm belongs to src/", name)
		}
	}
	p := readPackage(t, "package.json")
	if p.Dependencies != nil || p.DevDependencies != nil || p.PeerDependencies != nil || p.Workspaces != nil {
		t.Error("package.json in the root lists dependencies; they belong to src/package.json")
	}
}

func TestLockNamesNoRegistry(t *testing.T) {
	for _, folder := range npmFolders() {
		if strings.Contains(read(t, folder+"/package-lock.json"), `"resolved"`) {
			t.Errorf("%s/package-lock.json holds download addresses; omit-lockfile-registry-resolved in .npmrc beside it keeps them out", folder)
		}
	}
}

func TestWorkspacePinsExactVersions(t *testing.T) {
	exact := regexp.MustCompile(`^(npm:[@/a-z0-9.-]+@)?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)
	for _, folder := range npmFolders() {
		p := readPackage(t, folder+"/package.json")
		for _, group := range []map[string]string{p.Dependencies, p.DevDependencies} {
			for name, version := range group {
				if !exact.MatchString(version) {
					t.Errorf("%s/package.json: %s is %q, want an exact version", folder, name, version)
				}
			}
		}
	}
}

// npmFolders are the folders that npm installs into: what the servers are made
// of, what only their tests run, and what the benchmark compares with.
func npmFolders() []string {
	return []string{"src", "src/test-support/programs", "internal/bench/rivals"}
}

// documented returns the names in the first column of the tables of
// docs/dependencies.md.
func documented(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, match := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(read(t, "docs/dependencies.md"), -1) {
		out = append(out, match[1])
	}
	return out
}

func TestDependenciesAreExplained(t *testing.T) {
	names := documented(t)
	used := map[string]bool{}
	for _, f := range goFiles(t) {
		for _, imported := range f.imports() {
			host, _, isPath := strings.Cut(imported, "/")
			if !isPath || !strings.Contains(host, ".") {
				continue
			}
			i := slices.IndexFunc(names, func(n string) bool { return imported == n || strings.HasPrefix(imported, n+"/") })
			if i < 0 {
				t.Errorf("%s: imports %s, which docs/dependencies.md does not explain", f.path, imported)
				continue
			}
			used[names[i]] = true
		}
	}
	for _, folder := range npmFolders() {
		path := folder + "/package.json"
		p := readPackage(t, path)
		for _, group := range []map[string]string{p.Dependencies, p.DevDependencies} {
			for name := range group {
				if !slices.Contains(names, name) {
					t.Errorf("%s: docs/dependencies.md does not explain %s", path, name)
				}
				used[name] = true
			}
		}
	}
	used["github.com/golangci/golangci-lint/v2"] = strings.Contains(read(t, "tools/go.mod"), "tool github.com/golangci/golangci-lint/v2/")
	used["golang.org/x/tools/gopls"] = strings.Contains(read(t, "tools/gopls/go.mod"), "tool golang.org/x/tools/gopls")
	for _, name := range names {
		if !used[name] {
			t.Errorf("docs/dependencies.md explains %s, which nothing uses", name)
		}
	}
}

// The README shows what the commands really print.
func TestReadmeHoldsNoPlaceholder(t *testing.T) {
	for number, line := range strings.Split(read(t, "README.md"), "\n") {
		if strings.Contains(line, "TOUR-OUTPUT") {
			t.Errorf("README.md:%d: %s: put in what the command prints", number+1, line)
		}
	}
}

// schemaKeys collects the names of all properties of a JSON Schema.
func schemaKeys(schema any, out map[string]bool) {
	switch s := schema.(type) {
	case map[string]any:
		if properties, ok := s["properties"].(map[string]any); ok {
			for name := range properties {
				out[name] = true
			}
		}
		for _, child := range s {
			schemaKeys(child, out)
		}
	case []any:
		for _, child := range s {
			schemaKeys(child, out)
		}
	}
}

func TestConfigurationPageNamesEveryKey(t *testing.T) {
	var schema any
	if err := json.Unmarshal([]byte(read(t, "internal/project/omcbuild.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	schemaKeys(schema, keys)
	page := read(t, "docs/configuration.md")
	for key := range keys {
		if !strings.Contains(page, `"`+key+`"`) {
			t.Errorf("docs/configuration.md does not show %q", key)
		}
	}
	if len(keys) < 20 {
		t.Errorf("the schema has %d keys, which is too few to be true", len(keys))
	}
}

// Links between the documents lead somewhere.
func TestDocumentsLinkToWhatExists(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, name := range paths(t, ".md") {
		for _, match := range link.FindAllStringSubmatch(read(t, name), -1) {
			target, _, _ := strings.Cut(match[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(filepath.FromSlash(name)), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, target)
			}
		}
	}
}

// The layout in docs/architecture.md names every package, and only those.
func TestEveryPackageIsInTheArchitecturePage(t *testing.T) {
	page := read(t, "docs/architecture.md")
	for _, layer := range layers {
		for _, folder := range layer {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(folder))); err != nil {
				t.Errorf("internal/architecture lists %s, which is not there", folder)
			}
			if !strings.Contains(page, "`"+folder+"`") {
				t.Errorf("docs/architecture.md does not mention `%s`", folder)
			}
		}
	}
}
