package release_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/diag"
	"omcbuild/internal/release"
)

// folder lays files of a txtar archive in a new folder and returns it, without links
// in its path. A file whose text is "-> TARGET" is a link.
func folder(t *testing.T, archive string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range txtar.Parse([]byte(archive)).Files {
		full := filepath.Join(root, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		text := string(file.Data)
		if target, linked := strings.CutPrefix(strings.TrimSpace(text), "-> "); linked {
			err = os.Symlink(target, full)
		} else {
			err = os.WriteFile(full, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// collect returns the paths of a package and what was found, "level code file: message".
func collect(t *testing.T, s release.Selection) (paths, found []string) {
	t.Helper()
	payload, list, err := release.Collect(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range payload.Files() {
		paths = append(paths, f.Path)
	}
	for _, d := range list {
		found = append(found, fmt.Sprintf("%s %s %s", d.Level, d.Code, d))
		if d.Hint == "" && d.Level == diag.Error {
			t.Errorf("%s has no hint", d)
		}
	}
	return paths, found
}

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n  %s\nwant:\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestCollectTakesWhatIsNamedAndNothingElse(t *testing.T) {
	root := folder(t, `
-- .claude-plugin/plugin.json --
{"name": "a"}
-- .mcp.json --
{}
-- .gitignore --
dist
-- .github/workflows/build.yml --
on: push
-- package.json --
{}
-- README.md --
-- README.zh-CN.md --
-- LICENSE --
-- LICENSE-MIT --
-- NOTICE --
-- THIRD-PARTY-NOTICES.txt --
-- CHANGELOG.md --
-- CLAUDE.md --
-- readme-generator.js --
-- Makefile --
-- src/index.ts --
-- node_modules/x/index.js --
-- bridge/s.cjs --
-- bridge/s.tools.json --
-- bridge/s.assets/x.wasm --
-- bridge/old.cjs --
-- skills/one/SKILL.md --
-- skills/one/example.ts --
-- skills/one/example.test.ts --
-- skills/one/.DS_Store --
-- skills/one/Thumbs.db --
-- skills/one/node_modules/y/index.js --
-- skills/one/.gitkeep --
-- skills/one/SKILL.md~ --
-- skills/one/package-lock.json --
-- skills/one/app.js.map --
-- skills/one/.npmrc --
save-exact=true
-- hooks/hooks.json --
{}
-- hooks/tell.mjs --
-- hooks/tell.test.mjs --
-- hooks/tell.ts --
-- scripts/run.mjs --
-- scripts/lib/more.mjs --
-- scripts/lib/more.d.ts --
-- scripts/__tests__/run.mjs --
-- tools/package.json --
{}
-- tools/run.mjs --
-- tools/other.mjs --
-- data/table.csv --
-- data/other.csv --
-- templates/a.tmpl --
-- templates/b.tmpl --
`)
	paths, found := collect(t, release.Selection{
		Root: root, Products: []string{"bridge/s.cjs", "bridge/s.tools.json", "bridge/s.assets/x.wasm"},
		Parts: []string{"skills"}, Programs: []string{"scripts/run.mjs", "tools/run.mjs", "data/table.csv", "bridge/s.cjs"},
		Include: []release.Pattern{{Glob: "templates/**"}, {Glob: "nothing/*"}}, Exclude: []release.Pattern{{Glob: "**/b.*"}, {Glob: "CHANGELOG.md"}},
	})
	equal(t, "files", paths,
		".claude-plugin/plugin.json", ".mcp.json", "LICENSE", "LICENSE-MIT", "NOTICE", "README.md", "README.zh-CN.md", "THIRD-PARTY-NOTICES.txt",
		"bridge/s.assets/x.wasm", "bridge/s.cjs", "bridge/s.tools.json", "data/table.csv", "hooks/hooks.json", "hooks/tell.mjs", "package.json",
		"scripts/lib/more.mjs", "scripts/run.mjs", "skills/one/SKILL.md", "skills/one/example.test.ts", "skills/one/example.ts", "templates/a.tmpl", "tools/run.mjs")
	equal(t, "findings", found,
		"warning package-include package.include: nothing/* matches no file",
		"warning package-without skills/one/node_modules: is not in the package: it belongs to installed packages",
		"note package-without skills/one/package-lock.json: is not in the package: it makes the client install packages for every user",
		"note package-without skills/one/.npmrc: is not in the package: it configures npm for its author",
		"note package-without hooks/tell.ts: and 1 more like it are not in the package: it is a source that is compiled",
		"note package-without hooks/tell.test.mjs: and 1 more like it are not in the package: it is a test",
		"note package-without skills/one/app.js.map: is not in the package: it is a source map",
		"note package-without skills/one/.gitkeep: is not in the package: it is for version control",
		"note package-without skills/one/.DS_Store: and 2 more like it are not in the package: it was left behind by a program")
}

func TestCollectRefusesSecrets(t *testing.T) {
	root := folder(t, `
-- package.json --
{}
-- .env --
-- .env.example --
-- .npmrc --
//registry/:_authToken=abc
-- package-lock.json --
{}
-- bridge/s.cjs --
-- skills/one/SKILL.md --
-- skills/one/.env --
-- skills/one/.env.sample --
-- skills/one/id_ed25519 --
-- skills/one/.npmrc --
//registry/:_authToken=abc
-- skills/two/link.txt --
-> ../../.env
-- templates/deploy.pem --
`)
	selection := release.Selection{Root: root, Products: []string{"bridge/s.cjs"}, Parts: []string{"skills"}, Include: []release.Pattern{{Glob: "templates/*"}, {Glob: "node_modules"}, {Glob: ".env"}, {Glob: "package-lock.json"}}}
	paths, found := collect(t, selection)
	equal(t, "files", paths, "bridge/s.cjs", "package.json", "skills/one/.env.sample", "skills/one/SKILL.md")
	var heads []string
	for _, f := range found {
		head, _, _ := strings.Cut(f, ": ")
		heads = append(heads, head)
	}
	equal(t, "findings", heads,
		"error package-secret .env", "error package-secret .npmrc", "error package-lockfile package-lock.json",
		"error package-secret skills/one/.env", "error package-secret skills/one/.npmrc", "error package-secret skills/one/id_ed25519", "error package-secret skills/two/link.txt",
		"error package-secret templates/deploy.pem", "warning package-include package.include",
		"error package-forbidden package.include", "error package-forbidden package.include")

	// Whoever excludes them knows of them, and what git ignores is nobody else's.
	selection.Include = nil
	selection.Exclude = []release.Pattern{{Glob: "**/.env"}, {Glob: "package-lock.json"}, {Glob: "skills/one/id_*"}, {Glob: "skills/two"}}
	selection.Ignored = func(file string) bool { return filepath.Base(file) == ".npmrc" }
	paths, found = collect(t, selection)
	equal(t, "files", paths, "bridge/s.cjs", "package.json", "skills/one/.env.sample", "skills/one/SKILL.md")
	equal(t, "findings", found, "warning package-without skills/one/.npmrc: is not in the package: it is ignored by git, though it lies among the plugin's parts")
}

func TestCollectFollowsLinksInside(t *testing.T) {
	root := folder(t, `
-- shared/text.md --
shared
-- shared/more/deep.md --
deep
-- bridge/s.cjs --
-> ../built/s.cjs
-- built/s.cjs --
#!/usr/bin/env node
-- skills/one/SKILL.md --
-> ../../shared/text.md
-- skills/two --
-> ../shared
-- skills/three/again --
-> ../two/more
`)
	payload, list, err := release.Collect(context.Background(), release.Selection{Root: root, Products: []string{"bridge/s.cjs"}, Parts: []string{"skills"}})
	if err != nil || len(list) > 0 {
		t.Fatal(list, err)
	}
	var got []string
	for _, f := range payload.Files() {
		got = append(got, fmt.Sprintf("%s %o %s", f.Path, f.Mode, strings.TrimSpace(string(f.Contents))))
	}
	equal(t, "files", got, "bridge/s.cjs 755 #!/usr/bin/env node", "skills/one/SKILL.md 644 shared", "skills/three/again/deep.md 644 deep", "skills/two/more/deep.md 644 deep", "skills/two/text.md 644 shared")
}

func TestCollectRefusesLinksThatLeadAstray(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "x"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, want := range map[string]string{
		"skills/a -> ../../outside":      "skills/a: links",
		"skills/a -> " + outside + "/x":  "skills/a: links out of the plugin, to",
		"skills/a -> /etc":               "skills/a: links out of the plugin, to /etc",
		"skills/a -> nowhere":            "skills/a: links to what is not there, to nowhere",
		"skills/a -> a":                  "skills/a: links in a circle, to a",
		"skills/a -> .":                  "skills/a: leads back to a folder that it lies in",
		"skills/a -> ..":                 "skills/a: leads back to a folder that it lies in",
		"skills/a/b/c -> ../..":          "skills/a/b/c: leads back to a folder that it lies in",
		"skills -> .":                    "skills: leads back to a folder that it lies in",
		"skills/a -> ../bridge/../../..": "skills/a: links out of the plugin",
		"bridge/s.cjs -> /etc/hostname":  "bridge/s.cjs: links out of the plugin, to /etc/hostname",
	} {
		name, target, _ := strings.Cut(link, " -> ")
		root := folder(t, "-- "+name+" --\n-> "+target+"\n")
		if name != "bridge/s.cjs" {
			if err := errorsOf(os.MkdirAll(filepath.Join(root, "bridge"), 0o755), os.WriteFile(filepath.Join(root, "bridge", "s.cjs"), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		paths, found := collect(t, release.Selection{Root: root, Products: []string{"bridge/s.cjs"}, Parts: []string{"skills"}})
		found = slices.DeleteFunc(found, func(f string) bool { return strings.Contains(f, "package-missing") })
		if len(found) != 1 || !strings.HasPrefix(found[0], "error package-link "+want) || len(paths) > 1 {
			t.Errorf("%s: %q, with %q", link, found, paths)
		}
	}
}

func errorsOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestCollectGivesModesOfItsOwn(t *testing.T) {
	root := folder(t, `
-- bin/tool --
#!/bin/sh
-- bin/machine --
x
-- bin/README.txt --
x
-- skills/one/SKILL.md --
x
-- skills/one/run.py --
#!/usr/bin/env python3
-- start/me --
x
`)
	crlf := filepath.Join(root, "hooks", "tell.sh")
	if err := errorsOf(os.Mkdir(filepath.Dir(crlf), 0o700), os.WriteFile(crlf, []byte("#!/bin/sh\r\necho 1\r\n"), 0o600),
		os.Chmod(filepath.Join(root, "bin", "machine"), 0o700), os.Chmod(filepath.Join(root, "skills", "one", "SKILL.md"), 0o777), os.Chmod(filepath.Join(root, "start", "me"), 0o711)); err != nil {
		t.Fatal(err)
	}
	payload, list, err := release.Collect(context.Background(), release.Selection{Root: root, Parts: []string{"skills"}, Programs: []string{"start/me"}, Starts: []string{"start/me"}})
	if err != nil || len(list) != 1 || list[0].Code != "package-crlf" || list[0].File != "hooks/tell.sh" {
		t.Fatal(list, err)
	}
	for path, mode := range map[string]fs.FileMode{"bin/tool": 0o755, "bin/machine": 0o755, "bin/README.txt": 0o644, "skills/one/SKILL.md": 0o644, "skills/one/run.py": 0o755, "hooks/tell.sh": 0o755, "start/me": 0o755} {
		if f, there := payload.File(path); !there || f.Mode != mode {
			t.Errorf("%s: %v, %o, want %o", path, there, f.Mode, mode)
		}
	}
	payload, _, err = release.Collect(context.Background(), release.Selection{Root: root, Executable: map[string]bool{"bin/README.txt": true}})
	if err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]fs.FileMode{"bin/tool": 0o755, "bin/machine": 0o644, "bin/README.txt": 0o755} { // as another system's git knows it
		if f, there := payload.File(path); !there || f.Mode != mode {
			t.Errorf("%s: %v, %o, want %o", path, there, f.Mode, mode)
		}
	}
	if f, _ := payload.File("hooks/tell.sh"); string(f.Contents) != "#!/bin/sh\necho 1\n" {
		t.Errorf("line ends: %q", f.Contents)
	}
}

func TestCollectKeepsWhatCannotBeMissed(t *testing.T) {
	root := folder(t, "-- .claude-plugin/plugin.json --\n{}\n-- bridge/s.cjs --\n-- .claude-plugin/icon.png --\n")
	_, found := collect(t, release.Selection{Root: root, Products: []string{"bridge/s.cjs", "bridge/t.cjs"}, Parts: []string{".claude-plugin/plugin.json"}, Exclude: []release.Pattern{{Glob: "bridge/s*"}, {Glob: "**/*.json"}}})
	equal(t, "findings", found,
		"error package-excluded bridge/s.cjs: is left out by package.exclude, and the plugin does not work without it",
		"error package-missing bridge/t.cjs: is not there",
		"error package-excluded .claude-plugin/plugin.json: is left out by package.exclude, and the plugin does not work without it")
}

func TestCollectEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := release.Collect(ctx, release.Selection{Root: folder(t, "-- README.md --\n")}); err == nil {
		t.Error("no error")
	}
}

func TestCollectGoesOnlySoDeep(t *testing.T) {
	root := folder(t, "-- skills/"+strings.Repeat("d/", 70)+"x --\n-- skills/one/SKILL.md --\n")
	paths, found := collect(t, release.Selection{Root: root, Parts: []string{"skills"}})
	equal(t, "files", paths, "skills/one/SKILL.md")
	if len(found) != 1 || !strings.HasPrefix(found[0], "error package-large skills/d/d/") || !strings.HasSuffix(found[0], "has folders more than 64 deep") {
		t.Errorf("found %q", found)
	}
}

func TestCollectTakesWhatAScriptNeeds(t *testing.T) {
	root := folder(t, `
-- dist/server.js --
-- dist/chunk.js --
-- dist/server.d.ts --
-- server/main.py --
-- server/tools.py --
-- server/test_main.py --
-- server/tools.log --
-- server/.venv/bin/python --
-> /usr/bin/python3
-- server/__pycache__/main.cpython-312.pyc --
-- run/main.ts --
-- run/lib.ts --
-- run/lib.test.ts --
`)
	ignored := func(file string) bool {
		return file == "dist" || strings.HasPrefix(file, "dist/") || strings.HasSuffix(file, ".log")
	}
	paths, found := collect(t, release.Selection{Root: root, Programs: []string{"dist/server.js", "server/main.py", "run/main.ts"}, Ignored: ignored})
	equal(t, "files", paths, "dist/chunk.js", "dist/server.js", "run/lib.test.ts", "run/lib.ts", "run/main.ts", "server/main.py", "server/tools.py")
	equal(t, "findings", found,
		"note package-without server/tools.log: is not in the package: it is ignored by git",
		"warning package-without server/.venv: is not in the package: it belongs to installed packages",
		"note package-without dist/server.d.ts: is not in the package: it is a source that is compiled",
		"note package-without server/test_main.py: is not in the package: it is a test",
		"note package-without server/__pycache__: is not in the package: it was left behind by a program")
}
