package pipeline

import (
	"context"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// Sync brings the metadata into step with package.json. With Check it writes
// nothing, and what it would write is an error with a difference to read.
func Sync(ctx context.Context, p *project.Project, o SyncOptions) (*SyncResult, error) {
	r := newRun(p, Machine{}, o.CacheDir, "")
	r.wantsDiff = o.Check
	steps := []step{{name: "metadata", do: metadataStep}, {name: "drift", do: driftStep}}
	if !o.Check {
		done, err := takeTurn(ctx, o.CacheDir, p.Root)
		if err != nil {
			return nil, err
		}
		defer done()
		steps[1] = step{name: "write", do: writeStep}
	}
	if err := r.do(ctx, steps); err != nil {
		return nil, err
	}
	return &SyncResult{Metadata: r.files, Diagnostics: r.diagnostics}, nil
}

// driftStep makes an error of every file that would change.
func driftStep(_ context.Context, r *run) error {
	for _, file := range r.files {
		if file.Changed {
			r.diagnostics.Add(diag.Diagnostic{Code: "stale-metadata", Message: "is out of step with package.json: " + joinWords(file.Fields),
				Position: diag.Position{File: file.Path}, Hint: "run omcbuild sync"})
		}
	}
	return nil
}
