package main

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strings"
)

// unit says how a figure is written.
type unit int

const (
	ms unit = iota
	size
	count
	msPerSecond
)

func (u unit) text(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case u == size:
		return fmt.Sprintf("%.1f kB", v/1000)
	case u == count:
		return fmt.Sprintf("%.0f", v)
	case u == msPerSecond:
		return fmt.Sprintf("%.2f ms/s", v)
	default:
		return fmt.Sprintf("%.1f ms", v)
	}
}

// limit is the most that a ratio or a figure may be. The zero value is none: the
// row is there for information.
type limit struct {
	set  bool
	most float64
}

func atMost(most float64) limit { return limit{set: true, most: most} }

// row is one line of a table: a figure, and what it is held against.
type row struct {
	what string // in words
	of   string // the subject
	than string // the subject that it is compared with, "" for none
	stat stat
	unit unit

	limit limit // of the ratio when there is something to compare with, of the figure itself otherwise
}

// grid shows figures of several subjects side by side, for information. The
// figure of a cell is called "SUBJECT COLUMN".
type grid struct {
	subjects []string
	columns  []column
}

type column struct {
	title, name string
	stat        stat
	unit        unit
}

// group is the rows whose figures are taken together.
type group struct {
	name string
	rows []row
	grid grid
	take func(context.Context, *lab, wanted) (figures, error)
}

// matching leaves the rows that match, and of the grid the subjects that do.
func (g group) matching(only *regexp.Regexp) group {
	var rows []row
	for _, r := range g.rows {
		if only.MatchString(g.name + ": " + r.what) {
			rows = append(rows, r)
		}
	}
	var subjects []string
	for _, s := range g.grid.subjects {
		if only.MatchString(g.name + ": " + s) {
			subjects = append(subjects, s)
		}
	}
	g.rows, g.grid.subjects = rows, subjects
	return g
}

// needs returns which figures the rows are made of.
func (g group) needs() wanted {
	names := map[string]bool{}
	for _, r := range g.rows {
		names[r.of], names[r.than] = true, true
	}
	for _, s := range g.grid.subjects {
		for _, c := range g.grid.columns {
			names[s+" "+c.name] = true
		}
	}
	return func(name string) bool { return names[name] }
}

// tally counts what makes a run fail: limits that were missed, and rows with a
// limit of which nothing is known because their own figure was not taken.
type tally struct{ missed, untaken int }

func (t tally) plus(u tally) tally { return tally{t.missed + u.missed, t.untaken + u.untaken} }

// words says what there is to say, "" when all is well.
func (t tally) words() string {
	var parts []string
	if t.missed > 0 {
		parts = append(parts, counted(t.missed, "limit")+" missed")
	}
	if t.untaken > 0 {
		parts = append(parts, counted(t.untaken, "row")+" with a limit not taken")
	}
	return strings.Join(parts, ", ")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// table writes the lines of the group and counts those that did not hold.
func (g group) table(taken figures) (text string, sum tally) {
	var b strings.Builder
	if len(g.rows) > 0 {
		b.WriteString("| what | figure | against | figure | ratio | limit | |\n|---|---:|---|---:|---:|---:|---|\n")
	}
	for _, r := range g.rows {
		line, its := r.line(taken)
		b.WriteString(line)
		sum = sum.plus(its)
	}
	if len(g.grid.subjects) > 0 && len(g.rows) > 0 {
		b.WriteString("\n")
	}
	b.WriteString(g.grid.table(taken))
	return b.String(), sum
}

// line writes a row and reports whether its limit was missed, or not looked at
// because its own figure could not be taken. That the figure of the other side
// could not be taken counts for nothing.
func (r row) line(taken figures) (text string, its tally) {
	own, other := taken.get(r.of), taken.get(r.than)
	value, against, ratio, verdict := r.stat.of(own.values), math.NaN(), "", ""
	held := value
	if r.than != "" {
		against, held = r.stat.of(other.values), r.stat.ratio(own, other)
		if !math.IsNaN(held) {
			ratio = fmt.Sprintf("%.2f", held)
		}
	}
	switch {
	case own.absent != "":
		verdict = "not taken: " + own.absent
		if r.limit.set {
			its.untaken = 1
		}
	case r.than != "" && other.absent != "":
		verdict = r.than + ": " + other.absent
	case r.limit.set && held > r.limit.most:
		verdict, its.missed = "missed", 1
	case r.limit.set:
		verdict = "held"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |\n",
		r.what, r.unit.text(value), r.than, r.unit.text(against), ratio, r.limitText(), oneCell(verdict)), its
}

func (r row) limitText() string {
	switch {
	case !r.limit.set:
		return ""
	case r.than != "":
		return fmt.Sprintf("%.2f", r.limit.most)
	default:
		return r.unit.text(r.limit.most)
	}
}

// get returns a figure, or one that says that there is none.
func (f figures) get(name string) figure {
	if got, ok := f[name]; ok && (len(got.values) > 0 || got.absent != "") {
		return got
	}
	return figure{absent: "the measurement gave no figure"}
}

// absent are the figures of a group that could not begin: there are none, and
// each of its rows says why.
func (g group) absent(why string) figures {
	out := figures{}
	for _, r := range g.rows {
		out[r.of] = figure{absent: why}
	}
	for _, s := range g.grid.subjects {
		for _, c := range g.grid.columns {
			out[s+" "+c.name] = figure{absent: why}
		}
	}
	return out
}

// table writes the grid.
func (g grid) table(taken figures) string {
	if len(g.subjects) == 0 {
		return ""
	}
	var head, rule, body strings.Builder
	head.WriteString("| |")
	rule.WriteString("|---|")
	for _, c := range g.columns {
		head.WriteString(" " + c.title + " |")
		rule.WriteString("---:|")
	}
	for _, s := range g.subjects {
		body.WriteString("| " + s + " |")
		said := ""
		for _, c := range g.columns {
			f := taken.get(s + " " + c.name)
			cell := c.unit.text(c.stat.of(f.values))
			if f.absent != said {
				cell, said = oneCell(f.absent), f.absent
			}
			body.WriteString(" " + cell + " |")
		}
		body.WriteString("\n")
	}
	return head.String() + "\n" + rule.String() + "\n" + body.String()
}

// oneCell makes a text fit for a cell of a table.
func oneCell(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "|", "/")), " ")
	if len(text) > 120 {
		text = strings.ToValidUTF8(text[:120], "") + " …"
	}
	return text
}
