package main

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

func TestRow(t *testing.T) {
	taken := figures{
		"fast": {values: []float64{40}}, "slow": {values: []float64{100}},
		"none": {absent: "not published | for\nthis"}, "bytes": {values: []float64{2500}}, "zero": {values: []float64{0}},
		"varying": {values: []float64{5, 10, 20}, paired: true}, "steady": {values: []float64{10, 10, 10}, paired: true},
	}
	for name, test := range map[string]struct {
		row  row
		want string
		its  tally
	}{
		"held":            {row{of: "fast", than: "slow", limit: atMost(0.4)}, "|  | 40.0 ms | slow | 100.0 ms | 0.40 |  | 0.40 | held |", tally{}},
		"missed":          {row{of: "fast", than: "slow", limit: atMost(0.39)}, "|  | 40.0 ms | slow | 100.0 ms | 0.40 |  | 0.39 | missed |", tally{missed: 1}},
		"for information": {row{of: "slow", than: "fast"}, "|  | 100.0 ms | fast | 40.0 ms | 2.50 |  |  |  |", tally{}},
		"alone":           {row{of: "slow", limit: atMost(99)}, "|  | 100.0 ms |  |  |  |  | 99.0 ms | missed |", tally{missed: 1}},
		"none allowed":    {row{of: "zero", unit: count, stat: total, limit: atMost(0)}, "|  | 0 |  |  |  |  | 0 | held |", tally{}},
		"size":            {row{of: "bytes", unit: size}, "|  | 2.5 kB |  |  |  |  |  |  |", tally{}},
		"own is absent":   {row{of: "none", than: "slow", limit: atMost(1)}, "|  |  | slow | 100.0 ms |  |  | 1.00 | not taken: not published / for this |", tally{untaken: 1}},
		"other is absent": {row{of: "slow", than: "none", limit: atMost(1)}, "|  | 100.0 ms | none |  |  |  | 1.00 | none: not published / for this |", tally{}},
		"never taken":     {row{of: "unknown", limit: atMost(1)}, "|  |  |  |  |  |  | 1.0 ms | not taken: the measurement gave no figure |", tally{untaken: 1}},
		"varies":          {row{of: "varying", than: "steady", limit: atMost(1)}, "|  | 10.0 ms | steady | 10.0 ms | 1.00 | 0.50–2.00 | 1.00 | too noisy to judge |", tally{noisy: 1}},
		"varies in time":  {row{of: "varying", limit: atMost(30)}, "|  | 10.0 ms |  |  |  | 5.0 ms–20.0 ms | 30.0 ms | held |", tally{}},
	} {
		text, its := test.row.line(taken, state{}, false)
		if text != test.want+"\n" || its != test.its {
			t.Errorf("%s: got %v\n%swant %v\n%s", name, its, text, test.its, test.want)
		}
	}
}

func TestRowWithProcessorTimes(t *testing.T) {
	taken := figures{"a": {values: []float64{20}, cpu: []float64{30}}, "b": {values: []float64{10}, cpu: []float64{20}}}
	g := group{rows: []row{{what: "w", of: "a", than: "b"}, {what: "v", of: "none"}}}
	text, _ := g.table(taken, state{})
	_, body, _ := strings.Cut(text, "---|\n")
	want := "| w | 20.0 ms | 30.0 ms | b | 10.0 ms | 20.0 ms | 2.00 |  | 1.50 |  |  |\n| v |  |  |  |  |  |  |  |  |  | not taken: the measurement gave no figure |\n"
	if body != want {
		t.Errorf("got\n%swant\n%s", body, want)
	}
	for line := range strings.Lines(text) {
		if n := strings.Count(line, "|"); n != 12 {
			t.Errorf("%d lines between cells in %s", n, line)
		}
	}
}

func TestOptionsThatCannotBeMeant(t *testing.T) {
	for want, o := range map[string]options{
		"matches no row": {rounds: 1, only: "nosuch"}, "one round": {}, "leave out -run": {rounds: recorded, only: "start", page: "x.md"}, "11 rounds at least": {rounds: 10, page: "x.md"}, "-run: error parsing": {rounds: 1, only: "("},
	} {
		if _, err := o.chosen(); !errors.As(err, &usage{}) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want a usage error with %q", o, err, want)
		}
	}
	if chosen, err := (options{rounds: 1, only: "^sizes: a server"}).chosen(); err != nil || len(chosen) != 1 || len(chosen[0].rows) != 1 {
		t.Errorf("one row was wanted: %v, %v", chosen, err)
	}
}

func TestGrid(t *testing.T) {
	g := grid{subjects: []string{"a", "b"}, columns: []column{{title: "time", name: "plain"}, {title: "lost", name: "lost", stat: total, unit: count}}}
	got := g.table(figures{"a plain": {values: []float64{1}}, "a lost": {values: []float64{0}}, "b plain": {absent: "no"}, "b lost": {absent: "no"}})
	want := "| | time | lost |\n|---|---:|---:|\n| a | 1.0 ms | 0 |\n| b | no |  |\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Every limit can be met: the groups take the figures that their rows name.
func TestGroupsAreWhole(t *testing.T) {
	names := map[string]bool{}
	for _, g := range groups() {
		if names[g.name] || g.take == nil || len(g.rows) == 0 {
			t.Errorf("group %q is incomplete or there twice", g.name)
		}
		names[g.name] = true
		for _, r := range g.rows {
			if r.what == "" || r.of == "" || r.of == r.than {
				t.Errorf("group %q: row %+v is incomplete", g.name, r)
			}
		}
	}
	only := groups()[0].matching(regexp.MustCompile("^bundling: bun$"))
	if len(only.rows) != 1 {
		t.Errorf("-run leaves %d rows", len(only.rows))
	}
	if want := only.wants(); !want.needs("bun") || !want.needs("esbuild") || want.needs("tsup") {
		t.Error("-run bun has to time bun and esbuild, and nobody else")
	}
}
