package release_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"omcbuild/internal/release"
)

func TestCompareFindsWhatAnArchiveLost(t *testing.T) {
	p := payload(t)
	archive, err := release.EncodeTarGz(p, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.tar.gz")
	if err := os.WriteFile(path, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := release.Unpack(path, dir); err != nil {
		t.Fatal(err)
	}
	if list := p.Compare("a.tar.gz", dir); len(list) > 0 {
		t.Fatal(list)
	}
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	if err := errorsOf(os.Remove(at("empty")), os.WriteFile(at("noise.bin"), []byte("x"), 0o600), os.Chmod(at("bin/run"), 0o600), os.WriteFile(at("more"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range p.Compare("a.tar.gz", dir) {
		got = append(got, d.String()+" "+d.Code)
	}
	equal(t, "differences", got,
		"a.tar.gz: bin/run can be started in one of the two only: as it was packed, and as it is in it package-differs",
		"a.tar.gz: more is in it, and was not packed package-differs",
		"a.tar.gz: noise.bin has other bytes in it than were packed package-differs",
		"a.tar.gz: empty was packed, and is not in it package-differs")
}
