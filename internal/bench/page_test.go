package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestPlaced(t *testing.T) {
	page := "before\n<!-- table a -->\nold\n<!-- end -->\nbetween\n<!-- table b -->\n<!-- end -->\nafter\n"
	want := "before\n<!-- table a -->\n\nnew\n\n<!-- end -->\nbetween\n<!-- table b -->\n<!-- end -->\nafter\n"
	got, err := placed([]byte(page), "a", "new")
	if err != nil || string(got) != want {
		t.Errorf("got %v\n%s", err, got)
	}
	if again, err := placed(got, "a", "new"); err != nil || string(again) != want {
		t.Errorf("a second time: %v\n%s", err, again)
	}
	for _, name := range []string{"c", ""} {
		if _, err := placed([]byte(page), name, "new"); err == nil {
			t.Errorf("table %q is not there, and was placed", name)
		}
	}
	if _, err := placed([]byte("<!-- table a -->\nold\n"), "a", "new"); err == nil {
		t.Error("a table without an end was replaced")
	}
}

func TestPageIsReplacedAsAWhole(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "page.md")
	page := "<!-- table a -->\n<!-- end -->\n<!-- table b -->\n<!-- end -->\n"
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writePage(file, map[string]string{"a": "one", "c": "none"}); err == nil {
		t.Error("a table that has no place was written")
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != page {
		t.Errorf("%v: a page that could not be written is now\n%s", err, got)
	}
	if err := writePage(file, map[string]string{"a": "one", "b": "two"}); err != nil {
		t.Fatal(err)
	}
	want := "<!-- table a -->\n\none\n\n<!-- end -->\n<!-- table b -->\n\ntwo\n\n<!-- end -->\n"
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%v: the page is\n%s", err, got)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("%v: the folder holds %v", err, left)
	}
}

// The page has a place for every group.
func TestPageHasEveryTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{"machine"}, groupNames()...) {
		if _, err := placed(page, name, "text"); err != nil {
			t.Error(err)
		}
	}
}

func groupNames() []string {
	var out []string
	for _, g := range groups() {
		out = append(out, g.name)
	}
	return out
}

// What is compared is the same on both sides.
func TestPinsAgree(t *testing.T) {
	module, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	esbuild := regexp.MustCompile(`esbuild v(\S+)`).FindSubmatch(module)
	if esbuild == nil {
		t.Fatal("go.mod does not name esbuild")
	}
	for file, texts := range map[string][]string{
		"../../src/compat/reference.ts": {`"` + referenceName + `"`, `"` + referenceVersion + `"`, referenceSHA512},
		"rivals/package.json":           {`"esbuild": "` + string(esbuild[1]) + `"`},
	} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			if !strings.Contains(string(content), text) {
				t.Errorf("%s does not have %s", file, text)
			}
		}
	}
}
