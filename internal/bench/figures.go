package main

import (
	"math"
	"slices"
)

// figure is what was measured of one subject, in the unit of its rows.
type figure struct {
	values []float64
	paired bool   // value i was taken in the same round as value i of the others
	absent string // why there are no values
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
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
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

// ratio compares two figures. Of figures taken in the same rounds it is the
// median of the ratios round by round: what slows the machine for a moment falls
// on both sides of one round and leaves the others alone.
func (s stat) ratio(a, b figure) float64 {
	if s != median || !a.paired || !b.paired || len(a.values) != len(b.values) {
		return s.of(a.values) / s.of(b.values)
	}
	ratios := make([]float64, len(a.values))
	for i := range ratios {
		ratios[i] = a.values[i] / b.values[i]
	}
	return median.of(ratios)
}
