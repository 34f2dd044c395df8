package main

import (
	"math"
	"slices"
	"testing"
)

var nan = math.NaN()

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
		{median, []float64{nan, 5, nan, 1, 9}, 5},
		{largest, []float64{5, nan}, 5},
	} {
		if got := test.stat.of(test.values); got != test.want {
			t.Errorf("stat %d of %v is %v, want %v", test.stat, test.values, got, test.want)
		}
	}
}

// A slow round is slow for both sides, and one that a side lacks gives nothing.
func TestRatios(t *testing.T) {
	for _, test := range []struct{ a, b, want []float64 }{
		{[]float64{10, 100, 12}, []float64{10, 100, 10}, []float64{1, 1, 1.2}},
		{[]float64{10, nan, 12}, []float64{nan, 100, 10}, []float64{1.2}},
		{[]float64{10, 20}, []float64{10, 10, 10}, []float64{1, 2}},
		{[]float64{10}, []float64{0}, nil},
		{nil, []float64{1}, nil},
	} {
		if got := ratios(test.a, test.b); !slices.Equal(got, test.want) {
			t.Errorf("ratios of %v and %v are %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func TestEstimated(t *testing.T) {
	upTo := func(n int) (out []float64) {
		for i := range n {
			out = append(out, float64(n-i))
		}
		return out
	}
	for _, test := range []struct {
		samples []float64
		want    estimate
	}{
		{upTo(1), estimate{1, 1, 1}},
		{upTo(3), estimate{1, 2, 3}},
		{upTo(5), estimate{1, 3, 5}},
		{upTo(8), estimate{2, 5, 7}},
		{upTo(11), estimate{3, 6, 9}},
		{upTo(21), estimate{7, 11, 15}},
		{upTo(33), estimate{12, 17, 22}},
	} {
		if got := estimated(test.samples); got != test.want {
			t.Errorf("%d samples: %v, want %v", len(test.samples), got, test.want)
		}
	}
	if got := estimated(nil); !math.IsNaN(got.mid) {
		t.Errorf("of no samples: %v", got)
	}
}

func TestEstimateOfARow(t *testing.T) {
	taken := figures{
		"slowed": {values: []float64{10, 100, 12}, paired: true}, // a slow second round
		"other":  {values: []float64{10, 100, 10}, paired: true},
		"apart":  {values: []float64{10, 100, 10}},
	}
	for _, test := range []struct {
		row  row
		want estimate
	}{
		{row{of: "slowed", than: "other"}, estimate{1, 1, 1.2}},
		{row{of: "slowed", than: "apart"}, exactly(1.2)},
		{row{of: "slowed", than: "other", stat: largest}, exactly(1)},
		{row{of: "slowed"}, estimate{10, 12, 100}},
		{row{of: "slowed", stat: largest}, exactly(100)},
	} {
		if got := test.row.estimate(taken); got != test.want {
			t.Errorf("%+v: %v, want %v", test.row, got, test.want)
		}
	}
}
