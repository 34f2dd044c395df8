package main

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestStat(t *testing.T) {
	for _, test := range []struct {
		stat   stat
		values []float64
		want   float64
	}{
		{median, []float64{5, 1, 9}, 5},
		{median, []float64{4, 1, 9, 2}, 4},
		{largest, []float64{5, 9, 1}, 9},
		{total, []float64{1, 0, 2}, 3},
	} {
		if got := test.stat.of(test.values); got != test.want {
			t.Errorf("stat %d of %v is %v, want %v", test.stat, test.values, got, test.want)
		}
	}
}

func TestRatio(t *testing.T) {
	slowed := figure{values: []float64{10, 100, 12}, paired: true} // a slow second round
	other := figure{values: []float64{10, 100, 10}, paired: true}
	if got := median.ratio(slowed, other); got != 1 {
		t.Errorf("the ratio round by round is %v, want 1", got)
	}
	other.paired = false
	if got := median.ratio(slowed, other); got != 1.2 {
		t.Errorf("the ratio of the medians is %v, want 1.2", got)
	}
	if got := largest.ratio(slowed, figure{values: []float64{50}}); got != 2 {
		t.Errorf("the ratio of the largest is %v, want 2", got)
	}
}

func TestRow(t *testing.T) {
	taken := figures{
		"fast": {values: []float64{40}}, "slow": {values: []float64{100}},
		"none": {absent: "not published | for\nthis"}, "bytes": {values: []float64{2500}}, "zero": {values: []float64{0}},
	}
	for name, test := range map[string]struct {
		row  row
		want string
		its  tally
	}{
		"held":            {row{of: "fast", than: "slow", limit: atMost(0.4)}, "|  | 40.0 ms | slow | 100.0 ms | 0.40 | 0.40 | held |", tally{}},
		"missed":          {row{of: "fast", than: "slow", limit: atMost(0.39)}, "|  | 40.0 ms | slow | 100.0 ms | 0.40 | 0.39 | missed |", tally{missed: 1}},
		"for information": {row{of: "slow", than: "fast"}, "|  | 100.0 ms | fast | 40.0 ms | 2.50 |  |  |", tally{}},
		"alone":           {row{of: "slow", limit: atMost(99)}, "|  | 100.0 ms |  |  |  | 99.0 ms | missed |", tally{missed: 1}},
		"none allowed":    {row{of: "zero", unit: count, stat: total, limit: atMost(0)}, "|  | 0 |  |  |  | 0 | held |", tally{}},
		"size":            {row{of: "bytes", unit: size}, "|  | 2.5 kB |  |  |  |  |  |", tally{}},
		"own is absent":   {row{of: "none", than: "slow", limit: atMost(1)}, "|  |  | slow | 100.0 ms |  | 1.00 | not taken: not published / for this |", tally{untaken: 1}},
		"other is absent": {row{of: "slow", than: "none", limit: atMost(1)}, "|  | 100.0 ms | none |  |  | 1.00 | none: not published / for this |", tally{}},
		"never taken":     {row{of: "unknown", limit: atMost(1)}, "|  |  |  |  |  | 1.0 ms | not taken: the measurement gave no figure |", tally{untaken: 1}},
	} {
		text, its := test.row.line(taken)
		if text != test.want+"\n" || its != test.its {
			t.Errorf("%s: got %v\n%swant %v\n%s", name, its, text, test.its, test.want)
		}
	}
}

func TestTallyIsTold(t *testing.T) {
	for want, sum := range map[string]tally{
		"": {}, "1 limit missed": {missed: 1}, "1 row with a limit not taken": {untaken: 1}, "2 limits missed, 3 rows with a limit not taken": {2, 3},
	} {
		if got := sum.words(); got != want {
			t.Errorf("%+v: %q, want %q", sum, got, want)
		}
	}
}

func TestOptionsThatCannotBeMeant(t *testing.T) {
	for want, o := range map[string]options{
		"matches no row": {rounds: 1, only: "nosuch"}, "one round": {}, "leave out -run": {rounds: 1, only: "start", page: "x.md"}, "-run: error parsing": {rounds: 1, only: "("},
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

// Subjects take turns, one round is not counted, and one that fails is left out.
func TestInTurn(t *testing.T) {
	var order []string
	calls := 0
	once := func(name string) func(context.Context) (time.Duration, error) {
		return func(context.Context) (time.Duration, error) {
			order = append(order, name)
			if name == "c" {
				if calls++; calls == 2 {
					return 0, errors.New("broke")
				}
			}
			return time.Duration(len(order)) * time.Millisecond, nil
		}
	}
	got, err := inTurn(t.Context(), 2, func(name string) bool { return name != "unneeded" },
		subject{name: "a", once: once("a")}, subject{name: "unneeded", once: once("unneeded")},
		subject{name: "c", once: once("c")}, subject{name: "d", absent: "not here"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "a c a c a"; strings.Join(order, " ") != want {
		t.Errorf("the order is %v, want %s", order, want)
	}
	if a := got["a"].values; len(a) != 2 || a[0] != 3 || a[1] != 5 {
		t.Errorf("a has %v", a)
	}
	if got["c"].absent != "broke" || got["d"].absent != "not here" || len(got["unneeded"].values) > 0 {
		t.Errorf("got %v", got)
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
	if need := only.needs(); !need("bun") || !need("esbuild") || need("tsup") {
		t.Error("-run bun has to time bun and esbuild, and nobody else")
	}
}
