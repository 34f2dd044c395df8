// Command bench measures omcbuild beside the tools that people use otherwise,
// prints a table for each group of rows, and writes them into
// docs/benchmarks.md.
//
//	go run ./internal/bench [-n ROUNDS] [-run REGEXP] [-write FILE]
//
// What is to be compared is timed in turn, round after round, so that whatever
// else the machine does falls on all of it alike. A row compares two figures, or
// one with a limit; groups.go holds all rows and limits. A row whose limit lies
// among what the figure may be, given how much it varies, gets more rounds, and when
// they do not help either, nobody says that the limit is held or missed. Exit code 1
// says that a limit was missed, that a row with one was too noisy to judge, or that
// it could not be taken, and which of them; the other rows are printed all the same.
// Exit code 2 says that the command line is wrong, 130 that it was interrupted.
//
//	groups.go    the rows, by groups, with their limits
//	figures.go   what was measured; medians, ratios, and how well they are known
//	rounds.go    taking figures in turn
//	judge.go     a row and its figures → whether its limit holds
//	state.go     how fast and how calm the machine is
//	table.go     a row and its figures → a line
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
	"syscall"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.rounds, "n", recorded, "rounds; groups that take long have fewer")
	flag.StringVar(&o.only, "run", "", "take only the rows that match `REGEXP`, as \"GROUP: ROW\"")
	flag.StringVar(&o.page, "write", "", "put the tables into the page `FILE`")
	once := flag.String("bundle", "", "internal: bundle the server of `ROOT` once, into the file of -out, and exit")
	out := flag.String("out", "", "internal: see -bundle")
	flag.Parse()
	if *once != "" {
		exitOn(bundleOnce(*once, *out))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
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
		code := 1
		switch {
		case errors.As(err, &usage{}):
			code = 2
		case errors.Is(err, context.Canceled):
			err, code = errors.New("interrupted"), 130
		}
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(code)
	}
}

// recorded is how many rounds a record needs.
const recorded = 11

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
	case o.rounds < recorded && o.page != "":
		return nil, usage{fmt.Errorf("-write needs %d rounds at least", recorded)}
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
	began, machine := time.Now(), l.machine()
	fmt.Fprintln(out, machine)
	tables, states, sum, err := l.takeAll(ctx, chosen, out)
	if err != nil {
		return sum, err
	}
	ending := fmt.Sprintf("%s It took %.0f minutes.", betweenWords(states), time.Since(began).Minutes())
	fmt.Fprintf(out, "\n%s\n", ending)
	tables["machine"] = machine + "\n\n" + ending
	if o.page != "" {
		return sum, writePage(o.page, tables)
	}
	return sum, nil
}

// takeAll takes the groups one after the other, prints their tables, and returns them
// with the states of the machine between them.
func (l *lab) takeAll(ctx context.Context, chosen []group, out io.Writer) (tables map[string]string, states []state, sum tally, err error) {
	tables = map[string]string{}
	before, err := l.look(ctx)
	if err != nil {
		return nil, nil, sum, err
	}
	states = append(states, before)
	for _, g := range chosen {
		began := time.Now()
		taken, err := g.take(ctx, l, g.wants())
		if ctx.Err() != nil {
			return nil, nil, sum, ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", g.name, err)
			taken = g.absent(err.Error())
		}
		after, err := l.look(ctx)
		if err != nil {
			return nil, nil, sum, err
		}
		text, its := g.table(taken, before.and(after))
		fmt.Fprintf(out, "\n%s, taken in %.0f s:\n\n%s", g.name, time.Since(began).Seconds(), text)
		tables[g.name], sum = text, sum.plus(its)
		before, states = after, append(states, after)
	}
	return tables, states, sum, nil
}
