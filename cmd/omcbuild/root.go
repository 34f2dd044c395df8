package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/report"
)

// version is set by the linker in a release build.
var version = "0.1.0"

// Exit codes of the tool.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// streams are where results (out) and progress (err) go.
type streams struct{ out, err io.Writer }

// global holds the flags every command has.
type global struct {
	streams
	dir     string
	json    bool
	format  string
	quiet   bool
	verbose bool
	noColor bool
	begun   bool // the command line was right
}

// errSilent ends a command with exit code 1 after it has printed everything.
var errSilent = errors.New("already reported")

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, args []string, s streams) int {
	out := &output{Writer: s.out}
	g := &global{streams: streams{out: out, err: s.err}}
	code := g.execute(ctx, args)
	if out.failed == nil {
		return code
	}
	report.Diagnostics(g.err, g.style(g.err), diag.List{{
		Code: "machine", Message: "the result cannot be written to standard output: " + plainWords(out.failed.Error()),
		Hint: "look at what standard output leads to, and at the space on its disk",
	}})
	return max(code, exitFailed)
}

func (g *global) execute(ctx context.Context, args []string) int {
	var help bytes.Buffer // help and the like, which no command prints
	root := newRoot(g)
	root.SetOut(&help)
	root.SetArgs(args)
	called, err := root.ExecuteContextC(ctx)
	reported := err == nil || errors.Is(err, errSilent)
	g.json = g.json || !reported && asksForJSON(args)
	switch {
	case err == nil:
		// What was done and printed stays so, however late an interrupt came.
		g.printHelp(help.String())
		return exitDone
	case errors.Is(err, errEndedWrong):
		return exitFailed
	case ctx.Err() != nil:
		if !reported && g.wantsJSON() {
			_ = report.JSON(g.out, report.NewOutcome(diag.List{{Code: "interrupted", Message: "interrupted before there was a result", Hint: "run the command again"}}))
		}
		return exitInterrupted
	case reported:
		return exitFailed
	}
	return g.fail(called, err)
}

// printHelp prints what the parser of the command line has to say: as it is, or
// as the text of a document.
func (g *global) printHelp(text string) {
	switch {
	case text == "":
	case g.wantsJSON():
		_ = report.JSON(g.out, struct {
			report.Outcome
			Text string `json:"text"`
		}{report.NewOutcome(nil), text})
	default:
		_, _ = io.WriteString(g.out, text)
	}
}

// output is where results go. It remembers the first that could not be written.
type output struct {
	io.Writer
	failed error
}

func (o *output) Write(data []byte) (int, error) {
	n, err := o.Writer.Write(data)
	o.failed = cmp.Or(o.failed, err)
	return n, err
}

// asksForJSON looks for the wish in a command line that could not be parsed as
// far as that.
func asksForJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	i := slices.Index(args, "--format")
	return slices.Contains(args, "--json") || slices.Contains(args, "--format=json") || i >= 0 && i+1 < len(args) && args[i+1] == "json"
}

// fail prints an error that stopped the command called before it had a result.
func (g *global) fail(called *cobra.Command, err error) int {
	failure := g.asFailure(called, err)
	if g.wantsJSON() {
		_ = report.JSON(g.out, report.NewOutcome(failure.Diagnostics))
	} else {
		report.Diagnostics(g.err, g.style(g.err), failure.Diagnostics)
	}
	if failure.Class == diag.Usage {
		return exitUsage
	}
	return exitFailed
}

// asFailure gives any error the shape of a failure. What is not one by now
// comes from the parsing of flags and arguments, or, once a command has begun,
// from a machine that cannot do what every machine can.
func (g *global) asFailure(called *cobra.Command, err error) *diag.Failure {
	var failure *diag.Failure
	if errors.As(err, &failure) {
		return failure
	}
	if g.begun {
		return diag.Fail(diag.Diagnostic{Code: "machine", Message: err.Error(), Hint: "look at the folder for temporary files (TMPDIR), at the space on its disk, and at who may write there"}).Because(err)
	}
	return diag.Misuse(diag.Diagnostic{Code: "usage", Message: plainWords(err.Error()), Hint: helpOf(called)})
}

// noSuchCommand refuses a word that is no command, and names one that is near.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	d := diag.Diagnostic{Code: "usage", Message: args[0] + " is no command", Hint: c.CommandPath() + " --help shows the commands"}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		d.Hint = "did you mean " + c.CommandPath() + " " + near[0]
	}
	return diag.Misuse(d)
}

