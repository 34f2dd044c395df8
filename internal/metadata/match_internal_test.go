package metadata

import (
	"bytes"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"

	"omcbuild/internal/project"
)

func pattern(t testing.TB, text string) project.Pattern {
	t.Helper()
	p, err := project.ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestReplace(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{"v{version}", "v1.0.0", "v2.0.0"},
		{"v{version}", "v1.0.0-rc.1+build.7, v1.0.0.", "v2.0.0, v2.0.0."},
		{"v{version}", "v1.0.0-->v1.0.0--", "v2.0.0-->v2.0.0--"},
		{"v{version}", "v1.0.0.4 v1.0.0x v1.0.0_1 v1.0 v1.0.0.tgz", ""},
		{"v{version}.tgz", "v1.0.0.tgz v1.0.0-rc.1.tgz", "v2.0.0.tgz v2.0.0.tgz"},
		{"{version} is out", "1.0.0 is out, 10.1.0.0 is out", "2.0.0 is out, 10.1.0.0 is out"},
		{"{tools} tools", "7 tools, 1.5 tools, 77 tools", "2.0.0 tools, 1.5 tools, 2.0.0 tools"},
		{"has {tools}", "has 7, has 7th, has 7.5, has 7", "has 2.0.0, has 7th, has 7.5, has 2.0.0"},
		{"of {name}", "of a-b_c, of -x, of x.", "of 2.0.0, of -x, of 2.0.0."},
		{"{name} is", "ab is, -ab is", "2.0.0 is, -ab is"},
		{"a\nv{version}", "a\r\nv1.0.0\na\nv1.0.0\r\n", "a\r\nv2.0.0\na\nv2.0.0\r\n"},
		{"[x](v{version}) $1", "[x](v1.0.0) $1", "[x](v2.0.0) $1"},
		{"é {version}", "\xffé 1.0.0\xff", "\xffé 2.0.0\xff"},
		{"v{version}", "nothing", ""},
	} {
		got, matches := replace(pattern(t, c.pattern), []byte(c.text), []string{"2.0.0"})
		if c.want == "" && (matches != 0 || string(got) != c.text) || c.want != "" && string(got) != c.want {
			t.Errorf("%q in %q: got %q with %d matches", c.pattern, c.text, got, matches)
		}
	}
}

func FuzzReplace(f *testing.F) {
	f.Add("v{version}", "v1.0.0-rc.1 v1.0.0--> v1.0.0.tgz", "2.0.0-x.1")
	f.Add("{tools} tools of {name}-{version}", "7 tools of a-b-1.0.0+c", "3.0.0")
	f.Add("a\n{name}b", "a\r\nxb", "1.2.3+b-c")
	f.Fuzz(func(t *testing.T, written, text, version string) {
		p, err := project.ParsePattern(written)
		if err != nil || len(written) > 200 || len(text) > 2000 {
			return
		}
		if _, err := semver.StrictNewVersion(version); err != nil {
			return
		}
		var values []string
		for _, part := range p.Parts {
			switch part.Field {
			case "":
			case project.Version:
				values = append(values, version)
			case project.Name:
				values = append(values, "my-plugin")
			default:
				values = append(values, "21")
			}
		}
		same, found := replace(p, []byte(text), nil)
		if !bytes.Equal(same, []byte(text)) {
			t.Fatalf("changed without values: %q", same)
		}
		got, matches := replace(p, []byte(text), values)
		if found != matches || matches == 0 && !bytes.Equal(got, same) {
			t.Fatalf("%d and %d matches; %q", found, matches, got)
		}
		if literal := longest(p); matches > 0 && !bytes.Contains(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), []byte(literal)) {
			t.Fatalf("the literal %q was lost from %q", literal, got)
		}
	})
}

// longest is the longest literal part of a pattern.
func longest(p project.Pattern) string {
	out := ""
	for _, part := range p.Parts {
		if len(part.Literal) > len(out) {
			out = part.Literal
		}
	}
	return strings.ReplaceAll(out, "\r\n", "\n")
}
