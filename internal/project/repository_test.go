package project_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// TestOpen is TestLoad for repositories of several plugins: testdata/open. The
// section want holds the plugins in their order, or the one that was opened, and
// the diagnostics.
func TestOpen(t *testing.T) {
	golden(t, "testdata/open", opened)
}

// opened describes what Open makes of a folder.
func opened(root, from string) string {
	var b strings.Builder
	p, r, err := project.Open(from)
	var failure *diag.Failure
	switch {
	case errors.As(err, &failure):
		class := "failed"
		if failure.Class == diag.Usage {
			class = "usage"
		}
		fmt.Fprintln(&b, class)
		describe(&b, failure.Diagnostics)
	case err != nil:
		fmt.Fprintln(&b, "error:", err)
	case p != nil:
		fmt.Fprintf(&b, "one: %s in %s\n", p.Config.Plugin.Name, p.Root)
		if p.Within != nil {
			fmt.Fprintf(&b, "of %s, entry %q, catalog %v\n", p.Within.Root, p.Within.Entry, p.Within.Catalog)
		}
		describe(&b, p.Diagnostics)
	default:
		for _, m := range r.Plugins {
			fmt.Fprintf(&b, "%s: %s (%s)", m.Path, m.Name, m.From)
			if m.Project != nil {
				fmt.Fprintf(&b, " %d bundles", len(m.Project.Bundles))
			}
			fmt.Fprintln(&b)
			describe(&b, m.Faults)
		}
		describe(&b, r.Diagnostics)
	}
	return strings.ReplaceAll(b.String(), root, "$ROOT")
}

// TestLoadWantsOnePlugin: what knows only one plugin says so at a root of several.
func TestLoadWantsOnePlugin(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/open/order.txtar")
	if err != nil {
		t.Fatal(err)
	}
	root, _ := unpack(t, archive)
	_, err = project.Load(root)
	var failure *diag.Failure
	if !errors.As(err, &failure) || failure.Class != diag.Usage || failure.Diagnostics[0].Code != "several-plugins" {
		t.Fatalf("got %v", err)
	}
	if hint := failure.Diagnostics[0].Hint; !strings.Contains(hint, "-C plugins/b, -C plugins/a") {
		t.Errorf("the hint is %q", hint)
	}
	p, err := project.Load(filepath.Join(root, "plugins", "b"))
	if err != nil || p.Config.Plugin.Name != "b" {
		t.Errorf("got %v, %v", p, err)
	}
}

// TestTooManyPlugins bounds what a catalog makes omcbuild look at.
func TestTooManyPlugins(t *testing.T) {
	root := t.TempDir()
	entries := strings.Repeat(`{ "name": "a", "source": "./a" }, `, 1001)
	write(t, root, ".claude-plugin/marketplace.json", `{ "name": "m", "plugins": [`+strings.TrimSuffix(entries, ", ")+`] }`)
	write(t, root, "a/.claude-plugin/plugin.json", `{ "name": "a" }`)
	_, _, err := project.Open(root)
	if err == nil || !strings.Contains(err.Error(), "more than 1000 plugins") {
		t.Errorf("got %v", err)
	}
}
