package pipeline

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/products"
	"omcbuild/internal/project"
)

// Rounds is a project that is built again and again. It keeps what consecutive
// builds share.
//
// A Round follows a save and is quick: it bundles what the changes mean and puts
// that in place, unproven. Settle follows when saving pauses and when watching
// ends: it makes what omcbuild build would make, byte for byte, runs it, and
// brings the metadata into step; lock files are only compared with. Both may be
// called from different goroutines; they wait for each other, and a Settle gives up
// when its context ends.
type Rounds struct {
	open func() (*project.Project, error)
	o    BuildOptions

	mu      sync.Mutex
	project *project.Project // as last read without an error; nil before
	broken  diag.List        // why it cannot be read now
	kept    []*keptBundle    // in the order of the project's bundles
	watched Watched
	configs map[string]string // file of the configuration → digest of what was read
}

// keptBundle is what is known of one bundle from round to round.
type keptBundle struct {
	bundle project.Bundle
	result *bundler.Result // the last good one
	found  diag.List       // of the last attempt
}

// RoundKind says what a round was.
type RoundKind string

// The kinds of rounds.
const (
	RoundFirst   RoundKind = "first"   // the project was read and all was bundled
	RoundOpened  RoundKind = "opened"  // its configuration changed: read again
	RoundQuick   RoundKind = "quick"   // the changed modules alone were compiled
	RoundFull    RoundKind = "full"    // bundled as a whole
	RoundSettled RoundKind = "settled" // what Settle did
	RoundNothing RoundKind = "nothing" // the changes mean nothing: no contents changed
)

// RoundBundle is one bundle after a round.
type RoundBundle struct {
	Name     string        `json:"name"`
	Outfile  string        `json:"outfile"`
	Bytes    int64         `json:"bytes"`
	Duration time.Duration `json:"durationNs"` // of bundling it; 0 when that was not needed
	Changed  bool          `json:"changed"`    // whether the file on disk is another than before
	Tools    int           `json:"tools,omitempty"`
	Ran      bool          `json:"ran,omitempty"` // whether it ran and answered in this round
}

// RoundResult is what a round did.
type RoundResult struct {
	Kind        RoundKind
	Bundles     []RoundBundle // in the order of the project; nil when it cannot be read
	Changes     []Change      // of what the model sees, since the lock files; of Settle only
	Metadata    []FileReport  // of Settle only
	Diagnostics diag.List     // all that is wrong now, not only what is new
	Duration    time.Duration
	Canceled    bool // the context ended first, and nothing was changed
}

// NewRounds prepares rounds over the project that open reads. It is read at the
// first round and whenever its configuration changes. Frozen, Update and Metafile
// have no meaning here; without Verify nothing is run.
func NewRounds(open func() (*project.Project, error), o BuildOptions) *Rounds {
	o.Frozen, o.Update, o.Metafile = false, false, ""
	return &Rounds{open: open, o: o}
}

// Round brings the bundles into step with the files that changed, absolute paths;
// the first round ignores them. What is wrong stands in the diagnostics, and then the
// last good bundle stays.
func (r *Rounds) Round(ctx context.Context, changed []string) *RoundResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	began := time.Now()
	out := &RoundResult{Kind: RoundFull}
	defer func() { out.Duration = time.Since(began) }()
	if r.project == nil || len(r.broken) > 0 || r.configured(changed) {
		out.Kind = RoundOpened
		if r.project == nil {
			out.Kind = RoundFirst
		}
		if !r.reopen() {
			out.Diagnostics = r.broken
			return out
		}
	}
	r.rebundle(ctx, out)
	return out
}

// Settle makes the plain products, runs those that changed, compares what they offer
// with the lock files and brings the metadata into step.
func (r *Rounds) Settle(ctx context.Context) *RoundResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	began := time.Now()
	out := &RoundResult{Kind: RoundSettled}
	defer func() { out.Duration = time.Since(began) }()
	if r.project == nil || len(r.broken) > 0 {
		out.Diagnostics = r.broken
		return out
	}
	r.settle(ctx, out)
	return out
}

// Close ends the sessions of the bundles. What is on disk stays.
func (r *Rounds) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = nil
	return nil
}

// reopen reads the project; false when that fails.
func (r *Rounds) reopen() bool {
	p, err := r.open()
	if err == nil {
		err = p.NeedsBundles()
	}
	r.broken = failures(err)
	if err != nil {
		r.watched.broken(r.project)
		return false
	}
	r.project = p
	r.kept = nil
	for _, b := range p.Bundles {
		r.kept = append(r.kept, &keptBundle{bundle: b})
	}
	return true
}

// rebundle bundles and puts in place.
func (r *Rounds) rebundle(ctx context.Context, out *RoundResult) {
	run := newBuildRun(r.project, r.o)
	var files []products.File
	out.Diagnostics.Add(run.diagnostics...)
	for _, k := range r.kept {
		began := time.Now()
		result, err := bundler.Build(ctx, run.bundlerOptions(k.bundle))
		if ctx.Err() != nil {
			out.Canceled = true
			return
		}
		k.found = failures(err)
		report := RoundBundle{Name: k.bundle.Name, Outfile: k.bundle.Outfile, Duration: time.Since(began)}
		if err == nil {
			k.result, k.found = result, result.Diagnostics
			for _, output := range result.Outputs {
				files = append(files, products.File{Path: output.Path, Contents: output.Contents, Mode: output.Mode})
			}
		}
		if k.result != nil {
			report.Bytes = int64(len(k.result.Outputs[0].Contents))
		}
		out.Bundles = append(out.Bundles, report)
		out.Diagnostics.Add(k.found...)
	}
	r.place(ctx, files, out)
	r.watched.of(r.project, r.kept)
}

// place puts files in place, when it is this project's turn.
func (r *Rounds) place(ctx context.Context, files []products.File, out *RoundResult) {
	done, err := takeTurn(ctx, r.o.CacheDir, r.project.Root)
	if err == nil {
		defer done()
		var written []products.Written
		written, err = products.Write(r.project.Root, files)
		for i := range out.Bundles {
			out.Bundles[i].Changed = slices.ContainsFunc(written, func(w products.Written) bool { return w.Changed && w.Path == out.Bundles[i].Outfile })
		}
	}
	if ctx.Err() != nil {
		out.Canceled = true
		return
	}
	out.Diagnostics.Add(failures(err)...)
}

// failures are the diagnostics of an error.
func failures(err error) diag.List {
	var failure *diag.Failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failure):
		return failure.Diagnostics
	}
	return diag.List{{Code: "machine", Message: err.Error()}}
}

// configured reports whether a file of the configuration is among the changed ones.
func (r *Rounds) configured(changed []string) bool {
	return slices.ContainsFunc(changed, func(path string) bool {
		rel, err := filepath.Rel(r.project.Root, path)
		return err == nil && slices.Contains(configFiles, filepath.ToSlash(rel))
	})
}

// configFiles are read when a project is opened.
var configFiles = []string{project.ConfigFile, project.PackageFile, project.ManifestFile, project.CatalogFile, project.ServersFile}
