package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-isatty"

	"omcbuild/internal/diag"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/report"
)

// console shows what watch does: a line for each round, or one of JSON, and on a
// terminal a last line that says what is going on now.
type console struct {
	g       *global
	several bool
	stop    func() // ends watch: nobody reads any more

	mu     sync.Mutex
	live   bool // there is a line of now
	round  int
	unread bool // nobody reads the results any more
	states map[*watchedPlugin]*pluginState
	shown  bool // the line of now is on the screen
}

// pluginState is where a plugin stands.
type pluginState struct {
	now       string    // what is being done; "" is waiting
	at        time.Time // of the last build
	took      time.Duration
	bundling  diag.List            // what is wrong by the last round
	listed    diag.List            // what is wrong by the last check
	checks    diag.List            // what is wrong by the last settling
	ending    diag.List            // what is wrong with what is left behind
	said      diag.List            // since the last round
	warned    map[string]diag.List // warnings that were printed, by what found them
	built     bool                 // there was a round
	unchecked bool                 // a round was shown, and no check since
	open      bool                 // nor a settling
	changes   []pipeline.Change
}

func newConsole(g *global, plugins []*watchedPlugin, stop func()) *console {
	c := &console{g: g, several: len(plugins) > 1 || len(plugins) == 1 && plugins[0].path != "", stop: stop, states: map[*watchedPlugin]*pluginState{}}
	for _, p := range plugins {
		c.states[p] = &pluginState{warned: map[string]diag.List{}}
	}
	file, isFile := g.err.(*os.File)
	c.live = isFile && isatty.IsTerminal(file.Fd()) && os.Getenv("TERM") != "dumb" && !g.quiet && !g.wantsJSON()
	return c
}

// watchLine is what --json prints of a round, and of what followed it.
type watchLine struct {
	report.Outcome
	Plugin     string                `json:"plugin,omitempty"`
	Round      int                   `json:"round"`
	Kind       pipeline.RoundKind    `json:"kind"`
	Changed    []string              `json:"changed"` // files that were saved
	Bundles    []watchBundle         `json:"bundles"`
	Changes    []pipeline.Change     `json:"changes,omitempty"`
	Metadata   []pipeline.FileReport `json:"metadata,omitempty"`
	DurationMs int64                 `json:"durationMs"`
}

type watchBundle struct {
	Name       string `json:"name"`
	Outfile    string `json:"outfile"`
	Bytes      int64  `json:"bytes"`
	Changed    bool   `json:"changed"`
	Ran        bool   `json:"ran"`
	Tools      int    `json:"tools"`
	DurationMs int64  `json:"durationMs"`
}

// waits says that another watch has to end first.
func (c *console) waits(p *watchedPlugin) {
	c.say(p, diag.Diagnostic{Code: "watch-twice", Level: diag.Warning, Message: "another omcbuild watch is watching this plugin; this one waits until it ends",
		Hint: "end one of the two"})
}

// notice is the kind of a line that tells of no round.
const notice pipeline.RoundKind = "notice"

// say prints what the user should know about the way of watching.
func (c *console) say(p *watchedPlugin, d diag.Diagnostic) {
	c.print(func(_ io.Writer, err io.Writer) {
		if c.g.wantsJSON() {
			c.line(p, nil, &pipeline.RoundResult{Kind: notice, Diagnostics: diag.List{d}})
			return
		}
		report.Diagnostics(err, c.g.style(c.g.err), c.placed(p, diag.List{d}))
	})
}

// working, checking and settling are what is going on now.
func (c *console) working(p *watchedPlugin, changed []string) {
	c.now(p, "building "+strings.Join(p.below(changed), " "))
}
func (c *console) checking(p *watchedPlugin) { c.now(p, "checking what the model sees") }
func (c *console) settling(p *watchedPlugin) { c.now(p, "building the plain bundles") }

func (c *console) now(p *watchedPlugin, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.states[p].now = what
	c.drawNow()
}

// built shows a round.
func (c *console) built(p *watchedPlugin, changed []string, r *pipeline.RoundResult) {
	state := c.states[p]
	c.print(func(out, err io.Writer) {
		state.now = ""
		if r.Canceled || r.Kind == pipeline.RoundNothing && sameFindings(state.bundling, r.Diagnostics) {
			return
		}
		was := state.bundling.HasErrors()
		state.bundled(r)
		c.round++
		if c.g.wantsJSON() {
			c.line(p, changed, r)
			return
		}
		style := c.g.style(c.g.out)
		switch {
		case c.g.quiet:
		case r.Diagnostics.HasErrors():
			c.head(out, p, style.Bad("failed")+" after "+report.Duration(r.Duration)+", the last good bundle stays"+after(changed))
		default:
			c.bundles(out, p, r, was, after(changed))
		}
		state.said = nil
		c.diagnostics(err, p, r)
	})
}

// builtLast shows the round at the end, when it found something else than the one before.
func (c *console) builtLast(p *watchedPlugin, r *pipeline.RoundResult) {
	other := func(b pipeline.RoundBundle) bool { return b.Changed }
	if slices.ContainsFunc(r.Bundles, other) || !sameFindings(c.states[p].bundling, r.Diagnostics) {
		c.built(p, nil, r)
	}
}

// bundled takes a round in. What it mended is not what the next check mends.
func (s *pluginState) bundled(r *pipeline.RoundResult) {
	if sameErrors(s.checks, s.bundling) {
		s.checks = r.Diagnostics
	}
	s.bundling, s.built, s.unchecked, s.open = r.Diagnostics, true, true, true
	if r.Kind != pipeline.RoundNothing {
		s.at, s.took = time.Now(), r.Duration
	}
}

