package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// full takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestOutputThatCannotBeWrittenFails(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"--version", "--json"}, {"config"}, {"config", "--json"}} {
		var stderr bytes.Buffer
		args = append(args, "-C", "testdata/plugin")
		if code := execute(context.Background(), args, streams{full{}, &stderr}); code != exitFailed || !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%v: exit code %d, %q", args, code, stderr.String())
		}
	}
}

// An interrupt that comes after the result was printed does not make it undone.
func TestLateInterruptLeavesTheResult(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	late := writer(func(data []byte) (int, error) { cancel(); return len(data), nil })
	if code := execute(ctx, []string{"config", "--json", "-C", "testdata/plugin"}, streams{late, io.Discard}); code != exitDone || ctx.Err() == nil {
		t.Errorf("exit code %d, interrupted: %v", code, ctx.Err())
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(data []byte) (int, error) { return w(data) }
