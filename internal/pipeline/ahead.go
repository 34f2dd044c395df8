package pipeline

import (
	"context"
	"slices"

	"omcbuild/internal/front"
	"omcbuild/internal/surface"
)

// mostAhead is for how many servers of a plugin processes boot while the bundles are
// made: a machine has only so many processors.
const mostAhead = 2

// ahead starts the processes that the run step is going to need, which wait for their
// bundles. What is not needed in the end is ended with the standby; what was not foreseen
// is started when it is needed.
func (r *run) ahead(ctx context.Context) {
	if r.standby == nil {
		return
	}
	servers := 0
	for _, it := range r.items {
		if !it.mcp() || it.settled || it.heard != nil || servers == mostAhead {
			continue
		}
		servers++
		o := r.startOptions(it)
		o.Env = slices.DeleteFunc(o.Env, switchesFront)
		switch {
		case !it.bundle.Front.Enabled:
			r.standby.Add(ctx, o, false)
			r.standby.Add(ctx, o, false)
		case r.mayStand(it) && r.hasFront(it):
			r.standby.Add(ctx, front.Proving(o), false)
			if it.other = r.otherWorld(it); it.other == nil {
				r.standby.Add(ctx, o, true)
			}
			r.standby.Add(ctx, o, false)
		default:
			r.standby.Add(ctx, o, false)
			r.standby.Add(ctx, o, true)
		}
	}
}

// hasFront reports whether the bundle on disk has a front that may stand.
func (r *run) hasFront(it *item) bool {
	before, _ := r.frontBefore(it)
	return before != nil
}

// startOptions say how a bundle is started, which does not depend on what is in it.
func (r *run) startOptions(it *item) surface.ProbeOptions {
	return surface.ProbeOptions{
		FileName: it.bundle.Outfile, Node: r.machine.Node, Args: it.bundle.Args, Env: r.environment(it),
		TempDir: r.machine.Temp, Standby: r.standby, NoteRan: r.learns(),
	}
}
