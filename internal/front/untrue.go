package front

import (
	"bytes"
	"slices"

	"omcbuild/bundler"
	"omcbuild/internal/surface"
)

// Untrue are the answers of a front that are not what the server behind it was heard to
// say in the run p, which need not have been watched. What was not heard there counts as
// true, so this takes no proof from a front, and gives it none.
func Untrue(p *surface.Probe, f *bundler.Front) (list []bundler.FrontAnswer) {
	var heard []bundler.FrontAnswer
	for _, c := range p.Conversations {
		if !c.Listed {
			return nil // it says itself what is wrong
		}
		heard = append(heard, answers(c)...)
	}
	for _, baked := range f.Answers {
		of := func(a bundler.FrontAnswer) bool { return a.Asks == baked.Asks && bytes.Equal(a.Match, baked.Match) }
		same := func(a bundler.FrontAnswer) bool { return of(a) && slices.Equal(a.Messages, baked.Messages) }
		if !slices.ContainsFunc(heard, same) && (baked.Last || slices.ContainsFunc(heard, of)) {
			list = append(list, baked)
		}
	}
	return list
}
