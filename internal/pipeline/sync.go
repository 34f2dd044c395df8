package pipeline

import (
	"context"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/metadata"
	"omcbuild/internal/project"
)

// Sync brings the metadata into step with package.json. With Check it writes
// nothing, and what it would write is an error with a difference to read.
func Sync(ctx context.Context, p *project.Project, o SyncOptions) (*SyncResult, error) {
	if err := p.NeedsBundles(); err != nil {
		return nil, err
	}
	if !o.Check {
		done, err := takeTurn(ctx, o.CacheDir, p.Root)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	r := newSyncRun(p, o)
	if err := r.do(ctx, append(syncSteps(), aloneSteps()...)); err != nil {
		return nil, err
	}
	return r.syncResult(), nil
}

// syncSteps is what sync does, in order, up to the writing.
func syncSteps() []step {
	return []step{
		{name: "metadata", do: metadataStep},
		{name: "drift", do: driftStep, skip: func(r *run) string { return unless(r.readOnly, "no --check") }, goOn: func(*run) bool { return true }},
	}
}

func newSyncRun(p *project.Project, o SyncOptions) *run {
	r := newRun(p, Machine{}, o.CacheDir, "")
	r.wantsDiff, r.readOnly = o.Check, o.Check
	return r
}

func (r *run) syncResult() *SyncResult {
	return &SyncResult{Metadata: r.metadataReports(), Diagnostics: r.diagnostics}
}

// driftStep makes an error of every file that would change.
func driftStep(_ context.Context, r *run) error {
	r.diagnostics.Add(drift(r.files)...)
	return nil
}

func drift(files []FileReport) (list diag.List) {
	for _, file := range files {
		if file.Changed {
			list.Add(diag.Diagnostic{Code: "stale-metadata", Message: "is out of step with package.json: " + strings.Join(metadata.Together(file.Fields), "; "),
				Position: diag.Position{File: file.Path}, Hint: "run omcbuild sync and commit the result"})
		}
	}
	return list
}
