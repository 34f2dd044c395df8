package main

import (
	"os"
	"testing"
	"time"

	"omcbuild/internal/process"
)

func TestProcessorTimeOfThisProcess(t *testing.T) {
	before, err := processorTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; {
		after, err := processorTime(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if since(before, after) > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("looking at /proc for a minute has taken no processor time")
		}
	}
}

func TestProcessorTimeCountsDescendants(t *testing.T) {
	p, err := process.Start(t.Context(), process.Command{Path: "/bin/sh", Args: []string{"-c", "sh -c 'echo; read line; exit 0'; exit 0"}, Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(0)
	if _, err := p.Stdout().Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if got := descendants(p.PID()); len(got) != 1 {
		t.Errorf("the shell has the descendants %v, want one", got)
	}
	used, err := processorTime(p.PID())
	if err != nil || len(used) != 2 {
		t.Errorf("%v: %d threads, want 2", err, len(used))
	}
}
