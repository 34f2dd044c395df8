package main

import (
	"fmt"
	"math"
	"strings"
)

// resolution is how narrow the bounds of a figure have to be, as a part of it, for
// the figure itself to decide when its limit lies between them.
const resolution = 0.05

// fewest is how many rounds it takes to know anything about how much a figure varies.
const fewest = 3

// verdict is what is said about the limit of a row.
type verdict int

const (
	unlimited verdict = iota // there is no limit
	held
	missed
	noisy   // the figure varies too much to tell
	untaken // nothing is known, because the row's own figure was not taken
	alone   // there is nothing to compare with, because the other side was not taken
)

// judge holds an estimate against the limit. A limit that lies between the bounds
// is held or missed by luck, unless the bounds are narrow.
func (l limit) judge(e estimate) verdict {
	switch {
	case !l.set:
		return unlimited
	case math.IsNaN(e.mid):
		return untaken
	case e.high <= l.most:
		return held
	case e.low > l.most:
		return missed
	case e.width() > resolution:
		return noisy
	case e.mid <= l.most:
		return held
	default:
		return missed
	}
}

// judge says whether the limit of a row holds, and why not. A time that is held
// against a number means something on a calm machine only, so elsewhere it can hold
// but not be missed.
func (r row) judge(taken figures, m state) (v verdict, words string) {
	own, other := taken.get(r.of), taken.get(r.than)
	switch {
	case own.absent != "" && r.limit.set:
		return untaken, "not taken: " + own.absent
	case own.absent != "":
		return unlimited, "not taken: " + own.absent
	case r.than != "" && other.absent != "":
		return alone, r.than + ": " + other.absent
	}
	if r.limit.set && r.stat == median && own.paired && len(known(own.values)) < fewest {
		return noisy, "too few rounds to judge"
	}
	v = r.limit.judge(r.estimate(taken))
	if unrest := m.unrest(); v == missed && r.than == "" && r.unit == ms && unrest != "" {
		return noisy, "too noisy to judge: " + unrest
	}
	return v, map[verdict]string{held: "held", missed: "missed", noisy: "too noisy to judge", untaken: "not taken"}[v]
}

// unsure are the subjects of the rows that cannot be judged by what was taken so far.
func (w wanted) unsure(taken figures) map[string]bool {
	out := map[string]bool{}
	for _, r := range w.rows {
		if v, _ := r.judge(taken, state{}); v == noisy {
			out[r.of] = true
			if r.than != "" {
				out[r.than] = true
			}
		}
	}
	return out
}

// tally counts what makes a run fail: limits that were missed, rows whose figures
// vary too much to tell, and rows with a limit of which nothing is known because
// their own figure was not taken.
type tally struct{ missed, noisy, untaken int }

func (t tally) plus(u tally) tally {
	return tally{t.missed + u.missed, t.noisy + u.noisy, t.untaken + u.untaken}
}

// counted is the tally of one verdict. That the figure of the other side could not
// be taken counts for nothing.
func (v verdict) counted() tally {
	switch v {
	case missed:
		return tally{missed: 1}
	case noisy:
		return tally{noisy: 1}
	case untaken:
		return tally{untaken: 1}
	default:
		return tally{}
	}
}

// words says what there is to say, "" when all is well.
func (t tally) words() string {
	var parts []string
	if t.missed > 0 {
		parts = append(parts, counted(t.missed, "limit")+" missed")
	}
	if t.noisy > 0 {
		parts = append(parts, counted(t.noisy, "row")+" too noisy to judge")
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
