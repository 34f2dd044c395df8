// Package typecheck runs the TypeScript compiler that a project has installed
// and turns what it prints into diagnostics. Nothing is emitted.
package typecheck

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
)

// Options say what to check.
type Options struct {
	Root     string   // absolute folder of the project
	Top      string   // absolute folder up to which compiler and tsconfig.json are looked for, above Root in a workspace; "" is Root
	Entry    string   // an entry point, relative to Root; the nearest tsconfig.json above it is used
	Node     string   // absolute path of the node program
	Env      []string // environment of the compiler
	CacheDir string   // where the compiler keeps what makes the next run quick; "" for nowhere
}

// Check runs the compiler. Type errors come back as diagnostics; the error, a
// *diag.Failure, says that there is no compiler or no tsconfig.json.
func Check(ctx context.Context, o Options) (diag.List, error) {
	folder := filepath.Join(o.Root, filepath.Dir(filepath.FromSlash(o.Entry)))
	top := cmp.Or(o.Top, o.Root)
	compiler := above(top, folder, filepath.Join("node_modules", "typescript", "bin", "tsc"))
	if compiler == "" {
		return nil, absent(o.Entry, "no TypeScript compiler is installed above it", "npm install -D typescript")
	}
	config := above(top, folder, "tsconfig.json")
	if config == "" {
		return nil, absent(o.Entry, "no tsconfig.json lies above it", "add one, or build without --typecheck")
	}
	args := []string{compiler, "--noEmit", "--pretty", "false", "--project", config}
	if o.CacheDir != "" {
		args = append(args, "--incremental", "--tsBuildInfoFile", filepath.Join(o.CacheDir, "tsc.tsbuildinfo"))
	}
	result, err := process.Run(ctx, process.Command{Path: o.Node, Args: args, Dir: filepath.Dir(config), Env: o.Env}, 8<<20)
	if err != nil {
		return nil, err
	}
	list := parse(o.Root, filepath.Dir(config), string(result.Stdout))
	if !result.Status.Success() && len(list) == 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(string(result.Stderr)), "\n")
		list.Add(diag.Diagnostic{Code: "typecheck", Message: "the TypeScript compiler ended with " + result.Status.String() + ": " + first,
			Position: diag.Position{File: relative(o.Root, config)}, Hint: "run tsc --noEmit in its folder to see all of it"})
	}
	return list, nil
}

// above returns the first existing folder/name going up from folder to top.
func above(top, folder, name string) string {
	for {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
		parent := filepath.Dir(folder)
		if folder == top || parent == folder {
			return ""
		}
		folder = parent
	}
}

func absent(entry, what, hint string) *diag.Failure {
	return diag.Fail(diag.Diagnostic{Code: "typecheck", Message: "cannot be type checked: " + what, Position: diag.Position{File: entry}, Hint: hint})
}

var located = regexp.MustCompile(`^(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)$`)
var unlocated = regexp.MustCompile(`^error (TS\d+): (.*)$`)

// parse reads what the compiler prints with --pretty false. Indented lines
// continue the message before them.
func parse(root, dir, output string) diag.List {
	var list diag.List
	for _, text := range strings.Split(output, "\n") {
		text = strings.TrimRight(text, "\r ")
		if m := located.FindStringSubmatch(text); m != nil {
			row, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3])
			list.Add(diag.Diagnostic{Code: m[4], Message: m[5], Position: diag.Position{File: relative(root, filepath.Join(dir, filepath.FromSlash(m[1]))), Line: row, Column: column}})
		} else if m := unlocated.FindStringSubmatch(text); m != nil {
			list.Add(diag.Diagnostic{Code: m[1], Message: m[2]})
		} else if strings.HasPrefix(text, " ") && len(list) > 0 {
			list[len(list)-1].Message += "; " + strings.TrimSpace(text)
		}
	}
	return list
}

func relative(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}
