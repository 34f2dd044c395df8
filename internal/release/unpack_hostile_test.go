package release_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/release"
)

// written puts bytes into a file of that name.
func written(t testing.TB, name string, contents []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, contents, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// changed returns an archive's bytes with something done to them, as a new file.
func changed(t *testing.T, archive string, change func([]byte) []byte) string {
	t.Helper()
	contents, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	return written(t, filepath.Base(archive), change(contents))
}

// headers calls change for each header of a zip file that begins with a mark.
func headers(contents []byte, mark string, change func(header []byte)) []byte {
	for i := 0; i+4 <= len(contents); i++ {
		if string(contents[i:i+4]) == mark {
			change(contents[i:])
		}
	}
	return contents
}

const central = "PK\x01\x02"

// tarOf is a compressed tar file of what write puts into it.
func tarOf(t *testing.T, write func(w *tar.Writer)) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	write(w)
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return written(t, "plugin.tar.gz", out.Bytes())
}

// rawTar is a compressed tar file of blocks of 512 bytes, as they are given.
func rawTar(t *testing.T, blocks ...[]byte) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	for _, block := range blocks {
		if _, err := z.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return written(t, "plugin.tar.gz", out.Bytes())
}

// zeros is a file of so many bytes that are all alike.
func zeros(t *testing.T, w *tar.Writer, name string, size int64) {
	t.Helper()
	if err := w.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	chunk := make([]byte, 1<<20)
	for ; size > 0; size -= int64(len(chunk)) {
		if _, err := w.Write(chunk[:min(size, int64(len(chunk)))]); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUnpackRefusesHostileArchives(t *testing.T) {
	two := packZip(t, entry{name: "one.txt", content: strings.Repeat("one ", 100)}, entry{name: "two.txt", content: strings.Repeat("two ", 100)})
	tarred := packTar(t, entry{name: "a", content: strings.Repeat("one ", 1000)})
	for _, c := range []struct {
		name, archive, reason string
	}{
		{"drive", packZip(t, entry{name: "C:/evil", content: "x"}), "begins with a drive of Windows"},
		{"drive alone", packZip(t, entry{name: "c:evil", content: "x"}), "begins with a drive of Windows"},
		{"absolute", packZip(t, entry{name: "/evil", content: "x"}), "is an absolute path"},
		{"parent", packTar(t, entry{name: "a/../../evil", content: "x"}), "does not lie inside it"},
		{"parent that stays", packZip(t, entry{name: "a/../b", content: "x"}), `"a/../b" has .. in it`},
		{"backslash", packTar(t, entry{name: `..\evil`, content: "x"}), "has a backslash"},
		{"link", packZip(t, entry{name: "a", link: "/etc/passwd"}), "is a symbolic link"},
		{"hard link", packTar(t, entry{name: "b", link: "a", kind: tar.TypeLink}), `"b" is a hard link to "a"`},
		{"device", packTar(t, entry{name: "a", kind: tar.TypeBlock}), "is a device"},
		{"pipe", packTar(t, entry{name: "a", kind: tar.TypeFifo}), "is a named pipe"},
		{"odd kind", packTar(t, entry{name: "a", kind: 'Z'}), "is no plain file"},
		{"control character", packZip(t, entry{name: "a\x1b[2J", content: "x"}), "has a control character"},
		{"no UTF-8", packZip(t, entry{name: "a\xff", content: "x"}), "is not UTF-8"},
		{"letter case", packZip(t, entry{name: "README.md"}, entry{name: "Readme.md"}), `"README.md" and "Readme.md" are one name`},
		{"folder in letter case", packTar(t, entry{name: "skills/a"}, entry{name: "Skills/b"}), "are one name"},
		{"composed letters", packZip(t, entry{name: "caf\u00e9"}, entry{name: "cafe\u0301"}), "are one name"},
		{"twice", packTar(t, entry{name: "a", content: "1"}, entry{name: "./a", content: "2"}), `"a" is in it twice`},
		{"file and folder", packZip(t, entry{name: "a"}, entry{name: "a/b"}), `"a" is a file and a folder`},
		{"long name", packZip(t, entry{name: strings.Repeat("n", 300)}), "has a name of 300 bytes"},
		{"long path", packZip(t, entry{name: strings.Repeat("long/", 250) + "a"}), "has a path of 1251 bytes"},
		{"deep", packTar(t, entry{name: strings.Repeat("d/", 100) + "a"}), "more than 64 folders deep"},
		{"encrypted", changed(t, two, func(b []byte) []byte {
			return headers(b, central, func(h []byte) { h[8] |= 1 })
		}), "is encrypted"},
		{"odd method", changed(t, two, func(b []byte) []byte {
			return headers(b, central, func(h []byte) { h[10] = 14 })
		}), "is compressed by method 14"},
		{"larger than it is", changed(t, two, func(b []byte) []byte {
			return headers(b, central, func(h []byte) { binary.LittleEndian.PutUint32(h[24:], 5000) })
		}), `"one.txt"`},
		{"smaller than it is", changed(t, two, func(b []byte) []byte {
			return headers(b, central, func(h []byte) { binary.LittleEndian.PutUint32(h[24:], 5) })
		}), `"one.txt"`},
		{"claims very much", changed(t, two, func(b []byte) []byte {
			return headers(b, central, func(h []byte) { binary.LittleEndian.PutUint32(h[24:], 1<<31) })
		}), "holds more than 256 MiB"},
		{"other contents", changed(t, two, func(b []byte) []byte {
			return headers(b, central, func(h []byte) { h[16]++ })
		}), "checksum"},
		{"overlapping", changed(t, two, func(b []byte) []byte {
			first := uint32(0)
			return headers(b, central, func(h []byte) { binary.LittleEndian.PutUint32(h[42:], first) })
		}), "lie in the same part of the archive"},
		{"behind the end", changed(t, two, func(b []byte) []byte {
			return headers(b, central, func(h []byte) { binary.LittleEndian.PutUint32(h[20:], 100_000) })
		}), "ends behind the end"},
		{"cut zip", changed(t, two, func(b []byte) []byte { return b[:len(b)-30] }), "zip: not a valid zip file"},
		{"cut tar", changed(t, tarred, func(b []byte) []byte { return b[:len(b)-20] }), "unexpected EOF"},
		{"cut checksum", changed(t, tarred, func(b []byte) []byte { return b[:len(b)-4] }), "unexpected EOF"},
		{"more behind the tar", changed(t, tarred, func(b []byte) []byte { return append(b, "more"...) }), ""},
		{"empty", written(t, "plugin.zip", nil), "zip: not a valid zip file"},
		{"empty tar", written(t, "plugin.tgz", nil), "EOF"},
		{"bomb", tarOf(t, func(w *tar.Writer) { zeros(t, w, "a", 64<<20) }), "more than 100 times as large as the archive"},
		{"many entries", tarOf(t, func(w *tar.Writer) {
			for range 20_001 {
				if err := w.WriteHeader(&tar.Header{Name: "d/", Typeflag: tar.TypeDir, Mode: 0o755}); err != nil {
					t.Fatal(err)
				}
			}
		}), "more than 20000 entries"},
		{"global headers", tarOf(t, func(w *tar.Writer) {
			for range 20_001 {
				if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "x"}}); err != nil {
					t.Fatal(err)
				}
			}
		}), "more than 100 times as large"},
		{"huge header", rawTar(t, hugeHeader()), ""},
		{"sparse", rawTar(t, sparseFile(t)), "has holes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			outside := t.TempDir()
			dir := filepath.Join(outside, "in")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := release.Unpack(c.archive, dir)
			var failure *diag.Failure
			if !errors.As(err, &failure) || failure.Diagnostics[0].Code != "bad-archive" || !strings.Contains(failure.Diagnostics[0].Message, c.reason) {
				t.Errorf("got %v, want %q", err, c.reason)
			}
			if left, _ := os.ReadDir(outside); len(left) != 1 {
				t.Errorf("wrote outside: %v", left)
			}
		})
	}
}

