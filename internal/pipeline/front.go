package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/front"
	"omcbuild/internal/project"
	"omcbuild/internal/surface"
)

// frontStep puts recorded answers before the servers that are to have them, and proves
// that they are what the servers answer; of bundles on disk it proves those that they
// have. A server whose answers are not sure keeps its bundle, with a warning.
func frontStep(ctx context.Context, r *run) error {
	found := make([]diag.List, len(r.items))
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, it := range r.items {
		if !r.fronted(it) {
			continue
		}
		if it.settled {
			found[i] = slices.Clone(it.fronting)
			continue
		}
		group.Go(func() (err error) {
			defer r.machine.slot()()
			if r.building() {
				found[i], err = r.putFront(ctx, it)
			} else {
				found[i], err = r.proveFront(ctx, it)
			}
			return err
		})
	}
	err := group.Wait()
	for i, list := range found {
		r.items[i].fronting = slices.Clone(list)
		r.items[i].faults = r.items[i].faults || list.HasErrors()
		r.diagnostics.Add(list...)
	}
	if err != nil {
		return err
	}
	return r.turnedOff()
}

// building reports whether bundles are made, not only looked at.
func (r *run) building() bool { return r.build.CacheDir != "" }

// fronted reports whether a bundle has to do with a front in this run.
func (r *run) fronted(it *item) bool {
	if len(it.outputs) == 0 || !it.mcp() {
		return false
	}
	if r.building() {
		return it.bundle.Front.Enabled
	}
	return it.hasFront()
}

func withoutFronts(r *run) string {
	return unless(slices.ContainsFunc(r.items, r.fronted), "no bundle has a front")
}

// putFront gives a bundle its front. What it has already on disk counts as nothing.
func (r *run) putFront(ctx context.Context, it *item) (diag.List, error) {
	if !r.build.Verify && it.upToDate && it.hasFront() {
		return nil, nil // which is the one that was recorded, and put there by this very omcbuild
	}
	plain := it.plain()
	if !r.build.Verify {
		return r.keepFront(it, plain)
	}
	if it.standing != nil {
		return nil, it.replace(r, it.standing)
	}
	if it.probe == nil {
		return diag.List{front.Refused(it.bundle.Outfile, "it did not start here")}, it.replace(r, plain)
	}
	recorded, list := front.Record(it.probe, r.frontOptions(it))
	if recorded == nil {
		return list, it.replace(r, plain)
	}
	outputs, err := bundler.WithFront(plain, *recorded)
	if err != nil {
		return diag.List{front.Refused(it.bundle.Outfile, err.Error())}, it.replace(r, plain)
	}
	list, err = r.prove(ctx, it, outputs[0].Contents)
	if err == nil && len(list) > 0 && it.heard != nil { // what was heard is of another form of the server
		it.heard, it.probe = nil, nil
		if list, err = r.hear(ctx, it); err != nil || list.HasErrors() {
			return list, err
		}
		return r.putFront(ctx, it)
	}
	switch {
	case err != nil:
		return nil, err
	case list.HasErrors():
		return list, nil
	case len(list) > 0:
		return list, it.replace(r, plain)
	}
	r.learn(it, it.probe.Elsewhere, plain)
	return nil, it.replace(r, outputs)
}

// hasFront reports whether there is a front in the bundle as it is.
func (it *item) hasFront() bool {
	_, has := bundler.FrontOf(it.file())
	return has
}

// keepFront takes over the front of the bundle on disk when the same server stands
// behind it: what is not run cannot be recorded.
func (r *run) keepFront(it *item, plain []bundler.Output) (diag.List, error) {
	if f := r.frontOnDisk(it, plain[0].Contents); f != nil {
		f.Minify = r.build.Minify
		if outputs, err := bundler.WithFront(plain, *f); err == nil {
			return nil, it.replace(r, outputs)
		}
	}
	return diag.List{{
		Code: "front-left-out", Level: diag.Warning, Position: diag.Position{File: it.bundle.Outfile},
		Message: "has no front: its answers are recorded by running it, which --no-verify forbids",
		Hint:    "run omcbuild build before you commit",
	}}, it.replace(r, plain)
}

// frontOnDisk returns the front of the bundle on disk, nil when the server behind it is
// another, or turned off by other variables.
func (r *run) frontOnDisk(it *item, server []byte) *bundler.Front {
	if f, behind := r.frontBefore(it); bytes.Equal(behind, server) {
		return f
	}
	return nil
}

// frontBefore returns the front of the bundle on disk and the server behind it; nil when
// there is none, or one that other variables turn off.
func (r *run) frontBefore(it *item) (*bundler.Front, []byte) {
	onDisk, err := os.ReadFile(filepath.Join(r.project.Root, filepath.FromSlash(it.bundle.Outfile)))
	if err != nil {
		return nil, nil
	}
	behind, f, has := bundler.Unfront(onDisk)
	if !has || !slices.Equal(f.Env, r.frontOptions(it).Env) {
		return nil, nil
	}
	return f, behind
}

