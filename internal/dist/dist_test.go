package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/release"
)

const repository = "../.."

// pretended are builds of scripts: compiling takes minutes, and what is around a program
// does not depend on it.
func pretended() (builds []build) {
	for _, t := range targets() {
		builds = append(builds, build{target: t, program: []byte(script), notices: []byte("licences\n")})
	}
	return builds
}

// script stands for the program: it says its version, or ends as it is told.
const script = `#!/bin/sh
case "$1" in
--version) echo "omcbuild 1.2.3" ;;
exit) cat; exit "$2" ;;
signal) kill -TERM $$ ;;
wait) trap 'echo asked; exit 9' "$2"; echo ready; while :; do sleep 0.05; done ;;
*) for a; do echo "[$a]"; done ;;
esac
`

func TestPlaceMakesTheSameBytesAgain(t *testing.T) {
	outs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b", "c")}
	for _, out := range outs {
		if err := place(repository, out, "1.2.3", pretended()); err != nil {
			t.Fatal(err)
		}
	}
	first, second := contents(t, outs[0]), contents(t, outs[1])
	if len(first) != 6+1+6*5+4 || len(second) != len(first) {
		t.Errorf("%d and %d files", len(first), len(second))
	}
	for name, text := range first {
		if !bytes.Equal(text, second[name]) {
			t.Errorf("%s differs", name)
		}
	}
	for _, to := range targets() {
		name := "omcbuild_1.2.3_" + to.system + "_" + to.processor
		read := unpackTar
		if to.system == "windows" {
			name, read = name+".zip", unpackZip
		} else {
			name += ".tar.gz"
		}
		got := read(t, first[name])
		for file, mode := range map[string]fs.FileMode{to.file(): release.RunningMode, "LICENSE": release.PlainMode, "README.md": release.PlainMode, "CHANGELOG.md": release.PlainMode, noticesFile: release.PlainMode} {
			if got[file] != mode {
				t.Errorf("%s: %s has mode %v, want %v", name, file, got[file], mode)
			}
		}
	}
}

// unpackTar and unpackZip return the modes of the files of an archive that are not empty.
func unpackTar(t *testing.T, archive []byte) map[string]fs.FileMode {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]fs.FileMode{}
	for r := tar.NewReader(z); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return modes
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Size > 0 {
			modes[header.Name] = header.FileInfo().Mode()
		}
	}
}

func unpackZip(t *testing.T, archive []byte) map[string]fs.FileMode {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]fs.FileMode{}
	for _, f := range r.File {
		if f.UncompressedSize64 > 0 {
			modes[f.Name] = f.Mode()
		}
	}
	return modes
}

// omcbuild package writes into the same folder. What it made stays, and so do its sums.
func TestPlaceLeavesPackagesAlone(t *testing.T) {
	out := t.TempDir()
	write(t, filepath.Join(out, "omcbuild-1.2.3.zip"), "a package")
	known := release.SumOf("omcbuild-1.2.3.zip", []byte("a package"))
	gone := release.SumOf("omcbuild-1.2.2.zip", []byte("an old one"))
	write(t, filepath.Join(out, release.SumsFile), string(release.EncodeSums([]release.Sum{known, gone})))
	for range 2 {
		if err := place(repository, out, "1.2.3", pretended()); err != nil {
			t.Fatal(err)
		}
	}
	sums := release.DecodeSums(contents(t, out)[release.SumsFile])
	if len(sums) != 7 || sums[0] != known {
		t.Errorf("the sums are %v", sums)
	}
	for _, sum := range sums {
		if text := contents(t, out)[sum.File]; release.SumOf(sum.File, text) != sum {
			t.Errorf("%s has another sum", sum.File)
		}
	}
}

func TestRunRefusesWhatIsNoVersion(t *testing.T) {
	for _, version := range []string{"", "v1.2.3", "1.2", "latest", "1.2.3 "} {
		if err := run(t.Context(), version, t.TempDir()); err == nil || !strings.Contains(err.Error(), "write it as 1.2.3") {
			t.Errorf("%q: %v", version, err)
		}
	}
}

// The licences are those of the modules that a program says it was made of; here that
// program is this test.
func TestNoticesHoldEveryLicence(t *testing.T) {
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	found, err := findTools(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := found.notices(t.Context(), self)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nGo and its standard library go1.", "\ngithub.com/Masterminds/semver/v3 v", "LICENSE.txt\n\nCopyright (C) 2014-2019, Matt Butcher",
		"\ngolang.org/x/text v", "PATENTS\n", "Redistributions in binary form must reproduce",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the notices lack %q", want)
		}
	}
	if strings.Contains(string(text), "chromedp") {
		t.Error("the notices name what is not in the program")
	}
	if err := note(&bytes.Buffer{}, "some/module", "v1.0.0", t.TempDir()); err == nil {
		t.Error("a module without a licence is passed on")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// contents reads a folder.
func contents(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		relative, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		out[filepath.ToSlash(relative)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
