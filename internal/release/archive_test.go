package release_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"omcbuild/internal/release"
)

// payload has a file of each kind: empty, executable, incompressible, with a name that
// is not ASCII, and with a path that is longer than old tar files hold.
func payload(t *testing.T) *release.Payload {
	t.Helper()
	noise := make([]byte, 4096)
	source := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(source.Uint32())
	}
	var p release.Payload
	for _, f := range []release.File{
		{Path: ".claude-plugin/plugin.json", Mode: release.PlainMode, Contents: []byte(`{"name": "a"}`)},
		{Path: "bin/run", Mode: release.RunningMode, Contents: []byte("#!/bin/sh\n" + strings.Repeat("echo 1\n", 500))},
		{Path: "empty", Mode: release.PlainMode},
		{Path: "noise.bin", Mode: release.PlainMode, Contents: noise},
		{Path: "skills/grüße/SKILL.md", Mode: release.PlainMode, Contents: []byte("x")},
		{Path: strings.Repeat("long/", 30) + strings.Repeat("n", 30), Mode: release.PlainMode, Contents: []byte("deep")},
	} {
		if err := p.Add(f); err != nil {
			t.Fatal(err)
		}
	}
	return &p
}

func TestArchivesHoldThePayload(t *testing.T) {
	p := payload(t)
	for name, encode := range map[string]func(*release.Payload, time.Time) ([]byte, error){"a.zip": release.EncodeZip, "a.tar.gz": release.EncodeTarGz} {
		archive, err := encode(p, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, archive, 0o600); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		root, err := release.Unpack(path, dir)
		if err != nil || root != dir {
			t.Fatal(name, root, err)
		}
		for _, f := range p.Files() {
			full := filepath.Join(dir, filepath.FromSlash(f.Path))
			contents, err := os.ReadFile(full)
			if err != nil || !bytes.Equal(contents, f.Contents) {
				t.Errorf("%s: %s: %d bytes, %v", name, f.Path, len(contents), err)
			}
		}
		again, err := encode(p.Clone(), time.Time{})
		if err != nil || !bytes.Equal(archive, again) {
			t.Errorf("%s: other bytes the second time, %v", name, err)
		}
	}
}

func TestZipFilesAreAsPlainAsTheyCanBe(t *testing.T) {
	archive, err := release.EncodeZip(payload(t), time.Unix(1_700_000_001, 0).In(time.FixedZone("far", 13*3600)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		method := zip.Deflate
		if f.Name == "empty" || f.Name == "noise.bin" || f.UncompressedSize64 < 20 {
			method = zip.Store
		}
		if len(f.Extra) > 0 || f.Comment != "" || f.Flags&^0x800 != 0 || f.Method != method || f.Modified.Format(time.DateTime) != "2023-11-14 22:13:20" || f.Mode().Perm()&^0o755 != 0 {
			t.Errorf("%s: extra %q, flags %x, method %d, %v, %v", f.Name, f.Extra, f.Flags, f.Method, f.Modified, f.Mode())
		}
		if utf8 := f.Flags&0x800 != 0; utf8 != strings.Contains(f.Name, "ü") {
			t.Errorf("%s: said to be UTF-8: %v", f.Name, utf8)
		}
	}
}

func TestTarFilesBelongToNobody(t *testing.T) {
	archive, err := release.EncodeTarGz(payload(t), time.Unix(1_700_000_001, 500))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil || plain.Name != "" || !plain.ModTime.IsZero() || plain.OS != 255 {
		t.Fatal(plain, err)
	}
	r := tar.NewReader(plain)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" || h.ModTime.Unix() != 1_700_000_000 || h.Typeflag != tar.TypeReg {
			t.Errorf("%+v", h)
		}
	}
}

func TestTimesOfArchives(t *testing.T) {
	for in, want := range map[string]string{
		"0001-01-01T00:00:00Z": "1980-01-01 00:00:00", "1970-01-01T00:00:00Z": "1980-01-01 00:00:00", "1979-12-31T23:59:59Z": "1980-01-01 00:00:00",
		"2024-02-29T12:34:57+02:00": "2024-02-29 10:34:56", "2200-01-01T00:00:00Z": "2107-12-31 23:59:58",
	} {
		at, err := time.Parse(time.RFC3339, in)
		if got := release.ArchiveTime(at).Format(time.DateTime); err != nil || got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestChecksums(t *testing.T) {
	sums := []release.Sum{release.SumOf("b.zip", []byte("b")), release.SumOf("a/x", nil)}
	text := release.EncodeSums(sums)
	want := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a/x\n3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d  b.zip\n"
	if string(text) != want {
		t.Errorf("got %s", text)
	}
	back := release.DecodeSums(append(text, "nonsense\nabc  short\n"+strings.Repeat("0", 64)+"  ../up\n"+strings.Repeat("0", 64)+"  /abs\r\n"...))
	if got := fmt.Sprint(back); got != fmt.Sprint([]release.Sum{sums[1], sums[0]}) {
		t.Errorf("got %s", got)
	}
}

func FuzzDecodeSums(f *testing.F) {
	f.Add("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a/x\n")
	f.Add("zz  ..\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range release.DecodeSums([]byte(text)) {
			if !filepath.IsLocal(filepath.FromSlash(s.File)) && s.File != "." {
				t.Errorf("%q leads out", s.File)
			}
		}
	})
}

func TestFileNames(t *testing.T) {
	for _, c := range []struct {
		plugin, version string
		format          release.Format
		want            string
	}{
		{"acorn", "1.2.0", release.Zip, "acorn-1.2.0.zip"},
		{"acorn", "1.2.0-beta.1+b", release.TarGz, "acorn-1.2.0-beta.1-b.tar.gz"},
		{"../evil", "1/2", release.MCPB, "evil-1-2.mcpb"},
		{"acorn", "1.2.0", release.Folder, "acorn"},
		{"..", "1.2.0", release.Folder, "plugin"},
		{"日本", "1.2.0", release.Folder, "plugin"},
	} {
		if got := release.FileName(c.plugin, c.version, c.format); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
