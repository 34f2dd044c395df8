//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow is what the tests read of a workflow of GitHub.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]job
}

type job struct {
	Permissions map[string]string
	Minutes     int `yaml:"timeout-minutes"`
	Steps       []step
}

type step struct {
	Name, Uses, Run string
	Folder          string `yaml:"working-directory"`
	Env             map[string]string
	With            map[string]any
}

const (
	templateWorkflows = "../../plugin-template/files/.github/workflows"
	ownWorkflows      = "../../.github/workflows"
)

func readWorkflow(t *testing.T, path string) workflow {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return w
}

// A workflow may do no more than it needs, and nothing that somebody outside can write
// becomes a part of a program.
func TestWorkflowsAreCareful(t *testing.T) {
	pinned := regexp.MustCompile(`^actions/[a-z-]+@(v\d+|[0-9a-f]{40})$`)
	for _, folder := range []string{templateWorkflows, ownWorkflows} {
		files, err := filepath.Glob(filepath.Join(folder, "*.yml"))
		if err != nil || len(files) < 2 {
			t.Fatalf("%s: %v %v", folder, files, err)
		}
		for _, file := range files {
			w := readWorkflow(t, file)
			if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
				t.Errorf("%s: the permissions are %v, want to read contents", file, w.Permissions)
			}
			for name, j := range w.Jobs {
				if j.Minutes == 0 {
					t.Errorf("%s: %s has no timeout-minutes", file, name)
				}
				checksOut := false
				for _, s := range j.Steps {
					checksOut = checksOut || strings.HasPrefix(s.Uses, "actions/checkout@")
					if s.Uses != "" && !pinned.MatchString(s.Uses) {
						t.Errorf("%s: %s uses %s, which is not pinned", file, name, s.Uses)
					}
					if strings.Contains(s.Run, "${{") {
						t.Errorf("%s: %s puts an expression into a program; give it in env:\n%s", file, name, s.Run)
					}
				}
				if len(j.Permissions) > 0 && checksOut {
					t.Errorf("%s: %s may write, and checks out what is in the repository", file, name)
				}
			}
		}
	}
}

// runner does what GitHub does with the steps of a job: each in bash, in the folder and
// with the variables it names, and with the folders in PATH that steps before it added.
type runner struct {
	workspace, temp string
	env             []string
	expressions     map[string]string // what ${{ }} stands for
	added           string            // the file that steps add to PATH by
}

func newRunner(t *testing.T, workspace string, env []string, expressions map[string]string) *runner {
	t.Helper()
	r := &runner{workspace: workspace, temp: t.TempDir(), expressions: expressions}
	r.added = filepath.Join(r.temp, "added-to-path")
	r.expressions["runner.temp"] = r.temp
	r.env = append(slices.Clone(env), "RUNNER_TEMP="+r.temp, "GITHUB_PATH="+r.added, "CI=true")
	return r
}

