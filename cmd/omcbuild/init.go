package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"omcbuild/internal/diag"
	"omcbuild/internal/report"
	"omcbuild/internal/scaffold"
	plugintemplate "omcbuild/plugin-template"
)

type initOptions struct {
	name, description, author, license, key string
	here, dryRun                            bool
}

func newInit(g *global) *cobra.Command {
	var o initOptions
	c := &cobra.Command{
		Use:   "init DIR | --here",
		Short: "Write a new plugin, or a configuration for an existing one",
		Long: "init makes the folder DIR with a small complete plugin: a server of one tool, its test, a skill,\n" +
			"the manifests, a workflow, a README and a licence. The folder's name is the plugin's unless\n" +
			"--name says another. DIR must not exist yet, or have nothing in it but .git; nothing is\n" +
			"overwritten, and nothing is left behind when anything fails. In a git repository, or below a catalog,\n" +
			"the catalog and the workflow are left to the root: init says what to write there. To make a\n" +
			"repository of its own there, run git init DIR first.\n\n" +
			"With --here it writes omcbuild.jsonc for the plugin that is in the current folder, from its build\n" +
			"scripts, bundler options and servers; it runs none of them and changes no other file.",
		Example: "  omcbuild init my-plugin\n  omcbuild init my-plugin --author 'Ada <ada@example.org>' --description 'Tells the weather.'\n  omcbuild init . --name weather   # in an empty folder\n  omcbuild init --here --dry-run   # show the configuration of an existing plugin\n  omcbuild init --here",
		Args:    atMostOne("folder", "omcbuild init my-plugin"),
		RunE:    func(c *cobra.Command, args []string) error { return runInit(c.Context(), g, o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.name, "name", "", "the plugin's `NAME`: lower-case letters, digits and hyphens (default: the folder's)")
	f.StringVar(&o.description, "description", "", "one `LINE` on what the plugin is for")
	f.StringVar(&o.author, "author", "", "the author: `NAME` <mail> (address)")
	f.StringVar(&o.license, "license", "MIT", "the `LICENCE`: one of "+listed(plugintemplate.Licenses()))
	f.BoolVar(&o.here, "here", false, "write omcbuild.jsonc for the plugin in this folder")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --here: print the configuration and write nothing")
	f.StringVar(&o.key, "key", "t", "the server's `KEY`, which stands in the name of every tool")
	for _, flag := range []string{"name", "description", "author", "license", "key"} {
		c.MarkFlagsMutuallyExclusive("here", flag)
	}
	return c
}

// initDocument is what --json prints.
type initDocument struct {
	report.Outcome
	Name   string   `json:"name"`
	Dir    string   `json:"dir"`
	Files  []string `json:"files"`
	Prefix string   `json:"prefix"`
	Author string   `json:"author"`
	Room   int      `json:"room"`
	Above  *above   `json:"repository,omitempty"` // that the plugin lies in
}

func runInit(ctx context.Context, g *global, o initOptions, args []string) error {
	switch {
	case o.here && len(args) > 0:
		return diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--here takes no folder", Hint: "name the folder with -C DIR"})
	case o.here:
		return runInitHere(ctx, g, o.dryRun)
	case o.dryRun:
		return diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--dry-run is for --here alone", Hint: "leave it out"})
	}
	if len(args) == 0 || args[0] == "" {
		return diag.Misuse(diag.Diagnostic{Code: "usage", Message: "the folder of the new plugin is not named", Hint: "for example omcbuild init my-plugin; for a plugin that exists omcbuild init --here"})
	}
	shown := args[0]
	if !filepath.IsAbs(shown) {
		shown = filepath.Join(g.dir, shown)
	}
	dir, err := absolute(shown)
	if err != nil {
		return err
	}
	made, err := scaffold.Init(ctx, scaffold.InitOptions{Dir: dir, Name: o.name, Description: o.description, Author: o.author, License: o.license, Key: o.key})
	if err != nil {
		return err
	}
	document := initDocument{report.NewOutcome(nil), made.Name, shown, made.Files, made.Prefix, made.Author, made.Room, seenFrom(made.Above)}
	return g.conclude(nil, document, func(w io.Writer, style report.Style) { printInit(w, style, document, o.author == "") })
}

func printInit(w io.Writer, style report.Style, made initDocument, nobody bool) {
	dir := made.Dir
	for _, file := range made.Files {
		_, _ = fmt.Fprintln(w, report.Printable(filepath.Join(dir, filepath.FromSlash(file))))
	}
	_, _ = fmt.Fprintf(w, "%s %s%s: %s\n", style.Good("made"), made.Name, madeIn(made), report.Count(len(made.Files), "file"))
	_, _ = fmt.Fprintf(w, "tools are called %s<name>; %d characters are left for <name>\n", made.Prefix, made.Room)
	if nobody {
		_, _ = fmt.Fprintf(w, "the author is \"%s\"; to name another, change author in package.json and run omcbuild sync\n", made.Author)
	}
	printAbove(w, style, made.Above)
	here := commandIn(dir)
	_, _ = fmt.Fprintln(w, "next:")
	for _, command := range []string{
		"npm install --prefix " + inShell(filepath.Join(dir, "src")), here + " new family weather", here + " build", here + " verify --plugin",
	} {
		_, _ = fmt.Fprintf(w, "  %s\n", report.Printable(command))
	}
}

// madeIn names the folder of a plugin that is called otherwise.
func madeIn(made initDocument) string {
	if filepath.Base(made.Dir) == made.Name {
		return ""
	}
	return " in " + report.Printable(made.Dir)
}

// command returns how omcbuild is called again for the same folder.
func (g *global) command() string { return commandIn(g.dir) }

// commandIn returns how omcbuild is called for a folder, as a shell takes it.
func commandIn(dir string) string {
	if filepath.Clean(dir) == "." {
		return "omcbuild"
	}
	return "omcbuild -C " + inShell(dir)
}

// inShell quotes a path where a shell would not take it as it is.
func inShell(path string) string {
	plain := func(r rune) bool {
		return r == '/' || r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if strings.ContainsFunc(path, func(r rune) bool { return !plain(r) }) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// listed writes words as people list them.
func listed(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
