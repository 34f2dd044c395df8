package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
	"omcbuild/internal/project"
)

func found(d ...diag.Diagnostic) func(context.Context, *run) error {
	return func(_ context.Context, r *run) error { r.diagnostics.Add(d...); return nil }
}

func names(r *run) string {
	var done []string
	for _, s := range r.steps {
		name := s.Name
		if s.Skipped != "" {
			name += " (" + s.Skipped + ")"
		}
		done = append(done, name)
	}
	return strings.Join(done, ", ")
}

func TestStepsRunInOrderUntilAnError(t *testing.T) {
	yes := func(*run) bool { return true }
	cases := map[string]struct {
		steps []step
		want  string
	}{
		"all of them":        {[]step{{name: "a", do: found()}, {name: "b", do: found()}}, "a, b"},
		"a warning goes on":  {[]step{{name: "a", do: found(diag.Diagnostic{Level: diag.Warning})}, {name: "b", do: found()}}, "a, b"},
		"an error stops":     {[]step{{name: "a", do: found(diag.Diagnostic{})}, {name: "b", do: found()}}, "a"},
		"unless told not to": {[]step{{name: "a", do: found(diag.Diagnostic{}), goOn: yes}, {name: "b", do: found()}}, "a, b"},
		"a skipped one says why": {[]step{{name: "a", do: found(diag.Diagnostic{}), skip: func(*run) string { return "not asked for" }}, {name: "b", do: found()}},
			"a (not asked for), b"},
		"a failure becomes a diagnostic": {[]step{{name: "a", do: func(context.Context, *run) error { return diag.Fail(diag.Diagnostic{Code: "x"}) }}, {name: "b", do: found()}}, "a"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := &run{}
			if err := r.do(t.Context(), c.steps); err != nil {
				t.Fatal(err)
			}
			if got := names(r); got != c.want {
				t.Errorf("did %q, want %q", got, c.want)
			}
		})
	}
}

func TestMisuseAndTheEndOfTheContextStopEverything(t *testing.T) {
	r := &run{}
	err := r.do(t.Context(), []step{{name: "a", do: func(context.Context, *run) error { return diag.Misuse(diag.Diagnostic{Code: "usage"}) }}})
	var failure *diag.Failure
	if !errors.As(err, &failure) || failure.Class != diag.Usage || len(r.diagnostics) > 0 {
		t.Errorf("got %v, diagnostics %v", err, r.diagnostics)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.do(ctx, []step{{name: "a", do: found()}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFirstDifference(t *testing.T) {
	cases := []struct {
		a, b string
		line int
	}{
		{"a\nb\nc", "a\nX\nc", 2},
		{"a\nb", "a\nb\nc", 2},
		{"a\n", "a", 1},
		{"", "a", 1},
	}
	for _, c := range cases {
		if line := firstDifference([]byte(c.a), []byte(c.b)); line != c.line {
			t.Errorf("%q and %q part at line %d, want %d", c.a, c.b, line, c.line)
		}
	}
}

func TestOriginNamesTheSourceOfALine(t *testing.T) {
	bundle := []byte("#!/usr/bin/env node\n// src/a.ts\nvar a = 1;\n// src/b.ts\nvar b = 2;\n")
	for line, want := range map[int]string{1: "", 3: ", which comes from src/a.ts", 5: ", which comes from src/b.ts"} {
		if got := origin(bundle, line); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
}

// fixture is a copy of the plugin that the command's scripts use.
func fixture(t *testing.T) (string, BuildOptions) {
	t.Helper()
	root := filepath.Join(t.TempDir(), "plugin")
	if err := os.CopyFS(root, os.DirFS(filepath.Join("..", "..", "cmd", "omcbuild", "testdata", "plugin"))); err != nil {
		t.Fatal(err)
	}
	node, err := process.LookPath("node", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	return root, BuildOptions{Verify: true, ToolVersion: "test", CacheDir: t.TempDir(), Machine: Machine{Node: node, Path: os.Getenv("PATH"), Temp: t.TempDir(), Env: os.Environ()}}
}

func TestBuildsOfOneProjectTakeTurns(t *testing.T) {
	root, o := fixture(t)
	var group errgroup.Group
	for range 4 {
		group.Go(func() error {
			p, err := project.Load(root)
			if err != nil {
				return err
			}
			result, err := Build(t.Context(), p, o)
			if err == nil && result.Diagnostics.HasErrors() {
				err = errors.New(result.Diagnostics[0].String())
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(root, "bridge"))
	if err != nil || len(entries) != 2 {
		t.Errorf("bridge holds %v (%v), want the bundle and its lock file", entries, err)
	}
}

func TestWaitingForATurnEndsWithTheContext(t *testing.T) {
	cache := t.TempDir()
	done, err := takeTurn(t.Context(), cache, "/a/project")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := takeTurn(ctx, cache, "/a/project"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	other, err := takeTurn(t.Context(), cache, "/another/project")
	if err != nil {
		t.Fatal(err)
	}
	other()
	done()
	again, err := takeTurn(t.Context(), cache, "/a/project")
	if err != nil {
		t.Fatal(err)
	}
	again()
}

func TestAnOutputThatWasTakenAwayIsBuiltAgain(t *testing.T) {
	root, o := fixture(t)
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(root, "bridge", "mcp-server.cjs")
	for _, disturb := range []func() error{
		func() error { return nil },
		func() error { return os.Remove(bundle) },
		func() error { return os.WriteFile(bundle, []byte("process.exit(1)"), 0o755) },
		func() error { return os.Chmod(bundle, 0o600) },
	} {
		if err := disturb(); err != nil {
			t.Fatal(err)
		}
		result, err := Build(t.Context(), p, o)
		if err != nil || result.Diagnostics.HasErrors() || result.Bundles[0].UpToDate {
			t.Fatalf("result %+v, err %v", result, err)
		}
		if again, err := Build(t.Context(), p, o); err != nil || !again.Bundles[0].UpToDate {
			t.Errorf("not recognised: %+v, err %v", again, err)
		}
	}
}
