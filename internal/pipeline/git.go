package pipeline

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
)

const (
	gitDeadline  = time.Minute
	hookDeadline = 10 * time.Minute // of what runs hooks, and asks for the password of a key
	lockLimit    = 64 << 20         // bytes of a lock file that git prints
)

// askGit runs one git command that changes nothing, in a folder.
func (m Machine) askGit(ctx context.Context, dir string, args ...string) (*process.Result, error) {
	limited, cancel := context.WithTimeout(ctx, gitDeadline)
	defer cancel()
	what := "git " + args[0]
	args = slices.Concat([]string{"-c", "core.fsmonitor=false", "-c", "core.quotePath=false"}, args)
	out, err := m.git(limited, process.Command{Args: args, Dir: dir, Env: []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0"}})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, diag.Fail(diag.Diagnostic{Code: "machine", Message: what + " does not answer within " + gitDeadline.String(), Hint: "run it by hand in " + dir + " to see what it waits for"}).Because(err)
	}
	return out, err
}

// git runs git with the user's own environment and what the command adds to it.
func (m Machine) git(ctx context.Context, c process.Command) (*process.Result, error) {
	program, err := process.LookPath("git", m.Path)
	if err != nil {
		return nil, diag.Misuse(diag.Diagnostic{Code: "no-git", Message: "git is not on PATH", Hint: "install git; diff compares with a lock file too, and version takes a part or a number without it"}).Because(err)
	}
	c.Path, c.Env = program, slices.Concat(m.Env, c.Env)
	return process.Run(ctx, c, lockLimit)
}

// workTree is the git work tree that a plugin lies in.
type workTree struct {
	machine Machine
	dir     string // of the plugin
	top     string // of the work tree, absolute
	prefix  string // of the plugin in it: "plugins/a/", or ""
	shallow bool   // not all commits are there, and often no tags
}

// workTree finds the work tree of a folder. It is nil, with the reason, when there is
// none or git is not there.
func (m Machine) workTree(ctx context.Context, dir string) (tree *workTree, reason string, err error) {
	out, err := m.askGit(ctx, dir, "rev-parse", "--show-toplevel", "--show-prefix", "--is-shallow-repository")
	var failure *diag.Failure
	switch {
	case errors.As(err, &failure):
		return nil, failure.Diagnostics[0].Message, nil
	case err != nil:
		return nil, "", err
	case !out.Status.Success():
		return nil, "the plugin is in no work tree of git: " + strings.TrimPrefix(firstLine(out.Stderr), "fatal: "), nil
	}
	lines := strings.Split(string(out.Stdout), "\n")
	if len(lines) < 3 {
		return nil, "git does not say where its work tree is", nil
	}
	return &workTree{machine: m, dir: dir, top: filepath.FromSlash(lines[0]), prefix: lines[1], shallow: lines[2] == "true"}, "", nil
}

func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	return string(line[:min(len(line), 300)])
}

// ask runs a command that changes nothing in the plugin's folder. It reports false when
// git says no.
func (t *workTree) ask(ctx context.Context, args ...string) (string, bool, error) {
	out, err := t.machine.askGit(ctx, t.dir, args...)
	if err != nil {
		return "", false, err
	}
	return string(out.Stdout), out.Status.Success(), nil
}

// show returns a file of the plugin as it is in a commit; nil when it is not there.
func (t *workTree) show(ctx context.Context, commit, file string) ([]byte, error) {
	text, ok, err := t.ask(ctx, "cat-file", "blob", commit+":./"+file)
	if err != nil || !ok {
		return nil, err
	}
	return []byte(text), nil
}

// status lists the files of the whole work tree that are not as in the last commit, with
// paths from its top.
func (t *workTree) status(ctx context.Context) ([]string, error) {
	text, ok, err := t.ask(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
	if err == nil && !ok {
		err = diag.Fail(diag.Diagnostic{Code: "machine", Message: "git status does not say what is not committed", Hint: "run it by hand in " + t.dir})
	}
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range zeroed(text) {
		if len(entry) > 3 {
			files = append(files, entry[3:])
		}
	}
	return files, nil
}

// zeroed takes apart what git ends with zero bytes.
func zeroed(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == 0 })
}

// change runs a command that changes the repository, from its top, with the hooks, the
// keys and the settings of the user. It returns what git complains of, "" when all went
// well. At the end of ctx git may still remove its locks.
func (t *workTree) change(ctx context.Context, input string, args ...string) (complaint string, err error) {
	ctx, cancel := context.WithTimeout(ctx, hookDeadline)
	defer cancel()
	out, err := t.machine.git(ctx, process.Command{Args: args, Dir: t.top, Stdin: strings.NewReader(input), Ask: true})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no end within " + hookDeadline.String(), nil
	case err != nil:
		return "", err
	case !out.Status.Success():
		return out.Status.String() + lastLine(out), nil
	}
	return "", nil
}
