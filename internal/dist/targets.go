package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"omcbuild/internal/process"
)

// target is a system that omcbuild is released for, in the words of Go.
type target struct{ system, processor string }

func targets() []target {
	return []target{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}
}

// file is the name of the program.
func (t target) file() string {
	if t.system == "windows" {
		return "omcbuild.exe"
	}
	return "omcbuild"
}

// build is the program for one target.
type build struct {
	target
	program []byte
	notices []byte // the licences of what is in it
}

// tools is how programs are compiled.
type tools struct {
	root, compiler string
	toolchain      string // the version of Go that go.mod names, as GOTOOLCHAIN wants it
}

func findTools(ctx context.Context, root string) (*tools, error) {
	compiler, err := process.LookPath("go", os.Getenv("PATH"))
	if err != nil {
		return nil, err
	}
	t := &tools{root: root, compiler: compiler}
	version, err := t.run(ctx, nil, "list", "-m", "-f", "{{.GoVersion}}")
	t.toolchain = "go" + strings.TrimSpace(version)
	return t, err
}

// run runs the go command with further variables, and returns what it prints.
func (t *tools) run(ctx context.Context, env []string, args ...string) (string, error) {
	// The empty values would give way to those of go env -w.
	env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath"), env...)
	result, err := process.Run(ctx, process.Command{Path: t.compiler, Args: args, Dir: t.root, Env: env}, 16<<20)
	switch {
	case err != nil:
		return "", err
	case !result.Status.Success():
		return "", fmt.Errorf("go %s: %s: %s", args[0], result.Status, strings.TrimSpace(string(result.Stderr)))
	}
	return string(result.Stdout), nil
}

// build compiles the program for a target. Whatever the machine has set does not change
// the outcome: no C, the smallest processor of the kind, no path and no commit in it.
func (t *tools) build(ctx context.Context, to target, version string) (build, error) {
	folder, err := os.MkdirTemp("", "omcbuild-dist-")
	if err != nil {
		return build{}, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	file := filepath.Join(folder, to.file())
	env := []string{
		"GOOS=" + to.system, "GOARCH=" + to.processor, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0",
		"GOFIPS140=off", "GOTOOLCHAIN=" + t.toolchain,
	}
	if _, err := t.run(ctx, env, "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version="+version, "-o", file, "./cmd/omcbuild"); err != nil {
		return build{}, fmt.Errorf("compiling for %s/%s: %w", to.system, to.processor, err)
	}
	b := build{target: to}
	if b.program, err = os.ReadFile(file); err != nil {
		return build{}, err
	}
	b.notices, err = t.notices(ctx, file)
	return b, err
}
