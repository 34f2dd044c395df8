//go:build unix

package lint

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"omcbuild/internal/diag"
)

// TestNoPipeIsWaitedFor would hang if a rule opened a named pipe.
func TestNoPipeIsWaitedFor(t *testing.T) {
	manifests := []string{manifestFile, catalogFile, mcpFile, hooksFile, packageFile, lspFile, "settings.json", "more/.claude-plugin/plugin.json"}
	others := []string{
		"skills/tell/SKILL.md", "skills/pipe", "agents/tell.md", "commands/tell.md", "output-styles/tell.md", readmeFile, iconFile,
		"LICENSE", ".npmrc", "bridge/s.cjs", "workflows", "CLAUDE.md", ".gitignore",
	}
	for _, name := range slices.Concat(manifests, others) {
		root := t.TempDir()
		for file, text := range map[string]string{
			manifestFile: `{"name": "clock", "version": "1.0.0"}`,
			catalogFile:  `{"name": "clocks", "owner": {"name": "Ada"}, "plugins": [{"name": "more", "source": "./more"}]}`,
			mcpFile:      `{"mcpServers": {"t": {"command": "${CLAUDE_PLUGIN_ROOT}/bridge/s.cjs"}}}`,
		} {
			if file != name {
				write(t, root, file, text)
			}
		}
		pipe := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(pipe), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		list := CheckPlugin(PluginInput{Root: root})
		said := slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Message == "is no regular file" && d.File == name })
		if slices.Contains(manifests[:len(manifests)-1], name) && !said {
			t.Errorf("%s as a named pipe: %v", name, list)
		}
	}
}
