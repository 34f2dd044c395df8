package main

import (
	"strings"
	"testing"
)

func TestLimitIsJudged(t *testing.T) {
	for name, test := range map[string]struct {
		limit limit
		e     estimate
		want  verdict
	}{
		"no limit":                    {limit{}, estimate{1, 2, 3}, unlimited},
		"all below":                   {atMost(3), estimate{1, 2, 3}, held},
		"all above":                   {atMost(0.9), estimate{1, 2, 3}, missed},
		"between, below the figure":   {atMost(1.5), estimate{1, 2, 3}, noisy},
		"between, above the figure":   {atMost(2.5), estimate{1, 2, 3}, noisy},
		"between, narrow, on it":      {atMost(1.05), estimate{1.03, 1.05, 1.07}, held},
		"between, narrow, just above": {atMost(1.05), estimate{1.04, 1.051, 1.07}, missed},
		"just one number":             {atMost(1), exactly(1), held},
		"none":                        {atMost(1), exactly(nan), untaken},
	} {
		if got := test.limit.judge(test.e); got != test.want {
			t.Errorf("%s: verdict %d, want %d", name, got, test.want)
		}
	}
}

// A slow or restless machine says nothing against a limit in milliseconds, and
// changes nothing about the others.
func TestLimitOnARestlessMachine(t *testing.T) {
	taken := figures{"slow": {values: []float64{300}}, "quick": {values: []float64{100}}, "many": {values: []float64{3}}}
	calm := state{[]float64{50, 51, 52, 53}}
	for name, test := range map[string]struct {
		row     row
		machine state
		want    verdict
		words   string
	}{
		"missed":               {row{of: "slow", limit: atMost(200)}, calm, missed, "missed"},
		"missed, not looked":   {row{of: "slow", limit: atMost(200)}, state{}, missed, "missed"},
		"slow machine":         {row{of: "slow", limit: atMost(200)}, state{[]float64{130, 130, 130, 130}}, noisy, "takes 130 ms"},
		"restless machine":     {row{of: "slow", limit: atMost(200)}, state{[]float64{50, 50, 70, 70}}, noisy, "now 50, now 70 ms"},
		"holds all the same":   {row{of: "quick", limit: atMost(200)}, state{[]float64{130}}, held, "held"},
		"a ratio":              {row{of: "slow", than: "quick", limit: atMost(2)}, state{[]float64{130}}, missed, "missed"},
		"a count":              {row{of: "many", unit: count, stat: total, limit: atMost(0)}, state{[]float64{130}}, missed, "missed"},
		"nothing to judge":     {row{of: "slow"}, state{[]float64{130}}, unlimited, ""},
		"not taken":            {row{of: "gone"}, calm, unlimited, "not taken"},
		"not taken, limited":   {row{of: "gone", limit: atMost(1)}, calm, untaken, "not taken"},
		"nothing to compare":   {row{of: "slow", than: "gone", limit: atMost(1)}, calm, alone, "gone: "},
		"too few rounds":       {row{of: "twice", than: "quick", limit: atMost(1)}, calm, noisy, "too few rounds"},
		"few, no limit":        {row{of: "twice", than: "quick"}, calm, unlimited, ""},
		"no round in common":   {row{of: "first", than: "second", limit: atMost(1)}, calm, untaken, "not taken"},
		"no limit, no verdict": {row{of: "first", than: "second"}, calm, unlimited, ""},
	} {
		taken["twice"] = figure{values: []float64{1, 1, nan}, paired: true}
		taken["first"], taken["second"] = figure{values: []float64{1, 1, 1, nan}, paired: true}, figure{values: []float64{nan, nan, nan, 1}, paired: true}
		got, words := test.row.judge(taken, test.machine)
		if got != test.want || !strings.Contains(words, test.words) || (test.words == "") != (words == "") {
			t.Errorf("%s: verdict %d %q, want %d with %q", name, got, words, test.want, test.words)
		}
	}
}

func TestUnsureRowsNameTheirSubjects(t *testing.T) {
	g := group{rows: []row{
		{of: "a", than: "b", limit: atMost(1)}, {of: "c", than: "b", limit: atMost(5)}, {of: "d", limit: atMost(10)}, {of: "e", limit: atMost(10)}, {of: "f", than: "b"},
	}}
	varying, steady := figure{values: []float64{5, 10, 20}, paired: true}, figure{values: []float64{10, 10, 10}, paired: true}
	unsure := g.wants().unsure(figures{"a": varying, "b": steady, "c": varying, "d": varying, "e": steady, "f": varying})
	if len(unsure) != 3 || !unsure["a"] || !unsure["b"] || !unsure["d"] {
		t.Errorf("unsure are %v", unsure)
	}
}

func TestTallyIsTold(t *testing.T) {
	for want, sum := range map[string]tally{
		"": {}, "1 limit missed": {missed: 1}, "1 row with a limit not taken": {untaken: 1}, "1 row too noisy to judge": {noisy: 1},
		"2 limits missed, 1 row too noisy to judge, 3 rows with a limit not taken": {2, 1, 3},
	} {
		if got := sum.words(); got != want {
			t.Errorf("%+v: %q, want %q", sum, got, want)
		}
	}
}

func TestVerdictsAreCounted(t *testing.T) {
	sum := tally{}
	for _, v := range []verdict{unlimited, held, missed, noisy, untaken, alone, missed} {
		sum = sum.plus(v.counted())
	}
	if want := (tally{missed: 2, noisy: 1, untaken: 1}); sum != want {
		t.Errorf("counted %+v, want %+v", sum, want)
	}
}

func TestStateIsTold(t *testing.T) {
	calm := state{[]float64{50, 52, 51}}
	if got, want := betweenWords([]state{calm, {[]float64{53}}}), "An empty Node loop answered after 51.0 ms (50.0 to 52.0) before all of this, and after 53.0 ms (53.0 to 53.0) at the end."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := betweenWords([]state{calm, {[]float64{130, 130, 130, 130}}}); !strings.Contains(got, "was not calm: an empty Node loop takes 130 ms here, up to 80 ms are meant.") {
		t.Errorf("%q does not say that the machine was slow", got)
	}
}
