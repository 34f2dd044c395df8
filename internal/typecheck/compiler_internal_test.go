package typecheck

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestTheNativeCompilerIsFoundAsTheScriptFindsIt(t *testing.T) {
	const seven, five = `{"name":"typescript","version":"7.0.2"}`, `{"name":"typescript","version":"5.9.3"}`
	const own, platform = `{"name":"@typescript/typescript-linux-x64","version":"7.0.2"}`, "@typescript/typescript-linux-x64"
	whole := map[string]string{
		"node_modules/typescript/package.json": seven, "node_modules/typescript/lib/getExePath.js": "",
		"node_modules/" + platform + "/package.json": own, "node_modules/" + platform + "/lib/tsc": "program",
	}
	with := func(changes map[string]string) map[string]string {
		files := map[string]string{}
		for _, set := range []map[string]string{whole, changes} {
			for name, text := range set {
				files[name] = text
				if text == "-" {
					delete(files, name)
				}
			}
		}
		return files
	}
	cases := map[string]struct {
		files    map[string]string
		folder   string // of the package; node_modules/typescript when empty
		want     string // below the root; none when empty
		system   string
		readOnly bool
	}{
		"beside it": {files: whole, want: "node_modules/" + platform + "/lib/tsc"},
		"nested in it": {files: with(map[string]string{"node_modules/typescript/node_modules/" + platform + "/package.json": own, "node_modules/typescript/node_modules/" + platform + "/lib/tsc": "x"}),
			want: "node_modules/typescript/node_modules/" + platform + "/lib/tsc"},
		"above it": {files: map[string]string{"a/node_modules/typescript/package.json": seven, "a/node_modules/typescript/lib/getExePath.js": "",
			"node_modules/" + platform + "/package.json": own, "node_modules/" + platform + "/lib/tsc": "x"},
			folder: "a/node_modules/typescript", want: "node_modules/" + platform + "/lib/tsc"},
		"an older version":            {files: with(map[string]string{"node_modules/typescript/package.json": five, "node_modules/typescript/lib/getExePath.js": "-"})},
		"of another version":          {files: with(map[string]string{"node_modules/" + platform + "/package.json": `{"version":"7.1.0"}`})},
		"not installed":               {files: with(map[string]string{"node_modules/" + platform + "/package.json": "-", "node_modules/" + platform + "/lib/tsc": "-"})},
		"another system's":            {files: whole, system: "darwin"},
		"a package that is no such":   {files: with(map[string]string{"node_modules/typescript/package.json": `{"name":"mine","version":"7.0.2"}`})},
		"a package that is broken":    {files: with(map[string]string{"node_modules/typescript/package.json": `{`})},
		"a program that may not run":  {files: whole, readOnly: true},
		"a package without a program": {files: with(map[string]string{"node_modules/" + platform + "/lib/tsc": "-"})},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range c.files {
				path, mode := filepath.Join(root, file), os.FileMode(0o755)
				if c.readOnly {
					mode = 0o644
				}
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), mode); err != nil {
					t.Fatal(err)
				}
			}
			folder, system, want := "node_modules/typescript", "linux", ""
			if c.folder != "" {
				folder = c.folder
			}
			if c.system != "" {
				system = c.system
			}
			if c.want != "" {
				want = filepath.Join(root, c.want)
			}
			if got := nativeCompiler(filepath.Join(root, folder), system, "amd64"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// A package manager may link the package from a folder of its own, where it stands
// beside what it needs.
func TestTheNativeCompilerOfALinkedPackage(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(root, "node_modules/.pnpm/typescript@7.0.2/node_modules")
	for file, text := range map[string]string{
		"typescript/package.json": `{"name":"typescript","version":"7.0.2"}`, "typescript/lib/getExePath.js": "",
		"@typescript/typescript-win32-arm64/package.json": `{"version":"7.0.2"}`, "@typescript/typescript-win32-arm64/lib/tsc.exe": "x",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(store, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(store, file), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(root, "node_modules/typescript")
	if err := os.Symlink(filepath.Join(store, "typescript"), link); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(store, "@typescript/typescript-win32-arm64/lib/tsc.exe")
	if got := nativeCompiler(link, "windows", "arm64"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGarbageIsCollectedAsTheUserSays(t *testing.T) {
	if got := seldomCollecting([]string{"A=1"}); !slices.Equal(got, []string{"A=1", "GOGC=400"}) {
		t.Errorf("got %v", got)
	}
	for _, own := range []string{"GOGC=50", "GOMEMLIMIT=1GiB"} {
		if got := seldomCollecting([]string{own}); !slices.Equal(got, []string{own}) {
			t.Errorf("got %v", got)
		}
	}
}
