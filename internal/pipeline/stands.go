package pipeline

import (
	"context"
	"errors"
	"slices"

	"omcbuild/bundler"
	"omcbuild/internal/front"
	"omcbuild/internal/surface"
)

// stands tries whether the answers of the front that the bundle on disk has are those of
// the server that was built now, as they are after most changes: its front is then proved
// by the run itself. It returns nil when that is not so, or not sure, and the server
// is to be run as if it had had no front. A frozen build, whose judgement others
// rely on, takes the long way always.
func (r *run) stands(ctx context.Context, it *item) (*surface.Probe, error) {
	if !r.mayStand(it) || !r.fronted(it) {
		return nil, nil
	}
	before, behind := r.frontBefore(it)
	if before == nil {
		return nil, nil
	}
	before.Minify = r.build.Minify
	plain := it.plain()
	var outputs []bundler.Output
	fronted := func() (file []byte, err error) {
		if outputs, err = bundler.WithFront(plain, *before); err != nil {
			return nil, errors.Join(errUnfit, err)
		}
		return outputs[0].Contents, nil
	}
	o := r.probeOptions(it)
	o.Bundle, o.Env = plain[0].Contents, slices.DeleteFunc(o.Env, switchesFront)
	if it.other == nil {
		it.other = r.otherWorld(it)
	}
	recalled := func() *surface.Elsewhere {
		known := r.sameElsewhere(it, behind, plain[0].Contents, extras(plain))
		it.recalled = known != nil
		return known
	}
	probe, proof, err := front.Stands(ctx, o, fronted, before, r.frontOptions(it), recalled)
	it.recalled = it.recalled && probe != nil
	if errors.Is(err, errUnfit) {
		return nil, nil // the long way says why
	}
	if probe != nil {
		it.proof, it.standing = proof, outputs
		r.learn(it, probe.Elsewhere, plain)
	}
	return probe, err
}

// errUnfit says that no front can be put before a bundle.
var errUnfit = errors.New("the bundle takes no front")

// mayStand reports whether that is tried at all.
func (r *run) mayStand(it *item) bool {
	return r.building() && r.fronts && !r.linked && !r.build.Frozen && len(it.bundle.Args) == 0
}

// plain are the outputs without a front.
func (it *item) plain() []bundler.Output {
	plain := slices.Clone(it.outputs)
	plain[0].Contents, _, _ = bundler.Unfront(it.file())
	return plain
}
