package bundler_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/bundler"
)

// reporter is a program that reaches two externals in every way, only when told.
const reporter = `
const say = async (name, load) => {
  try { console.log(name, (await load()).who); }
  catch (error) { console.log(name, error.code, error.message.split("\n").filter((line) => line.includes("installed in")).join()); }
};
const ways = {
  require: () => require("plain-outside"),
  subpath: () => require("plain-outside/sub.js"),
  resolve: () => ({ who: require.resolve("plain-outside").split(/[\\/]/).slice(-2).join("/") }),
  import: () => import("plain-outside"),
  esm: () => import("esm-outside"),
  "esm-sub": () => import("esm-outside/parts/one"),
};
setImmediate(async () => {
  for (const way of process.argv.slice(2)) await say(way, ways[way]);
  console.log("NODE_PATH", process.env.NODE_PATH ?? "unset");
});
`

// machine is a made-up computer: a home folder, a PATH with node and perhaps npm,
// and a bundle in a folder of its own.
type machine struct {
	t                 *testing.T
	home, bin, bundle string
	env               []string
}

func newMachine(t *testing.T, extra string) *machine {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "main.js"), extra+reporter)
	write(t, filepath.Join(root, "package.json"), `{"dependencies":{"plain-outside":"^2.1.0"},"optionalDependencies":{"esm-outside":"*"}}`)
	result, err := bundler.Build(context.Background(), bundler.Options{Root: root, Entry: "main.js", Outfile: "out/server.cjs", External: []string{"plain-outside", "esm-outside"}})
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, home: t.TempDir(), bin: t.TempDir()}
	place(t, filepath.Join(m.home, "cache"), result.Outputs)
	m.bundle = filepath.Join(m.home, "cache", "out", "server.cjs")
	return m
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// install puts the two packages into a folder of global packages below home.
func (m *machine) install(folder, version string) string {
	folder = filepath.Join(m.home, folder)
	write(m.t, filepath.Join(folder, "plain-outside", "package.json"), `{"name":"plain-outside","version":"`+version+`","main":"index.js"}`)
	write(m.t, filepath.Join(folder, "plain-outside", "index.js"), `exports.who = "plain `+version+`";`)
	write(m.t, filepath.Join(folder, "plain-outside", "sub.js"), `exports.who = "sub";`)
	write(m.t, filepath.Join(folder, "esm-outside", "package.json"), `{"name":"esm-outside","version":"0.0.1","type":"module",
		"exports":{".":{"types":"./x.d.ts","import":{"node":"./node.js"}},"./parts/*":{"import":"./deep/*.js"}}}`)
	write(m.t, filepath.Join(folder, "esm-outside", "node.js"), `export const who = "esm";`)
	write(m.t, filepath.Join(folder, "esm-outside", "deep", "one.js"), `export const who = "part one";`)
	return folder
}

// npm puts a program called npm on the PATH; each call leaves a line in npm.log.
func (m *machine) npm(script string) {
	write(m.t, filepath.Join(m.bin, "npm"), "#!/bin/sh\necho \"$@\" >> "+filepath.Join(m.home, "npm.log")+"\n"+script+"\n")
}

func (m *machine) npmCalls() string {
	text, _ := os.ReadFile(filepath.Join(m.home, "npm.log"))
	return string(text)
}

func (m *machine) run(ways ...string) string {
	m.t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		m.t.Fatal(err)
	}
	if node, err = filepath.EvalSymlinks(node); err != nil {
		m.t.Fatal(err)
	}
	cmd := exec.Command(node, append([]string{m.bundle}, ways...)...)
	cmd.Dir = m.t.TempDir()
	cmd.Env = append([]string{"HOME=" + m.home, "PATH=" + m.bin + ":/bin"}, m.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("%v: %s", err, out)
	}
	return strings.ReplaceAll(string(out), m.home, "~")
}

const foundAll = `require plain 2.1.4
subpath sub
resolve plain-outside/index.js
import plain 2.1.4
esm esm
esm-sub part one
`

var allWays = []string{"require", "subpath", "resolve", "import", "esm", "esm-sub"}

