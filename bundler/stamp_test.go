package bundler_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/bundler"
)

// stamped builds the mixed project, puts its outputs in place and sends the stamp
// through JSON, as a caller does.
func stamped(t *testing.T, change func(root string, o *bundler.Options)) (string, bundler.Options, *bundler.Stamp) {
	t.Helper()
	root, o := mixed(t)
	if change != nil {
		change(root, &o)
	}
	result := build(t, o)
	place(t, root, result.Outputs)
	text, err := json.Marshal(result.Stamp)
	if err != nil {
		t.Fatal(err)
	}
	stamp := &bundler.Stamp{}
	if err := json.Unmarshal(text, stamp); err != nil {
		t.Fatal(err)
	}
	if fresh, reason := stamp.UpToDate(root, o); !fresh {
		t.Fatalf("not up to date after the build: %s", reason)
	}
	return root, o, stamp
}

func TestStampSeesWhatMatters(t *testing.T) {
	file := func(name, text string) func(*testing.T, string, *bundler.Options) {
		return func(t *testing.T, root string, _ *bundler.Options) { write(t, filepath.Join(root, name), text) }
	}
	cases := []struct {
		name, reason string
		change       func(t *testing.T, root string, o *bundler.Options)
	}{
		{"source", "src/greet.ts changed", file("src/greet.ts", "export const greet = () => 2")},
		{"source of a package", "node_modules/zod/external.js changed", file("node_modules/zod/external.js", "export const string = 1")},
		{"imported text", "src/query.sql changed", file("src/query.sql", "select 2")},
		{"file read beside the module", "src/note.txt changed", file("src/note.txt", "other")},
		{"tsconfig", "tsconfig.json changed", file("tsconfig.json", "{}")},
		{"nearer tsconfig", "src: files were added or removed", file("src/tsconfig.json", "{}")},
		{"package.json", "package.json changed", file("package.json", "{}")},
		{"package.json of a package", "node_modules/zod/package.json changed", file("node_modules/zod/package.json", "{}")},
		{"lock file", "package-lock.json changed", file("package-lock.json", "{ }")},
		{"installed packages", "node_modules/.package-lock.json changed", file("node_modules/.package-lock.json", "{}")},
		{"new file beside sources", "src: files were added or removed", file("src/greet.tsx", "export const greet = 1")},
		{"outputs edited", "bridge/server.cjs is not what was built", file("bridge/server.cjs", "console.log(1)")},
		{"asset edited", "bridge/server.assets/src/note.txt is not what was built", file("bridge/server.assets/src/note.txt", "x")},
		{"outputs removed", "bridge/server.cjs is not what was built", func(t *testing.T, root string, _ *bundler.Options) {
			if err := os.Remove(filepath.Join(root, "bridge", "server.cjs")); err != nil {
				t.Fatal(err)
			}
		}},
		{"mode lost", "bridge/server.cjs is not what was built", func(t *testing.T, root string, _ *bundler.Options) {
			if err := os.Chmod(filepath.Join(root, "bridge", "server.cjs"), 0o644); err != nil {
				t.Fatal(err)
			}
		}},
		{"tool", "the tool changed", func(_ *testing.T, _ string, o *bundler.Options) { o.ToolVersion = "2" }},
		{"minify", "the options changed", func(_ *testing.T, _ string, o *bundler.Options) { o.Minify = true }},
		{"external", "the options changed", func(_ *testing.T, _ string, o *bundler.Options) { o.External = nil }},
		{"nonsense", "the options changed", func(_ *testing.T, _ string, o *bundler.Options) { o.Target = "?" }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root, o, stamp := stamped(t, nil)
			c.change(t, root, &o)
			if fresh, reason := stamp.UpToDate(root, o); fresh || reason != c.reason {
				t.Errorf("got %v, %q, want %q", fresh, reason, c.reason)
			}
		})
	}
}

// A lock file says that a bundle is behind where packages in it are installed beside it.
func TestBehindLooksAtLockFilesOfWhatIsBundled(t *testing.T) {
	root, o, stamp := stamped(t, nil)
	write(t, filepath.Join(root, "src", "yarn.lock"), "# yarn lockfile v1\n")
	if behind, reason := stamp.Behind(root); behind {
		t.Errorf("behind: %s", reason)
	}
	if fresh, _ := stamp.UpToDate(root, o); fresh {
		t.Error("up to date: a build has to look again")
	}
	write(t, filepath.Join(root, "yarn.lock"), "# yarn lockfile v1\n")
	if behind, reason := stamp.Behind(root); !behind || reason != "yarn.lock changed" {
		t.Errorf("got %v, %q, want that yarn.lock changed", behind, reason)
	}
}