func (r *runner) expand(t *testing.T, text string) string {
	t.Helper()
	return regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`).ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Trim(found, "${} ")
		value, known := r.expressions[name]
		if !known {
			t.Errorf("nothing is known of %s", found)
		}
		return value
	})
}

// run runs the steps of a job that are programs, until one fails, and returns what they
// printed.
func (r *runner) run(t *testing.T, j job) (string, error) {
	t.Helper()
	var out bytes.Buffer
	for _, s := range j.Steps {
		if s.Run == "" {
			continue
		}
		env := slices.Clone(r.env)
		if added, err := os.ReadFile(r.added); err == nil {
			for _, variable := range r.env {
				if path, ok := strings.CutPrefix(variable, "PATH="); ok {
					env = append(env, "PATH="+strings.ReplaceAll(string(added), "\n", ":")+path)
				}
			}
		}
		for name, value := range s.Env {
			env = append(env, name+"="+r.expand(t, value))
		}
		file := filepath.Join(r.temp, "step.sh")
		if err := os.WriteFile(file, []byte(s.Run), 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), "bash", "-e", file)
		command.Dir = r.workspace
		if folder := r.expand(t, s.Folder); filepath.IsAbs(folder) {
			command.Dir = folder
		} else {
			command.Dir = filepath.Join(r.workspace, folder)
		}
		command.Env, command.Stdout, command.Stderr = env, &out, &out
		if err := command.Run(); err != nil {
			return out.String(), fmt.Errorf("%s: %w\n%s", s.Run, err, out.String())
		}
	}
	return out.String(), nil
}

// program puts a shell script into a folder that is in PATH.
func program(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\nset -e\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// ghStub stands for the command of GitHub: there is no release yet, and what is asked for is written down.
const ghStub = `[ -n "$GH_TOKEN" ] && [ -n "$GH_REPO" ]
[ "$1 $2" != "release view" ] || exit 1
echo "$@" >> "$GH_LOG"
`

// A new plugin, committed and tagged, goes through its own workflows: omcbuild is cloned
// and compiled, the plugin is built and tested, and its packages are attached. In the
// place of npm ci the packages of src/node_modules are used, and in that of the sources
// of omcbuild a program that starts the one under test.
func TestWorkflowsOfANewPluginRun(t *testing.T) {
	n := newcomerHome(t)
	n.installFromModules(t)
	n.follow(t, firstRelease())
	program(t, n.bin(), "gh", ghStub)
	log := filepath.Join(n.dir, "gh.log")
	server := n.serveOmcbuild(t)
	env := slices.Concat(n.env, []string{"GITHUB_SERVER_URL=file://" + server, "GH_LOG=" + log, "GOFLAGS=", "GOPROXY=off"})
	expressions := func(tag string) map[string]string {
		return map[string]string{"vars.OMCBUILD_REPOSITORY": "owner/omcbuild", "vars.OMCBUILD_REF": "main", "github.token": "secret", "github.repository": "owner/my-plugin", "github.ref_name": tag}
	}
	plugin := filepath.Join(n.dir, "my-plugin")
	build := readWorkflow(t, filepath.Join(plugin, ".github/workflows/build.yml"))
	release := readWorkflow(t, filepath.Join(plugin, ".github/workflows/release.yml"))

	n.follow(t, []string{"git clone --quiet my-plugin pushed", "git clone --quiet my-plugin tagged", "git clone --quiet my-plugin other"})
	if out, err := newRunner(t, filepath.Join(n.dir, "pushed"), env, expressions("main")).run(t, build.Jobs["build"]); err != nil || !strings.Contains(out, "verified in ") {
		t.Errorf("build.yml: %v", err)
	}
	tagged := filepath.Join(n.dir, "tagged")
	if out, err := newRunner(t, tagged, env, expressions("my-plugin--v0.1.0")).run(t, release.Jobs["package"]); err != nil || !strings.Contains(out, "packaged in ") {
		t.Errorf("release.yml: %v", err)
	}
	if out, err := newRunner(t, tagged, env, expressions("my-plugin--v0.1.0")).run(t, release.Jobs["attach"]); err != nil {
		t.Errorf("release.yml: %v\n%s", err, out)
	}
	asked, _ := os.ReadFile(log)
	for _, want := range []string{
		"release create my-plugin--v0.1.0 --verify-tag --generate-notes\n", "release upload my-plugin--v0.1.0 --clobber ./",
		"./SHA256SUMS", "./my-plugin-0.1.0.zip", "./my-plugin-0.1.0.tar.gz", "./my-plugin-0.1.0.mcpb",
	} {
		if !strings.Contains(string(asked), want) {
			t.Errorf("gh was not asked for %q:\n%s", want, asked)
		}
	}
	out, err := newRunner(t, filepath.Join(n.dir, "other"), env, expressions("my-plugin--v0.2.0")).run(t, release.Jobs["package"])
	if err == nil || !strings.Contains(out, "::error::the tag is my-plugin--v0.2.0, and what is committed is my-plugin--v0.1.0\n") {
		t.Errorf("a tag of another version is released: %v", err)
	}
	without := expressions("main")
	without["vars.OMCBUILD_REPOSITORY"] = ""
	if out, err := newRunner(t, filepath.Join(n.dir, "other"), env, without).run(t, build.Jobs["build"]); err == nil || !strings.Contains(out, "::error::the repository variable OMCBUILD_REPOSITORY is not set; ") {
		t.Errorf("what is missing is not said: %v", err)
	}
}

// serveOmcbuild returns a folder with the repository owner/omcbuild, whose program starts
// the omcbuild of the tests.
func (n newcomer) serveOmcbuild(t *testing.T) string {
	t.Helper()
	server := filepath.Join(n.dir, "server")
	source := filepath.Join(server, "owner", "omcbuild")
	tested, err := exec.LookPath("omcbuild")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module omcbuild\n\ngo 1.26\n",
		"cmd/omcbuild/main.go": "package main\n\nimport (\n\t\"os\"\n\t\"syscall\"\n)\n\nfunc main() {\n" +
			fmt.Sprintf("\tpanic(syscall.Exec(%q, append([]string{\"omcbuild\"}, os.Args[1:]...), os.Environ()))\n}\n", tested),
	} {
		path := filepath.Join(source, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	n.follow(t, []string{"cd server/owner/omcbuild", "git init --quiet --initial-branch main", "git add --all", "git commit --quiet --message 'Begin'"})
	return server
}

// The workflow that releases omcbuild itself does in order what has to be done. The jobs of
// make and npm take too long for a test, so that they are asked for is all that is seen.
func TestOwnReleaseWorkflowRuns(t *testing.T) {
	n := newcomerHome(t)
	bin := n.bin()
	log := filepath.Join(n.dir, "log")
	program(t, bin, "gh", ghStub)
	program(t, bin, "make", `echo "make $@" >> "$GH_LOG"`+"\n")
	program(t, bin, "npm", `for file in "$@"; do case $file in ./*) [ -e "$file" ] ;; esac; done; echo "npm $@" >> "$GH_LOG"`+"\n")
	workspace := filepath.Join(n.dir, "omcbuild")
	n.follow(t, []string{
		"mkdir -p omcbuild/bin omcbuild/dist/npm/omcbuild omcbuild/dist/npm/@omcbuild/linux-x64", "cd omcbuild",
		`printf '#!/bin/sh\necho "omcbuild $@" >> "$GH_LOG"\n' > bin/omcbuild`, "chmod +x bin/omcbuild",
		`echo '{"name": "omcbuild", "version": "1.2.3-beta.1"}' > package.json`,
		"echo archive > dist/omcbuild_1.2.3-beta.1_linux_amd64.tar.gz", "cd dist", "sha256sum *.gz > SHA256SUMS", "touch npm/omcbuild-1.2.3-beta.1.tgz npm/omcbuild-linux-x64-1.2.3-beta.1.tgz",
	})
	w := readWorkflow(t, ownWorkflows+"/release.yml")
	for _, name := range []string{"make", "attach", "npm"} {
		r := newRunner(t, workspace, append(n.env, "GH_LOG="+log), map[string]string{"github.ref_name": "omcbuild--v1.2.3-beta.1", "github.token": "secret", "github.repository": "owner/omcbuild"})
		if out, err := r.run(t, w.Jobs[name]); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	asked, _ := os.ReadFile(log)
	want := `make test
make dist
omcbuild package --format zip,tar.gz,mcpb
npm pack ./omcbuild ./@omcbuild/linux-x64
release create omcbuild--v1.2.3-beta.1 --verify-tag --generate-notes --prerelease
release upload omcbuild--v1.2.3-beta.1 --clobber `
	if !strings.HasPrefix(string(asked), want) {
		t.Errorf("asked for\n%swant\n%s", asked, want)
	}
	if want := "npm publish --access public --tag next ./omcbuild-linux-x64-1.2.3-beta.1.tgz\nnpm publish --access public --tag next ./omcbuild-1.2.3-beta.1.tgz\n"; !strings.HasSuffix(string(asked), want) {
		t.Errorf("asked for\n%swant at the end\n%s", asked, want)
	}
}
