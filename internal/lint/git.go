package lint

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"omcbuild/internal/process"
)

const (
	gitTimeout = 10 * time.Second
	gitOutput  = 64 << 20 // bytes of file names that are read
)

// Git is what version control knows about the files of a plugin.
type Git struct {
	Tracked []string // files in the index, relative to the plugin's root
	Ignored []string // files, and folders with a slash at the end, that are there and ignored
	// TaggedChanges says that the tag of the plugin's version exists and that the
	// files differ from it. See CompareTag.
	TaggedChanges bool

	tracked, ignored map[string]bool
}

// ReadGit asks git, the program of that absolute path, about a folder. It returns
// nil when the folder is in no work tree, or git refuses to look at it. Nothing
// that the repository configures is run.
func ReadGit(ctx context.Context, git, root string) (*Git, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	tracked, ok, err := listFiles(ctx, git, root, "--cached")
	if err != nil || !ok {
		return nil, err
	}
	ignored, _, err := listFiles(ctx, git, root, "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return nil, err
	}
	return &Git{Tracked: tracked, Ignored: ignored}, nil
}

// Executables asks git, the program of that absolute path, which files have the
// executable bit in its index, relative to the folder. On systems whose files have no
// such bit this is where it is.
func Executables(ctx context.Context, git, root string) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	lines, _, err := listFiles(ctx, git, root, "--cached", "--stage")
	found := map[string]bool{}
	for _, line := range lines {
		if about, file, ok := strings.Cut(line, "\t"); ok && strings.HasPrefix(about, "100755 ") {
			found[file] = true
		}
	}
	return found, err
}

// CompareTag asks git, the program of that absolute path, whether the folder has
// other files in the newest commit than in a tag. It reports false when there is no
// such tag.
func CompareTag(ctx context.Context, git, root, tag string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	revision := "refs/tags/" + tag + "^{commit}"
	if _, ok, err := runGit(ctx, git, root, "rev-parse", "--quiet", "--verify", revision); err != nil || !ok {
		return false, err
	}
	changed, ok, err := runGit(ctx, git, root, "diff-tree", "-r", "--name-only", "-z", revision, "HEAD", "--", ".")
	return ok && len(changed) > 0, err
}

// listFiles runs git ls-files. It reports false when git does not know the folder.
func listFiles(ctx context.Context, git, root string, flags ...string) ([]string, bool, error) {
	return runGit(ctx, git, root, append([]string{"ls-files", "-z"}, flags...)...)
}

// runGit returns the texts that git prints, apart by zero bytes. It reports false
// when git ends with an error.
func runGit(ctx context.Context, git, root string, command ...string) ([]string, bool, error) {
	args := append([]string{"--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"}, command...)
	result, err := process.Run(ctx, process.Command{
		Path: git, Args: args, Dir: root,
		Env: []string{"LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "PATH=" + path.Dir(git)},
	}, gitOutput)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, false, fmt.Errorf("asking git about the plugin's files: no answer within %v", gitTimeout)
	case err != nil:
		return nil, false, fmt.Errorf("asking git about the plugin's files: %w", err)
	case !result.Status.Success():
		return nil, false, nil
	}
	return strings.FieldsFunc(string(result.Stdout), func(r rune) bool { return r == 0 }), true, nil
}

// tracks reports whether a file is in the index.
func (g *Git) tracks(file string) bool {
	if g.tracked == nil {
		g.tracked = map[string]bool{}
		for _, name := range g.Tracked {
			g.tracked[name] = true
		}
	}
	return g.tracked[file]
}

// Ignores reports whether git leaves a file out: it, or a folder that it is in, is
// ignored and not tracked. A nil Git ignores nothing.
func (g *Git) Ignores(file string) bool { return g.ignores(file) }

// ignores reports whether a file or folder, or a folder it is in, is ignored and
// not tracked.
func (g *Git) ignores(file string) bool {
	if g == nil {
		return false
	}
	if g.ignored == nil {
		g.ignored = map[string]bool{}
		for _, name := range g.Ignored {
			g.ignored[strings.TrimSuffix(name, "/")] = true
		}
	}
	for ; file != "."; file = path.Dir(file) {
		if g.ignored[file] {
			return true
		}
	}
	return false
}
