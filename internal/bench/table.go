package main

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
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

// wants returns which figures the rows are made of.
func (g group) wants() wanted {
	w := wanted{rows: g.rows, names: map[string]bool{}, limits: map[string]bool{}}
	for _, r := range g.rows {
		for _, name := range []string{r.of, r.than} {
			w.names[name] = true
			w.limits[name] = w.limits[name] || r.limit.set
		}
	}
	for _, s := range g.grid.subjects {
		for _, c := range g.grid.columns {
			w.names[s+" "+c.name] = true
		}
	}
	return w
}

// table writes the lines of the group and counts those that did not hold.
func (g group) table(taken figures, m state) (text string, sum tally) {
	var b strings.Builder
	cpu := g.hasCPU(taken)
	switch {
	case len(g.rows) > 0 && cpu:
		b.WriteString("| what | figure | CPU | against | figure | CPU | ratio | range | CPU ratio | limit | |\n|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---|\n")
	case len(g.rows) > 0:
		b.WriteString("| what | figure | against | figure | ratio | range | limit | |\n|---|---:|---|---:|---:|---:|---:|---|\n")
	}
	for _, r := range g.rows {
		line, its := r.line(taken, m, cpu)
		b.WriteString(line)
		sum = sum.plus(its)
	}
	if len(g.grid.subjects) > 0 && len(g.rows) > 0 {
		b.WriteString("\n")
	}
	b.WriteString(g.grid.table(taken))
	return b.String(), sum
}

// hasCPU reports whether processor time was measured for a row of the group.
func (g group) hasCPU(taken figures) bool {
	return slices.ContainsFunc(g.rows, func(r row) bool { return len(taken[r.of].cpu) > 0 })
}

// line writes a row, with processor times where the table has them, and counts it
// when its limit does not hold.
func (r row) line(taken figures, m state, cpu bool) (text string, its tally) {
	own, other := taken.get(r.of), taken.get(r.than)
	e, against, ratio := r.estimate(taken), math.NaN(), ""
	number, spread := r.unit.text, e.text(r.unit.text)
	if r.than != "" {
		number, against, ratio, spread = hundredths, r.stat.of(other.values), hundredths(e.mid), e.text(hundredths)
	}
	verdict, words := r.judge(taken, m)
	limit := ""
	if r.limit.set {
		limit = number(r.limit.most)
	}
	cells := []string{r.what, r.unit.text(r.stat.of(own.values)), r.than, r.unit.text(against), ratio, spread, limit, oneCell(words)}
	if cpu {
		both := ""
		if r.than != "" {
			both = hundredths(median.of(ratios(own.cpu, other.cpu)))
		}
		cells = slices.Insert(cells, 6, both)
		cells = slices.Insert(cells, 4, ms.text(median.of(other.cpu)))
		cells = slices.Insert(cells, 2, ms.text(median.of(own.cpu)))
	}
	return "| " + strings.Join(cells, " | ") + " |\n", verdict.counted()
}

// hundredths writes a ratio, and nothing when there is none.
func hundredths(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return fmt.Sprintf("%.2f", v)
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
