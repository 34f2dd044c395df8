package release_test

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/release"
)

type entry struct {
	name, content, link string
	kind                byte
}

func packZip(t *testing.T, entries ...entry) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plugin.zip")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(file)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name}
		header.SetMode(0o644)
		if e.link != "" {
			header.SetMode(os.ModeSymlink | 0o777)
		}
		part, err := w.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(e.content + e.link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func packTar(t *testing.T, entries ...entry) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plugin.tar.gz")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(file)
	w := tar.NewWriter(z)
	for _, e := range entries {
		kind := e.kind
		if kind == 0 {
			kind = tar.TypeReg
		}
		if err := w.WriteHeader(&tar.Header{Name: e.name, Size: int64(len(e.content)), Mode: 0o755, Typeflag: kind, Linkname: e.link}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUnpackFindsThePlugin(t *testing.T) {
	flat := []entry{{name: "./.claude-plugin/plugin.json", content: "{}"}, {name: "bridge/a.cjs", content: "1"}}
	nested := []entry{{name: "acorn/.claude-plugin/plugin.json", content: "{}"}, {name: "acorn/bridge/a.cjs", content: "1"}}
	for name, archive := range map[string]string{
		"zip": packZip(t, flat...), "zip in a folder": packZip(t, nested...),
		"tar": packTar(t, flat...), "tar in a folder": packTar(t, nested...),
	} {
		root, err := release.Unpack(archive, t.TempDir())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := os.ReadFile(filepath.Join(root, "bridge", "a.cjs")); err != nil || string(got) != "1" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestUnpackRefusesWhatLeadsAstray(t *testing.T) {
	text := filepath.Join(t.TempDir(), "plugin.zip")
	if err := os.WriteFile(text, []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, archive := range map[string]string{
		"parent":     packZip(t, entry{name: "../evil", content: "x"}),
		"absolute":   packTar(t, entry{name: "/evil", content: "x"}),
		"backslash":  packZip(t, entry{name: `a\..\evil`, content: "x"}),
		"zip link":   packZip(t, entry{name: "a", link: "/etc/passwd"}),
		"tar link":   packTar(t, entry{name: "a", link: "/etc/passwd", kind: tar.TypeSymlink}),
		"hard link":  packTar(t, entry{name: "a", content: ""}, entry{name: "b", link: "a", kind: tar.TypeLink}),
		"device":     packTar(t, entry{name: "a", kind: tar.TypeChar}),
		"twice":      packZip(t, entry{name: "a", content: "1"}, entry{name: "./a", content: "2"}),
		"no archive": text,
		"other kind": filepath.Join(t.TempDir(), "plugin.rar"),
		"not there":  filepath.Join(t.TempDir(), "plugin.zip"),
	} {
		outside := t.TempDir()
		dir := filepath.Join(outside, "in")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := release.Unpack(archive, dir)
		var failure *diag.Failure
		if !errors.As(err, &failure) || failure.Diagnostics[0].Code != "bad-archive" || failure.Diagnostics[0].Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(outside); len(left) != 1 {
			t.Errorf("%s: wrote outside: %v", name, left)
		}
	}
}

func TestUnpackBoundsTheNumberOfFiles(t *testing.T) {
	entries := make([]entry, 20_001)
	for i := range entries {
		entries[i] = entry{name: "d/" + strings.Repeat("x", 1+i%3) + string(rune('a'+i%26)) + filepath.Base(t.Name()) + string(rune(0x4e00+i))}
	}
	if _, err := release.Unpack(packZip(t, entries...), t.TempDir()); err == nil || !strings.Contains(err.Error(), "20000") {
		t.Errorf("got %v", err)
	}
}
