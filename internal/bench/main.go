// Command bench measures omcbuild beside the tools that people use otherwise,
// prints a table for each group of rows, and writes them into
// docs/benchmarks.md.
//
//	go run ./internal/bench [-n ROUNDS] [-run REGEXP] [-write FILE]
//
// What is to be compared is timed in turn, round after round, so that whatever
// else the machine does falls on all of it alike. A row compares two figures, or
// one with a limit; groups.go holds all rows and limits. Exit code 1 says that a
// limit was missed; the other rows are printed all the same.
//
//	groups.go    the rows, by groups, with their limits
//	figures.go   what was measured, and medians and ratios of it
//	rounds.go    taking figures in turn
//	table.go     a row and its figures → a line, and whether its limit holds
//	page.go      the lines → docs/benchmarks.md
//	lab.go, copies.go, sources.go, rivals.go   where and on what it is measured
//	follow.go    a reader of a file that others write
//
// Each of the other files takes the figures of one group.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
)

func main() {
	var o options
	flag.IntVar(&o.rounds, "n", 11, "rounds; groups that take long have fewer")
	flag.StringVar(&o.only, "run", "", "take only the rows that match `REGEXP`, as \"GROUP: ROW\"")
	flag.StringVar(&o.page, "write", "", "put the tables into the page `FILE`")
	once := flag.String("bundle", "", "internal: bundle the server of `ROOT` once, into the file of -out, and exit")
	out := flag.String("out", "", "internal: see -bundle")
	flag.Parse()
	if *once != "" {
		exitOn(bundleOnce(*once, *out))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	missed, err := run(ctx, o, os.Stdout)
	stop()
	exitOn(err)
	if missed > 0 {
		fmt.Fprintf(os.Stderr, "bench: %d limits missed\n", missed)
		os.Exit(1)
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	rounds int
	only   string
	page   string
}

// run takes the figures of all groups that are wanted and reports how many limits
// were missed.
func run(ctx context.Context, o options, out io.Writer) (missed int, err error) {
	only, err := regexp.Compile(o.only)
	switch {
	case err != nil:
		return 0, fmt.Errorf("-run: %w", err)
	case o.rounds < 1:
		return 0, errors.New("-n: one round at least")
	case o.only != "" && o.page != "":
		return 0, errors.New("-write needs all rows; leave out -run")
	}
	l, err := newLab(ctx, o.rounds)
	if err != nil {
		return 0, err
	}
	defer l.close()
	tables := map[string]string{"machine": l.machine()}
	fmt.Fprintln(out, tables["machine"])
	for _, g := range groups() {
		g = g.matching(only)
		if len(g.rows) == 0 && len(g.grid.subjects) == 0 {
			continue
		}
		taken, err := g.take(ctx, l, g.needs())
		if ctx.Err() != nil {
			return missed, ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", g.name, err)
			taken = nil // each of its rows says that there is nothing
		}
		text, bad := g.table(taken)
		fmt.Fprintf(out, "\n%s:\n\n%s", g.name, text)
		tables[g.name], missed = text, missed+bad
	}
	if o.page != "" {
		return missed, writePage(o.page, tables)
	}
	return missed, nil
}
