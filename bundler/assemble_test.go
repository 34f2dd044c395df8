package bundler

import (
	"strings"
	"testing"
)

func TestPlainHeader(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"\n \n":                    "",
		"a":                        "a\n;\n",
		"\ufeff#!/bin/x\r\na\r\nb": "a\nb\n;\n",
		"#!/bin/x":                 "",
		"#!/bin/x\n#!/bin/y\na;":   "a;\n;\n",
		"#!/bin/x\n\ufeff#!y\na":   "a\n;\n",
	} {
		if got := plainHeader(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzPlainHeader(f *testing.F) {
	for _, seed := range []string{"#!a\r\nb", "\ufeff#!a\n#!b", "\r", "a\r\r\n", "#!"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := plainHeader(text)
		if strings.HasPrefix(got, "#!") || strings.HasPrefix(got, "\ufeff") || strings.Contains(got, "\r") {
			t.Fatalf("%q became %q", text, got)
		}
		if got != "" && !strings.HasSuffix(got, "\n;\n") {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func TestLinkExternalsKeepsColumns(t *testing.T) {
	body := `x(import("omcbuild-external-package:a/b"), y.resolve("omcbuild-external-package:@c/d")); import("e");`
	got := string(linkExternals([]byte(body)))
	if len(got) != len(body) {
		t.Errorf("length changed: %s", got)
	}
	plain := strings.Join(strings.Fields(got), "")
	if want := `x(__omcbuild_external.import("a/b"),__omcbuild_external.resolve("@c/d"));import("e");`; plain != want {
		t.Errorf("got %s", got)
	}
}

func TestApplyKeepsLines(t *testing.T) {
	got := apply("a\nb\nc\nd", []edit{{4, 5, "C"}, {0, 3, "x"}, {2, 4, "overlaps"}})
	if got != "x\n\nC\nd" {
		t.Errorf("got %q", got)
	}
}

func TestHostPathsStandAlone(t *testing.T) {
	cases := []struct {
		text, path string
		found      bool
	}{
		{`"/Users/me/x"`, "/Users/me", true},
		{`"/Users/me"`, "/Users/me", true},
		{`"/Users/men"`, "/Users/me", false},
		{`"/Users/me.txt"`, "/Users/me", false},
		{`"/x/Users/me"`, "/Users/me", false},
		{`"file:///Users/me/x"`, "/Users/me", true},
		{`"/srv"`, "/srv", false},
		{`"/srv/x"`, "/srv", true},
		{`"C:\\Users\\me\\x"`, `C:\\Users\\me`, true},
		{`"/Users/men/Users/me/"`, "/Users/me", false},
		{`"/Users/men", "/Users/me/"`, "/Users/me", true},
	}
	for _, c := range cases {
		if got := findPath([]byte(c.text), c.path) >= 0; got != c.found {
			t.Errorf("%s in %s: got %v", c.path, c.text, got)
		}
	}
	if got := spellings("/a b/c"); strings.Join(got, " | ") != "/a b/c | /a%20b/c" {
		t.Errorf("got %q", got)
	}
}
