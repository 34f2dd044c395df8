package project

import (
	"strings"
	"testing"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1300000": 1300000, "1.3MB": 1300000, "1.3 MB": 1300000, "900kB": 900000, "900KB": 900000,
		"2KiB": 2048, "1.5MiB": 1572864, "1GB": 1e9, "1GiB": 1 << 30, "7b": 7, "3k": 3000, "2m": 2e6,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "1e3", "1.2.3MB", "1 parsec", "0", "0.0001kB", "9999999GiB", "1MB extra", "1,3MB"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%s: got %d, want an error", text, got)
		}
	}
}

func TestNodeTargetIsTheLowestMajorAdmitted(t *testing.T) {
	for engine, want := range map[string]string{
		">=20":                 "node20",
		">=20.19.0":            "node20",
		">20":                  "node21",
		"^18.17.0 || >=20.5.0": "node18",
		"20.x || 22.x":         "node20",
		">=18 <23":             "node18",
		">=18.0.0 <18.1.0":     "node18",
		"~22.3":                "node22",
		"22":                   "node22",
		"=20.11.1":             "node20",
		"18 - 20":              "node18",
		">=16 !=16.4.0":        "node16",
		"<22":                  "node12",
	} {
		if got, err := nodeTarget(engine); err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", engine, got, err, want)
		}
	}
	for _, engine := range []string{"twenty", "<4", ">=20 <10", ">=99", "node 20", strings.Repeat("1", 400)} {
		if got, err := nodeTarget(engine); err == nil {
			t.Errorf("%s: got %s, want an error", engine, got)
		}
	}
}

func TestParsePerson(t *testing.T) {
	for text, want := range map[string]Person{
		"":                            {},
		"Ada":                         {Name: "Ada"},
		"Ada Byron <ada@example.org>": {Name: "Ada Byron", Email: "ada@example.org"},
		"Ada (https://example.org)":   {Name: "Ada", URL: "https://example.org"},
		"Ada <a@b> (https://c.org)":   {Name: "Ada", Email: "a@b", URL: "https://c.org"},
		"<a@b>":                       {Email: "a@b"},
		"  Ada   Byron  ":             {Name: "Ada Byron"},
		"Ada <unclosed":               {Name: "Ada", Email: "unclosed"},
	} {
		if got := ParsePerson(text); got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"bundles", "entry", "outfile", "budget", "define"}
	for written, want := range map[string]string{
		"bundels": "bundles", "bundle": "bundles", "Entry": "entry", "outFile": "outfile", "out_file": "outfile",
		"defines": "define", "zebra": "", "": "", "e": "", "buget": "budget", strings.Repeat("x", 5000): "",
	} {
		if got := Nearest(written, names); got != want {
			t.Errorf("%q: got %q, want %q", clip(written, 20), got, want)
		}
	}
}

func TestCleanPath(t *testing.T) {
	for written, want := range map[string]string{
		"a/b": "a/b", "./a": "a", "a//b/": "a/b", "a/./b": "a/b", "..a/b": "..a/b", "a b": "a b", ".": ".",
	} {
		if got, err := cleanPath(written); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", written, got, err, want)
		}
	}
	for _, written := range []string{"..", "../a", "a/..", "a/../b", "/a", `a\b`, "c:/a", "C:a", `\\server\share\a`, "//server/share/a", "/c/a", "~/a", "a\x00b", "a\nb"} {
		if got, err := cleanPath(written); err == nil {
			t.Errorf("%q: got %q, want an error", written, got)
		}
	}
}

func TestExpandDefine(t *testing.T) {
	pkg := PackageJSON{Name: `odd "name" </script>`, Version: "1.2.3"}
	for value, want := range map[string]string{
		"$version": `"1.2.3"`, "$name": `"odd \"name\" \u003c/script\u003e"`, "false": "false", "[1, 2]": "[1, 2]",
		`"text"`: `"text"`, "process.env.HOME": "process.env.HOME", "undefined": "undefined",
	} {
		if got, err := expandDefine(value, pkg); err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", value, got, err, want)
		}
	}
	for _, value := range []string{"$other", "a b", "1 +", "a..b", "alert()"} {
		if got, err := expandDefine(value, pkg); err == nil {
			t.Errorf("%s: got %s, want an error", value, got)
		}
	}
}
