// Command omcbuild builds, verifies and syncs Claude Code plugins.
//
// This package parses flags and prints; what a command does stands in
// internal/pipeline and the packages below it. One file holds one command: an
// options struct, the flags that fill it, and run(ctx, options).
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long a command may take to end what it started after it was
// interrupted. Some calls, such as opening a pipe that nobody writes to, never
// notice; then the program ends without them.
const patience = 15 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the program at once
		time.Sleep(patience)
		os.Exit(exitInterrupted)
	})
	code := execute(ctx, os.Args[1:], streams{out: os.Stdout, err: os.Stderr})
	os.Exit(code)
}

// endings are the signals that interrupt a command. A terminal that was closed
// is one, unless the program was started to outlive it, as by nohup.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
