package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// cost is what one run took.
type cost struct {
	wall time.Duration
	cpu  time.Duration // of all processors, user and system; 0 where it is not measured
}

func (c cost) plus(d cost) cost { return cost{c.wall + d.wall, c.cpu + d.cpu} }

// figure is what was measured of one subject, in the unit of its rows. NaN stands
// for a round in which nothing was taken.
type figure struct {
	values []float64
	cpu    []float64 // processor time in milliseconds, of the same rounds; nil when not measured
	paired bool      // value i was taken in the same round as value i of the others
	absent string    // why there are no values
}

// figures are those of one group, by the name of the subject.
type figures map[string]figure

// stat says which one number stands for many values.
type stat int

const (
	median stat = iota // the middle one; of an even number, the upper of the two
	largest
	total
)

// of returns the number, NaN when there are no values.
func (s stat) of(values []float64) float64 {
	sorted := known(values)
	if len(sorted) == 0 {
		return math.NaN()
	}
	slices.Sort(sorted)
	switch s {
	case largest:
		return sorted[len(sorted)-1]
	case total:
		sum := 0.0
		for _, v := range sorted {
			sum += v
		}
		return sum
	default:
		return sorted[len(sorted)/2]
	}
}

// known are the values without those of rounds in which nothing was taken.
func known(values []float64) (out []float64) {
	for _, v := range values {
		if !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// ratios compares round by round, in as many rounds as both sides have: what slows
// the machine for a moment falls on both sides of one round and leaves the others
// alone. A round that one side lacks gives nothing.
func ratios(a, b []float64) (out []float64) {
	for i := range min(len(a), len(b)) {
		if r := a[i] / b[i]; !math.IsNaN(r) && !math.IsInf(r, 0) {
			out = append(out, r)
		}
	}
	return out
}

// estimate is a median and how well it is known: the true one lies between low and
// high with nine chances in ten.
type estimate struct{ low, mid, high float64 }

// exactly is a number that does not vary.
func exactly(v float64) estimate { return estimate{v, v, v} }

// estimated takes the bounds from among the samples themselves, so that it does not
// matter how they are distributed: the chance that fewer than k of n samples lie on
// one side of the true median is that of fewer than k heads in n throws of a coin.
// Of fewer than five samples, the bounds are the smallest and the largest.
func estimated(samples []float64) estimate {
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	if n == 0 {
		return exactly(math.NaN())
	}
	k, throws, chance := 0, math.Pow(0.5, float64(n)), 0.0
	for chance+throws <= 0.05 { // on each side
		chance += throws
		k++
		throws *= float64(n-k+1) / float64(k)
	}
	k = max(k, 1)
	return estimate{sorted[k-1], median.of(sorted), sorted[n-k]}
}

// width is the distance of the bounds as a part of the median.
func (e estimate) width() float64 { return (e.high - e.low) / e.mid }

// text writes the bounds, or nothing when there is but one number.
func (e estimate) text(number func(float64) string) string {
	if math.IsNaN(e.mid) || e.low == e.high {
		return ""
	}
	return fmt.Sprintf("%s–%s", number(e.low), number(e.high))
}

// of estimates what a row says about figures: a ratio when there is something to
// compare with, a number otherwise.
func (r row) estimate(taken figures) estimate {
	own, other := taken.get(r.of), taken.get(r.than)
	switch {
	case r.than == "" && r.stat == median:
		return estimated(known(own.values))
	case r.than == "":
		return exactly(r.stat.of(own.values))
	case r.stat == median && own.paired && other.paired:
		return estimated(ratios(own.values, other.values))
	default:
		return exactly(r.stat.of(own.values) / r.stat.of(other.values))
	}
}
