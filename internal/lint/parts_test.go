package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/diag"
)

const plainManifest = `{"name": "clock", "version": "1.0.0", "description": "Tells the time.", "author": {"name": "Ada"}}`

// furnished is a plugin without a fault.
func furnished(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	furnish(t, root)
	write(t, root, manifestFile, plainManifest)
	return root
}

func expect(t *testing.T, list diag.List, wanted string) {
	t.Helper()
	if got := render(list); strings.TrimSpace(got) != strings.TrimSpace(wanted) {
		t.Errorf("got\n%s\nwant\n%s", got, wanted)
	}
}

func TestPartsInOtherEncodings(t *testing.T) {
	root := furnished(t)
	write(t, root, "skills/latin/SKILL.md", "---\nname: latin\ndescription: Caf\xe9.\n---\n")
	write(t, root, "skills/mark/SKILL.md", "\ufeff---\nname: mark\ndescription: Café.\n---\n")
	write(t, root, "skills/returns/SKILL.md", "---\r\nname: returns\r\ndescription: Café.\r\n---\r\n")
	write(t, root, "skills/long/SKILL.md", "---\nname: long\ndescription: "+strings.Repeat("é", 1500)+"\nwhen_to_use: "+strings.Repeat("é", 37)+"\n---\n")
	write(t, root, "skills/fits/SKILL.md", "---\nname: fits\ndescription: "+strings.Repeat("é", 1500)+"\nwhen_to_use: "+strings.Repeat("é", 36)+"\n---\n")
	expect(t, CheckPlugin(PluginInput{Root: root}), `
warning part-description: skills/long/SKILL.md:3:14: description and when_to_use have 1537 characters
    keep the two under 1,536 characters and put the rest into the text
warning part-encoding: skills/latin/SKILL.md: is not UTF-8
    save it as UTF-8
warning part-encoding: skills/mark/SKILL.md:1: begins with a byte order mark
    save it as UTF-8 without a mark
note part-crlf: skills/returns/SKILL.md: has CR LF line ends
    save it with LF
`)
}

func TestFrontmatterIsBounded(t *testing.T) {
	bomb := "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\ndescription: [*c,*c,*c]\n---\n"
	for name, text := range map[string]string{
		"aliases":   bomb,
		"length":    "---\ndescription: " + strings.Repeat("x", maxFrontmatter) + "\n---\n",
		"nesting":   "---\na: " + strings.Repeat("[", 60) + strings.Repeat("]", 60) + "\n---\n",
		"two parts": "---\n- a\n---\n",
	} {
		if f := readFrontmatter([]byte(text)); !f.found || f.fault == "" || f.values != nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if f := readFrontmatter([]byte("---\n---\ntext")); !f.found || f.fault != "" || string(f.body) != "\ntext" {
		t.Errorf("empty: %+v", f)
	}
}

func FuzzReadFrontmatter(f *testing.F) {
	f.Add([]byte("---\nname: a\ntools: [a, b]\n---\nbody"))
	f.Add([]byte("\ufeff---\r\nname: &a x\r\nb: *a\r\n---"))
	f.Fuzz(func(t *testing.T, text []byte) {
		head := readFrontmatter(text)
		if head.fault != "" && head.values != nil || head.values != nil && !head.found {
			t.Fatalf("%+v", head)
		}
		for _, name := range []string{"name", "tools", "description"} {
			head.words(name)
			if place := head.at("f", name); place.Line < 1 {
				t.Fatalf("%v", place)
			}
		}
	})
}

func TestIcons(t *testing.T) {
	for _, c := range []struct {
		name, icon, wanted string
	}{
		{"small", picture(t, 511, 511), "has 511 by 511 pixels"},
		{"large", picture(t, 2049, 2049), "has 2049 by 2049 pixels"},
		{"oblong", picture(t, 600, 512), "has 600 by 512 pixels and is not square"},
		{"heavy", picture(t, 512, 512) + strings.Repeat(" ", 2_000_000), "has 2.0 MB"},
		{"cut", picture(t, 512, 512)[:20], "is neither PNG nor JPEG"},
		{"largest", picture(t, 2048, 2048), ""},
	} {
		root := furnished(t)
		write(t, root, iconFile, c.icon)
		got := render(CheckPlugin(PluginInput{Root: root}))
		if c.wanted == "" && got != "" || c.wanted != "" && !strings.HasPrefix(got, "warning icon-invalid: .claude-plugin/icon.png: the icon "+c.wanted+"\n") {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// A system that reads a CR after the name of an interpreter looks for that name.
func TestInterpretersInOtherLineEnds(t *testing.T) {
	root := furnished(t)
	write(t, root, hooksFile, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}/scripts/x\""}]}]}}`)
	write(t, root, "scripts/x", "#!/bin/sh\r\ntrue\r\n")
	if err := os.Chmod(filepath.Join(root, "scripts/x"), 0o700); err != nil {
		t.Fatal(err)
	}
	expect(t, CheckPlugin(PluginInput{Root: root}), `
error file-not-runnable: hooks/hooks.json:1:63: hook Stop: scripts/x names no interpreter
    start node with the file as its argument, or begin the file with #!/usr/bin/env node and LF
`)
}

// A build knows more than the disk, and does not look at what is shipped.
func TestCheckPlanned(t *testing.T) {
	root := furnished(t)
	write(t, root, mcpFile, `{"mcpServers": {"t": {"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/bridge/s.cjs"]}}}`)
	write(t, root, ".env", "SECRET=x")
	write(t, root, "skills/tell/SKILL.md", "no frontmatter")
	expect(t, CheckPlanned(PluginInput{Root: root}), `
error file-missing: .mcp.json:1:51: server t: bridge/s.cjs is not there
    build it, or correct the path
`)
	planned := map[string]Planned{"bridge/s.cjs": {Contents: []byte("0")}}
	expect(t, CheckPlanned(PluginInput{Root: root, Planned: planned}), "")
	planned[mcpFile] = Planned{Contents: []byte(`{"mcpServers": {"t": {"command": "${CLAUDE_PLUGIN_ROOT}/bridge/s.cjs"}}}`)}
	expect(t, CheckPlanned(PluginInput{Root: root, Planned: planned}), `
error file-not-runnable: .mcp.json:1:34: server t: bridge/s.cjs is not executable
    start node with the file as its argument, or set the executable bit
`)
	planned["bridge/s.cjs"] = Planned{Contents: []byte("#!/usr/bin/env node\n"), Mode: 0o755}
	expect(t, CheckPlanned(PluginInput{Root: root, Planned: planned}), "")
	write(t, root, "Bridge/S.cjs", "0")
	expect(t, CheckPlanned(PluginInput{Root: root}), `
error file-case: .mcp.json:1:51: server t: bridge/s.cjs is Bridge/S.cjs on disk
    write Bridge/S.cjs
`)
}

func TestCompareTag(t *testing.T) {
	root := furnished(t)
	git := gitProgram(t)
	commit := func() {
		t.Helper()
		repository(t, root, []string{"."})
		gitDo(t, root, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "x")
	}
	compare := func(tag string, wanted bool) {
		t.Helper()
		if changed, err := CompareTag(t.Context(), git, root, tag); err != nil || changed != wanted {
			t.Errorf("%s: %v %v", tag, changed, err)
		}
	}
	commit()
	compare("clock--v1.0.0", false)
	gitDo(t, root, "tag", "clock--v1.0.0")
	compare("clock--v1.0.0", false)
	if err := os.Remove(filepath.Join(root, "LICENSE")); err != nil {
		t.Fatal(err)
	}
	commit()
	compare("clock--v1.0.0", true)
	compare("--help", false)
}
