package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// processorTime is what each thread of a process and of all that descend from it has
// used so far, by the number of the thread.
func processorTime(pid int) (map[string]time.Duration, error) {
	out, err := threadTimes(pid)
	for _, p := range descendants(pid) {
		its, _ := threadTimes(p) // it may have ended
		maps.Copy(out, its)
	}
	return out, err
}

// threadTimes is what each thread of one process has used so far.
func threadTimes(pid int) (map[string]time.Duration, error) {
	out := map[string]time.Duration{}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if len(threads) == 0 {
		return out, fmt.Errorf("no account of process %d in /proc", pid)
	}
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // it has ended
		}
		used, _, _ := strings.Cut(string(text), " ")
		nanoseconds, err := strconv.ParseInt(used, 10, 64)
		if err != nil {
			return out, fmt.Errorf("%s: %w", thread, err)
		}
		out[filepath.Base(filepath.Dir(thread))] = time.Duration(nanoseconds)
	}
	return out, nil
}

// descendants are the children of a process, their children, and so on.
func descendants(pid int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue
		}
		// PID (NAME) STATE PARENT …, and a name may have spaces and brackets in it.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		child, errChild := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		if len(fields) < 2 || errChild != nil {
			continue
		}
		if parent, err := strconv.Atoi(string(fields[1])); err == nil {
			children[parent] = append(children[parent], child)
		}
	}
	out := append([]int{}, children[pid]...)
	for i := 0; i < len(out); i++ {
		out = append(out, children[out[i]]...)
	}
	return out
}
