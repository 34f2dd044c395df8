package surface

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSweepRemovesWhatNobodyOwns(t *testing.T) {
	temp, old := t.TempDir(), time.Now().Add(-time.Hour)
	folderOf := func() *folder {
		f, err := newFolder(&ProbeOptions{FileName: "a.cjs", TempDir: temp})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(f.path(ownerMark), old, old); err != nil {
			t.Fatal(err)
		}
		return f
	}
	alive, left, young, unmarked, linked := folderOf(), folderOf(), folderOf(), folderOf(), folderOf()
	defer alive.Remove()
	for _, f := range []*folder{left, young, unmarked, linked} {
		if err := f.owner.Close(); err != nil { // as the system does when the owner dies
			t.Fatal(err)
		}
	}
	now := time.Now()
	outside := filepath.Join(t.TempDir(), "precious")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.Chtimes(young.path(ownerMark), now, now))
	check(os.Remove(unmarked.path(ownerMark)))
	check(os.WriteFile(outside, []byte("kept"), 0o600))
	check(os.Chtimes(outside, old, old))
	check(os.Remove(linked.path(ownerMark)))
	check(os.Symlink(outside, linked.path(ownerMark)))
	check(os.Symlink(filepath.Dir(outside), left.path("plugin/out")))
	check(os.Symlink(alive.root, filepath.Join(temp, string(OfProbe)+"link")))
	other := filepath.Join(temp, "other-probe-1")
	check(os.Mkdir(other, 0o755))
	killed := map[Kind]*Temporary{}
	for _, kind := range []Kind{OfCollector, OfPackage} {
		made, err := NewTemporary(temp, kind)
		check(err)
		check(os.Chtimes(filepath.Join(made.Path, ownerMark), old, old))
		check(made.owner.Close())
		killed[kind] = made
	}
	at := filepath.Join(temp, "omcbuild-other-1") // of another program, though it looks like one of ours
	check(os.Mkdir(at, 0o755))
	check(os.WriteFile(filepath.Join(at, ownerMark), nil, 0o600))
	check(os.Chtimes(filepath.Join(at, ownerMark), old, old))

	Sweep(temp)
	for path, want := range map[string]bool{
		alive.root: true, left.root: false, young.root: true, unmarked.root: true, linked.root: true,
		outside: true, filepath.Join(temp, string(OfProbe)+"link"): true, other: true, at: true,
		killed[OfCollector].Path: false, killed[OfPackage].Path: false,
	} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", path, err == nil, want)
		}
	}
}
