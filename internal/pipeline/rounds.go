package pipeline

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/surface"
)

// Rounds is a project that is built again and again. It keeps what consecutive
// builds share.
//
// A Round follows a save and is quick: it bundles what the changes mean and puts
// that in place, unproven. Check follows at once: it runs what was put in place and
// compares what that lists with the lock files. Record follows a Check, for servers with
// a front. Settle follows when saving pauses: it makes what omcbuild build would make,
// byte for byte, proves it, and brings the metadata into step; lock files are only
// compared with. Finish is for the end.
//
// They may be called from different goroutines. All give up when their context ends,
// and a Round does not wait for a Check or a Settle whose context has ended, unless
// that is putting files in place right then.
type Rounds struct {
	open func() (*project.Project, error)
	o    BuildOptions

	mu        sync.Mutex
	project   *project.Project  // as last read without an error; nil before
	broken    diag.List         // why it cannot be read now
	kept      []*kept           // in the order of the project's bundles
	configs   map[string]string // file of the configuration, absolute → digest of what was read
	watched   Watched
	unchecked bool         // something was put in place since the last Check
	unsettled bool         // something changed since the last Settle
	settled   *RoundResult // what that found
	prebuilt  span         // when the project's own program ran last
	prebuild  bool         // whether it is to run before the next Settle

	standby surface.Standby // a process for the next Check of each server
	saved   bool            // there was a round after the first

	life     context.Context // ends with Close
	end      context.CancelFunc
	prepared chan struct{} // closed when what goes on in the background has ended; nil before the first
}

// span is a stretch of time.
type span struct{ from, to time.Time }

// kept is what is known of one bundle from round to round.
type kept struct {
	bundle  project.Bundle
	options bundler.Options
	session *bundler.Session
	result  *bundler.Result // the last good one
	placed  *bundler.Result // the one on disk
	failed  diag.List       // why the last attempt was not good
	seen    *sighting       // what the last good Check saw of it, nil when that was nothing good
	item    *item           // as it was settled last
	changed bool            // since then
}

// sighting is what a run of a bundle showed that had no error.
type sighting struct {
	of       *bundler.Result // what ran
	probe    *surface.Probe
	recorded bool           // whether it was run once more to record its answers, or needs not be
	front    *bundler.Front // the answers that it gave then; nil when they are not to be, or cannot be, recorded
}

// at returns what was seen of the bundle that is in place, or nil.
func (k *kept) at() *sighting {
	if k.seen == nil || k.seen.of != k.placed {
		return nil
	}
	return k.seen
}

// RoundKind says what a round was.
type RoundKind string

// The kinds of rounds.
const (
	RoundFirst    RoundKind = "first"    // the project was read and all was bundled
	RoundOpened   RoundKind = "opened"   // its configuration changed: it was read again
	RoundQuick    RoundKind = "quick"    // the changed modules alone were compiled
	RoundFull     RoundKind = "full"     // bundled as a whole
	RoundNothing  RoundKind = "nothing"  // nothing changed that is in a bundle
	RoundRestored RoundKind = "restored" // somebody else had changed a bundle, which is as before again
	RoundChecked  RoundKind = "checked"  // what Check did
	RoundSettled  RoundKind = "settled"  // what Settle did
	RoundFinished RoundKind = "finished" // what Finish did
)

// RoundBundle is one bundle after a round.
type RoundBundle struct {
	Name     string
	Outfile  string
	Bytes    int64         // 0 when it was never bundled without an error
	Duration time.Duration // of bundling it; 0 when that was not needed
	Changed  bool          // whether the file on disk is another than before
	Ran      bool          // of Check and Settle: whether it runs and answers
	Tools    int           // which it then lists
	Locked   bool          // and whether there is a lock file to compare them with
}

// RoundResult is what a round did.
type RoundResult struct {
	Kind        RoundKind
	Bundles     []RoundBundle // in the order of the project; nil when it cannot be read
	Changes     []Change      // of Check and Settle: what is new for the model, since the lock files
	Metadata    []FileReport  // of Settle
	Diagnostics diag.List     // all that is wrong now, not only what is new
	Duration    time.Duration
	Canceled    bool // the context ended first; what was not done yet is done next time
}

