package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// scripted is a subject whose runs take what a list says, again and again, and which
// notes that it was run.
func scripted(name string, order *[]string, milliseconds ...int) subject {
	run := 0
	return subject{name: name, once: func(context.Context) (cost, error) {
		*order = append(*order, name)
		took := milliseconds[run%len(milliseconds)]
		run++
		if took < 0 {
			return cost{}, errors.New("broke")
		}
		return cost{wall: time.Duration(took) * time.Millisecond, cpu: time.Duration(2*took) * time.Millisecond}, nil
	}}
}

// Subjects take turns, back and forth, one round is not counted, and one that fails
// is left out.
func TestInTurn(t *testing.T) {
	var order []string
	want := group{rows: []row{{of: "a", than: "c", limit: atMost(1)}, {of: "b", than: "d", limit: atMost(1)}}}.wants()
	got, err := inTurn(t.Context(), 2, want, scripted("a", &order, 1, 3, 5), scripted("unneeded", &order, 1),
		scripted("b", &order, 7), scripted("c", &order, 1, -1), subject{name: "d", absent: "not here"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "a b c c b a a b"; strings.Join(order, " ") != want {
		t.Errorf("the order is %v, want %s", order, want)
	}
	if a := got["a"]; !slices.Equal(a.values, []float64{3, 5}) || !slices.Equal(a.cpu, []float64{6, 10}) || !a.paired {
		t.Errorf("a has %v", a)
	}
	if got["c"].absent != "broke" || got["d"].absent != "not here" || len(got["unneeded"].values) > 0 {
		t.Errorf("got %v", got)
	}
}

// What no limit depends on is not taken in all rounds, and stays in step.
func TestInTurnHasFewerRoundsForInformation(t *testing.T) {
	var order []string
	want := group{rows: []row{{of: "a", limit: atMost(100)}, {of: "b", than: "a"}}}.wants()
	got, err := inTurn(t.Context(), 2*informed, want, scripted("a", &order, 1), scripted("b", &order, 2))
	if err != nil {
		t.Fatal(err)
	}
	a, b := got["a"].values, got["b"].values
	if len(known(a)) != 2*informed || len(known(b)) != informed || len(b) != len(a) || !math.IsNaN(b[informed]) {
		t.Errorf("a has %v, b has %v", a, b)
	}
}

// A row that cannot be judged gets more rounds, its subjects alone, until it can or
// there were enough.
func TestInTurnAddsRounds(t *testing.T) {
	for name, test := range map[string]struct {
		own    []int
		rounds int
	}{
		"sure":             {[]int{10, 5, 5, 5, 5}, 4},
		"never sure":       {[]int{10, 5, 20}, 12},
		"sure after a bit": {[]int{10, 20, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 8},
	} {
		var order []string
		want := group{rows: []row{{of: "own", than: "other", limit: atMost(1)}, {of: "sure", than: "other", limit: atMost(1)}}}.wants()
		got, err := inTurn(t.Context(), 4, want, scripted("own", &order, test.own...), scripted("other", &order, 10), scripted("sure", &order, 1))
		if err != nil {
			t.Fatal(err)
		}
		if own, other := known(got["own"].values), known(got["other"].values); len(own) != test.rounds || len(other) != test.rounds {
			t.Errorf("%s: %d and %d rounds, want %d", name, len(own), len(other), test.rounds)
		}
		if sure := got["sure"].values; len(known(sure)) != 4 || len(sure) != test.rounds {
			t.Errorf("%s: the row that was sure has %v", name, sure)
		}
	}
}

func TestInTurnEndsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var order []string
	stops := subject{name: "stops", once: func(context.Context) (cost, error) {
		cancel()
		return cost{}, errors.New("interrupted")
	}}
	want := group{rows: []row{{of: "stops"}, {of: "a"}}}.wants()
	if _, err := inTurn(ctx, 5, want, stops, scripted("a", &order, 1)); !errors.Is(err, context.Canceled) || len(order) > 0 {
		t.Errorf("%v, and %v was run", err, order)
	}
}
