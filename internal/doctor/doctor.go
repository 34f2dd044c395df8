// Package doctor looks at the machine: which programs that a plugin's servers
// may need are there, which version, and what to do about those that are not.
//
// Only Node is needed for omcbuild itself. Everything else is optional, and
// its absence a fact rather than a fault.
package doctor

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/process"
)

// Status says how an item stands.
type Status string

const (
	// OK means that the item is there and usable.
	OK Status = "ok"
	// Missing means that the item is not there.
	Missing Status = "missing"
	// Broken means that the item is there and cannot be used.
	Broken Status = "broken"
)

// Finding is what was found about one item.
type Finding struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Needed bool   `json:"needed"`         // whether omcbuild itself cannot do without
	Detail string `json:"detail"`         // version and place, or what was tried
	Hint   string `json:"hint,omitempty"` // what to do; empty when nothing needs doing
}

// Patient is the machine to look at.
type Patient struct {
	Path    string   // PATH to look programs up in
	Env     []string // environment for the programs that are asked for their version
	Dir     string   // an existing folder to run them in
	Modules []string // optional native modules that the bundles leave external
}

// program is an item that a command line answers for.
type program struct {
	name     string   // as shown
	commands []string // the first of these that is found counts
	args     []string // print the version
	minimum  int      // lowest major version, 0 for any
	needed   bool
	hint     string                                                    // how to get it
	with     string                                                    // program that the hint begins with, when it may be missing too
	repair   string                                                    // what to do when it does not run; empty for general advice
	check    func(p Patient, path string) (status Status, note string) // looks closer at one that runs; nil for nothing more to see
}

func programs() []program {
	version := []string{"--version"}
	return []program{
		{name: "node", commands: []string{"node"}, args: version, minimum: 20, needed: true, hint: "install Node.js 20 or later and put it on PATH"},
		{name: "npm", commands: []string{"npm"}, args: version, hint: "comes with Node.js; needed to install a plugin's dependencies"},
		{name: "git", commands: []string{"git"}, args: version, hint: "needed by omcbuild diff and by the state tools of the server"},
		{name: "python3", commands: []string{"python3"}, args: version, hint: "needed by python_repl"},
		{name: "tmux", commands: []string{"tmux"}, args: []string{"-V"}, hint: "needed by the team server"},
		{name: "claude", commands: []string{"claude"}, args: version, hint: "npm install -g @anthropic-ai/claude-code; the client itself, to try the plugin where it will run"},
		{name: "TypeScript language server", commands: []string{"typescript-language-server"}, args: version, hint: classicTypeScript, check: checkTypeScript},
		{name: "Go language server", commands: []string{"gopls"}, args: []string{"version"}, hint: "go install golang.org/x/tools/gopls@latest", with: "go"},
		{name: "Python language server", commands: []string{"ty", "basedpyright-langserver", "pyright-langserver"}, hint: "uv tool install ty, or npm install -g pyright"},
		{name: "Rust language server", commands: []string{"rust-analyzer"}, args: version, hint: "rustup component add rust-analyzer", with: "rustup", repair: "rustup component add rust-analyzer"},
		{name: "C and C++ language server", commands: []string{"clangd"}, args: version, hint: "comes with clang"},
	}
}

// Examine asks for everything at once and returns the findings in a fixed
// order. No program is given more than five seconds.
func Examine(ctx context.Context, p Patient) []Finding {
	list := programs()
	findings := make([]Finding, len(list))
	var modules []Finding
	var group errgroup.Group
	group.SetLimit(4)
	for i, item := range list {
		group.Go(func() error {
			findings[i] = p.ask(ctx, item)
			return nil
		})
	}
	group.Go(func() error {
		modules = p.modules(ctx)
		return nil
	})
	_ = group.Wait()
	return append(findings, modules...)
}

// Ill reports whether something is the matter that omcbuild cannot do without.
func (f Finding) Ill() bool { return f.Needed && f.Status != OK }

func (p Patient) ask(ctx context.Context, item program) Finding {
	for _, command := range item.commands {
		path, err := process.LookPath(command, p.Path)
		if err != nil {
			continue
		}
		return p.judge(ctx, item, path)
	}
	return Finding{Name: item.name, Status: Missing, Needed: item.needed, Detail: strings.Join(item.commands, ", ") + " not on PATH", Hint: p.advice(item)}
}

// advice is how to get a program that is missing; what would install it may be missing
// as well.
func (p Patient) advice(item program) string {
	if item.with == "" {
		return item.hint
	}
	if _, err := process.LookPath(item.with, p.Path); err != nil {
		return item.hint + " (" + item.with + " is not on PATH either)"
	}
	return item.hint
}

var majorVersion = lazyregexp.New(`\d+`)

func (p Patient) judge(ctx context.Context, item program, path string) Finding {
	f := Finding{Name: item.name, Status: OK, Needed: item.needed, Detail: path}
	if item.args == nil {
		return f
	}
	line, ok := p.firstLine(ctx, path, item.args)
	if !ok {
		f.Status, f.Hint = Broken, cmp.Or(item.repair, "reinstall it, or take it off PATH")
		f.Detail = path + " does not answer " + strings.Join(item.args, " ")
		return f
	}
	f.Detail = line + " (" + path + ")"
	if major, err := strconv.Atoi(majorVersion.FindString(line)); err == nil && major < item.minimum {
		f.Status, f.Hint = Broken, item.hint
	}
	if item.check == nil {
		return f
	}
	if status, note := item.check(p, path); note != "" {
		f.Status, f.Detail = status, f.Detail+", "+note
	}
	if f.Status != OK {
		f.Hint = item.hint
	}
	return f
}

// firstLine runs a program and returns the first line it prints.
func (p Patient) firstLine(ctx context.Context, path string, args []string) (string, bool) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	result, err := process.Run(ctx, process.Command{Path: path, Args: args, Dir: p.Dir, Env: p.Env}, 4096)
	if err != nil || !result.Status.Success() {
		return "", false
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(result.Stdout)), "\n")
	return strings.TrimSpace(line), line != ""
}

// modules looks for the optional native modules in npm's global folder, where
// the header of a bundle finds them.
func (p Patient) modules(ctx context.Context) []Finding {
	if len(p.Modules) == 0 {
		return nil
	}
	root := ""
	if npm, err := process.LookPath("npm", p.Path); err == nil {
		root, _ = p.firstLine(ctx, npm, []string{"root", "-g"})
	}
	var findings []Finding
	for _, module := range p.Modules {
		f := Finding{Name: module, Status: Missing, Detail: "not installed globally", Hint: "npm install -g " + advised(module)}
		if root == "" {
			f.Detail = "npm has no global folder to look in"
		} else if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(module))); err == nil && info.IsDir() {
			f = judgeModule(module, filepath.Join(root, filepath.FromSlash(module)))
		}
		findings = append(findings, f)
	}
	return findings
}
