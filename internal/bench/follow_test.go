package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestNoteTellsHalfFiles(t *testing.T) {
	whole := func(token string) string { return "code " + token + "\n\"" + endMark + "\";\nmore\n" }
	for name, test := range map[string]struct {
		contents []string // one after the other; "" is an empty file, "-" none
		half     bool
	}{
		"renamed":                  {[]string{whole("1"), whole("2")}, false},
		"emptied first":            {[]string{whole("1"), "", whole("2")}, true},
		"removed first":            {[]string{whole("1"), "-", whole("2")}, true},
		"cut in the middle":        {[]string{whole("1"), "code 2", whole("2")}, true},
		"cut behind the last mark": {[]string{whole("1"), "code 2\n\"" + endMark + "\";\nmo", whole("2")}, true},
		"another form later":       {[]string{whole("1"), whole("2"), "plain " + whole("2")}, false},
	} {
		f := &follower{}
		var before []byte
		for _, text := range test.contents {
			content := []byte(text)
			if text == "-" {
				content = nil
			}
			f.note(time.Now(), before, content)
			before = content
		}
		if got := f.halfRead(); got != test.half {
			t.Errorf("%s: half is %v, want %v", name, got, test.half)
		}
		if f.halfRead() {
			t.Errorf("%s: asked again, the same half file is told again", name)
		}
	}
}

func TestFollowerWaitsForAWholeFileWithAllTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.cjs")
	f := follow(path)
	defer f.end()
	arrived := f.expect("first", "second")
	began := time.Now()
	for _, text := range []string{"first second", "first " + endMark, "first second " + endMark} {
		beside := path + ".tmp"
		if err := os.WriteFile(beside, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(beside, path); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case at := <-arrived:
		if at.Before(began) {
			t.Errorf("it arrived %v before it was written", began.Sub(at))
		}
	case <-time.After(time.Minute):
		t.Fatal("the whole file was not noticed")
	}
	arrived = f.expect("third")
	if err := os.WriteFile(path, []byte("third "+endMark), 0o600); err != nil {
		t.Fatal(err)
	}
	select {
	case <-arrived:
	case <-time.After(time.Minute):
		t.Fatal("a file written in place was not noticed")
	}
}

func TestSaves(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.ts")
	if err := os.WriteFile(path, []byte("export {};\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := openSource(folder, "a.ts")
	if err != nil {
		t.Fatal(err)
	}
	var names tokens
	for _, save := range []func(string) error{s.save, s.replace, s.save} {
		token := names.next()
		if err := save(token); err != nil {
			t.Fatal(err)
		}
		want := "export {};\n\nObject.assign(globalThis, { benchmark: \"" + token + "\" });\n"
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%v: got %q, want %q", err, got, want)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("%v: the folder holds %v", err, left)
	}
}
