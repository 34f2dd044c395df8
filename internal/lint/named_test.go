package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/lint"
)

func TestNamedFiles(t *testing.T) {
	root := t.TempDir()
	for _, file := range txtar.Parse([]byte(`
-- .claude-plugin/plugin.json --
{"name": "clock", "skills": ["./more", "../outside"], "commands": {"tell": {"source": "./extra/tell.md"}, "say": {"content": "x"}}, "hooks": "./config/hooks.json",
 "icon": "./logo.png", "experimental": {"themes": "./dark"}, "mcpServers": ["./servers.json", "https://example.org/x.mcpb"], "agents": "./agents/one.md"}
-- servers.json --
{"mcpServers": {"s": {"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/bridge/s.cjs", "--config=${CLAUDE_PLUGIN_ROOT}/data/table.json", "${CLAUDE_PLUGIN_ROOT}/../up.js", "${CLAUDE_PLUGIN_ROOT}"],
 "env": {"PLACE": "${CLAUDE_PLUGIN_ROOT}/data/places"}}}}
-- config/hooks.json --
{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}/bin/stop\" && python3 \"$CLAUDE_PLUGIN_ROOT\"/scripts/a.py"}]}],
 "Setup": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/bin/setup", "args": ["x"]}]}]}}
-- .lsp.json --
{"go": {"command": "${CLAUDE_PLUGIN_ROOT}/bin/lsp", "args": [["${CLAUDE_PLUGIN_ROOT}/lsp/config.json"]]}}
-- skills/tell/SKILL.md --
---
description: x
---
Run ` + "`python ${CLAUDE_PLUGIN_ROOT}/scripts/tell.py`" + `, then (see ${CLAUDE_PLUGIN_ROOT}/docs/tell.md).
-- agents/one.md --
Read ${CLAUDE_PLUGIN_ROOT}/data/table.json.
-- agents/two.md --
Not named: ${CLAUDE_PLUGIN_ROOT}/data/unused.json
`)).Files {
		full := filepath.Join(root, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	named, err := lint.NamedFiles(lint.PluginInput{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range named {
		line := n.Path + " by " + n.By
		if n.Part {
			line += ", a part"
		}
		if n.Starts {
			line += ", started"
		}
		got = append(got, line)
	}
	want := []string{
		"agents by .claude-plugin/plugin.json, a part",
		"agents/one.md by .claude-plugin/plugin.json, a part",
		"bin/lsp by .lsp.json",
		"bin/setup by hook Setup, started",
		"bin/stop by hook Stop, started",
		"bridge/s.cjs by server s",
		"config/hooks.json by .claude-plugin/plugin.json, a part",
		"dark by .claude-plugin/plugin.json, a part",
		"data/places by servers.json",
		"data/table.json by server s",
		"docs/tell.md by skills/tell/SKILL.md",
		"extra/tell.md by .claude-plugin/plugin.json, a part",
		"logo.png by .claude-plugin/plugin.json, a part",
		"lsp/config.json by .lsp.json",
		"more by .claude-plugin/plugin.json, a part",
		"scripts/a.py by hook Stop",
		"scripts/tell.py by skills/tell/SKILL.md",
		"servers.json by .claude-plugin/plugin.json, a part",
		"skills by .claude-plugin/plugin.json, a part",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := lint.NamedFiles(lint.PluginInput{Root: filepath.Join(root, "none")}); err == nil {
		t.Error("a folder that is not there has names")
	}
	if got := fmt.Sprint(lint.GroupOf("shipped-junk"), lint.GroupOf("none")); got != "shipped" {
		t.Errorf("groups: %q", got)
	}
}
