package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/products"
)

// writeStep puts everything in place, together.
func writeStep(_ context.Context, r *run) error {
	if err := r.gather(); err != nil {
		return err
	}
	if err := r.writeMetafiles(); err != nil {
		return err
	}
	written, err := products.Write(r.project.Root, r.products)
	if err != nil {
		return err
	}
	for i := range r.files {
		for _, w := range written {
			if w.Path == r.files[i].Path {
				r.files[i].Changed = w.Changed
			}
		}
	}
	r.placed = written
	r.written = true
	r.remember()
	return nil
}

// gather lists the products of the bundles: what was built, and the lock file
// of what ran. Metadata has been listed by its own step.
func (r *run) gather() error {
	for _, it := range r.items {
		if it.stamp != nil {
			for _, output := range it.outputs {
				r.products = append(r.products, products.File{Path: output.Path, Contents: output.Contents, Mode: output.Mode})
			}
		}
		if it.probe == nil || r.watching {
			continue
		}
		lock, err := it.lockBytes()
		if err != nil {
			return err
		}
		r.products = append(r.products, products.File{Path: it.bundle.LockFile, Contents: lock})
	}
	return nil
}

// writeMetafiles writes what esbuild knows about the bundles where the user
// wants it, which may be outside the project. With several bundles each gets a
// file of its own.
func (r *run) writeMetafiles() error {
	for _, it := range r.items {
		if it.metafile == nil {
			continue
		}
		path := r.build.Metafile
		if ext := filepath.Ext(path); len(r.items) > 1 {
			path = strings.TrimSuffix(path, ext) + "." + it.bundle.Name + ext
		}
		if err := products.Replace(path, it.metafile, 0o644); err != nil {
			return diag.Fail(diag.Diagnostic{Code: "unwritable-output", Message: "the metafile cannot be written: " + plain(err),
				Position: diag.Position{File: filepath.ToSlash(path)}, Hint: "nothing was changed; name a file in an existing folder that is writable"}).Because(err)
		}
	}
	return nil
}

// writeAtomically is for files of the cache, which lie outside the project.
func writeAtomically(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return products.Replace(path, data, 0o600)
}
