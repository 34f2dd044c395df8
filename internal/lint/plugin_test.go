package lint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
)

// laidOut writes the files of a story into a folder. Some names are no files of
// the plugin: "links" has lines "PATH TARGET", "executables" paths, "sizes" lines
// "PATH BYTES", "git" the paths that are tracked, "options" the input as JSON. With
// "bare" the plugin gets no README, licence and icon that the story does not have.
func laidOut(t *testing.T, files map[string]string) PluginInput {
	t.Helper()
	in := PluginInput{Root: t.TempDir()}
	if _, bare := files["bare"]; !bare {
		furnish(t, in.Root)
	}
	for name, text := range files {
		if !slices.Contains([]string{"findings", "links", "executables", "git", "options", "bare", "sizes"}, name) {
			write(t, in.Root, name, text)
		}
	}
	for _, name := range strings.Fields(files["executables"]) {
		if err := os.Chmod(filepath.Join(in.Root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(files["sizes"]) {
		var name string
		var size int64
		if _, err := fmt.Sscan(line, &name, &size); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(in.Root, name), size); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(files["links"]) {
		name, target, _ := strings.Cut(strings.TrimSpace(line), " ")
		if err := os.MkdirAll(filepath.Dir(filepath.Join(in.Root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(in.Root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if options := files["options"]; options != "" {
		if err := json.Unmarshal([]byte(options), &in); err != nil {
			t.Fatal(err)
		}
	}
	if tracked, ok := files["git"]; ok {
		in.Git = versioned(t, in.Root, strings.Fields(tracked))
	}
	return in
}

// furnish gives a plugin what a directory asks for.
func furnish(t *testing.T, root string) {
	t.Helper()
	write(t, root, readmeFile, "# clock\n\nclaude plugin install clock@clocks\n"+strings.Repeat("It tells the time. ", 12))
	write(t, root, "LICENSE", "MIT")
	write(t, root, iconFile, picture(t, 512, 512))
}

// picture is a PNG of a size.
func picture(t *testing.T, width, height int) string {
	t.Helper()
	var b strings.Builder
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func gitProgram(t *testing.T) string {
	t.Helper()
	git, err := process.LookPath("git", os.Getenv("PATH"))
	if err != nil {
		t.Fatalf("these tests run git: %v", err)
	}
	return git
}

// repository makes a folder a git repository that tracks some files.
func repository(t *testing.T, root string, tracked []string) {
	t.Helper()
	gitDo(t, root, "init", "-q")
	gitDo(t, root, append([]string{"add", "-f", "--"}, tracked...)...)
}

func gitDo(t *testing.T, root string, args ...string) {
	t.Helper()
	result, err := process.Run(t.Context(), process.Command{Path: gitProgram(t), Args: args, Dir: root, Env: []string{"HOME=" + root}}, 0)
	if err != nil || !result.Status.Success() {
		t.Fatalf("git %v: %v %s", args, err, result.Stderr)
	}
}

func versioned(t *testing.T, root string, tracked []string) *Git {
	t.Helper()
	repository(t, root, tracked)
	git, err := ReadGit(t.Context(), gitProgram(t), root)
	if err != nil || git == nil {
		t.Fatalf("%v %v", git, err)
	}
	return git
}

func TestPluginRules(t *testing.T) {
	golden(t, "plugin", func(t *testing.T, files map[string]string) diag.List {
		in := laidOut(t, files)
		list := CheckPlugin(in)
		if text := render(list); strings.Contains(text, in.Root) {
			t.Errorf("the findings name the folder of the machine: %s", text)
		}
		return list
	})
}

func TestCheckPluginOfWhatIsNone(t *testing.T) {
	if list := CheckPlugin(PluginInput{Root: t.TempDir()}); len(list) != 0 {
		t.Errorf("an empty folder: %v", list)
	}
	if list := CheckPlugin(PluginInput{Root: filepath.Join(t.TempDir(), "none")}); len(list) != 1 || list[0].Code != "plugin-unreadable" {
		t.Errorf("no folder: %v", list)
	}
}

func TestManifestsOutsideAreNotRead(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "mcp.json", `{"mcpServers":{"secret":{"command":"sh"}}}`)
	root := t.TempDir()
	write(t, root, manifestFile, `{"name":"p","version":"1.0.0"}`)
	if err := os.Symlink(filepath.Join(outside, "mcp.json"), filepath.Join(root, mcpFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, packageFile), 0o700); err != nil {
		t.Fatal(err)
	}
	got := render(CheckPlugin(PluginInput{Root: root}))
	if strings.Contains(got, "secret") || !strings.Contains(got, "error manifest-json: .mcp.json: the file cannot be read from inside the plugin") ||
		!strings.Contains(got, "error manifest-json: package.json: is no regular file") {
		t.Errorf("got\n%s", got)
	}
}

func TestReadGit(t *testing.T) {
	root := t.TempDir()
	git, err := ReadGit(t.Context(), gitProgram(t), root)
	if err != nil || git != nil {
		t.Errorf("outside a work tree: %v %v", git, err)
	}
	for _, name := range []string{"a b.txt", "new\nline", "é", "dist/x.js", "deep/dist/y.js", "new.txt"} {
		write(t, root, name, "")
	}
	write(t, root, ".gitignore", "dist/\n*.log\n")
	write(t, root, "x.log", "")
	git = versioned(t, root, []string{"a b.txt", "new\nline", "é"})
	if !slices.Equal(git.Tracked, []string{"a b.txt", "new\nline", "é"}) {
		t.Errorf("tracked %q", git.Tracked)
	}
	for file, ignored := range map[string]bool{"dist/x.js": true, "deep/dist/y.js": true, "x.log": true, "new.txt": false, "é": false, "gone": false} {
		if git.ignores(file) != ignored {
			t.Errorf("ignores(%q) = %v in %q", file, !ignored, git.Ignored)
		}
	}
	inner, err := ReadGit(t.Context(), gitProgram(t), filepath.Join(root, "deep"))
	if err != nil || !inner.ignores("dist/y.js") {
		t.Errorf("in a folder of the work tree: %v %v", inner, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadGit(ended, gitProgram(t), root); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v", err)
	}
	if _, err := ReadGit(t.Context(), filepath.Join(root, "git"), root); err == nil {
		t.Error("a git that is not there must be an error")
	}
}

func TestReadGitRunsNothingOfTheRepository(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a", "")
	repository(t, root, []string{"a"})
	write(t, root, "hook.sh", "#!/bin/sh\necho run >> \"$(dirname \"$0\")/ran\"\n")
	if err := os.Chmod(filepath.Join(root, "hook.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(root, ".git", "config")
	data, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, []byte("[core]\n\tfsmonitor = "+filepath.Join(root, "hook.sh")+"\n")...)
	if err := os.WriteFile(config, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadGit(t.Context(), gitProgram(t), root); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "ran")); err == nil {
		t.Error("the repository's own program was run")
	}
}

func FuzzCheckPlugin(f *testing.F) {
	f.Add(`{"name":"p","mcpServers":["./.mcp.json",{"a":null}],"hooks":{"Stop":[{"matcher":3,"hooks":[null,{"type":"command","command":"$"}]}]}}`, `{"mcpServers":{"t":{"command":"node","args":["${CLAUDE_PLUGIN_ROOT}/../x","${a:-${b}}"]}}}`)
	f.Add(`{"skills":["./","../x"],"version":7,"mcpServers":"./x.json"}`, `{"t":{"command":["node"],"env":[],"url":1}}`)
	f.Add(`[]`, `{"mcpServers":[]}`)
	f.Fuzz(func(t *testing.T, manifest, mcp string) {
		root := t.TempDir()
		write(t, root, manifestFile, manifest)
		write(t, root, mcpFile, mcp)
		write(t, root, "x.json", mcp)
		for _, d := range CheckPlugin(PluginInput{Root: root}) {
			if d.Code == "" || d.Message == "" || d.Hint == "" || d.File == "" || strings.Contains(d.String(), root) {
				t.Fatalf("%+v", d)
			}
		}
	})
}
