package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"omcbuild/internal/process"
)

const (
	watchRounds = 3 // sessions of each watcher, at most
	watchMore   = 2 // more of those whose times vary too much, at most
	savesEach   = 7 // plain saves in a session, and as many atomic ones
	savesBusy   = 2 // saves in a session that come while a build runs

	startPatience = 60 * time.Second       // for the first build
	savePatience  = 10 * time.Second       // after that a save is lost
	calm          = 700 * time.Millisecond // how long an output must not change to be taken as settled
	thinking      = 500 * time.Millisecond // between a new output and the next save
)

// watcher is a tool that watches, and what was measured of it.
type watcher struct {
	tool
	copied  string
	sources [2]*source

	plain, atomic []float64 // milliseconds from the save to the whole new file, NaN for a lost one
	half          float64   // saves during which a half file could be read
	lost          float64   // saves that no output followed
	lostBusy      float64   // of those during a build
}

// takeWatching has each watcher follow the same saves in a copy of its own, one
// after the other, session by session; and then all of them do nothing.
func takeWatching(ctx context.Context, l *lab, want wanted) (figures, error) {
	watchers, err := l.watchers(want)
	if err != nil {
		return nil, err
	}
	names := &tokens{}
	sessions := min(l.rounds, watchRounds)
	for i := range sessions + watchMore {
		chosen := func(*watcher) bool { return true }
		if i >= sessions {
			unsure := want.unsure(reported(watchers))
			if len(unsure) == 0 || l.rounds < fewest {
				break
			}
			chosen = func(w *watcher) bool { return unsure[w.name+" plain"] || unsure[w.name+" atomic"] }
		}
		for _, w := range watchers {
			w.take(ctx, l, names, chosen(w))
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		slices.Reverse(watchers)
	}
	out := reported(watchers)
	for name, idle := range idleAll(ctx, l, watchers, names) {
		out[name+" idle"] = idle
	}
	return out, ctx.Err()
}

// take has a session of the watcher, or passes it: value i of all watchers is from the
// same session.
func (w *watcher) take(ctx context.Context, l *lab, names *tokens, chosen bool) {
	if w.absent != "" {
		return
	}
	if chosen {
		if err := w.session(ctx, l, names); err != nil {
			w.absent = err.Error()
		}
		return
	}
	for range savesEach {
		w.plain, w.atomic = append(w.plain, math.NaN()), append(w.atomic, math.NaN())
	}
}

// reported are the figures of all watchers.
func reported(watchers []*watcher) figures {
	out := figures{}
	for _, w := range watchers {
		w.report(out)
	}
	return out
}

// watchers are those of whom a figure is needed, each with its copy.
func (l *lab) watchers(want wanted) ([]*watcher, error) {
	var out []*watcher
	for _, t := range append([]tool{{name: "omcbuild", path: l.omcbuild, watch: []string{"watch"}, out: outfile}}, l.tools()...) {
		if !needsAny(want, t.name) {
			continue
		}
		w := &watcher{tool: t}
		if t.absent == "" {
			if err := w.prepare(l); err != nil {
				return nil, err
			}
		}
		out = append(out, w)
	}
	return out, nil
}

func needsAny(want wanted, watcher string) bool {
	for _, c := range watchColumns() {
		if want.needs(watcher + " " + c.name) {
			return true
		}
	}
	return false
}

// prepare makes the copy and marks the end of its entry.
func (w *watcher) prepare(l *lab) (err error) {
	if w.copied, err = l.rivalsCopy("watched-" + w.name); err != nil {
		return err
	}
	for i, name := range []string{edited, "src/tools/wiki-tools.ts"} {
		if w.sources[i], err = openSource(w.copied, name); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(filepath.Join(w.copied, filepath.FromSlash(entry)), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(file, "Object.assign(globalThis, { benchmarkEnd: %q });\n", endMark); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

// running is a watcher at work.
type running struct {
	process *process.Process
	said    func() string
	output  *follower
}

// start starts the watcher and waits for its first output to settle.
func (w *watcher) start(ctx context.Context, l *lab, names *tokens) (*running, error) {
	token := names.next()
	if err := w.sources[0].save(token); err != nil {
		return nil, err
	}
	p, err := process.Start(ctx, l.command(w.copied, w.path, append(append([]string{}, w.args...), w.watch...)...))
	if err != nil {
		return nil, err
	}
	r := &running{process: p, said: listen(p), output: follow(filepath.Join(w.copied, filepath.FromSlash(w.out)))}
	select {
	case <-r.output.expect(token, endMark):
		r.settle(ctx, calm)
		return r, ctx.Err()
	case <-p.Exited():
		err = fmt.Errorf("ended by itself: %s", r.stop())
	case <-time.After(startPatience):
		err = fmt.Errorf("no first output in %v: %s", startPatience, r.stop())
	}
	return nil, err
}

// stop ends the watcher and returns the last of what it printed.
func (r *running) stop() string {
	r.output.end()
	r.process.Stop(0)
	return r.said()
}

// settle waits until the output has not changed for a while.
func (r *running) settle(ctx context.Context, quiet time.Duration) {
	for deadline := time.Now().Add(savePatience); r.output.calmFor() < quiet && time.Now().Before(deadline) && ctx.Err() == nil; {
		time.Sleep(10 * time.Millisecond)
	}
}

// session is one start of the watcher, some saves of each kind, and its end.
func (w *watcher) session(ctx context.Context, l *lab, names *tokens) error {
	r, err := w.start(ctx, l, names)
	if err != nil {
		return err
	}
	defer r.stop()
	r.output.halfRead() // what the start has left does not count
	for range savesEach {
		if err := w.save(ctx, r, &w.plain, w.sources[0].save, names.next()); err != nil {
			return err
		}
	}
	for i := range savesBusy {
		if err := w.saveBusy(ctx, r, i, names); err != nil {
			return err
		}
	}
	for range savesEach {
		if err := w.save(ctx, r, &w.atomic, w.sources[0].replace, names.next()); err != nil {
			return err
		}
	}
	return nil
}

// save saves once and takes the time until the output has it.
func (w *watcher) save(ctx context.Context, r *running, times *[]float64, write func(string) error, token string) error {
	arrived := r.output.expect(token)
	began := time.Now()
	if err := write(token); err != nil {
		return err
	}
	at, ok := await(ctx, arrived)
	took := math.NaN()
	if ok {
		took = milliseconds(at.Sub(began))
	} else {
		w.lost++
	}
	*times = append(*times, took)
	w.think(ctx, r)
	return ctx.Err()
}

// saveBusy saves, and once more while the build that this began should be half
// done: the same file or another one in turn. The output has to get all of it.
func (w *watcher) saveBusy(ctx context.Context, r *running, i int, names *tokens) error {
	first, second := names.next(), names.next()
	expected, other := []string{second}, w.sources[i%2]
	if other != w.sources[0] {
		expected = append(expected, first)
	}
	arrived := r.output.expect(expected...)
	if err := w.sources[0].save(first); err != nil {
		return err
	}
	if took := median.of(w.plain); took > 0 {
		time.Sleep(time.Duration(took / 2 * float64(time.Millisecond)))
	}
	if err := other.save(second); err != nil {
		return err
	}
	if _, ok := await(ctx, arrived); !ok {
		w.lostBusy++
	}
	w.think(ctx, r)
	return ctx.Err()
}

// think is what a person does between a result and the next save.
func (w *watcher) think(ctx context.Context, r *running) {
	select {
	case <-time.After(thinking):
	case <-ctx.Done():
	}
	if r.output.halfRead() {
		w.half++
	}
}

// await waits for an output as long as it can be expected.
func await(ctx context.Context, arrived <-chan time.Time) (time.Time, bool) {
	select {
	case at := <-arrived:
		return at, true
	case <-time.After(savePatience):
	case <-ctx.Done():
	}
	return time.Time{}, false
}

// report puts what was measured among the figures.
func (w *watcher) report(out figures) {
	put := func(name string, values ...float64) {
		f := figure{absent: w.absent, paired: true}
		if w.absent == "" {
			f.values = values
		}
		out[w.name+" "+name] = f
	}
	put("plain", w.plain...)
	put("atomic", w.atomic...)
	put("all", append(append([]float64{}, w.plain...), w.atomic...)...)
	put("half", w.half)
	put("lost", w.lost)
	put("busy", w.lostBusy)
}