func TestStampIgnoresWhatDoesNot(t *testing.T) {
	root, o, stamp := stamped(t, nil)
	write(t, filepath.Join(root, "README.md"), "words")
	write(t, filepath.Join(root, "src", "notes.md"), "words")
	write(t, filepath.Join(root, "src", "pages", "two.txt"), "2")
	write(t, filepath.Join(root, "bridge", "other.cjs"), "")
	o.HostPaths = []string{"/home/x"}
	if fresh, reason := stamp.UpToDate(root, o); !fresh {
		t.Errorf("not up to date: %s", reason)
	}
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(root, moved); err != nil {
		t.Fatal(err)
	}
	if fresh, reason := stamp.UpToDate(moved, o); !fresh {
		t.Errorf("not up to date after moving: %s", reason)
	}
}

func TestStampSeesFoldersAndPatterns(t *testing.T) {
	root, o, stamp := stamped(t, func(root string, o *bundler.Options) {
		o.Assets = []string{"extra/*.tmpl"}
		write(t, filepath.Join(root, "extra", "a.tmpl"), "a")
		write(t, filepath.Join(root, "src", "greet.ts"), "import p from 'path';\nexport const greet = (n: string) => p.join(__dirname, 'pages', n) + p.join(__dirname, 'later.txt');")
	})
	write(t, filepath.Join(root, "src", "pages", "two.txt"), "2")
	if fresh, reason := stamp.UpToDate(root, o); fresh || reason != "src/pages: files were added or removed" {
		t.Errorf("got %v, %q", fresh, reason)
	}
	if err := os.Remove(filepath.Join(root, "src", "pages", "two.txt")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "src", "later.txt"), "now it is there")
	if fresh, reason := stamp.UpToDate(root, o); fresh || reason != "src/later.txt changed" {
		t.Errorf("got %v, %q", fresh, reason)
	}
	write(t, filepath.Join(root, "extra", "b.tmpl"), "b")
	if fresh, reason := stamp.UpToDate(root, o); fresh || reason != "the files that extra/*.tmpl matches changed" {
		t.Errorf("got %v, %q", fresh, reason)
	}
}

func TestStampFollowsExtends(t *testing.T) {
	root, o, stamp := stamped(t, func(root string, o *bundler.Options) {
		write(t, filepath.Join(root, "tsconfig.json"), `{ "extends": ["./base", "shared-config/strict.json"], } // paths come from there`)
		write(t, filepath.Join(root, "base.json"), `{ "extends": "./deeper/tsconfig.json" }`)
		write(t, filepath.Join(root, "deeper", "tsconfig.json"), `{ "compilerOptions": { "paths": { "@/*": ["../src/*"] } } }`)
		write(t, filepath.Join(root, "node_modules", "shared-config", "package.json"), `{}`)
		write(t, filepath.Join(root, "node_modules", "shared-config", "strict.json"), `{}`)
	})
	for _, name := range []string{"base.json", "deeper/tsconfig.json", "node_modules/shared-config/strict.json"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, string(before)+" ")
		if fresh, reason := stamp.UpToDate(root, o); fresh || reason != name+" changed" {
			t.Errorf("%s: got %v, %q", name, fresh, reason)
		}
		write(t, path, string(before))
	}
}

func TestStampRepeatsWarnings(t *testing.T) {
	_, _, stamp := stamped(t, func(root string, _ *bundler.Options) {
		write(t, filepath.Join(root, "src", "greet.ts"), "export const greet = (n: string) => require(n);")
	})
	list := stamp.Diagnostics()
	if len(list) == 0 || !strings.HasPrefix(describe(list), "warning variable-import src/greet.ts:1:") {
		t.Errorf("got %s", describe(list))
	}
	if stamp.Inputs != 5 || strings.Join(stamp.Externals, ",") != "helper" {
		t.Errorf("got %d inputs, externals %v", stamp.Inputs, stamp.Externals)
	}
}
