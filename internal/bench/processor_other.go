//go:build !linux

package main

import (
	"errors"
	"time"
)

var errLinuxOnly = errors.New("measured on Linux only")

// processorTime and threadTimes are known on Linux only.
func processorTime(int) (map[string]time.Duration, error) { return nil, errLinuxOnly }

func threadTimes(int) (map[string]time.Duration, error) { return nil, errLinuxOnly }