// addFront adds the front of the bundle on disk to results of which a Graph says what
// they are made of, as a part that comes from no module.
func (r *run) addFront(it *item, results ...*bundler.Result) {
	f := r.frontOnDisk(it, results[0].Outputs[0].Contents)
	if f == nil {
		return
	}
	for _, result := range results {
		if result == nil {
			continue
		}
		outputs, err := bundler.WithFront(result.Outputs, *f)
		if err != nil {
			continue
		}
		added := int64(len(outputs[0].Contents) - len(result.Outputs[0].Contents))
		result.Outputs = outputs
		if result.Graph != nil {
			result.Graph.Rest = append(result.Graph.Rest, bundler.Part{Name: "front", Bytes: added})
		}
	}
}

// replace takes other outputs for the bundle, which are then written even when the
// bundle was recognised as up to date.
func (it *item) replace(r *run, outputs []bundler.Output) error {
	if bytes.Equal(outputs[0].Contents, it.file()) {
		return nil
	}
	if it.stamp == nil {
		known := r.recorded(it)
		if known == nil {
			return errors.New("the record of " + it.bundle.Outfile + " is gone")
		}
		it.stamp = known.Stamp
	}
	it.outputs, it.gzip = outputs, 0
	stamp := *it.stamp // which the session that bundled it looks at meanwhile
	stamp.Replace(outputs)
	it.stamp = &stamp
	return nil
}

// proveFront holds the front of a bundle on disk against what its server answers.
func (r *run) proveFront(ctx context.Context, it *item) (diag.List, error) {
	if it.probe == nil {
		return nil, nil
	}
	baked, _ := bundler.FrontOf(it.file())
	options := r.frontOptions(it)
	if it.bundle.Front.Enabled && !slices.Equal(options.Env, baked.Env) {
		return diag.List{staleFront(it.bundle.Outfile, "is turned off by other variables than front.env names: "+named(baked.Env)+" instead of "+named(options.Env))}, nil
	}
	options.Env = baked.Env
	recorded, list := front.Record(it.probe, options)
	if recorded == nil {
		return outdated(it, list), nil
	}
	if !reflect.DeepEqual(recorded.Answers, baked.Answers) {
		return diag.List{staleFront(it.bundle.Outfile, "answers otherwise than its server: "+strings.Join(differing(recorded.Answers, baked.Answers), ", "))}, nil
	}
	list, err := r.prove(ctx, it, it.file())
	return outdated(it, list), err
}

// outdated makes errors of the reasons for which a front would not be made: the one that
// is there may tell clients what is not so.
func outdated(it *item, list diag.List) (out diag.List) {
	for _, d := range list {
		if d.Level == diag.Warning {
			d = staleFront(it.bundle.Outfile, "would not be made now: the bundle "+d.Message)
		}
		out.Add(d)
	}
	return out
}

func named(variables []string) string {
	if len(variables) == 0 {
		return "none"
	}
	return strings.Join(variables, ", ")
}

func staleFront(file, what string) diag.Diagnostic {
	return diag.Diagnostic{Code: "front-stale", Position: diag.Position{File: file}, Message: "its front " + what, Hint: "run omcbuild build and commit the result"}
}

// differing names the requests whose answers are not the same in both fronts.
func differing(a, b []bundler.FrontAnswer) (names []string) {
	for _, pair := range [][2][]bundler.FrontAnswer{{a, b}, {b, a}} {
		for _, answer := range pair[0] {
			same := func(other bundler.FrontAnswer) bool { return reflect.DeepEqual(answer, other) }
			if name := method(answer); !slices.ContainsFunc(pair[1], same) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// prove runs a bundle with its front, and keeps how fast it answered.
func (r *run) prove(ctx context.Context, it *item, bundle []byte) (diag.List, error) {
	o := r.probeOptions(it)
	o.Bundle, o.Env, o.Call = bundle, slices.DeleteFunc(o.Env, switchesFront), nil
	o.CallReadOnly = false
	proof, list, err := front.Prove(ctx, o, it.probe)
	if len(list) == 0 {
		it.proof = proof
	}
	return list, err
}

func switchesFront(variable string) bool { return strings.HasPrefix(variable, front.Switch+"=") }

func (r *run) frontOptions(it *item) front.Options {
	o := front.Options{File: it.bundle.Outfile, Env: slices.Sorted(slices.Values(it.bundle.Front.Env)), Args: it.bundle.Args, Minify: r.build.Minify}
	for _, variable := range r.environment(it) {
		name, _, _ := strings.Cut(variable, "=")
		o.Given = append(o.Given, name)
	}
	return o
}

// frontKey says which front a bundle was built to have, for its record.
func frontKey(b project.Bundle) string {
	if !b.Front.Enabled {
		return ""
	}
	return fmt.Sprint("front ", slices.Sorted(slices.Values(b.Front.Env)))
}

// lookFor sets how a bundle is run for the sake of its front.
func (r *run) lookFor(it *item, o *surface.ProbeOptions) {
	if !r.fronted(it) {
		return
	}
	o.Elsewhere = r.fronts
	if it.hasFront() {
		o.Env = append(o.Env, front.Switch+"=0")
	}
}

// method is the request that an answer is to.
func method(a bundler.FrontAnswer) string {
	var m struct{ Method string }
	_ = json.Unmarshal(a.Match, &m)
	return m.Method
}
