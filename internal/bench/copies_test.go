package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The configuration of the repository asks for a front in a line of its own, which a
// copy can lose.
func TestWithoutFront(t *testing.T) {
	text, err := os.ReadFile("../../omcbuild.jsonc")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "omcbuild.jsonc")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := withoutFront(folder); err != nil {
		t.Fatal(err)
	}
	plain, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(plain), `"front"`) || strings.Count(string(plain), "\n") != strings.Count(string(text), "\n")-1 {
		t.Errorf("%v: left is\n%s", err, plain)
	}
	if err := withoutFront(folder); err == nil {
		t.Error("a configuration without a front lost one")
	}
}

func TestWithoutHeader(t *testing.T) {
	const before, header, after = "#!/usr/bin/env node\n\nconst url = 1;\n\n// Resolve\n",
		"try {\n  var _cp = require('child_process');\n  var r = _cp.execSync('npm root -g', { timeout: 5000 }).trim();\n  if (r) {\n    init();\n  }\n} catch (_e) { /* without */ }\n",
		"\n\"use strict\";\ntry {\n} catch (e) {}\n"
	if got := string(withoutHeader([]byte(before + header + after))); got != before+after {
		t.Errorf("left is\n%s", got)
	}
	if got := string(withoutHeader([]byte(before + after))); got != before+after {
		t.Errorf("without a header, left is\n%s", got)
	}
}

// A folder among the temporary files is taken only when nobody else can have made it.
func TestPrivate(t *testing.T) {
	root := t.TempDir()
	own, open, link, file := filepath.Join(root, "own"), filepath.Join(root, "open"), filepath.Join(root, "link"), filepath.Join(root, "file")
	for _, err := range []error{os.Mkdir(own, 0o700), os.Mkdir(open, 0o700), os.Chmod(open, 0o755), os.Symlink(own, link), os.WriteFile(file, nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{own: true, open: false, link: false, file: false, filepath.Join(root, "none"): false} {
		if got := private(path); got != want {
			t.Errorf("%s: private is %v, want %v", filepath.Base(path), got, want)
		}
	}
}