// The packages are found wherever a package manager puts what is installed
// globally, and npm is not started for it.
func TestHeaderFindsGlobalPackages(t *testing.T) {
	cases := []struct {
		name, folder string
		env          []string
		files        map[string]string
	}{
		{name: "prefix in the environment", folder: "p/lib/node_modules", env: []string{"npm_config_prefix=~/p"}},
		{name: "prefix in .npmrc", folder: "q/lib/node_modules", files: map[string]string{".npmrc": "fund=false\nprefix = ~/q\n"}},
		{name: "prefix with a variable", folder: "r/lib/node_modules", files: map[string]string{".npmrc": "prefix=\"${HOME}/r\"\n"}},
		{name: "npm on the PATH", folder: "s/lib/node_modules", env: []string{"PATH=~/s/bin"}, files: map[string]string{"s/bin/npm": "#!/bin/sh\nexit 9\n"}},
		{name: "pnpm", folder: "pn/global/5/node_modules", env: []string{"PNPM_HOME=~/pn"}},
		{name: "pnpm at home", folder: ".local/share/pnpm/global/5/node_modules"},
		{name: "yarn", folder: ".config/yarn/global/node_modules"},
		{name: "bun", folder: ".bun/install/global/node_modules"},
		{name: "nvm in use", folder: "v/lib/node_modules", env: []string{"NVM_BIN=~/v/bin"}},
		{name: "nvm default", folder: ".nvm/versions/node/v20.1.2/lib/node_modules", files: map[string]string{".nvm/alias/default": "20\n", ".nvm/versions/node/v2.0.0/x": ""}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t, "")
			m.npm("exit 1")
			folder := m.install(c.folder, "2.1.4")
			for name, text := range c.files {
				write(t, filepath.Join(m.home, name), text)
			}
			for _, set := range c.env {
				m.env = append(m.env, strings.Replace(set, "~", m.home, 1))
			}
			want := foundAll + "NODE_PATH " + strings.Replace(folder, m.home, "~", 1) + "\n"
			if got := m.run(allWays...); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			if calls := m.npmCalls(); calls != "" {
				t.Errorf("npm was started: %s", calls)
			}
		})
	}
}

// volta keeps each global package in a folder of its own.
func TestHeaderFindsVoltaPackages(t *testing.T) {
	m := newMachine(t, "")
	m.install(".volta/tools/image/packages/plain-outside/lib/node_modules", "2.1.4")
	if got := m.run("import"); !strings.HasPrefix(got, "import plain 2.1.4\n") {
		t.Error(got)
	}
}

func TestHeaderUsesNodePathAsItIs(t *testing.T) {
	m := newMachine(t, "")
	m.install("given", "2.1.4")
	m.env = []string{"NODE_PATH=/nowhere:" + filepath.Join(m.home, "given")}
	if got, want := m.run(allWays...), foundAll+"NODE_PATH /nowhere:~/given\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestHeaderKeepsNodePath(t *testing.T) {
	m := newMachine(t, "")
	m.install("p/lib/node_modules", "2.1.4")
	m.env = []string{"NODE_PATH=/nowhere", "npm_config_prefix=" + filepath.Join(m.home, "p")}
	if got, want := m.run("require", "require"), "require plain 2.1.4\nrequire plain 2.1.4\nNODE_PATH ~/p/lib/node_modules:/nowhere\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestHeaderAsksNpmLastAndOnce(t *testing.T) {
	for _, ways := range [][]string{{"require", "esm"}, {"esm", "require"}} {
		m := newMachine(t, "")
		folder := m.install("odd/place", "2.1.4")
		m.npm("echo " + folder)
		got := m.run(ways...)
		if !strings.Contains(got, "require plain 2.1.4\n") || !strings.Contains(got, "esm esm\n") {
			t.Error(got)
		}
		if calls := m.npmCalls(); calls != "root -g\n" {
			t.Errorf("npm was called %q", calls)
		}
	}
}

func TestHeaderReportsTheOriginalError(t *testing.T) {
	missing := "require MODULE_NOT_FOUND \nimport ERR_MODULE_NOT_FOUND \nsubpath MODULE_NOT_FOUND \nNODE_PATH unset\n"
	for name, script := range map[string]string{"npm fails": "exit 1", "npm knows nothing": "echo /nowhere", "npm prints nothing": "true"} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "")
			m.npm(script)
			if got := m.run("require", "import", "subpath"); got != missing {
				t.Errorf("got\n%s", got)
			}
			if calls := m.npmCalls(); calls != "root -g\n" {
				t.Errorf("npm was called %q", calls)
			}
		})
	}
	t.Run("no npm", func(t *testing.T) {
		if got := newMachine(t, "").run("require", "import", "subpath"); got != missing {
			t.Errorf("got\n%s", got)
		}
	})
}

