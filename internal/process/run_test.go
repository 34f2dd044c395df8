//go:build unix

package process

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestRunFeedsInput(t *testing.T) {
	c := shell(t, "cat; echo end")
	c.Stdin = strings.NewReader("some input\n")
	r, err := Run(t.Context(), c, 0)
	if err != nil || string(r.Stdout) != "some input\nend\n" {
		t.Errorf("stdout = %q, %v", r.Stdout, err)
	}
}

func TestRunSurvivesAProgramThatReadsNothing(t *testing.T) {
	c := shell(t, "exit 2")
	c.Stdin = strings.NewReader(strings.Repeat("x", 1<<20))
	r, err := Run(t.Context(), c, 0)
	if err != nil || r.Status.Code != 2 {
		t.Errorf("%v, %v", r, err)
	}
}

func TestRunBoundsOutput(t *testing.T) {
	r, err := Run(t.Context(), shell(t, "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; exit 1"), 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Stdout) != 1000 || len(r.Stderr) != 1000 || !r.Truncated || r.Status.Code != 1 {
		t.Errorf("%d and %d bytes, truncated %v, %v", len(r.Stdout), len(r.Stderr), r.Truncated, r.Status)
	}
}

func TestRunDoesNotWaitForThoseLeftBehind(t *testing.T) {
	r, err := Run(t.Context(), shell(t, "setsid sleep 1000 & echo $!"), 0)
	if err != nil {
		t.Fatal(err)
	}
	mustBeGone(t, strings.TrimSpace(string(r.Stdout)))
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := shell(t, "sleep 1000 & echo $!; wait")
	c.Stdin = whenRead(cancel)
	r, err := Run(ctx, c, 0)
	if !errors.Is(err, context.Canceled) || r.Status.Signal != "SIGKILL" {
		t.Errorf("%v, %v", r.Status, err)
	}
	if pid := strings.TrimSpace(string(r.Stdout)); pid != "" {
		mustBeGone(t, pid)
	}
}

// whenRead is an input that calls a function as soon as somebody reads from it.
type whenRead func()

func (f whenRead) Read([]byte) (int, error) {
	f()
	return 0, errors.New("no input")
}
