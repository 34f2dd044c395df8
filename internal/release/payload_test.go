package release_test

import (
	"errors"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/release"
)

func codeOf(err error) string {
	var failure *diag.Failure
	if !errors.As(err, &failure) {
		return ""
	}
	return failure.Diagnostics[0].Code
}

func TestPayloadIsInOrder(t *testing.T) {
	var p release.Payload
	for _, path := range []string{"b", "a/b", "a.b", "a/B2", "README.md"} {
		if err := p.Add(release.File{Path: path, Mode: release.PlainMode, Contents: []byte(path)}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, f := range p.Files() {
		got = append(got, f.Path)
	}
	if list := strings.Join(got, " "); list != "README.md a.b a/B2 a/b b" {
		t.Errorf("got %s", list)
	}
	if f, ok := p.File("a/b"); !ok || string(f.Contents) != "a/b" || p.Len() != 5 || p.Bytes() != 20 {
		t.Errorf("got %v, %v, %d files, %d bytes", f, ok, p.Len(), p.Bytes())
	}
	copied := p.Clone()
	if err := copied.Add(release.File{Path: "z"}); err != nil || p.Len() != 5 || !copied.Replace("z", []byte("1")) || p.Replace("z", nil) {
		t.Errorf("the copy is not a payload of its own: %v", err)
	}
}

func TestPayloadRefusesNamesThatAreOneElsewhere(t *testing.T) {
	for first, second := range map[string]string{
		"README.md":    "Readme.md",
		"skills/a.md":  "Skills/b.md",
		"é.md":         "e\u0301.md",
		"straße.md":    "STRASSE.md",
		"a":            "a",
		"x":            "x/y",
		"folder/inner": "folder",
	} {
		var p release.Payload
		if err := p.Add(release.File{Path: first}); err != nil {
			t.Fatal(err)
		}
		if err := p.Add(release.File{Path: second}); codeOf(err) != "package-clash" || p.Len() != 1 {
			t.Errorf("%s beside %s: %v", second, first, err)
		}
	}
}

func TestPayloadRefusesNamesThatNotEverySystemHolds(t *testing.T) {
	for _, path := range []string{
		"", ".", "/a", "a/../b", "a//b", "a/", "docs/aux.txt", "CON", "com1.tar.gz", "lpt¹", "a:b", `a\b`, "what?.md", "a.", "a ", "a./b", "bell\x07", "a\nb",
		"\xff", strings.Repeat("a", 256), strings.Repeat("long/", 41) + "a",
	} {
		var p release.Payload
		if err := p.Add(release.File{Path: path}); codeOf(err) != "package-name" || p.Len() != 0 {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, path := range []string{"auxiliary.md", ".claude-plugin/plugin.json", "con-cat", "日本語.md", "a b.md"} {
		var p release.Payload
		if err := p.Add(release.File{Path: path}); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}
