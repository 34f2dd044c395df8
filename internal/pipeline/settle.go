package pipeline

import (
	"context"
	"slices"
	"time"

	"omcbuild/internal/products"
)

// Settle makes the plain products, runs those that changed, compares what they offer
// with the lock files and the sources, and brings the metadata into step. When nothing
// changed since it did that it says the same again.
//
// A server that is to have a front is not run once more when a Record of the same sources
// was good: what it answered then is its front, which is proved with the plain bundle.
func (r *Rounds) Settle(ctx context.Context) *RoundResult {
	r.mu.Lock()
	if r.project == nil || len(r.broken) > 0 {
		defer r.mu.Unlock()
		return &RoundResult{Kind: RoundSettled, Diagnostics: r.broken}
	}
	if !r.unsettled && r.settled != nil {
		defer r.mu.Unlock()
		return r.settled.again()
	}
	began := time.Now()
	s := &settling{rounds: r, run: newBuildRun(r.project, r.o), prebuild: r.prebuild}
	s.prepare()
	steps := s.steps()
	r.mu.Unlock()
	defer s.end()

	err := s.run.do(ctx, steps)
	if err == nil && !s.reached("check") {
		err = s.compare()
	}
	if err == nil && !s.reached("write") {
		if err = s.turn(ctx, s.run); err == nil {
			err = s.putBundles()
		}
	}
	s.lock()
	if err != nil && ctx.Err() != nil {
		r.prebuild = r.prebuild || s.prebuild
		return &RoundResult{Kind: RoundSettled, Canceled: true}
	}
	out := s.result(err)
	out.Duration = time.Since(began)
	if s.run.written { // else there is another attempt the next time
		s.keep()
		r.settled, r.unchecked, r.unsettled = out, false, false
	}
	return out
}

// again is a result when nothing was done since.
func (out RoundResult) again() *RoundResult {
	out.Bundles, out.Metadata = slices.Clone(out.Bundles), slices.Clone(out.Metadata)
	for i := range out.Bundles {
		out.Bundles[i].Changed, out.Bundles[i].Duration = false, 0
	}
	for i := range out.Metadata {
		out.Metadata[i].Changed = false
	}
	return &out
}

// settling is one Settle. It holds the rounds only while it is being prepared, and from
// the putting in place on: until then a Round may begin, and then it has been given up.
type settling struct {
	rounds   *Rounds
	run      *run
	prebuild bool // whether the project's own program was to run
	locked   bool
	done     func() // ends its turn; nil when it is not its turn
}

// prepare takes what is known already. What did not change stays as it was settled last.
func (s *settling) prepare() {
	s.run.watching = true
	for i, k := range s.rounds.kept {
		it := s.run.items[i]
		it.session = k.session
		if known := k.item; known != nil && !k.changed && len(k.failed) == 0 {
			again := *known
			again.changes, again.met, again.collector, again.source, again.settled = nil, nil, nil, nil, true
			s.run.items[i] = &again
		} else if seen := k.at(); seen != nil && seen.front != nil && it.bundle.Front.Enabled {
			it.heard = seen.probe
		}
	}
}

// steps are those of build, with the project's own program only where it may make
// something else than before: what it writes is watched as well.
func (s *settling) steps() []step {
	r := s.rounds
	steps := slices.DeleteFunc(buildSteps(), func(step step) bool { return step.name == "prebuild" && !s.prebuild })
	r.prebuild = false
	for i, step := range steps {
		if step.name == "prebuild" {
			steps[i].do = func(ctx context.Context, run *run) error {
				r.prebuilding(true)
				defer r.prebuilding(false)
				return step.do(ctx, run)
			}
		}
	}
	return append(append(steps, step{name: "turn", do: s.turn}), aloneSteps()...)
}

// prebuilding notes that the project's own program begins or has ended.
func (r *Rounds) prebuilding(begins bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prebuilt.to = time.Now()
	if begins {
		r.prebuilt.from = r.prebuilt.to
	}
}

// reached reports whether a step was come to.
func (s *settling) reached(name string) bool {
	return slices.ContainsFunc(s.run.steps, func(s StepReport) bool { return s.Name == name })
}

// compare holds what ran against the lock files although something else is wrong: what
// changed for the model is the same with wrong types.
func (s *settling) compare() error {
	for _, it := range s.run.items {
		if it.probe == nil {
			continue
		}
		if _, err := s.run.compareWithLock(it); err != nil {
			return s.run.absorb(err)
		}
	}
	return nil
}

// lock keeps other rounds away up to the end.
func (s *settling) lock() {
	if !s.locked {
		s.rounds.mu.Lock()
		s.locked = true
	}
}

// turn waits until nobody else puts something in place, up to the end.
func (s *settling) turn(ctx context.Context, _ *run) (err error) {
	s.lock()
	if err = ctx.Err(); err == nil {
		s.done, err = takeTurn(ctx, s.rounds.o.CacheDir, s.rounds.project.Root)
	}
	return err
}

func (s *settling) end() {
	if s.done != nil {
		s.done()
	}
	if s.locked {
		s.rounds.mu.Unlock()
	}
}

// result says what was done, and what was found beside err.
func (s *settling) result(err error) *RoundResult {
	built := s.run.buildResult(0)
	out := &RoundResult{Kind: RoundSettled, Metadata: built.Metadata, Diagnostics: built.Diagnostics}
	out.Diagnostics.Add(failures(err)...)
	for i, b := range built.Bundles {
		report := RoundBundle{Name: b.Name, Outfile: b.Outfile, Bytes: b.Bytes, Changed: s.rounds.kept[i].changed && b.Bytes > 0}
		if report.Changed {
			report.Duration = time.Duration(b.DurationMs) * time.Millisecond
		}
		if v := b.Verify; v != nil {
			report.Ran, report.Tools, report.Locked = v.Ran, v.Tools, s.run.items[i].lock != nil
			out.Changes = append(out.Changes, v.Changes...)
		}
		out.Bundles = append(out.Bundles, report)
	}
	return out
}

// keep remembers what was settled.
func (s *settling) keep() {
	r := s.rounds
	for i, k := range r.kept {
		it := s.run.items[i]
		if len(it.outputs) == 0 {
			continue
		}
		k.item, k.changed, k.seen = it, false, nil
		if result := k.session.Last(); result != nil {
			k.result, k.placed = result, result
		}
		if it.probe != nil && !it.faults {
			k.seen = &sighting{of: k.placed, probe: it.probe, recorded: true}
		}
	}
	r.configs = configDigests(r.project.Root)
	r.watch()
}

// putBundles puts bundles in place about which something is wrong: what stands there
// was made for speed and is no better.
func (s *settling) putBundles() error {
	var files []products.File
	for _, it := range s.run.items {
		if it.stamp != nil {
			files = append(files, it.products()...)
		}
	}
	if _, err := products.Write(s.rounds.project.Root, files); err != nil {
		return err
	}
	s.run.written = true
	s.run.remember()
	return nil
}

// products are the files of the bundle.
func (it *item) products() (files []products.File) {
	for _, output := range it.outputs {
		files = append(files, products.File{Path: output.Path, Contents: output.Contents, Mode: output.Mode})
	}
	return files
}