// hugeHeader is a header of extended records that claims to be as large as a disk.
func hugeHeader() []byte {
	block := make([]byte, 512)
	copy(block, "pax")
	copy(block[124:], "77777777777\x00")
	block[156] = 'x'
	return checked(block)
}

// sparseFile is a file with holes, of a gigabyte, in a few blocks.
func sparseFile(t *testing.T) []byte {
	t.Helper()
	records := "24 GNU.sparse.size=1000\n26 GNU.sparse.numblocks=1\n22 GNU.sparse.map=0,0\n"
	head := make([]byte, 512)
	copy(head, "pax")
	copy(head[100:], "0000644\x00")
	copy(head[124:], "00000000110\x00") // 72 bytes
	head[156] = 'x'
	copy(head[257:], "ustar\x0000")
	if len(records) != 0o110 {
		t.Fatalf("the records are %d bytes", len(records))
	}
	body := make([]byte, 512)
	copy(body, records)
	file := make([]byte, 512)
	copy(file, "a")
	copy(file[100:], "0000644\x00")
	copy(file[124:], "00000000000\x00")
	file[156] = '0'
	copy(file[257:], "ustar\x0000")
	return bytes.Join([][]byte{checked(head), body, checked(file), make([]byte, 1024)}, nil)
}

// checked puts the checksum into a header of a tar file.
func checked(block []byte) []byte {
	copy(block[148:], "        ")
	sum := 0
	for _, b := range block {
		sum += int(b)
	}
	copy(block[148:], []byte{'0' + byte(sum>>15&7), '0' + byte(sum>>12&7), '0' + byte(sum>>9&7), '0' + byte(sum>>6&7), '0' + byte(sum>>3&7), '0' + byte(sum&7), 0})
	return block
}

