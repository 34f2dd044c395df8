// Package pipeline is what omcbuild does, as ordered lists of named steps.
// Read this file first.
//
//	build   prebuild → bundle → run → front → check → metadata → plugin → frozen or write → catalog
//	        with typecheck beside bundle, run and front
//	verify  read → run → front → check → launch → plugin → write
//	sync    metadata → write → catalog
//	package disk → the steps of build --frozen → payload → npm → archives → proof → place
//	analyze bundle → describe → why → write
//	version repository → the steps of build up to check → compare → ship → raise, which is build again → commit → tag
//
// A step reads what the steps before it left in the run and adds its own. It
// adds diagnostics for what it found and returns an error for what stopped it;
// a step that does not apply says why it was skipped, which is no failure. A step
// may go on beside those after it, up to one that waits for it. All
// products are written by the last step, together, and only when no step
// before it found an error: a failed build changes nothing.
//
// A repository of several plugins goes through the same steps, its plugins side
// by side up to the writing. Then each that has no error is written, and the
// catalog, which is the only file that plugins share, once for all of them.
//
//	build.go, verify.go, sync.go, diff.go, analyze.go   the commands and their steps
//	package.go, package_*.go                release archives: what goes in, the forms, the proof, the place
//	version.go, version_*.go                the next version, what it says, its commit and its tag
//	git.go                                  questions to git
//	family.go                               a new family of tools, without steps: planned, then written
//	bundle.go                               sources → bundles in memory, or recognised as up to date
//	probe.go                                bundles → what they offer when they run
//	ahead.go                                what is run boots while the bundles are made
//	elsewhere.go                            what they do in another world, when that is known from before
//	sources.go                              sources → what they declare, collected or known from before
//	launch.go                               what else .mcp.json starts, run as it says
//	front.go, stands.go                     recorded answers before a server, and their proof
//	front_started.go                        where a front does not answer, or not what is shown
//	check.go                                lock file, independent count, lint, budget
//	beside.go                               what goes on beside other steps: the type check
//	metadata.go, write.go, frozen.go        what is to be on disk, and the comparison with what is
//	several.go, catalog.go                  all plugins of a repository, and what they share
//	rounds.go, rebundle.go                  one project again and again, as its files change
//	checking.go, recording.go               what follows a round at once
//	settle.go, finish.go                    and in a pause, and at the end
//	restore.go                              a bundle that somebody else changed meanwhile
//	watched.go, watching.go                 what is looked at for that, and whose turn it is
//	turn.go, cache.go                       who may build, and what is kept between runs
package pipeline

import (
	"context"
	"errors"
	"sync"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/metadata"
	"omcbuild/internal/products"
	"omcbuild/internal/project"
	"omcbuild/internal/surface"
)

// Machine is what the pipeline may use of the computer it runs on. It is
// filled by the command, so that nothing below reads the environment.
type Machine struct {
	Node string   // absolute path of the node program
	Path string   // PATH for programs that are looked up
	Home string   // the user's home folder; searched for in outputs
	Temp string   // where temporary folders are made; "" is the system's
	Env  []string // environment of helpers such as git and tsc, KEY=VALUE

	// slots bounds what several plugins do at once that takes a processor; nil is
	// no bound beyond that of one plugin.
	slots chan struct{}
}

// slot waits until there is a processor for one more bundle, and returns the
// function that gives it back.
func (m Machine) slot() func() {
	if m.slots == nil {
		return func() {}
	}
	m.slots <- struct{}{}
	return func() { <-m.slots }
}

// StepReport says how a step went.
type StepReport struct {
	Name     string        `json:"name"`
	Skipped  string        `json:"skipped,omitempty"` // the reason, when it did not apply
	Duration time.Duration `json:"durationNs"`
	Note     string        `json:"note,omitempty"` // what was left out of it, and why
}

// FileReport is one metadata file after a run.
type FileReport struct {
	Path    string   `json:"path"`
	Changed bool     `json:"changed"`          // whether it was, or with a check would be, written
	Fields  []string `json:"fields,omitempty"` // what is new in it, in words
	Diff    string   `json:"diff,omitempty"`   // unified difference, with a check
}

