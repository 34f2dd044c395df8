package pipeline

import (
	"context"
	"os"
	"path/filepath"

	"omcbuild/internal/diag"
	"omcbuild/internal/lint"
	"omcbuild/internal/release"
	"omcbuild/internal/surface"
)

// proofStep unpacks a package where nothing else is and runs the servers in it. All
// packages hold the same files, so one is enough.
func proofStep(ctx context.Context, r *run) error {
	if len(r.packing.artifacts) == 0 {
		return nil // one of several, of which there is nothing to make
	}
	temporary, err := surface.NewTemporary(r.machine.Temp, surface.OfPackage)
	if err != nil {
		return err
	}
	defer temporary.Remove()
	a := r.packing.artifacts[0]
	if a.format == release.Folder {
		if a.bytes, err = release.EncodeZip(a.payload, r.packing.options.Time); err != nil {
			return err
		}
		a.name += ".zip"
	}
	if err := os.WriteFile(filepath.Join(temporary.Path, a.name), a.bytes, 0o600); err != nil {
		return err
	}
	if servers, err := r.packedServers(); err != nil || len(servers) == 0 {
		return err // skills, commands and agents were looked at on disk
	}
	result, err := VerifyPackage(ctx, temporary.Path, a.name, VerifyOptions{Env: r.env, ToolVersion: r.toolVersion, CacheDir: r.cacheDir, Machine: r.machine})
	if err != nil {
		return err
	}
	r.packing.proof = result
	for _, d := range result.Diagnostics {
		if d.Level == diag.Error || d.Code == "not-proven" || lint.GroupOf(d.Code) == lint.Shipped {
			r.diagnostics.Add(d)
		}
	}
	return nil
}
