package pipeline

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"

	"omcbuild/bundler"
	"omcbuild/internal/products"
)

// restore puts bundles right that are among the changed files and are not as the rounds
// left them, and returns the other files. When there are none the round is done with it.
func (r *Rounds) restore(ctx context.Context, changed []string, out *RoundResult) (rest []string, done bool) {
	if r.project == nil || !slices.ContainsFunc(changed, r.watched.writes) {
		return changed, false
	}
	rest = slices.DeleteFunc(slices.Clone(changed), r.watched.writes)
	if done = len(rest) == 0; done {
		for _, k := range r.kept {
			out.Bundles = append(out.Bundles, RoundBundle{Name: k.bundle.Name, Outfile: k.bundle.Outfile})
		}
		r.gather(out)
		out.Diagnostics.Add(r.broken...)
	}
	if len(r.astray(changed)) == 0 {
		return rest, done
	}
	end, err := takeTurn(ctx, r.o.CacheDir, r.project.Root)
	if err == nil {
		files := r.astray(changed) // somebody may have been about to put others in place
		err = products.Swap(r.project.Root, files)
		end()
		for i := range out.Bundles {
			out.Bundles[i].Changed = err == nil && slices.ContainsFunc(files, func(f products.File) bool { return f.Path == out.Bundles[i].Outfile })
		}
		if done && len(files) > 0 {
			out.Kind = RoundRestored
		}
	}
	if err != nil {
		out.Canceled = ctx.Err() != nil
		out.Diagnostics.Add(failures(err)...)
	}
	return rest, done || out.Canceled
}

// writes reports whether a file is an output of the bundles.
func (w Watched) writes(path string) bool { return w.outputs[path] }

// astray are the outputs among the changed files that are not as the rounds left them.
func (r *Rounds) astray(changed []string) (files []products.File) {
	for _, k := range r.kept {
		for _, output := range k.left() {
			path := filepath.Join(r.project.Root, filepath.FromSlash(output.Path))
			if slices.Contains(changed, path) && !asLeft(path, output.Contents) {
				files = append(files, products.File{Path: output.Path, Contents: output.Contents, Mode: output.Mode})
			}
		}
	}
	return files
}

// left are the outputs that should be in place.
func (k *kept) left() []bundler.Output {
	switch {
	case k.item != nil && !k.changed:
		return k.item.outputs
	case k.placed != nil:
		return k.placed.Outputs
	}
	return nil
}

// asLeft reports whether a file is as it was left, or has a front before the same server.
func asLeft(path string, contents []byte) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > bundleBytes {
		return false
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Equal(text, contents) {
		return err == nil
	}
	server, _, has := bundler.Unfront(text)
	own, _, _ := bundler.Unfront(contents)
	return has && bytes.Equal(server, own) && !bundler.Tampered(text)
}