// bundles prints a line for each bundle that is another now.
func (c *console) bundles(out io.Writer, p *watchedPlugin, r *pipeline.RoundResult, was bool, why string) {
	style := c.g.style(c.g.out)
	if was {
		why = ", " + style.Good("mended") + why
	}
	changed := false
	for _, b := range r.Bundles {
		if b.Changed {
			changed = true
			c.head(out, p, fmt.Sprintf("%s  %s in %s%s", style.Strong(report.Printable(b.Outfile)), report.Bytes(b.Bytes), report.Duration(cmp.Or(b.Duration, r.Duration)), why))
		}
	}
	if !changed {
		c.head(out, p, "no bundle changed"+why)
	}
}

// checked shows what the servers list that a round put in place; nil is nothing.
func (c *console) checked(p *watchedPlugin, r *pipeline.RoundResult) {
	state := c.states[p]
	c.print(func(out, err io.Writer) {
		if r != nil && r.Canceled {
			return // something else is going on by now
		}
		state.now = ""
		if r == nil || !state.unchecked && sameFindings(state.listed, r.Diagnostics) && sameChanges(state.changes, r.Changes) {
			return
		}
		was := state.listed.HasErrors()
		state.listed, state.changes, state.unchecked = r.Diagnostics, r.Changes, false
		switch {
		case c.g.wantsJSON():
			c.line(p, nil, r)
			return
		case !c.g.quiet:
			c.offers(out, p, r, was)
		}
		c.diagnostics(err, p, r)
	})
}

// settled shows what was found when saving paused, beyond what is known already.
func (c *console) settled(p *watchedPlugin, r *pipeline.RoundResult) {
	state := c.states[p]
	c.print(func(out, err io.Writer) {
		if r.Canceled {
			return
		}
		state.now = ""
		if !state.news(r) {
			return
		}
		was, listed := state.checks.HasErrors(), !state.unchecked && sameChanges(state.changes, r.Changes)
		if state.checks, state.changes, state.open = r.Diagnostics, r.Changes, false; !r.Diagnostics.HasErrors() {
			state.listed = nil
		}
		if c.g.wantsJSON() {
			c.line(p, nil, r)
			return
		}
		if state.bundling.HasErrors() && sameErrors(r.Diagnostics, state.bundling) {
			return // said by the round
		}
		if !c.g.quiet {
			if mended := was && !r.Diagnostics.HasErrors(); !listed || mended {
				c.offers(out, p, r, mended)
			}
			printChanged(out, r.Metadata)
		}
		c.diagnostics(err, p, r)
	})
}

// finished shows what is not as build leaves it when watch ends; nil is nothing.
func (c *console) finished(p *watchedPlugin, r *pipeline.RoundResult) {
	if r == nil {
		return
	}
	if r.Canceled {
		r.Diagnostics = append(r.Diagnostics, diag.Diagnostic{Code: "watch-unfinished",
			Message: fmt.Sprintf("the bundles of build were not in place %d s after watch was ended; larger ones of the last save may be", int(atTheEnd.Seconds())),
			Hint:    "run omcbuild build"})
	}
	c.states[p].ending = r.Diagnostics
	c.print(func(_, err io.Writer) {
		if c.g.wantsJSON() {
			c.line(p, nil, r)
			return
		}
		c.diagnostics(err, p, r)
	})
}

// news reports whether a settling is worth a line: there was a round before it, or
// it found something else than the last.
func (s *pluginState) news(r *pipeline.RoundResult) bool {
	wrote := slices.ContainsFunc(r.Metadata, func(f pipeline.FileReport) bool { return f.Changed })
	return s.open || wrote || !sameFindings(s.checks, r.Diagnostics) || !sameChanges(s.changes, r.Changes)
}

func sameChanges(a, b []pipeline.Change) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// line prints a round as JSON.
func (c *console) line(p *watchedPlugin, changed []string, r *pipeline.RoundResult) {
	line := watchLine{Outcome: report.NewOutcome(c.placed(p, r.Diagnostics)), Plugin: p.path, Round: c.round, Kind: r.Kind, Changed: changed,
		Bundles: []watchBundle{}, Changes: r.Changes, Metadata: r.Metadata, DurationMs: r.Duration.Milliseconds()}
	if line.Changed == nil {
		line.Changed = []string{}
	}
	for _, b := range r.Bundles {
		line.Bundles = append(line.Bundles, watchBundle{b.Name, b.Outfile, b.Bytes, b.Changed, b.Ran, b.Tools, b.Duration.Milliseconds()})
	}
	encoder := json.NewEncoder(c.g.out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(line) // print looks at what became of it
}

// print takes the line of now away, lets something be printed, and draws it again.
func (c *console) print(do func(out, err io.Writer)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
	do(c.g.out, c.g.err)
	if out, is := c.g.out.(*output); is && out.failed != nil {
		c.unread = true
		c.stop()
	}
	c.drawNow()
}

// outcome is the exit code of watch: that of its last rounds.
func (c *console) outcome(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, state := range c.states {
		if state.bundling.HasErrors() || state.listed.HasErrors() || state.checks.HasErrors() || state.ending.HasErrors() {
			return errEndedWrong
		}
	}
	for _, state := range c.states {
		switch {
		case state.built:
		case c.unread:
			return errSilent
		default:
			return ctx.Err()
		}
	}
	return nil
}
