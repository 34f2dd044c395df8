package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

const day = 24 * time.Hour

// entry makes a folder of the cache with files, last used a while ago.
func entry(t *testing.T, cache, name string, age time.Duration, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(cache, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-age)
	for file, text := range files {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(dir, then, then); err != nil {
		t.Fatal(err)
	}
	return dir
}

func listed(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestTurnsSweepTheCacheOnceADay(t *testing.T) {
	cache, here := t.TempDir(), t.TempDir()
	gone := map[string]string{"t.json": "{}", turnLock: "", rootFile: filepath.Join(here, "gone")}
	stays := map[string]string{"t.json": "{}", turnLock: "", rootFile: here}
	unknown := map[string]string{"t.json": "{}", turnLock: ""}
	entry(t, cache, "0000000000000001", 0, gone)
	entry(t, cache, "0000000000000002", 29*day, stays)
	entry(t, cache, "0000000000000003", 31*day, stays)
	entry(t, cache, "0000000000000004", 29*day, unknown)
	entry(t, cache, "0000000000000005", 31*day, unknown)
	entry(t, cache, "0000000000000006", 2*day, map[string]string{turnLock: ""})
	entry(t, cache, "0000000000000007", 0, map[string]string{turnLock: ""})
	entry(t, cache, "0000000000000008", 31*day, map[string]string{"t.json": ""})
	entry(t, cache, "0000000000000009.gone", 0, stays)
	entry(t, cache, "notes", 99*day, gone)
	entry(t, cache, "00000000000000", 99*day, gone)
	if err := os.Symlink(here, filepath.Join(cache, "000000000000000e")); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"000000000000000a": turnLock, "000000000000000b": watchLock} {
		lock := flock.New(filepath.Join(entry(t, cache, name, 0, gone), file))
		if held, err := lock.TryLock(); err != nil || !held {
			t.Fatal(held, err)
		}
		t.Cleanup(func() { _ = lock.Close() })
	}

	take := func() {
		t.Helper()
		done, err := takeTurn(t.Context(), cache, here)
		if err != nil {
			t.Fatal(err)
		}
		done()
	}
	take()
	own := filepath.Base(projectCache(cache, here))
	want := []string{
		"00000000000000", "0000000000000002", "0000000000000004", "0000000000000007",
		"000000000000000a", "000000000000000b", "000000000000000e", own, "notes", sweptMark,
	}
	slices.Sort(want)
	if got := listed(t, cache); !slices.Equal(got, want) {
		t.Errorf("left are\n%q, want\n%q", got, want)
	}
	if text, err := os.ReadFile(filepath.Join(cache, own, rootFile)); err != nil || string(text) != here {
		t.Errorf("%s: %q, %v", rootFile, text, err)
	}

	// On the same day nothing more is looked at, and the next day it is.
	again := entry(t, cache, "0000000000000001", 0, gone)
	take()
	if _, err := os.Stat(again); err != nil {
		t.Errorf("swept twice a day: %v", err)
	}
	yesterday := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(filepath.Join(cache, sweptMark), yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	take()
	if _, err := os.Stat(again); err == nil {
		t.Error("not swept the next day")
	}
}

// Who waits for a folder that is removed meanwhile gets the turn of the new one.
func TestTurnInAFolderThatIsRemoved(t *testing.T) {
	cache, root := t.TempDir(), t.TempDir()
	dir := projectCache(cache, root)
	old := flock.New(filepath.Join(entry(t, cache, filepath.Base(dir), 0, nil), turnLock))
	if held, err := old.TryLock(); err != nil || !held {
		t.Fatal(held, err)
	}
	lock, err := lockIn(dir, turnLock, func(lock *flock.Flock) error {
		held, err := lock.TryLock() // opens the file
		if err == nil && !held {
			_ = os.Rename(dir, dir+goneSuffix)
			_ = old.Close()
			_, err = lock.TryLockContext(t.Context(), time.Millisecond)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	other := flock.New(filepath.Join(dir, turnLock))
	if held, err := other.TryLock(); held || err != nil {
		t.Errorf("a second turn: %t, %v", held, err)
	}
}
