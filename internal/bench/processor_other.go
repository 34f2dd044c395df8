//go:build !linux

package main

import (
	"errors"
	"time"
)

// processorTime is known on Linux only.
func processorTime(int) (map[string]time.Duration, error) {
	return nil, errors.New("measured on Linux only")
}
