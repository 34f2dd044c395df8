package main

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/schemadiff"
)

var clock = regexp.MustCompile(`\d\d:\d\d:\d\d`)

// TestWhatWatchShows follows one plugin through a day: built, checked, broken,
// mended, changed for the model.
func TestWhatWatchShows(t *testing.T) {
	var out, err bytes.Buffer
	p := &watchedPlugin{}
	c := newConsole(&global{streams: streams{out: &out, err: &err}}, []*watchedPlugin{p}, func() {})
	bundle := func(tools int) []pipeline.RoundBundle {
		return []pipeline.RoundBundle{{Name: "t", Outfile: "bridge/t.cjs", Bytes: 2000, Duration: 7 * time.Millisecond, Changed: true, Ran: tools > 0, Tools: tools, Locked: true}}
	}
	bad := diag.List{{Code: "syntax", Message: "unexpected end", Position: diag.Position{File: "src/a.ts", Line: 3}}}
	warning := diag.List{{Code: "odd", Level: diag.Warning, Message: "looks odd"}}
	late := diag.List{{Code: "late", Level: diag.Warning, Message: "is late"}}
	breaks := diag.List{{Code: "surface-breaking", Level: diag.Warning, Message: "name is gone"}}
	lost := pipeline.Change{Bundle: "t", Change: schemadiff.Change{Message: "greet: name is gone: breaking"}}

	steps := []struct {
		name     string
		do       func()
		out, err string
	}{
		{"first", func() {
			c.built(p, nil, &pipeline.RoundResult{Kind: pipeline.RoundFirst, Bundles: bundle(0), Diagnostics: warning})
		}, "TIME bridge/t.cjs  2.0 kB in 7 ms\n", "warning: looks odd [odd]\n"},
		{"checked", func() {
			c.checked(p, &pipeline.RoundResult{Kind: pipeline.RoundChecked, Bundles: bundle(3), Diagnostics: warning})
		}, "TIME t: 3 tools, nothing changed for the model\n", ""},
		{"settled", func() {
			c.settled(p, &pipeline.RoundResult{Kind: pipeline.RoundSettled, Bundles: bundle(3), Diagnostics: append(late, warning...)})
		}, "", "warning: is late [late]\n"},
		{"nothing", func() {
			c.built(p, []string{"src/a.ts"}, &pipeline.RoundResult{Kind: pipeline.RoundNothing, Diagnostics: warning})
		}, "", ""},
		{"checked again", func() { c.checked(p, nil) }, "", ""},
		{"settled again", func() {
			c.settled(p, &pipeline.RoundResult{Kind: pipeline.RoundSettled, Bundles: bundle(3), Diagnostics: append(late, warning...)})
		}, "", ""},
		{"broken", func() {
			c.built(p, []string{"src/a.ts"}, &pipeline.RoundResult{Kind: pipeline.RoundFull, Duration: 2 * time.Millisecond, Diagnostics: bad})
		}, "TIME failed after 2 ms, the last good bundle stays, after src/a.ts\n", "error: src/a.ts:3: unexpected end [syntax]\n"},
		{"still broken", func() {
			c.built(p, []string{"src/b.ts"}, &pipeline.RoundResult{Kind: pipeline.RoundFull, Duration: 2 * time.Millisecond, Diagnostics: bad})
		}, "TIME failed after 2 ms, the last good bundle stays, after src/b.ts\n", "error: src/a.ts:3: unexpected end [syntax]\n"},
		{"broken when checked", func() { c.checked(p, nil) }, "", ""},
		{"broken when settled", func() { c.settled(p, &pipeline.RoundResult{Kind: pipeline.RoundSettled, Diagnostics: bad}) }, "", ""},
		{"undone", func() { c.built(p, []string{"src/a.ts"}, &pipeline.RoundResult{Kind: pipeline.RoundNothing}) },
			"TIME no bundle changed, mended, after src/a.ts\n", ""},
		{"canceled", func() { c.settled(p, &pipeline.RoundResult{Kind: pipeline.RoundSettled, Canceled: true}) }, "", ""},
		{"many saves", func() {
			c.built(p, []string{"a", "b", "c", "d", "e"}, &pipeline.RoundResult{Kind: pipeline.RoundQuick, Bundles: bundle(0)})
		}, "TIME bridge/t.cjs  2.0 kB in 7 ms, after a b c and 2 more\n", ""},
		{"lost", func() {
			c.checked(p, &pipeline.RoundResult{Kind: pipeline.RoundChecked, Bundles: bundle(3), Changes: []pipeline.Change{lost}, Diagnostics: breaks})
		}, "TIME t: 3 tools, 1 change for the model: greet: name is gone: breaking\n", "warning: name is gone [surface-breaking]\n"},
		{"lost when settled", func() {
			c.settled(p, &pipeline.RoundResult{Kind: pipeline.RoundSettled, Bundles: bundle(3), Changes: []pipeline.Change{lost}, Diagnostics: append(late, breaks...)})
		}, "", "warning: is late [late]\n"},
		{"ended", func() {
			c.finished(p, &pipeline.RoundResult{Kind: pipeline.RoundFinished, Diagnostics: warning})
		}, "", "warning: looks odd [odd]\n"},
	}
	for _, step := range steps {
		out.Reset()
		err.Reset()
		step.do()
		if got := clock.ReplaceAllString(out.String(), "TIME"); got != step.out {
			t.Errorf("%s: printed %q, want %q", step.name, got, step.out)
		}
		if err.String() != step.err {
			t.Errorf("%s: printed to stderr %q, want %q", step.name, err.String(), step.err)
		}
	}
	if err := c.outcome(context.Background()); err != nil {
		t.Errorf("ended with %v", err)
	}
	c.built(p, nil, &pipeline.RoundResult{Kind: pipeline.RoundFull, Diagnostics: bad})
	if err := c.outcome(context.Background()); !errors.Is(err, errEndedWrong) {
		t.Errorf("ended with %v", err)
	}
}

// TestLineOfNow is taken away before anything else is printed, and counts errors
// until they are mended.
func TestLineOfNow(t *testing.T) {
	var screen bytes.Buffer
	p := &watchedPlugin{}
	c := newConsole(&global{noColor: true, streams: streams{out: &screen, err: &screen}}, []*watchedPlugin{p}, func() {})
	c.live = true
	c.working(p, nil)
	c.built(p, nil, &pipeline.RoundResult{Kind: pipeline.RoundFirst, Diagnostics: diag.List{{Code: "syntax", Message: "unexpected end"}}})
	c.checking(p)
	c.close()
	got := clock.ReplaceAllString(screen.String(), "TIME")
	got = strings.NewReplacer(clearLine, "<clear>", noWrap, "<", wrap, ">").Replace(got)
	want := "<building><clear>TIME failed after 0 ms, the last good bundle stays\nerror: unexpected end [syntax]\n" +
		"<1 error, watching, last built TIME in 0 ms; Ctrl-C ends it><clear><1 error, checking what the model sees><clear>"
	if got != want {
		t.Errorf("the screen was given\n%q, want\n%q", got, want)
	}
}
