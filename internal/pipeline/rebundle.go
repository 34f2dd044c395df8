package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"reflect"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/products"
)

// bundle brings every bundle into step with the files that changed, and puts those
// that are others than before in place.
func (r *Rounds) bundle(ctx context.Context, changed []string, out *RoundResult) {
	reports := make([]RoundBundle, len(r.kept))
	updates := make([]*bundler.Update, len(r.kept))
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, k := range r.kept {
		group.Go(func() error {
			reports[i] = RoundBundle{Name: k.bundle.Name, Outfile: k.bundle.Outfile}
			began := time.Now()
			updates[i] = k.update(ctx, changed)
			if u := updates[i]; u != nil && !u.Unchanged {
				reports[i].Duration = time.Since(began)
			}
			return nil
		})
	}
	if group.Wait() != nil || ctx.Err() != nil {
		out.Canceled = true
		return
	}
	out.Bundles = reports
	out.Kind = kindOf(updates)
	r.place(ctx, out)
	r.gather(out)
	r.watch()
	r.prepare()
	if out.Kind != RoundNothing && !r.ofPrebuild(changed) {
		r.prebuild = true
	}
}

// update brings one bundle into step; nil when that fails.
func (k *kept) update(ctx context.Context, changed []string) *bundler.Update {
	u, err := k.session.Update(ctx, changed)
	if ctx.Err() != nil {
		return nil // it counts as not done
	}
	if k.failed = failures(err); err != nil {
		return nil
	}
	k.result = u.Result
	return u
}

// kindOf says what a round was by what became of its bundles; nil is a failure.
func kindOf(updates []*bundler.Update) RoundKind {
	kind := RoundNothing
	for _, u := range updates {
		switch {
		case u == nil || !u.Unchanged && !u.Quick:
			return RoundFull
		case !u.Unchanged:
			kind = RoundQuick
		}
	}
	return kind
}

// place puts the bundles that are others than before in place, when it is this
// project's turn.
func (r *Rounds) place(ctx context.Context, out *RoundResult) {
	var files []products.File
	for _, k := range r.kept {
		if k.result == nil || k.result == k.placed {
			continue
		}
		for j, output := range k.result.Outputs {
			if k.placed == nil || j >= len(k.placed.Outputs) || !sameOutput(output, k.placed.Outputs[j]) {
				files = append(files, products.File{Path: output.Path, Contents: output.Contents, Mode: output.Mode})
			}
		}
		k.changed, r.unsettled = true, true
	}
	if len(files) == 0 {
		return
	}
	if out.Kind == RoundNothing { // a round that was canceled before it was in place
		out.Kind = RoundQuick
	}
	done, err := takeTurn(ctx, r.o.CacheDir, r.project.Root)
	if err == nil {
		err = products.Swap(r.project.Root, files)
		done()
	}
	if err != nil {
		out.Canceled = ctx.Err() != nil
		out.Diagnostics.Add(failures(err)...)
		return
	}
	for i, k := range r.kept {
		if k.result != k.placed {
			k.placed, r.unchecked, out.Bundles[i].Changed = k.result, true, true
		}
	}
}

// sameOutput compares slices and not texts: what is the same comes from one build.
func sameOutput(a, b bundler.Output) bool {
	return a.Path == b.Path && len(a.Contents) == len(b.Contents) && (len(a.Contents) == 0 || &a.Contents[0] == &b.Contents[0])
}

// gather adds what there is to say about the bundles.
func (r *Rounds) gather(out *RoundResult) {
	out.Diagnostics.Add(r.project.Diagnostics...)
	for i, k := range r.kept {
		if k.result != nil {
			out.Bundles[i].Bytes = int64(len(k.result.Outputs[0].Contents))
		}
		if len(k.failed) > 0 {
			out.Diagnostics.Add(k.failed...)
		} else if k.result != nil {
			out.Diagnostics.Add(k.result.Diagnostics...)
		}
	}
}

// prepare makes the sessions ready for quick updates, in the background.
func (r *Rounds) prepare() {
	var preparing sync.WaitGroup
	for _, k := range r.kept {
		if len(k.failed) == 0 {
			preparing.Go(func() { _ = k.session.Prepare(r.life) }) // where it fails, bundling takes longer
		}
	}
	prepared := make(chan struct{})
	r.prepared = prepared
	go func() {
		defer close(prepared)
		preparing.Wait()
	}()
}

// waitPrepared waits until the sessions are ready, and reports whether they were before
// ctx ended.
func (r *Rounds) waitPrepared(ctx context.Context) bool {
	if r.prepared == nil {
		return true
	}
	select {
	case <-r.prepared:
		return true
	case <-ctx.Done():
		return false
	}
}

// ofPrebuild reports whether all files that changed were written while the project's
// own program ran.
func (r *Rounds) ofPrebuild(changed []string) bool {
	for _, path := range changed {
		info, err := os.Stat(path)
		if err != nil || info.ModTime().Before(r.prebuilt.from) || info.ModTime().After(r.prebuilt.to) {
			return false
		}
	}
	return len(changed) > 0
}

// sameOptions compares options of bundles.
func sameOptions(a, b bundler.Options) bool { return reflect.DeepEqual(a, b) }

// configDigests digests the files of the configuration; "" is for those that are not
// there.
func configDigests(root string) map[string]string {
	digests := map[string]string{}
	for _, path := range configFiles(root) {
		digests[path] = ""
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() < 16<<20 {
			text, _ := os.ReadFile(path)
			sum := sha256.Sum256(text)
			digests[path] = hex.EncodeToString(sum[:])
		}
	}
	return digests
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
