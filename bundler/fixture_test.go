package bundler_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// TestFixtures builds each project of testdata and runs its bundle in an empty
// folder. A fixture is a txtar archive: its comment says what it shows and sets
// options, one "key: value" a line; files below "want/" are expectations:
//
//	want/diagnostics  what Build reports, one a line
//	want/outputs      the files it returns, with their modes
//	want/stdout       what node prints when it runs the bundle
//
// Files whose names start with "link " are symbolic links to their text.
func TestFixtures(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { runFixture(t, name) })
	}
}

func runFixture(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	root := unpack(t, archive)
	o := fixtureOptions(t, root, archive)
	result, err := bundler.Build(context.Background(), o)
	var list diag.List
	var failure *diag.Failure
	switch {
	case errors.As(err, &failure):
		list = failure.Diagnostics
	case err != nil:
		t.Fatal(err)
	default:
		list = result.Diagnostics
	}
	got := map[string]string{"want/diagnostics": strings.ReplaceAll(describe(list), root, "<ROOT>")}
	if result != nil {
		got["want/outputs"] = describeOutputs(result.Outputs)
		if o.Kind != bundler.KindModule {
			got["want/stdout"] = runAlone(t, result.Outputs)
		}
	}
	expect(t, name, archive, got)
}

// unpack writes a fixture's project into a new folder.
func unpack(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		link := strings.TrimPrefix(f.Name, "link ")
		path := filepath.Join(root, filepath.FromSlash(link))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if link != f.Name {
			err = os.Symlink(strings.TrimSpace(string(f.Data)), path)
		} else {
			err = os.WriteFile(path, escapes(f.Data, root), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// escapes lets fixtures name what a text file of a repository should not hold.
func escapes(data []byte, root string) []byte {
	return []byte(strings.NewReplacer("<BOM>", "\ufeff", "<CR>", "\r", "<ROOT>", root).Replace(string(data)))
}

func fixtureOptions(t *testing.T, root string, archive *txtar.Archive) bundler.Options {
	o := bundler.Options{Root: root, Outfile: "bridge/server.cjs"}
	for _, line := range strings.Split(string(archive.Comment), "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz") != "" {
			continue
		}
		switch key {
		case "root":
			o.Root = filepath.Join(root, value)
		case "entry":
			o.Entry = value
		case "source":
			o.Source = value
		case "outfile":
			o.Outfile = value
		case "external":
			o.External = strings.Fields(value)
		case "assets":
			o.Assets = strings.Fields(value)
		case "define":
			name, expression, _ := strings.Cut(value, "=")
			o.Define = map[string]string{name: expression}
		case "loader":
			ext, loader, _ := strings.Cut(value, "=")
			o.Loader = map[string]string{ext: loader}
		case "minify":
			o.Minify = true
		case "host":
			o.HostPaths = strings.Fields(value)
		case "kind":
			o.Kind = map[string]bundler.Kind{"script": bundler.KindScript, "module": bundler.KindModule}[value]
		case "header":
			o.Header, o.HeaderSource = bundler.HeaderText, strings.ReplaceAll(value, "\\n", "\n")
			if value == "none" {
				o.Header = bundler.HeaderNone
			}
		default:
			t.Fatalf("option %q is not known", key)
		}
	}
	return o
}

// describe writes diagnostics one a line, with the hints of errors.
func describe(list diag.List) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s %s %s\n", d.Level, d.Code, d)
		if d.Level == diag.Error && d.Hint != "" {
			fmt.Fprintf(&b, "  %s\n", d.Hint)
		}
	}
	return b.String()
}

func describeOutputs(outputs []bundler.Output) string {
	var b strings.Builder
	for _, o := range outputs {
		fmt.Fprintf(&b, "%04o %s\n", o.Mode, o.Path)
	}
	return b.String()
}

// place writes outputs into a folder.
func place(t *testing.T, dir string, outputs []bundler.Output) {
	t.Helper()
	for _, o := range outputs {
		path := filepath.Join(dir, filepath.FromSlash(o.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, o.Contents, o.Mode); err != nil {
			t.Fatal(err)
		}
	}
}

// runAlone runs a bundle with nothing but its own files around it, from yet
// another folder, and returns what it prints.
func runAlone(t *testing.T, outputs []bundler.Output) string {
	t.Helper()
	dir := t.TempDir()
	place(t, dir, outputs)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, filepath.FromSlash(outputs[0].Path)))
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + filepath.Dir(node) + ":/usr/bin:/bin", "HOME=" + cmd.Dir}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		lines := strings.Split(errs.String(), "\n")
		for _, line := range lines {
			if strings.Contains(line, "Error") {
				return out.String() + err.Error() + ": " + strings.ReplaceAll(line, dir, "<DIR>") + "\n"
			}
		}
		return out.String() + err.Error() + "\n" + errs.String()
	}
	return strings.ReplaceAll(out.String(), dir, "<DIR>")
}

// expect compares what came out with a fixture's expectations, or writes them.
func expect(t *testing.T, name string, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	order := []string{"want/diagnostics", "want/outputs", "want/stdout"}
	if *update {
		kept := archive.Files[:0]
		for _, f := range archive.Files {
			if !strings.HasPrefix(f.Name, "want/") {
				kept = append(kept, f)
			}
		}
		for _, key := range order {
			if text, made := got[key]; made {
				kept = append(kept, txtar.File{Name: key, Data: []byte(text)})
			}
		}
		archive.Files = kept
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	wanted := map[string]string{}
	for _, f := range archive.Files {
		wanted[f.Name] = string(f.Data)
	}
	for _, key := range order {
		if got[key] != wanted[key] {
			t.Errorf("%s: got\n%swant\n%s", key, got[key], wanted[key])
		}
	}
}
