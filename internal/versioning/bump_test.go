package versioning_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/versioning"
)

func TestNext(t *testing.T) {
	for _, c := range []struct{ from, patch, minor, major string }{
		{"0.0.0", "0.0.1", "0.1.0", "1.0.0"},
		{"1.2.3", "1.2.4", "1.3.0", "2.0.0"},
		{"1.3.0-beta.1", "1.3.0", "1.3.0", "2.0.0"},
		{"1.3.1-beta.1", "1.3.1", "1.4.0", "2.0.0"},
		{"2.0.0-rc.1", "2.0.0", "2.0.0", "2.0.0"},
		{"18446744073709551614.9.9", "18446744073709551614.9.10", "18446744073709551614.10.0", "18446744073709551615.0.0"},
	} {
		from := semver.MustParse(c.from)
		for part, want := range map[versioning.Part]string{versioning.Patch: c.patch, versioning.Minor: c.minor, versioning.Major: c.major, versioning.None: c.from} {
			got := versioning.Next(from, part)
			if got.String() != want {
				t.Errorf("%s %s: %s, want %s", c.from, part, got, want)
			}
			if part != versioning.None && !got.GreaterThan(from) {
				t.Errorf("%s %s: %s is not above", c.from, part, got)
			}
		}
	}
}

func TestNextAuto(t *testing.T) {
	for _, c := range []struct {
		current, last string
		part          versioning.Part
		want          string // "" is raised far enough already
	}{
		{"1.2.0", "1.2.0", versioning.Minor, "1.3.0"},
		{"1.2.0", "1.2.0", versioning.Patch, "1.2.1"},
		{"1.2.1", "1.2.0", versioning.Minor, "1.3.0"},
		{"1.3.0", "1.2.0", versioning.Minor, ""},
		{"1.3.0", "1.2.0", versioning.Patch, ""},
		{"1.3.0", "1.2.0", versioning.Major, "2.0.0"},
		{"1.3.0-beta.1", "1.2.0", versioning.Minor, "1.3.0"},
		{"1.3.0-beta.1", "1.2.0", versioning.Patch, "1.3.0"},
		{"1.3.0-beta.1", "1.2.0", versioning.Major, "2.0.0"},
		{"2.0.0-beta.1", "1.2.0", versioning.Minor, "2.0.0"},
		{"1.0.0-beta.1", "1.0.0-beta.1", versioning.Patch, "1.0.0"},
		{"0.9.0", "1.2.0", versioning.Patch, "1.2.1"}, // the files were behind
	} {
		got := versioning.NextAuto(semver.MustParse(c.current), semver.MustParse(c.last), c.part)
		if text := str(got); text != c.want {
			t.Errorf("%s since %s, %s: %q, want %q", c.current, c.last, c.part, text, c.want)
		}
	}
}

func str(v *semver.Version) string {
	if v == nil {
		return ""
	}
	return v.String()
}

func TestEnough(t *testing.T) {
	for _, c := range []struct {
		version, last string
		part          versioning.Part
		want          bool
	}{
		{"1.3.0", "1.2.0", versioning.Minor, true},
		{"1.2.1", "1.2.0", versioning.Minor, false},
		{"1.3.0-beta.1", "1.2.0", versioning.Minor, true},
		{"1.2.1-beta.1", "1.2.0", versioning.Minor, false},
		{"2.0.0", "1.2.0", versioning.Minor, true},
		{"1.9.0", "1.2.0", versioning.Major, false},
		{"1.2.1", "1.2.0", versioning.None, true},
	} {
		if got := versioning.Enough(semver.MustParse(c.version), semver.MustParse(c.last), c.part); got != c.want {
			t.Errorf("%s since %s, %s: %v", c.version, c.last, c.part, got)
		}
	}
}

// TestParseWish holds the words that are taken, and for others what their message and
// hint name.
func TestParseWish(t *testing.T) {
	for _, word := range []string{"patch", "minor", "major", "auto"} {
		if wish, err := versioning.ParseWish(word); err != nil || string(wish.Part) != word || wish.IsZero() {
			t.Errorf("%s: %+v, %v", word, wish, err)
		}
	}
	for _, word := range []string{"0.0.1", "1.3.0", "1.3.0-beta.1", "1.0.0-0A.is.legal"} {
		if wish, err := versioning.ParseWish(word); err != nil || str(wish.Version) != word {
			t.Errorf("%s: %+v, %v", word, wish, err)
		}
	}
	for word, named := range map[string]string{
		"v1.2.3": "omcbuild version 1.2.3", "V1.2.3": "omcbuild version 1.2.3", "=1.2.3": "omcbuild version 1.2.3", "v1.2.3+4": "omcbuild version 1.2.3",
		"1.2.3+4": "omcbuild version 1.2.3", "1.2.3-rc.1+4": "omcbuild version 1.2.3-rc.1", "1.2": "omcbuild version 1.2.0", "v1": "omcbuild version 1.0.0",
		"01.2.3": "omcbuild version 1.2.3", "1.2.3-01": "patch, minor", "": "patch, minor", "Patch": "patch, minor", "premajor": "1.3.0-beta.1", "latest": "patch, minor",
		"1.2.3-" + strings.Repeat("a", 200): "shorter", strings.Repeat("9", 300): "patch, minor", "1.2.3\n": "patch, minor", "none": "patch, minor", "prerelease": "1.3.0-beta.1",
	} {
		_, err := versioning.ParseWish(word)
		var failure *diag.Failure
		if !errors.As(err, &failure) || failure.Class != diag.Usage || !strings.Contains(failure.Diagnostics[0].Hint, named) {
			t.Errorf("%q: %v, want a hint with %q", word, err, named)
		}
	}
}

