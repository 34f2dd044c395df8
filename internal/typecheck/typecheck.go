// Package typecheck runs the TypeScript compiler that a project has installed
// and turns what it prints into diagnostics. Nothing is emitted.
//
// The compiler of TypeScript 7 is a native program, which the package's script for
// node only looks up and starts. It is looked up here instead, by the same rules, and
// started without node; where it is not found, and for older versions, the script runs.
//
// The compiler is told to keep what it found out, in the cache and never in the
// project, so that the next run checks only what a change may concern.
package typecheck

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
)

// Options say what to check.
type Options struct {
	Root     string   // absolute folder of the project
	Top      string   // absolute folder up to which compiler and tsconfig.json are looked for, above Root in a workspace; "" is Root
	Entries  []string // entry points, relative to Root; the nearest tsconfig.json above each is used, once
	Node     string   // absolute path of the node program
	Env      []string // environment of the compiler
	CacheDir string   // where the compiler keeps what makes the next run quick; "" for nowhere
}

// Check runs the compiler, once for each tsconfig.json. Type errors come back as
// diagnostics; the error, a *diag.Failure, says that there is no compiler or no
// tsconfig.json. When ctx ends, the compiler is killed.
func Check(ctx context.Context, o Options) (diag.List, error) {
	var jobs []job
	for _, entry := range o.Entries {
		j, err := o.job(entry)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(jobs, j) {
			jobs = append(jobs, j)
		}
	}
	var list diag.List
	for _, j := range jobs {
		found, err := o.run(ctx, j)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if !slices.Contains(list, d) { // a file of two configurations
				list.Add(d)
			}
		}
	}
	return list, nil
}

// job is one run of a compiler.
type job struct {
	compiler string // folder of the package typescript
	config   string // tsconfig.json
}

// job finds compiler and configuration of an entry.
func (o Options) job(entry string) (job, error) {
	folder := filepath.Join(o.Root, filepath.Dir(filepath.FromSlash(entry)))
	top := cmp.Or(o.Top, o.Root)
	script := above(top, folder, filepath.Join("node_modules", "typescript", "bin", "tsc"))
	if script == "" {
		return job{}, absent(entry, "no TypeScript compiler is installed above it", "npm install -D typescript")
	}
	config := above(top, folder, "tsconfig.json")
	if config == "" {
		return job{}, absent(entry, "no tsconfig.json lies above it", "add one, or build without --typecheck")
	}
	return job{compiler: filepath.Dir(filepath.Dir(script)), config: config}, nil
}

func (o Options) run(ctx context.Context, j job) (diag.List, error) {
	c := o.command(j.compiler)
	c.Dir = filepath.Dir(j.config)
	c.Args = append(c.Args, "--noEmit", "--pretty", "false", "--project", j.config)
	if o.CacheDir != "" {
		c.Args = append(c.Args, "--incremental", "--tsBuildInfoFile", filepath.Join(o.CacheDir, "tsc-"+short(j.compiler+"\x00"+j.config)+".tsbuildinfo"))
	}
	result, err := process.Run(ctx, c, 8<<20)
	if err != nil {
		return nil, err
	}
	list := parse(o.Root, c.Dir, string(result.Stdout))
	if !result.Status.Success() && len(list) == 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(string(result.Stderr)), "\n")
		list.Add(diag.Diagnostic{Code: "typecheck", Message: "the TypeScript compiler ended with " + result.Status.String() + ": " + first,
			Position: diag.Position{File: relative(o.Root, j.config)}, Hint: "run tsc --noEmit in its folder to see all of it"})
	}
	return list, nil
}

// short names a text in a file name.
func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// above returns the first existing folder/name going up from folder to top.
func above(top, folder, name string) string {
	for {
		path := filepath.Join(folder, name)
		if isFile(path) {
			return path
		}
		parent := filepath.Dir(folder)
		if folder == top || parent == folder {
			return ""
		}
		folder = parent
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func absent(entry, what, hint string) *diag.Failure {
	return diag.Fail(diag.Diagnostic{Code: "typecheck", Message: "cannot be type checked: " + what, Position: diag.Position{File: entry}, Hint: hint})
}
