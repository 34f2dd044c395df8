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
		slices.Sort(times[i])
		results[i] = result{name: s.name, median: times[i][len(times[i])/2]}
	}
	return results, nil
}
