package main

import (
	"context"
	"slices"
	"time"
)

// subject is one thing to time.
type subject struct {
	name string
	once func(context.Context) (time.Duration, error)
}

// rounds times all subjects in turn, so that whatever else the machine does
// falls on each of them alike. One round first is not counted.
func (l *lab) rounds(ctx context.Context, subjects ...subject) ([]result, error) {
	times := make([][]time.Duration, len(subjects))
	for round := range l.runs + 1 {
		for i, s := range subjects {
			took, err := s.once(ctx)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				times[i] = append(times[i], took)
			}
		}
	}
	results := make([]result, len(subjects))
	for i, s := range subjects {
		results[i] = result{name: s.name, times: times[i]}
	}
	return results, nil
}

// median is the middle time.
func (r result) median() time.Duration {
	sorted := slices.Sorted(slices.Values(r.times))
	return sorted[len(sorted)/2]
}

// ratio is the middle of the ratios round by round: what slows the machine for
// a moment falls on both sides of one round and leaves the others alone.
func (r result) ratio(base result) float64 {
	ratios := make([]float64, len(r.times))
	for i := range ratios {
		ratios[i] = float64(r.times[i]) / float64(base.times[i])
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}