// An npm that would take half an hour is not started when nothing is missing, and
// is given up on when something is.
func TestHeaderDoesNotWaitForNpm(t *testing.T) {
	m := newMachine(t, "")
	m.npm("exec sleep 1800")
	if got := m.run(); got != "NODE_PATH unset\n" || m.npmCalls() != "" {
		t.Errorf("got %q, npm was called %q", got, m.npmCalls())
	}
	if got := m.run("require", "import"); !strings.HasPrefix(got, "require MODULE_NOT_FOUND \nimport ERR_MODULE_NOT_FOUND \n") {
		t.Error(got)
	}
}

func TestHeaderNamesAWrongVersion(t *testing.T) {
	m := newMachine(t, "")
	m.install(".bun/install/global/node_modules", "3.0.0")
	want := "require MODULE_NOT_FOUND plain-outside 3.0.0 is installed in ~/.bun/install/global/node_modules, but ^2.1.0 is needed\nesm esm\n"
	if got := m.run("require", "esm"); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
	m.install(".config/yarn/global/node_modules", "2.2.0")
	if got := m.run("require"); !strings.HasPrefix(got, "require plain 2.2.0\n") {
		t.Error(got)
	}
}

// A package that is there but broken is not looked for elsewhere.
func TestHeaderLeavesOtherErrorsAlone(t *testing.T) {
	m := newMachine(t, "")
	m.npm("exit 1")
	folder := m.install("given", "2.1.4")
	write(t, filepath.Join(folder, "plain-outside", "index.js"), `require("its-own-part")`)
	m.env = []string{"NODE_PATH=" + folder}
	if got := m.run("require"); !strings.HasPrefix(got, "require MODULE_NOT_FOUND \n") || m.npmCalls() != "" {
		t.Errorf("got %q, npm was called %q", got, m.npmCalls())
	}
}

// Nothing happens at load: no process, no file, no other module than the program's.
func TestHeaderDoesNothingAtLoad(t *testing.T) {
	m := newMachine(t, "")
	text, err := os.ReadFile(m.bundle)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "__omcbuild_external = ") {
		t.Fatal("the bundle has no header")
	}
	trap := filepath.Join(m.home, "trap.cjs")
	write(t, trap, `
const fs = require("fs"), child = require("child_process"), allowed = new Set([process.argv[1]]);
for (const [module, names] of [[fs, ["readFileSync", "readdirSync", "existsSync"]], [child, ["execFileSync", "execFile", "spawn", "spawnSync", "exec", "execSync"]]])
  for (const name of names) {
    const plain = module[name];
    module[name] = (...args) => { if (!String(args[0]).endsWith("server.cjs")) console.log("TRAP", name, args[0]); return plain(...args); };
  }
`)
	m.env = []string{"NODE_OPTIONS=--require=" + trap}
	if got := m.run(); strings.Contains(got, "TRAP") {
		t.Error(got)
	}
	if got := m.run("require"); !strings.Contains(got, "TRAP") {
		t.Error("the trap does not work: " + got)
	}
}

// A require at load is reached the same way.
func TestHeaderServesStaticImports(t *testing.T) {
	m := newMachine(t, "import { who } from \"plain-outside\";\nconsole.log(\"static\", who);\n")
	m.install(".bun/install/global/node_modules", "2.1.4")
	if got := m.run(); !strings.HasPrefix(got, "static plain 2.1.4\n") {
		t.Error(got)
	}
}

// What is wanted while the program loads is looked for, but npm is not started for
// it: an optional helper that is missing must not cost the start.
func TestHeaderDoesNotAskNpmAtLoad(t *testing.T) {
	m := newMachine(t, "try { require(\"plain-outside\"); } catch (error) { console.log(\"static\", error.code); }\nimport(\"esm-outside\").catch((error) => console.log(\"dynamic\", error.code));\n")
	m.npm("echo /nowhere")
	if got := m.run(); !strings.HasPrefix(got, "static MODULE_NOT_FOUND\n") || !strings.Contains(got, "dynamic ERR_MODULE_NOT_FOUND\n") {
		t.Error(got)
	}
	if calls := m.npmCalls(); calls != "" {
		t.Errorf("npm was called %q", calls)
	}
}

// No external in use, no header.
func TestHeaderIsLeftOutWhenUnused(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.js"), "console.log(1)")
	result, err := bundler.Build(context.Background(), bundler.Options{Root: root, Entry: "main.js", Outfile: "a.cjs", External: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(result.Outputs[0].Contents), "#!/usr/bin/env node\n// main.js\nconsole.log(1);\n"; got != want {
		t.Errorf("got %q", got)
	}
}