func newRoot(g *global) *cobra.Command {
	root := &cobra.Command{
		Use:   "omcbuild",
		Short: "Build, verify and sync Claude Code plugins",
		Long: "omcbuild bundles the MCP servers of a Claude Code plugin, runs each bundle the way the\n" +
			"real client does, and refuses to replace a good one by one that lost a tool.\n\n" +
			"Exit codes: 0 done, 1 something is wrong with the plugin or the machine, 2 the command line or the\n" +
			"configuration is wrong, 130 interrupted. Ctrl-C is how watch ends: with 0, or 1 when something is wrong.",
		Example:           "  omcbuild build            # bundle, verify, sync the metadata\n  omcbuild build --frozen   # in CI: nothing may change\n  omcbuild diff v1.2.0      # what changed for the model since a tag",
		Version:           version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              noSuchCommand,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error { return g.check() },
	}
	root.SetErr(g.err)
	root.SetVersionTemplate("omcbuild {{.Version}}\n")
	flags := root.PersistentFlags()
	flags.StringVarP(&g.dir, "directory", "C", ".", "run as if started in `DIR`")
	flags.BoolVar(&g.json, "json", false, "print one JSON document on standard output")
	flags.StringVar(&g.format, "format", "text", "output format: text or json")
	flags.BoolVarP(&g.quiet, "quiet", "q", false, "print errors and warnings only")
	flags.BoolVarP(&g.verbose, "verbose", "v", false, "print notes, steps and timings too")
	flags.BoolVar(&g.noColor, "no-color", false, "no colours (also NO_COLOR)")
	root.AddCommand(newBuild(g), newWatch(g), newVerify(g), newSync(g), newTools(g), newDiff(g), newVersion(g), newPackage(g), newAnalyze(g), newInit(g), newNew(g), newConfig(g), newDoctor(g))
	g.noteBeginning(root.Commands())
	return root
}

// noteBeginning lets every command say that it has begun, those below others too.
func (g *global) noteBeginning(commands []*cobra.Command) {
	for _, c := range commands {
		g.noteBeginning(c.Commands())
		run := c.RunE
		c.RunE = func(c *cobra.Command, args []string) error {
			g.begun = true
			return run(c, args)
		}
	}
}

func (g *global) check() error {
	if g.format != "text" && g.format != "json" {
		return diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--format " + g.format + " is not known", Hint: "use text or json"})
	}
	if g.quiet && g.verbose {
		return diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--quiet and --verbose exclude each other", Hint: "leave one out"})
	}
	return nil
}

func (g *global) wantsJSON() bool { return g.json || g.format == "json" }

// style decides on colours for one stream: a terminal, and nobody said no.
func (g *global) style(w io.Writer) report.Style {
	if out, wrapped := w.(*output); wrapped {
		w = out.Writer
	}
	file, isFile := w.(*os.File)
	color := isFile && isatty.IsTerminal(file.Fd()) && !g.noColor && os.Getenv("NO_COLOR") == ""
	return report.Style{Color: color, Notes: g.verbose}
}

// load reads the plugin that -C points into. A repository of several is an error
// that names them.
func (g *global) load() (*project.Project, error) {
	p, several, err := g.open()
	if several != nil {
		return nil, several.Several("this command is for one")
	}
	return p, err
}

// open reads the plugin that -C points into, or all plugins of a repository; the
// other of the two is nil.
func (g *global) open() (*project.Project, *project.Repository, error) {
	dir, err := absolute(g.dir)
	if err != nil {
		return nil, nil, err
	}
	return project.Open(dir)
}

// absolute returns a path from the root of the file system.
func absolute(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", diag.Misuse(diag.Diagnostic{Code: "usage", Message: "the current folder cannot be found: " + plainWords(err.Error()), Hint: "it was removed or moved; change to a folder that is there"}).Because(err)
	}
	return full, nil
}

// conclude prints a result: the document for programs, or what text writes
// and then the diagnostics for people. It returns the error for the exit code.
func (g *global) conclude(list diag.List, document any, text func(w io.Writer, style report.Style)) error {
	if g.wantsJSON() {
		_ = report.JSON(g.out, document)
	} else {
		if !g.quiet {
			text(g.out, g.style(g.out))
		}
		report.Diagnostics(g.err, g.style(g.err), list)
	}
	if list.HasErrors() {
		return errSilent
	}
	return nil
}

// oneShot turns garbage collection off: a command that ends in a second is a
// third faster without. The limit brings it back for very large projects.
func oneShot() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(3 << 30)
}

// severalShots bounds what a build of several plugins takes before garbage is
// collected after all: each leaves some tens of megabytes.
func severalShots() { debug.SetMemoryLimit(1 << 30) }

// identity names this very program for the stamps of bundles: after omcbuild
// itself was rebuilt, what an earlier one recorded counts no more.
func identity() string {
	path, err := os.Executable()
	if err != nil {
		return version
	}
	info, err := os.Stat(path)
	if err != nil {
		return version
	}
	return fmt.Sprintf("%s %d %d", version, info.Size(), info.ModTime().UnixNano())
}

// cacheDir is where build stamps and locks live; nothing there is needed to
// get the same result again. A user without a home that can be written, as in
// many containers, gets a folder in the temporary one.
func cacheDir() string {
	if dir, err := os.UserCacheDir(); err == nil {
		if dir = filepath.Join(dir, "omcbuild"); os.MkdirAll(dir, 0o700) == nil {
			return dir
		}
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("omcbuild-%d", os.Getuid()))
}
