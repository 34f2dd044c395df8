package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"omcbuild/internal/diag"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/project"
	"omcbuild/internal/watch"
)

type watchOptions struct {
	minify, sourcemap, typecheck, noVerify bool
	env                                    []string
	poll                                   time.Duration
	polls                                  bool // poll was given
}

// Limits of --poll, and what it stands for without a value.
const (
	shortestPoll = 10 * time.Millisecond
	plainPoll    = "500ms"
)

// atTheEnd is how long watch may take to put the plain bundles in place after it was
// told to end.
const atTheEnd = 10 * time.Second

// moreProcessors is how many processors watch takes itself to have beyond those that are
// there. While a bundle is made as a whole, hundreds of goroutines are ready to run, and
// a save is noticed only when one of them has been through: with 2 processors under load
// that took some hundred milliseconds. With more, the system shares the time out, and it
// takes some ten.
const moreProcessors = 6

// errEndedWrong ends watch with exit code 1: something was wrong when it was ended.
var errEndedWrong = errors.New("ended with errors")

func newWatch(g *global) *cobra.Command {
	var o watchOptions
	c := &cobra.Command{
		Use:   "watch",
		Short: "Build again whenever a source changes",
		Long: "watch builds, and then builds again after each change of a source, of package.json, tsconfig.json,\n" +
			"omcbuild.jsonc or .mcp.json. A bundle is in place some milliseconds after the save, and is then run\n" +
			"and compared with its lock file: a line says what changed for the model. When saving pauses it is\n" +
			"replaced by the one that build makes. Errors are shown until they are mended, and the last good\n" +
			"bundle stays. watch writes no lock file. Ctrl-C ends it: with exit code 0, or 1 when something was\n" +
			"wrong then.",
		Example: "  omcbuild watch\n  omcbuild watch --no-verify     # bundle only\n  omcbuild watch --json          # lines of JSON\n  omcbuild watch --poll=200ms    # where the system does not tell of changes",
		Args:    attachedPoll,
		RunE: func(c *cobra.Command, _ []string) error {
			o.polls = c.Flags().Changed("poll")
			return runWatch(c.Context(), g, o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.minify, "minify", false, "minify the bundles")
	f.BoolVar(&o.sourcemap, "sourcemap", false, "write a source map beside each bundle")
	f.BoolVar(&o.typecheck, "typecheck", false, "run the TypeScript compiler of the project when saving pauses")
	f.BoolVar(&o.noVerify, "no-verify", false, "do not run the bundles")
	f.DurationVar(&o.poll, "poll", 0, "look at all files every `INTERVAL` instead of being told by the system; "+plainPoll+" when none is given")
	f.Lookup("poll").NoOptDefVal = plainPoll
	envFlag(c, &o.env)
	return c
}

// attachedPoll takes no arguments, and says what became of the value of --poll when
// one looks like it.
func attachedPoll(c *cobra.Command, args []string) error {
	if len(args) > 0 && c.Flags().Changed("poll") {
		if _, err := time.ParseDuration(args[0]); err == nil {
			return diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--poll does not take the word after it, since it can stand alone", Hint: "write --poll=" + args[0]})
		}
	}
	return noArguments(c, args)
}

func runWatch(ctx context.Context, g *global, o watchOptions) error {
	if o.polls && o.poll < shortestPoll {
		return diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--poll is below " + shortestPoll.String(), Hint: "give a longer time, for example --poll=" + plainPoll})
	}
	env, err := parseEnv(o.env)
	if err != nil {
		return err
	}
	machine, err := thisMachine()
	if err != nil && !o.noVerify {
		return err
	}
	options := pipeline.BuildOptions{
		Minify: o.minify, Sourcemap: o.sourcemap, Typecheck: o.typecheck, Verify: !o.noVerify, Env: env,
		ToolVersion: identity(), CacheDir: cacheDir(), Machine: machine,
	}
	plugins, err := g.watched(options)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + moreProcessors)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	// Without this the end of a reader would end the program before the plain bundles
	// are in place.
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	defer signal.Stop(unread)
	c := newConsole(g, plugins, stop)
	defer c.close()
	var group errgroup.Group
	for _, p := range plugins {
		group.Go(func() error {
			err := p.watch(ctx, c, o.poll, options.CacheDir)
			if err != nil { // the others end in order
				stop()
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return c.outcome(ctx)
}

// watchedPlugin is a plugin that is watched.
type watchedPlugin struct {
	project *project.Project
	path    string // of one of several plugins, below the root of the repository; "" for one alone
	rounds  *pipeline.Rounds
}

// watched are the plugins that -C points to: one, or all of a repository that have
// something to bundle.
func (g *global) watched(o pipeline.BuildOptions) ([]*watchedPlugin, error) {
	one, several, err := g.open()
	if err != nil {
		return nil, err
	}
	if one != nil {
		return []*watchedPlugin{newWatchedPlugin(one, "", o)}, one.NeedsBundles()
	}
	var plugins []*watchedPlugin
	for _, m := range several.Plugins {
		if m.Project == nil {
			return nil, diag.Misuse(m.Faults...)
		}
		if len(m.Project.Bundles) > 0 {
			plugins = append(plugins, newWatchedPlugin(m.Project, m.Path, o))
		}
	}
	if len(plugins) == 0 {
		return nil, diag.Misuse(diag.Diagnostic{Code: "no-bundles", Message: "no plugin of the repository has something to bundle", Hint: "omcbuild config shows what each of them has"})
	}
	return plugins, nil
}

func newWatchedPlugin(p *project.Project, path string, o pipeline.BuildOptions) *watchedPlugin {
	reopen := func() (*project.Project, error) {
		one, several, err := project.Open(p.Root)
		if several != nil {
			return nil, several.Several("watch began with one")
		}
		return one, err
	}
	return &watchedPlugin{project: p, path: path, rounds: pipeline.NewRounds(reopen, o)}
}

// watch builds until ctx ends, and leaves the plain products behind.
func (p *watchedPlugin) watch(ctx context.Context, c *console, poll time.Duration, cacheDir string) error {
	release, err := pipeline.TakeWatch(ctx, cacheDir, p.project, func() { c.waits(p) })
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer release()
	defer func() { _ = p.rounds.Close() }()
	begun := false
	watch.Run(ctx, watch.Work{
		Watched: p.set,
		Round: func(ctx context.Context, changed []string) {
			c.working(p, changed)
			r := p.rounds.Round(ctx, changed)
			begun = begun || !r.Canceled
			c.built(p, p.below(changed), r)
		},
		Check: func(ctx context.Context) {
			c.checking(p)
			c.checked(p, p.rounds.Check(ctx))
			p.rounds.Record(ctx)
		},
		Rest: func(ctx context.Context) {
			c.settling(p)
			c.settled(p, p.rounds.Settle(ctx))
		},
	}, watch.Options{Root: p.project.Root, Poll: poll, Say: func(d diag.Diagnostic) { c.say(p, d) }})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), atTheEnd)
	defer cancel()
	if begun { // there may be changes of which no round knows yet
		c.builtLast(p, p.rounds.Round(ctx, nil))
	}
	c.finished(p, p.rounds.Finish(ctx))
	return nil
}

// set is what the rounds look at. The files that make a folder a plugin are always
// part of it: what is wrong with them may keep the rest from being known.
func (p *watchedPlugin) set() watch.Set {
	w := p.rounds.Watched()
	set := watch.Set{Files: w.Files, Folders: w.Folders, Trees: w.Trees, Products: w.Outputs, Matters: w.Matters}
	for _, name := range []string{project.ManifestFile, project.CatalogFile, project.ServersFile} {
		set.Own = append(set.Own, filepath.Join(p.project.Root, filepath.FromSlash(name)))
	}
	set.Files = append(set.Files, filepath.Join(p.project.Root, project.ConfigFile), filepath.Join(p.project.Root, project.PackageFile))
	set.Files = append(set.Files, set.Own...)
	return set
}

// below are paths as the plugin sees them: relative where they are in it. Beside files of
// its own, those of packages are left out: when a folder with hundreds of them is renamed,
// they are not what was saved.
func (p *watchedPlugin) below(paths []string) []string {
	out := make([]string, 0, len(paths))
	if own := slices.DeleteFunc(slices.Clone(paths), inPackage); len(own) > 0 {
		paths = own
	}
	for _, path := range paths {
		if rel, err := filepath.Rel(p.project.Root, path); err == nil {
			path = rel
		}
		out = append(out, filepath.ToSlash(path))
	}
	return out
}

func inPackage(path string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "node_modules")
}
