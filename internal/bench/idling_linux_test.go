package main

import (
	"os"
	"testing"
	"time"

	"omcbuild/internal/process"
)

// A program that works is told from one that waits, and one that has ended is not taken
// for idle.
func TestSpanTellsWhoWorks(t *testing.T) {
	at := map[string]*running{}
	for name, script := range map[string]string{"works": "while :; do :; done", "waits": "read line", "ended": "exit 0"} {
		p, err := process.Start(t.Context(), process.Command{Path: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Stop(0) })
		at[name] = &running{process: p}
	}
	<-at["ended"].process.Exited()
	for deadline := time.Now().Add(time.Minute); ; {
		used := span(t.Context(), at, 50*time.Millisecond)
		if used["ended"].absent == "" {
			t.Fatalf("a program that has ended uses %v", used["ended"].values)
		}
		if median.of(used["works"].values) > atWork && median.of(used["waits"].values) < 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("used: %v", used)
		}
	}
}