func TestReleases(t *testing.T) {
	merged := []string{"acorn--v1.2.0", "acorn--v1.10.0", "acorn--v2.0.0-rc.1", "v9.0.0", "beech--v5.0.0", "acorn--v1", "acorn--v1.0.0+4", "acorn--vv1.0.0"}
	elsewhere := []string{"acorn--v3.0.0", "v0.1.0"}
	for _, c := range []struct {
		plugin, before string
		prereleases    bool
		tags, others   []string
		want           string
	}{
		{"acorn", "", false, merged, elsewhere, "acorn--v1.10.0 acorn--v1.2.0 acorn--v2.0.0-rc.1"},
		{"acorn", "", true, merged, elsewhere, "acorn--v2.0.0-rc.1 acorn--v1.10.0 acorn--v1.2.0"},
		{"acorn", "1.10.0", false, merged, elsewhere, "acorn--v1.2.0"},
		{"acorn", "", false, nil, elsewhere, "acorn--v3.0.0"},
		{"oak", "", false, merged, elsewhere, "v9.0.0"},
		{"oak", "", false, []string{"1.0.0", "v1.0.0", "v0.9.0"}, nil, "v1.0.0 1.0.0 v0.9.0"},
		{"oak", "1.0.0", false, []string{"v1.0.0"}, nil, ""},
		{"", "", false, []string{"--v1.0.0"}, nil, ""},
	} {
		var tags []versioning.Tag
		for _, name := range slices.Concat(c.tags, c.others) {
			if tag, ok := versioning.ParseTag(c.plugin, name); ok {
				tag.Merged = slices.Contains(c.tags, name)
				tags = append(tags, tag)
			}
		}
		var before *semver.Version
		if c.before != "" {
			before = semver.MustParse(c.before)
		}
		var got []string
		for _, tag := range versioning.Releases(tags, before, c.prereleases) {
			got = append(got, tag.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s before %q: %v, want %s", c.plugin, c.before, got, c.want)
		}
	}
}

// Every byte but those of the value stays.
func TestSetVersion(t *testing.T) {
	for before, after := range map[string]string{
		"{\"version\":\"1.0.0\"}":                                               "{\"version\":\"2.0.0\"}",
		"\xef\xbb\xbf{\r\n\t\"version\" : \"1.0.0\"\r\n}":                       "\xef\xbb\xbf{\r\n\t\"version\" : \"2.0.0\"\r\n}",
		"{\"a\":{\"version\":\"1\"},\"v\\u0065rsion\":\"1\\u002e0\"}  ":         "{\"a\":{\"version\":\"1\"},\"v\\u0065rsion\":\"2.0.0\"}  ",
		"{\"packages\":{\"\":{\"version\":\"1.0.0\"}},\"version\":\"1.0.0\"}\n": "{\"packages\":{\"\":{\"version\":\"1.0.0\"}},\"version\":\"2.0.0\"}\n",
	} {
		if got, ok := versioning.SetVersion(project.Parse("package.json", []byte(before), project.Strict), "2.0.0"); !ok || string(got) != after {
			t.Errorf("%q: %q, want %q", before, got, after)
		}
	}
	for _, text := range []string{"", "{", "[]", "{}", "{\"version\":1}", "{\"version\":null}", "{\"version\":\"1\",\"version\":\"2\"}"} {
		if got, ok := versioning.SetVersion(project.Parse("package.json", []byte(text), project.Strict), "2.0.0"); ok {
			t.Errorf("%q: %q", text, got)
		}
	}
	lock := "{\"packages\":{\"\":{\"version\":\"1.0.0\"},\"node_modules/a\":{\"version\":\"1.0.0\"}},\"version\":\"1.0.0\"}\n"
	want := "{\"packages\":{\"\":{\"version\":\"2.0.0\"},\"node_modules/a\":{\"version\":\"1.0.0\"}},\"version\":\"2.0.0\"}\n"
	if got, ok := versioning.SetLockVersion(project.Parse("package-lock.json", []byte(lock), project.Strict), "2.0.0"); !ok || string(got) != want {
		t.Errorf("the lockfile became %s", got)
	}
}