// step is one stage of a command.
type step struct {
	name string
	skip func(*run) string // the reason not to do it, "" to do it; nil is always done
	do   func(context.Context, *run) error
	// goOn says that the steps after it are done even when it found errors; nil
	// is no.
	goOn func(*run) bool
	// beside takes the place of do in a step that goes on beside those after it. It
	// changes nothing in the run; what it found is added when it is waited for.
	beside  func(context.Context, *run) (diag.List, error)
	waits   bool // after it, also when it was skipped, what goes on beside it is waited for
	decides bool // when it finds errors, what goes on beside it has nothing to add, and is given up
}

// run is the state that travels through the steps of one command.
type run struct {
	project     *project.Project
	machine     Machine
	cacheDir    string
	toolVersion string

	build     BuildOptions      // of build only
	verify    VerifyOptions     // of verify and tools only
	env       map[string]string // for the bundles' runs, from the command line
	update    bool              // accept what differs from the lock files
	lone      bool              // one bundle without a project: no lock file, no sources
	packaged  bool              // an unpacked archive: a lock file is compared with if there is one
	direct    []string          // the servers of an archive that are items, or would be if they could be read
	launched  []*item           // the servers of an archive that are no items, as far as they ran
	wantsDiff bool              // metadata changes are shown as differences
	folder    string            // of one of several plugins, below the root of the repository
	fronts    bool              // fronts are made, or proved
	readOnly  bool              // nothing is written; what would be is an error
	held      bool              // nothing was written, because the catalog cannot be
	written   bool              // what was made is in place
	watching  bool              // lock files are compared with and never written, and what breaks is put in place
	standby   *surface.Standby  // processes that wait for the bundles; nil in most commands
	linked    bool              // the bundles are those of a quick round, in another form than they will have
	glancing  bool              // servers are run up to the list of their tools, as the current client does, and no further

	items       []*item            // one a bundle
	entry       *metadata.Entry    // what the catalog has to say, once metadata was worked out
	files       []FileReport       // metadata
	products    []products.File    // to be written, in order
	placed      []products.Written // and what writing them changed
	packing     *packing           // of package only
	raising     *raising           // of version only
	steps       []StepReport
	changes     []Change      // of diff only
	took        time.Duration // of one of several plugins
	diagnostics diag.List
	compressing sync.WaitGroup // what goes on beside the steps and ends with them: the items, for their sizes, and what is kept of their runs
}

func newRun(p *project.Project, m Machine, cacheDir, toolVersion string) *run {
	r := &run{project: p, machine: m, cacheDir: cacheDir, toolVersion: toolVersion}
	r.diagnostics.Add(p.Diagnostics...)
	for i := range p.Bundles {
		r.items = append(r.items, &item{bundle: p.Bundles[i]})
	}
	return r
}

// do runs the steps in order and stops after the first that is done when there
// is an error, unless that step says to go on. What goes on beside it then is waited
// for, or given up where the step says so.
func (r *run) do(ctx context.Context, steps []step) error {
	beside := companions{run: r}
	defer beside.giveUp()
	defer r.compressing.Wait()
	for _, s := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		report := StepReport{Name: s.name}
		if s.skip != nil {
			report.Skipped = s.skip(r)
		}
		r.steps = append(r.steps, report)
		var err error
		switch {
		case report.Skipped != "":
		case s.beside != nil:
			beside.start(ctx, s, len(r.steps)-1)
		default:
			err = r.doOne(ctx, s)
		}
		if err == nil && s.waits {
			err = beside.wait()
		}
		if err != nil {
			return err
		}
		if (report.Skipped == "" || s.waits) && r.diagnostics.HasErrors() && (s.goOn == nil || !s.goOn(r)) {
			if s.decides {
				return nil
			}
			break
		}
	}
	return beside.wait()
}

// doOne does the step that was listed last, and notes how long it took.
func (r *run) doOne(ctx context.Context, s step) error {
	began := time.Now()
	err := r.absorb(s.do(ctx, r))
	r.steps[len(r.steps)-1].Duration = time.Since(began)
	return err
}

// absorb turns a failure of the user's files into diagnostics of the result.
// Wrong usage and everything unexpected stays an error.
func (r *run) absorb(err error) error {
	var failure *diag.Failure
	if errors.As(err, &failure) && failure.Class == diag.Failed {
		r.diagnostics.Add(failure.Diagnostics...)
		return nil
	}
	return err
}