// NewRounds prepares rounds over the project that open reads. It is read at the
// first round and whenever its configuration changes. Frozen, Update and Metafile
// have no meaning here; without Verify nothing is run.
func NewRounds(open func() (*project.Project, error), o BuildOptions) *Rounds {
	o.Frozen, o.Update, o.Metafile = false, false, ""
	r := &Rounds{open: open, o: o}
	r.life, r.end = context.WithCancel(context.Background())
	return r
}

// Round brings the bundles into step with the files that changed, absolute paths; with
// none it looks at all that it was made from. What is wrong stands in the diagnostics,
// and then the last good bundle stays.
func (r *Rounds) Round(ctx context.Context, changed []string) *RoundResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	began := time.Now()
	out := &RoundResult{Kind: RoundNothing}
	defer func() { out.Duration = time.Since(began) }()
	if out.Canceled = !r.waitPrepared(ctx); out.Canceled { // it takes less than bundling as a whole
		return out
	}
	changed, done := r.restore(ctx, changed, out)
	if done {
		return out
	}
	first, opened := r.project == nil, false
	if first || len(r.broken) > 0 || r.configured(changed) {
		if r.reopen(ctx); len(r.broken) > 0 || ctx.Err() != nil {
			out.Kind, out.Diagnostics, out.Canceled = RoundOpened, r.broken, ctx.Err() != nil
			return out
		}
		changed, opened = nil, true
	}
	r.unsettled = r.unsettled || len(changed) > 0
	r.saved = r.saved || !first
	r.bundle(ctx, changed, out)
	switch {
	case first:
		out.Kind = RoundFirst
	case opened:
		out.Kind = RoundOpened
	}
	return out
}

// Close ends what goes on in the background. What is on disk stays.
func (r *Rounds) Close() error {
	r.end()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waitPrepared(context.Background())
	r.standby.Close()
	for _, k := range r.kept {
		k.session.Close()
	}
	r.kept = nil
	return nil
}

// reopen reads the project, and keeps the sessions of bundles whose options are as
// they were.
func (r *Rounds) reopen(ctx context.Context) {
	p, err := r.open()
	if err == nil {
		err = p.NeedsBundles()
	}
	r.broken = failures(err)
	if err == nil {
		r.project = p
	}
	if r.project == nil {
		return
	}
	r.configs = configDigests(r.project.Root)
	if err != nil {
		r.watch()
		return
	}
	r.unchecked, r.unsettled, r.prebuild = true, true, true
	r.standby.Close() // they may be started otherwise by now
	r.runPrebuild(ctx)
	run := newBuildRun(p, r.o)
	before := r.kept
	r.kept = nil
	for _, b := range p.Bundles {
		k := &kept{bundle: b, options: run.bundlerOptions(b), changed: true}
		if i := slices.IndexFunc(before, func(old *kept) bool { return old.session != nil && sameOptions(old.options, k.options) }); i >= 0 {
			old := before[i]
			k.session, k.result, k.placed, k.failed = old.session, old.result, old.placed, old.failed
			old.session = nil
		} else {
			k.session = bundler.NewSession(k.options)
		}
		r.kept = append(r.kept, k)
	}
	for _, old := range before {
		if old.session != nil {
			old.session.Close()
		}
	}
}

// configured reports whether a file of the configuration is among the changed ones, or
// with none whether any has other contents than when it was read.
func (r *Rounds) configured(changed []string) bool {
	for path, digest := range configDigests(r.project.Root) {
		if r.configs[path] != digest && (len(changed) == 0 || slices.Contains(changed, path)) {
			return true
		}
	}
	return false
}

// runPrebuild runs the project's own program that makes sources, if that is due.
func (r *Rounds) runPrebuild(ctx context.Context) {
	if !r.prebuild || len(r.project.Config.Prebuild) == 0 {
		return
	}
	r.prebuilt.from = time.Now()
	r.broken = failures(prebuildStep(ctx, newBuildRun(r.project, r.o)))
	r.prebuilt.to, r.prebuild = time.Now(), false
}

// configFiles returns the files that are read when a project is opened.
func configFiles(root string) (paths []string) {
	for _, name := range []string{project.ConfigFile, project.PackageFile, project.ManifestFile, project.CatalogFile, project.ServersFile} {
		paths = append(paths, filepath.Join(root, filepath.FromSlash(name)))
	}
	return paths
}
