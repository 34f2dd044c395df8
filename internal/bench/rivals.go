package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	entry   = "src/mcp/standalone-server.ts"
	outfile = "bridge/mcp-server.cjs"
	version = `"0.0.0"` // what stands for __PLUGIN_VERSION__
)

// rivals are the other tools, installed by npm as the lock file beside the folder
// says. No script of a package was run: programs are started where their packages
// have them.
type rivals struct{ folder string }

func (r rivals) file(path string) string {
	return filepath.Join(r.folder, "node_modules", filepath.FromSlash(path))
}

// missing says that they are not installed and what installs them, "" when they
// are there.
func (r rivals) missing() string {
	if _, err := os.Stat(r.file("esbuild/package.json")); err != nil {
		return "not installed; make bench installs internal/bench/rivals"
	}
	return ""
}

// script is a file of ours beside the lock file.
func (r rivals) script(name string) string { return filepath.Join(r.folder, name) }

// versionOf returns the version of a package, "?" when it is not there.
func (r rivals) versionOf(name string) string {
	var manifest struct{ Version string }
	text, err := os.ReadFile(r.file(name + "/package.json"))
	if err != nil || json.Unmarshal(text, &manifest) != nil {
		return "?"
	}
	return manifest.Version
}

// versions says what was compared with.
func (r rivals) versions() string {
	return fmt.Sprintf("esbuild %s, bun %s, rolldown %s, tsdown %s (with rolldown %s), tsup %s (with esbuild %s), TypeScript %s",
		r.versionOf("esbuild"), r.versionOf("bun"), r.versionOf("rolldown"),
		r.versionOf("tsdown"), r.versionOf("tsdown/node_modules/rolldown"), r.versionOf("tsup"), r.versionOf("tsup/node_modules/esbuild"),
		r.versionOf("typescript"))
}

// bun returns bun's program for this machine, or why there is none.
func (r rivals) bun() (path, absent string) {
	system, name := map[string]string{"linux": "linux", "darwin": "darwin", "windows": "windows"}[runtime.GOOS], "bun"
	if system == "windows" {
		name += ".exe"
	}
	processor := map[string]string{"amd64": "x64", "arm64": "aarch64"}[runtime.GOARCH]
	for _, variant := range []string{"", "-musl", "-baseline", "-musl-baseline"} {
		path := r.file("@oven/bun-" + system + "-" + processor + variant + "/bin/" + name)
		if _, err := os.Stat(path); err == nil {
			return path, ""
		}
	}
	if missing := r.missing(); missing != "" {
		return "", missing
	}
	return "", "not published for " + runtime.GOOS + "/" + runtime.GOARCH
}

// tool is a bundler as a command that makes one CommonJS file of the server.
type tool struct {
	name   string
	path   string
	args   []string
	watch  []string // what is added to have it go on
	out    string   // the file that it writes, relative to the copy
	helped bool     // a process of esbuild works for it, whose end it does not wait for
	absent string   // why it cannot run here
}

// tools are the commands of the others, to be run in a copy of the repository.
func (l *lab) tools() []tool {
	bun, noBun := l.rivals.bun()
	// tsup watches all below the folders that it is told, installed packages included.
	var sources []string
	for _, folder := range []string{"mcp", "tools", "lib", "lsp"} {
		sources = append(sources, "--watch", "src/"+folder)
	}
	outName := strings.TrimSuffix(filepath.Base(entry), ".ts")
	return []tool{
		{name: "esbuild", path: l.esbuild, out: "out/esbuild.cjs", watch: []string{"--watch=forever"}, args: []string{entry,
			"--bundle", "--platform=node", "--format=cjs", "--target=node20", "--main-fields=module,main", "--log-level=error",
			"--define:__PLUGIN_VERSION__=" + version, "--outfile=out/esbuild.cjs"}},
		{name: "bun", path: bun, absent: noBun, out: "out/bun.cjs", watch: []string{"--watch", "--no-clear-screen"}, args: []string{"build", entry,
			"--target=node", "--format=cjs", "--define=__PLUGIN_VERSION__=" + version, "--outfile=out/bun.cjs"}},
		{name: "rolldown", path: l.node, absent: l.rivals.missing(), out: "out/rolldown.cjs", watch: []string{"--watch"}, args: []string{l.rivals.file("rolldown/bin/cli.mjs"), entry,
			"--platform", "node", "--format", "cjs", "--no-codeSplitting", "--transform.define", "__PLUGIN_VERSION__:" + version, "--file", "out/rolldown.cjs"}},
		{name: "tsdown", path: l.node, absent: l.rivals.missing(), out: "out/tsdown/" + outName + ".cjs", watch: []string{"--watch"}, args: []string{l.rivals.file("tsdown/dist/run.mjs"), entry,
			"--config", "tsdown.config.mjs", "--config-loader", "native", "--format", "cjs", "--platform", "node", "--target", "node20", "--no-clean", "--out-dir", "out/tsdown"}},
		{name: "tsup", helped: true, path: l.node, absent: l.rivals.missing(), out: "out/tsup/" + outName + ".js", watch: sources, args: []string{l.rivals.file("tsup/dist/cli-default.js"), entry,
			"--no-config", "--format", "cjs", "--platform", "node", "--target", "node20", "--no-splitting", "--define.__PLUGIN_VERSION__", version, "--out-dir", "out/tsup"}},
	}
}

// rivalsCopy makes a copy of the repository with what the others need there.
func (l *lab) rivalsCopy(name string) (string, error) {
	copied, err := l.copy(name)
	if err != nil {
		return "", err
	}
	settings, err := os.ReadFile(l.rivals.script("tsdown.config.mjs"))
	if err != nil {
		return "", err
	}
	return copied, os.WriteFile(filepath.Join(copied, "tsdown.config.mjs"), settings, 0o644)
}
