package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/doctor"
)

// install writes a package of that version into a node_modules folder.
func install(t *testing.T, modules, name, version string) {
	t.Helper()
	dir := filepath.Join(modules, filepath.FromSlash(name))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{ "version": "`+version+`" }`), 0o644); err != nil {
		t.Fatal(err)
	}
}

// script writes a program into a node_modules folder and a link to it on PATH.
func script(t *testing.T, modules, place, bin, name string) {
	t.Helper()
	path := filepath.Join(modules, filepath.FromSlash(place))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho 5.1.0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
		t.Fatal(err)
	}
}

func TestTheTypeScriptOfTheLanguageServerIsJudged(t *testing.T) {
	const advice = "npm install -g typescript-language-server typescript@5"
	cases := map[string]struct {
		beside, ofTsc string
		status        doctor.Status
		note          string
	}{
		"version 5":                   {"5.9.3", "", doctor.OK, ""},
		"version 6":                   {"6.0.2", "", doctor.OK, ""},
		"version 7":                   {"7.0.2", "", doctor.Broken, "cannot use the installed TypeScript 7.0.2"},
		"version 7, 5 on PATH":        {"7.0.2", "5.9.3", doctor.OK, ""},
		"none beside it, 5 on PATH":   {"", "5.9.3", doctor.OK, ""},
		"none beside it, 7 on PATH":   {"", "7.1.0", doctor.Broken, "cannot use the installed TypeScript 7.1.0"},
		"none, as projects bring one": {"", "", doctor.OK, "projects that have TypeScript installed only"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := machine(t, nil)
			modules := filepath.Join(t.TempDir(), "node_modules")
			script(t, modules, "typescript-language-server/lib/cli.mjs", p.Path, "typescript-language-server")
			if c.beside != "" {
				install(t, modules, "typescript", c.beside)
			}
			if c.ofTsc != "" {
				other := filepath.Join(t.TempDir(), "node_modules")
				install(t, other, "typescript", c.ofTsc)
				script(t, other, "typescript/bin/tsc", p.Path, "tsc")
			}
			got := find(t, doctor.Examine(t.Context(), p), "TypeScript language server")
			if got.Status != c.status || !strings.HasSuffix(got.Detail, c.note) || (got.Hint == advice) != (c.status == doctor.Broken) {
				t.Errorf("got %+v", got)
			}
			if c.note == "" && !strings.HasSuffix(got.Detail, ")") {
				t.Errorf("nothing is to be noted: %+v", got)
			}
		})
	}
	if got := find(t, doctor.Examine(t.Context(), machine(t, nil)), "TypeScript language server"); got.Hint != advice {
		t.Errorf("got %+v", got)
	}
}

func TestAMatcherWithFewLanguagesIsNoted(t *testing.T) {
	for version, noted := range map[string]bool{"0.33.0": false, "0.9.1": false, "0.34.0": true, "0.51.2": true, "1.0.0": true} {
		global := t.TempDir()
		install(t, global, "@ast-grep/napi", version)
		install(t, global, "@ast-grep/lang-go", "0.0.5")
		p := machine(t, map[string]string{"npm": "echo " + global})
		p.Modules = []string{"@ast-grep/napi"}
		got := find(t, doctor.Examine(t.Context(), p), "@ast-grep/napi")
		if got.Status != doctor.OK || strings.Contains(got.Detail, "0.33.0 has all 17") != noted {
			t.Errorf("%s: got %+v", version, got)
		}
	}
	p := machine(t, map[string]string{"npm": "echo " + t.TempDir()})
	p.Modules = []string{"@ast-grep/napi"}
	if got := find(t, doctor.Examine(t.Context(), p), "@ast-grep/napi"); got.Hint != "npm install -g @ast-grep/napi@0.33.0" {
		t.Errorf("got %+v", got)
	}
}

func TestAProxyWithoutItsComponentSaysHowToGetIt(t *testing.T) {
	p := machine(t, map[string]string{"rust-analyzer": "echo no such component >&2; exit 1"})
	got := find(t, doctor.Examine(t.Context(), p), "Rust language server")
	if got.Status != doctor.Broken || got.Hint != "rustup component add rust-analyzer" {
		t.Errorf("got %+v", got)
	}
}

func TestTheServersForPythonAreThoseThatTheToolsUse(t *testing.T) {
	p := machine(t, map[string]string{"pylsp": "true"})
	if got := find(t, doctor.Examine(t.Context(), p), "Python language server"); got.Status != doctor.Missing {
		t.Errorf("got %+v", got)
	}
	p = machine(t, map[string]string{"pyright-langserver": "true", "ty": "true"})
	if got := find(t, doctor.Examine(t.Context(), p), "Python language server"); !strings.HasSuffix(got.Detail, "/ty") {
		t.Errorf("got %+v", got)
	}
}
