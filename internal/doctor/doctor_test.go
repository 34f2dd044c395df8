package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/doctor"
)

// machine writes programs that print what the test says.
func machine(t *testing.T, programs map[string]string) doctor.Patient {
	t.Helper()
	dir := t.TempDir()
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return doctor.Patient{Path: dir, Dir: dir, Env: []string{"PATH=/usr/bin:/bin"}}
}

func find(t *testing.T, findings []doctor.Finding, name string) doctor.Finding {
	t.Helper()
	for _, f := range findings {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no finding named %s in %+v", name, findings)
	return doctor.Finding{}
}

func TestVersionsAreJudged(t *testing.T) {
	cases := map[string]struct {
		script  string
		status  doctor.Status
		healthy bool
	}{
		"new enough":   {"echo v22.1.0", doctor.OK, true},
		"too old":      {"echo v18.20.0", doctor.Broken, false},
		"cannot run":   {"exit 3", doctor.Broken, false},
		"prints none":  {"true", doctor.Broken, false},
		"several rows": {"echo v20.0.0; echo more", doctor.OK, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			findings := doctor.Examine(t.Context(), machine(t, map[string]string{"node": c.script}))
			if got := find(t, findings, "node"); got.Status != c.status || got.Ill() == c.healthy || strings.Contains(got.Detail, "\n") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestOnlyNodeIsNeeded(t *testing.T) {
	findings := doctor.Examine(t.Context(), machine(t, map[string]string{"node": "echo v20.1.0", "claude": "exit 1"}))
	for _, f := range findings {
		if f.Ill() {
			t.Errorf("an optional program must not fail the command: %+v", f)
		}
	}
	if claude := find(t, findings, "claude"); claude.Status != doctor.Broken {
		t.Errorf("got %+v", claude)
	}
	tmux := find(t, findings, "tmux")
	if tmux.Status != doctor.Missing || tmux.Hint == "" {
		t.Errorf("got %+v", tmux)
	}
	empty := doctor.Examine(t.Context(), machine(t, nil))
	if node := find(t, empty, "node"); !node.Ill() || node.Hint == "" {
		t.Errorf("a machine without node is not well: %+v", node)
	}
}

func TestHintsSayWhatInstalls(t *testing.T) {
	for _, programs := range []map[string]string{{}, {"go": "exit 1", "rustup": "exit 1"}} {
		findings := doctor.Examine(t.Context(), machine(t, programs))
		for name, tool := range map[string]string{"Go language server": "go", "Rust language server": "rustup"} {
			_, there := programs[tool]
			if got := find(t, findings, name); strings.Contains(got.Hint, "("+tool+" is not on PATH either)") == there {
				t.Errorf("with %v: %+v", programs, got)
			}
		}
		if claude := find(t, findings, "claude"); !strings.Contains(claude.Hint, "npm install -g") {
			t.Errorf("no command: %+v", claude)
		}
	}
}

func TestAnyLanguageServerOfAKindCounts(t *testing.T) {
	findings := doctor.Examine(t.Context(), machine(t, map[string]string{"basedpyright-langserver": "exit 1"}))
	if got := find(t, findings, "Python language server"); got.Status != doctor.OK || !strings.HasSuffix(got.Detail, "basedpyright-langserver") {
		t.Errorf("got %+v", got)
	}
}

func TestNativeModulesAreLookedForInTheGlobalFolder(t *testing.T) {
	global := t.TempDir()
	if err := os.MkdirAll(filepath.Join(global, "@ast-grep", "napi"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := machine(t, map[string]string{"npm": "echo " + global})
	p.Modules = []string{"@ast-grep/napi", "better-sqlite3"}
	findings := doctor.Examine(t.Context(), p)
	if got := find(t, findings, "@ast-grep/napi"); got.Status != doctor.OK {
		t.Errorf("got %+v", got)
	}
	if got := find(t, findings, "better-sqlite3"); got.Status != doctor.Missing || got.Hint != "npm install -g better-sqlite3" {
		t.Errorf("got %+v", got)
	}
	p.Path = t.TempDir()
	if got := find(t, doctor.Examine(t.Context(), p), "better-sqlite3"); got.Status != doctor.Missing || !strings.Contains(got.Detail, "npm") {
		t.Errorf("got %+v", got)
	}
}