func TestUnpackTakesAFolder(t *testing.T) {
	folder, dir := t.TempDir(), t.TempDir()
	for name, contents := range map[string]string{".claude-plugin/plugin.json": "{}", "bin/serve": "#!/bin/sh\n", ".git/HEAD": "ref: refs/heads/main"} {
		if err := errors.Join(os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(folder, name), []byte(contents), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("serve", filepath.Join(folder, "bin", "again")); err != nil {
		t.Fatal(err)
	}
	root, err := release.Unpack(folder, dir)
	if err != nil || root != dir {
		t.Fatalf("%s, %v", root, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "bin", "again")); err != nil || !info.Mode().IsRegular() || info.Mode()&0o100 == 0 {
		t.Errorf("again: %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf(".git: %v", err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(folder, "out")); err != nil {
		t.Fatal(err)
	}
	if _, err := release.Unpack(folder, t.TempDir()); err == nil || !strings.Contains(err.Error(), `"out" is a symbolic link`) {
		t.Errorf("got %v", err)
	}
}

// FuzzUnpack looks for archives that write outside their folder, bring anything but
// plain files, or never end.
func FuzzUnpack(f *testing.F) {
	var zipped, tarred bytes.Buffer
	w := zip.NewWriter(&zipped)
	for _, name := range []string{".claude-plugin/plugin.json", "a/../b", "../evil", "/evil", "A", "a"} {
		if part, err := w.Create(name); err == nil {
			_, _ = part.Write([]byte("{}"))
		}
	}
	z := gzip.NewWriter(&tarred)
	tw := tar.NewWriter(z)
	for _, h := range []tar.Header{{Name: "a", Mode: 0o755}, {Name: "b", Typeflag: tar.TypeSymlink, Linkname: "../.."}, {Name: "b/c", Mode: 0o644}} {
		_ = tw.WriteHeader(&h)
	}
	if err := errors.Join(w.Close(), tw.Close(), z.Close()); err != nil {
		f.Fatal(err)
	}
	f.Add(true, zipped.Bytes())
	f.Add(false, tarred.Bytes())
	f.Fuzz(func(t *testing.T, isZip bool, contents []byte) {
		name := "plugin.tgz"
		if isZip {
			name = "plugin.zip"
		}
		outside := t.TempDir()
		dir := filepath.Join(outside, "in")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		_, _ = release.Unpack(written(t, name, contents), dir)
		if left, _ := os.ReadDir(outside); len(left) != 1 {
			t.Fatalf("wrote outside: %v", left)
		}
		var total int64
		_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				t.Fatal(err)
			}
			info, err := e.Info()
			if err != nil || !e.IsDir() && !e.Type().IsRegular() || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
				t.Fatalf("%s: %v, %v", name, e.Type(), err)
			}
			if !e.IsDir() {
				total += info.Size()
			}
			return nil
		})
		if total > 100*int64(len(contents))+16<<20 {
			t.Fatalf("%d bytes from %d", total, len(contents))
		}
	})
}
