package pipeline

import (
	"context"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"omcbuild/internal/products"
)

// writeStep puts everything in place, together.
func writeStep(_ context.Context, r *run) error {
	if err := r.gather(); err != nil {
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
		if it.metafile != nil && r.build.Metafile != "" {
			r.products = append(r.products, products.File{Path: r.metafilePath(it), Contents: it.metafile})
		}
		if it.probe == nil {
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

// metafilePath is the name asked for; with several bundles each gets its own.
func (r *run) metafilePath(it *item) string {
	path := filepath.ToSlash(r.build.Metafile)
	if len(r.items) == 1 {
		return path
	}
	ext := filepath.Ext(path)
	return path[:len(path)-len(ext)] + "." + it.bundle.Name + ext
}

// writeAtomically is for files of the cache, which lie outside the project.
func writeAtomically(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(path, data, 0o600)
}
