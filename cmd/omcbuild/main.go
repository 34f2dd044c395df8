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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:], streams{out: os.Stdout, err: os.Stderr})
	stop()
	os.Exit(code)
}
