// Command bench measures omcbuild beside the tools that people use otherwise,
// prints a table for each group of rows, and writes them into
// docs/benchmarks.md.
//
//	go run ./internal/bench [-n ROUNDS] [-run REGEXP] [-write FILE]
//
// What is to be compared is timed in turn, round after round, so that whatever
// else the machine does falls on all of it alike. A row compares two figures, or
// one with a limit; groups.go holds all rows and limits. Exit code 1 says that a
// limit was missed, or that a row with one could not be taken, and which of the
// two; the other rows are printed all the same. Exit code 2 says that the command
// line is wrong.
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
	sum, err := run(ctx, o, os.Stdout)
	stop()
	exitOn(err)
	if words := sum.words(); words != "" {
		fmt.Fprintln(os.Stderr, "bench:", words)
		os.Exit(1)
	}
}

// usage is a command line that cannot be meant.
type usage struct{ error }

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		if errors.As(err, &usage{}) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	rounds int
	only   string
	page   string
}

// chosen returns the groups with the rows that are wanted, or a usage.
func (o options) chosen() ([]group, error) {
	only, err := regexp.Compile(o.only)
	switch {
	case err != nil:
		return nil, usage{fmt.Errorf("-run: %w", err)}
	case o.rounds < 1:
		return nil, usage{errors.New("-n: one round at least")}
	case o.only != "" && o.page != "":
		return nil, usage{errors.New("-write needs all rows; leave out -run")}
	}
	var out []group
	for _, g := range groups() {
		if g = g.matching(only); len(g.rows) > 0 || len(g.grid.subjects) > 0 {
			out = append(out, g)
		}
	}
	if len(out) == 0 {
		return nil, usage{fmt.Errorf("-run %s matches no row; rows are called \"GROUP: ROW\" as in docs/benchmarks.md and internal/bench/groups.go", o.only)}
	}
	return out, nil
}

// run takes the figures of all groups that are wanted and counts what did not
// hold.
func run(ctx context.Context, o options, out io.Writer) (sum tally, err error) {
	chosen, err := o.chosen()
	if err != nil {
		return sum, err
	}
	l, err := newLab(ctx, o.rounds)
	if err != nil {
		return sum, err
	}
	defer l.close()
	if missing := l.rivals.missing(); missing != "" {
		fmt.Fprintln(os.Stderr, "bench: what omcbuild is compared with is", missing)
	}
	tables := map[string]string{"machine": l.machine()}
	fmt.Fprintln(out, tables["machine"])
	for _, g := range chosen {
		taken, err := g.take(ctx, l, g.needs())
		if ctx.Err() != nil {
			return sum, ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", g.name, err)
			taken = g.absent(err.Error())
		}
		text, its := g.table(taken)
		fmt.Fprintf(out, "\n%s:\n\n%s", g.name, text)
		tables[g.name], sum = text, sum.plus(its)
	}
	if o.page != "" {
		return sum, writePage(o.page, tables)
	}
	return sum, nil
}
