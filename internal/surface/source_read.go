package surface

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
)

const (
	// defaultSourceTimeout is how long importing the sources may take when
	// SourceOptions does not say.
	defaultSourceTimeout = 30 * time.Second
	// maxSourceOutput is how many bytes of the collector's output are kept.
	maxSourceOutput = 16 << 20
)

// SourceOptions says how ReadSource runs a collector.
type SourceOptions struct {
	Node   string            // absolute path of the Node executable
	Bundle []byte            // the collector, bundled to one CommonJS file
	Extra  map[string][]byte // files to lay beside it, by slash separated relative path
	Env    []string          // additional variables, "NAME=value"
	// Root is the folder that the files' paths start from; with it, the line of each
	// tool is looked up. May be empty.
	Root     string
	FileName string        // name the bundle runs under, "collector.cjs" when empty
	Timeout  time.Duration // 30 seconds when 0
}

// ReadSource runs a bundled collector in an empty folder, as a bundle is probed,
// and returns what the sources declare. A file that throws, exits or never
// returns is a diagnostic in the Source that names it. The error is a
// *diag.Failure when nothing at all was learned, or that of ctx.
func ReadSource(ctx context.Context, o SourceOptions) (*Source, error) {
	folder, err := NewTemporary("", OfCollector)
	if err != nil {
		return nil, fmt.Errorf("making a folder for the collector: %w", err)
	}
	defer folder.Remove()
	command, err := o.lay(folder.Path)
	if err != nil {
		return nil, fmt.Errorf("laying out the collector: %w", err)
	}
	timeout := o.Timeout
	if timeout <= 0 {
		timeout = defaultSourceTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	result, err := process.Run(limited, command, maxSourceOutput)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, diag.Fail(diag.Diagnostic{
			Code: "source-run", Message: fmt.Sprintf("the sources cannot be read with %s: %v", o.Node, err),
			Hint: "check that Node is installed",
		}).Because(err)
	}
	if result == nil {
		return nil, diag.Fail(late("", timeout))
	}
	source, failure := o.read(result, err != nil, timeout)
	if failure != nil {
		return nil, failure
	}
	if o.Root != "" {
		source.Locate(o.Root)
	}
	return source, nil
}

// lay writes the collector into folder and returns how to start it there.
func (o SourceOptions) lay(folder string) (process.Command, error) {
	name := o.FileName
	if name == "" {
		name = "collector.cjs"
	}
	program, cwd, home := filepath.Join(folder, "program"), filepath.Join(folder, "cwd"), filepath.Join(folder, "home")
	for _, dir := range []string{program, cwd, home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return process.Command{}, err
		}
	}
	root, err := os.OpenRoot(program)
	if err != nil {
		return process.Command{}, err
	}
	defer root.Close()
	if err := writeBelow(root, name, o.Bundle); err != nil {
		return process.Command{}, err
	}
	for path, data := range o.Extra {
		if err := writeBelow(root, path, data); err != nil {
			return process.Command{}, err
		}
	}
	env := append([]string{"HOME=" + home, "TMPDIR=" + cwd, "PATH=" + filepath.Dir(o.Node), "NO_COLOR=1"}, o.Env...)
	return process.Command{Path: o.Node, Args: []string{filepath.Join(program, filepath.FromSlash(name))}, Dir: cwd, Env: env}, nil
}

// writeBelow writes a file at a slash separated path inside root.
func writeBelow(root *os.Root, path string, data []byte) error {
	path = filepath.FromSlash(path)
	if dir := filepath.Dir(path); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return root.WriteFile(path, data, 0o600)
}

// read makes sense of the collector's output, and of its end when it did not
// come to one by itself.
func (o SourceOptions) read(result *process.Result, timedOut bool, timeout time.Duration) (*Source, *diag.Failure) {
	c, current, ok := parseCollected(string(result.Stdout))
	source := c.source()
	switch {
	case timedOut:
		source.Diagnostics.Add(late(current, timeout))
	case !ok:
		return nil, diag.Fail(diag.Diagnostic{
			Code: "source-run", Position: diag.Position{File: current},
			Message: fmt.Sprintf("the sources cannot be read: importing them ended with %s%s", result.Status, lastWords(result.Stderr)),
			Hint:    "run the tests of the family files",
		})
	case !c.Finished:
		reason := fmt.Sprintf("the process ended with %s during the import", result.Status)
		if result.Status.Success() {
			reason = "the import ends the process or waits for something that never comes"
		}
		source.Diagnostics.Add(unimportable(current, reason+lastWords(result.Stderr)))
	}
	return &source, nil
}

func late(file string, timeout time.Duration) diag.Diagnostic {
	return unimportable(file, fmt.Sprintf("the import did not return within %v", timeout))
}

// lastWords quotes the line of stderr that most likely says why.
func lastWords(stderr []byte) string {
	for line := range strings.Lines(string(stderr)) {
		line = strings.TrimSpace(line)
		if name, _, found := strings.Cut(line, ":"); found && strings.HasSuffix(name, "Error") {
			return ": " + line
		}
	}
	return ""
}
