package scaffold_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/scaffold"
)

// listing returns every path below a folder, what is in .git left out.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		if entry.Name() == ".git" {
			return fs.SkipDir
		}
		relative, err := filepath.Rel(dir, path)
		if !entry.IsDir() {
			out = append(out, filepath.ToSlash(relative))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// refused runs Init and returns the one finding it must end with.
func refused(t *testing.T, o scaffold.InitOptions, class diag.Class) diag.Diagnostic {
	t.Helper()
	made, err := scaffold.Init(t.Context(), o)
	var failure *diag.Failure
	if made != nil || !errors.As(err, &failure) || failure.Class != class || len(failure.Diagnostics) != 1 {
		t.Fatalf("%+v: made %v, err %v", o, made, err)
	}
	return failure.Diagnostics[0]
}

func TestInitMakesTheFolder(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "acorn")
	made, err := scaffold.Init(t.Context(), scaffold.InitOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if made.Name != "acorn" || made.Prefix != "mcp__plugin_acorn_t__" || made.Room != 43 {
		t.Errorf("made %+v", made)
	}
	if got := listing(t, dir); !slices.Equal(got, made.Files) || len(got) < 15 {
		t.Errorf("there are %v\nsaid were %v", got, made.Files)
	}
	if got := listing(t, parent); len(got) != len(made.Files) {
		t.Errorf("left beside the folder: %v", got)
	}
	// Others may read what the user's umask lets them, as with every folder.
	plain := filepath.Join(parent, "plain")
	if err := os.Mkdir(plain, 0o777); err != nil {
		t.Fatal(err)
	}
	want, _ := os.Stat(plain)
	if got, err := os.Stat(dir); err != nil || got.Mode() != want.Mode() {
		t.Errorf("the folder has mode %v, want %v", got.Mode(), want.Mode())
	}
}

func TestInitFillsAnEmptyFolderOrRepository(t *testing.T) {
	for name, inside := range map[string]string{"empty": "", "repository": ".git/config"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, inside)), 0o755); err != nil {
			t.Fatal(err)
		}
		if inside == "" {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(filepath.Join(dir, inside), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Stat(dir)
		made, err := scaffold.Init(t.Context(), scaffold.InitOptions{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if got := listing(t, dir); !slices.Equal(got, made.Files) {
			t.Errorf("%s: there are %v", name, got)
		}
		if after, _ := os.Stat(dir); !os.SameFile(before, after) || after.Mode() != before.Mode() {
			t.Errorf("%s: the folder was replaced; a shell in it would stand in nothing", name)
		}
		if text, err := os.ReadFile(filepath.Join(dir, ".git/config")); inside != "" && (err != nil || string(text) != "mine") {
			t.Errorf("%s: the repository was touched: %q, %v", name, text, err)
		}
	}
}

func TestInitNamesWhatIsInTheWay(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(dir string) error
		want string
	}{
		{"file", func(dir string) error { return os.WriteFile(dir, []byte("mine"), 0o644) }, "acorn is a file"},
		{"link", func(dir string) error { return os.Symlink(".", dir) }, "acorn is a symbolic link"},
		{"dangling link", func(dir string) error { return os.Symlink("nowhere", dir) }, "acorn is a symbolic link"},
		{"one file", func(dir string) error { return fill(dir, "notes.txt") }, "the folder acorn is not empty: it has notes.txt"},
		{"hidden file", func(dir string) error { return fill(dir, ".env") }, "the folder acorn is not empty: it has .env"},
		{"many files", func(dir string) error { return fill(dir, "g", "f", "e", "d", "c", "b", "a") }, "the folder acorn is not empty: it has a, b, c, d, e and 2 more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "acorn")
			if err := c.make(dir); err != nil {
				t.Fatal(err)
			}
			before := listing(t, parent)
			if d := refused(t, scaffold.InitOptions{Dir: dir}, diag.Usage); d.Code != "init-folder" || d.Message != c.want {
				t.Errorf("got %+v, want %q", d, c.want)
			}
			if after := listing(t, parent); !slices.Equal(before, after) {
				t.Errorf("there were %v, there are %v", before, after)
			}
		})
	}
}

