package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/report"
)

// What a terminal understands: back to the beginning of the line and clear it; do
// not wrap, so that a long line stays one; wrap again.
const (
	clearLine = "\r\x1b[K"
	noWrap    = "\x1b[?7l"
	wrap      = "\x1b[?7h"
)

// drawNow writes the line that says what is going on.
func (c *console) drawNow() {
	if !c.live {
		return
	}
	c.wipe()
	style := c.g.style(c.g.err)
	text := style.Dim(c.doing())
	if n := c.wrong(); n > 0 {
		text = style.Bad(report.Count(n, "error")) + style.Dim(", ") + text
	}
	_, _ = fmt.Fprint(c.g.err, noWrap+text+wrap)
	c.shown = true
}

// wipe takes the line off the screen.
func (c *console) wipe() {
	if c.shown {
		_, _ = fmt.Fprint(c.g.err, clearLine)
		c.shown = false
	}
}

// doing says in a few words what is being done, or what was last.
func (c *console) doing() string {
	var doing []string
	var at time.Time
	var took time.Duration
	for p, state := range c.states {
		if state.now != "" {
			doing = append(doing, strings.TrimSpace(p.path+" "+report.Printable(state.now)))
		}
		if state.at.After(at) {
			at, took = state.at, state.took
		}
	}
	if len(doing) > 0 {
		slices.Sort(doing)
		return strings.Join(doing, ", ")
	}
	if at.IsZero() {
		return "watching"
	}
	return fmt.Sprintf("watching, last built %s in %s; Ctrl-C ends it", at.Format(time.TimeOnly), report.Duration(took))
}

// wrong counts the errors that are to be mended.
func (c *console) wrong() int {
	n := 0
	for _, state := range c.states {
		errors := state.bundling.At(diag.Error)
		for _, d := range append(state.listed.At(diag.Error), state.checks.At(diag.Error)...) {
			if !slices.Contains(errors, d) {
				errors = append(errors, d)
			}
		}
		n += len(errors)
	}
	return n
}

// close takes the line of now away.
func (c *console) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
	c.live = false
}
