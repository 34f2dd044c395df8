// Command bench measures omcbuild against the limits that the project has set
// itself, and prints one table row a measure. Every limit is a ratio of two
// things timed in turn in the same run, or a time so far from its limit that
// a busy machine cannot reach it. Exit code 1 says that a limit was missed.
//
//	go run ./internal/bench [-n RUNS]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"omcbuild/internal/process"
)

func main() {
	runs := flag.Int("n", 15, "timed runs of each thing")
	only := flag.String("bundle", "", "internal: bundle the server of `ROOT` once, into the file of -out, and exit")
	out := flag.String("out", "", "internal: see -bundle")
	flag.Parse()
	if *only != "" {
		exitOn(bundleOnce(*only, *out))
		return
	}
	root, err := filepath.Abs(".")
	exitOn(err)
	work, err := os.MkdirTemp("", "omcbuild-bench-")
	exitOn(err)
	lab := &lab{root: root, work: work, runs: *runs, path: os.Getenv("PATH"), env: os.Environ()}
	missed, err := lab.all(context.Background())
	_ = os.RemoveAll(work)
	exitOn(err)
	if missed {
		os.Exit(1)
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// lab is where the measures are taken.
type lab struct {
	root, work string
	runs       int
	path       string
	env        []string
}

// measure is one row: what is timed, against what, and the limit.
type measure struct {
	name      string
	limit     float64       // of the ratio to the base; 0 when limitTime is set
	limitTime time.Duration // of the time itself
	timed     result
	base      result
}

type result struct {
	name  string
	times []time.Duration // one a round
}

func (l *lab) all(ctx context.Context) (missed bool, err error) {
	fmt.Printf("| what | median | against | median | ratio | limit |\n|---|---:|---|---:|---:|---:|\n")
	for _, take := range []func(context.Context) ([]measure, error){l.bundling, l.commands, l.header, l.searching} {
		rows, err := take(ctx)
		if err != nil {
			return missed, err
		}
		for _, m := range rows {
			missed = m.print() || missed
		}
	}
	return missed, nil
}

// print writes the row and reports whether the limit was missed.
func (m measure) print() bool {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
	if m.limitTime > 0 {
		fmt.Printf("| %s | %s | | | | %s |\n", m.name, ms(m.timed.median()), ms(m.limitTime))
		return m.timed.median() > m.limitTime
	}
	ratio := m.timed.ratio(m.base)
	fmt.Printf("| %s | %s | %s | %s | %.2f | %.2f |\n", m.name, ms(m.timed.median()), m.base.name, ms(m.base.median()), ratio, m.limit)
	return ratio > m.limit
}

// command times one run of a program, from its start to its end.
func (l *lab) command(ctx context.Context, path string, args ...string) (time.Duration, error) {
	began := time.Now()
	out, err := process.Run(ctx, process.Command{Path: path, Args: args, Dir: l.root, Env: l.env}, 1<<20)
	took := time.Since(began)
	if err == nil && !out.Status.Success() {
		err = fmt.Errorf("%s %v: %s: %s", filepath.Base(path), args, out.Status, out.Stderr)
	}
	return took, err
}