func fill(dir string, names ...string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func TestInitNeedsTheFolderAbove(t *testing.T) {
	parent := t.TempDir()
	if d := refused(t, scaffold.InitOptions{Dir: filepath.Join(parent, "no", "acorn")}, diag.Usage); !strings.HasPrefix(d.Message, "there is no folder ") {
		t.Errorf("got %+v", d)
	}
	file := filepath.Join(parent, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	d := refused(t, scaffold.InitOptions{Dir: filepath.Join(file, "acorn")}, diag.Failed)
	if d.Code != "init-unwritable" || !strings.HasSuffix(d.Message, "not a directory") {
		t.Errorf("got %+v", d)
	}
}

func TestAnInterruptedInitLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := scaffold.Init(ctx, scaffold.InitOptions{Dir: filepath.Join(parent, "acorn")}); !errors.Is(err, context.Canceled) {
		t.Errorf("err %v", err)
	}
	if got, _ := os.ReadDir(parent); len(got) > 0 {
		t.Errorf("left %v", got)
	}
}

func TestInitChecksWhatItIsGiven(t *testing.T) {
	long := strings.Repeat("a", 28) // 64 - len("mcp__plugin__t__") - 20
	for _, c := range []struct {
		name    string
		options scaffold.InitOptions
		code    string // of what is refused; empty when nothing is
		text    string // in the message or the hint
	}{
		{"name of two words", scaffold.InitOptions{Name: "My Plugin"}, "plugin-name", "--name my-plugin"},
		{"name with underscore", scaffold.InitOptions{Name: "my_plugin"}, "plugin-name", "--name my-plugin"},
		{"name in camel case", scaffold.InitOptions{Name: "myPlugin2Go"}, "plugin-name", "--name my-plugin2-go"},
		{"name outside ASCII", scaffold.InitOptions{Name: "été"}, "plugin-name", "outside ASCII"},
		{"name that is a path", scaffold.InitOptions{Name: "a/b"}, "plugin-name", "looks like a path"},
		{"reserved prefix", scaffold.InitOptions{Name: "claude-tools"}, "plugin-name", "reserved"},
		{"reserved word", scaffold.InitOptions{Name: "anthropic"}, "plugin-name", "reserved"},
		{"reserved catalog", scaffold.InitOptions{Name: "unknown"}, "plugin-name", "catalog"},
		{"name of a device", scaffold.InitOptions{Name: "con"}, "plugin-name", "device on Windows"},
		{"author with a script", scaffold.InitOptions{Author: "Ada <a@b> (javascript:alert(1))"}, "init-text", "cannot be taken apart"},
		{"author with another address", scaffold.InitOptions{Author: "Ada (ftp://example.org)"}, "init-text", "ftp://example.org"},
		{"author without a mail", scaffold.InitOptions{Author: "Ada <ada>"}, "init-text", "cannot be taken apart"},
		{"blank description", scaffold.InitOptions{Description: "   "}, "init-text", "description is blank"},
		{"blank author", scaffold.InitOptions{Author: " "}, "init-text", "author is blank"},
		{"longest name", scaffold.InitOptions{Name: long}, "", ""},
		{"name without room", scaffold.InitOptions{Name: long + "a"}, "tool-name-room", "by 1 or more"},
		{"name over the limit", scaffold.InitOptions{Name: strings.Repeat(long, 3)}, "tool-name-room", "at most 0 characters"},
		{"key without room", scaffold.InitOptions{Name: long, Key: "tt"}, "tool-name-room", "by 1 or more"},
		{"other key", scaffold.InitOptions{Key: "my_key-2"}, "", ""},
		{"key in capitals", scaffold.InitOptions{Key: "T"}, "server-key", `"T"`},
		{"key with two underscores", scaffold.InitOptions{Key: "a__b"}, "server-key", `"a__b"`},
		{"key with a quote", scaffold.InitOptions{Key: `t"`}, "server-key", "letters and digits"},
		{"licence", scaffold.InitOptions{License: "ISC"}, "", ""},
		{"unknown licence", scaffold.InitOptions{License: "../MIT"}, "init-license", "Apache-2.0, ISC, MIT"},
		{"author", scaffold.InitOptions{Author: "Ada <ada@example.org> (https://example.org)"}, "", ""},
		{"author without a name", scaffold.InitOptions{Author: "<ada@example.org>"}, "init-text", "no name"},
		{"author of two lines", scaffold.InitOptions{Author: "Ada\nBob"}, "init-text", "line end"},
		{"long description", scaffold.InitOptions{Description: strings.Repeat("é", 300)}, "", ""},
		{"too long description", scaffold.InitOptions{Description: strings.Repeat("é", 301)}, "init-text", "301 characters, 300 is the limit"},
		{"description of two lines", scaffold.InitOptions{Description: "a\nb"}, "init-text", "line end"},
		{"description with a line separator", scaffold.InitOptions{Description: "a\u2028b"}, "init-text", "line end"},
		{"description with a hidden direction", scaffold.InitOptions{Description: "a\u202eb"}, "init-text", "cannot be seen"},
		{"description in another encoding", scaffold.InitOptions{Description: "\xff"}, "init-text", "UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parent := t.TempDir()
			c.options.Dir = filepath.Join(parent, "acorn")
			if c.code == "" {
				if _, err := scaffold.Init(t.Context(), c.options); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := refused(t, c.options, diag.Usage); d.Code != c.code || !strings.Contains(d.Message+" "+d.Hint, c.text) {
				t.Errorf("got %+v, want %s and %q", d, c.code, c.text)
			}
			if got, _ := os.ReadDir(parent); len(got) > 0 {
				t.Errorf("left %v", got)
			}
		})
	}
}

func TestInitRefusesFoldersOfDevices(t *testing.T) {
	for _, name := range []string{"con", "NUL", "aux.d", "com1"} {
		d := refused(t, scaffold.InitOptions{Dir: filepath.Join(t.TempDir(), name), Name: "acorn"}, diag.Usage)
		if d.Code != "init-folder" || !strings.Contains(d.Message, "device on Windows") {
			t.Errorf("%s: got %+v", name, d)
		}
	}
}

func TestInitCutsLongValuesAndProposesNoneThatIsRefused(t *testing.T) {
	long := strings.Repeat("a", 300)
	for _, o := range []scaffold.InitOptions{{Name: long}, {Name: "A" + long}, {Key: long + "!"}, {License: long}, {Name: "org"}} {
		o.Dir = filepath.Join(t.TempDir(), "acorn")
		d := refused(t, o, diag.Usage)
		if strings.Contains(d.Message+d.Hint, long) || strings.Contains(d.Hint, "--name org") {
			t.Errorf("got %+v", d)
		}
	}
}

// Of several at once one makes the folder; the others are told that it is there.
func TestInitAtTheSameTime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "acorn")
	results := make(chan error)
	for range 8 {
		go func() {
			_, err := scaffold.Init(t.Context(), scaffold.InitOptions{Dir: dir})
			results <- err
		}()
	}
	made := 0
	for range 8 {
		err := <-results
		var failure *diag.Failure
		switch {
		case err == nil:
			made++
		case !errors.As(err, &failure) || failure.Class != diag.Usage || failure.Diagnostics[0].Code != "init-folder":
			t.Errorf("got %v", err)
		}
	}
	if made != 1 {
		t.Errorf("%d were told that they made it", made)
	}
}

func TestInitTakesOverWhatItIsGiven(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "Some Folder")
	_, err := scaffold.Init(t.Context(), scaffold.InitOptions{
		Dir: dir, Name: "acorn", Description: `Says "hi" & more.`, Author: "Ada  Byron (https://example.org) <ada@example.org>", License: "ISC", Key: "k",
	})
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"package.json":               `"author": "Ada Byron <ada@example.org> (https://example.org)"`,
		".claude-plugin/plugin.json": `"description": "Says \"hi\" & more."`,
		".mcp.json":                  `"k": {`,
		"omcbuild.jsonc":             `"name": "k"`,
		"LICENSE":                    "Copyright (c) Ada Byron\n",
		"README.md":                  "mcp__plugin_acorn_k__hello_greet",
		"skills/hello/SKILL.md":      "mcp__plugin_acorn_k__hello_greet",
	} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not hold %s (%v)", file, want, err)
		}
	}
}
