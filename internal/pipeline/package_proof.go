package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"omcbuild/internal/diag"
	"omcbuild/internal/lint"
	"omcbuild/internal/release"
	"omcbuild/internal/surface"
)

// proofStep unpacks every archive and compares it with what was packed, and runs the
// servers of the first where nothing else is: what is equal in bytes runs equally.
func proofStep(ctx context.Context, r *run) error {
	if len(r.packing.artifacts) == 0 {
		return nil // one of several, of which there is nothing to make
	}
	temporary, err := surface.NewTemporary(r.machine.Temp, surface.OfPackage)
	if err != nil {
		return err
	}
	defer temporary.Remove()
	for _, a := range r.packing.artifacts {
		if err := r.unpacked(a, temporary.Path); err != nil {
			return err
		}
	}
	o := VerifyOptions{Env: r.env, ToolVersion: r.toolVersion, CacheDir: r.cacheDir, Machine: r.machine}
	result, err := verifyPackage(ctx, temporary.Path, r.packing.artifacts[0].archiveName(), o, r.project.Bundles)
	if err != nil {
		return err
	}
	r.packing.proof = result
	for _, d := range result.Diagnostics {
		if d.Level == diag.Error || slices.Contains([]string{"not-proven", "plugin-written", "not-contacted", "nothing-called"}, d.Code) || lint.GroupOf(d.Code) == lint.Shipped {
			r.diagnostics.Add(d)
		}
	}
	return nil
}

// archiveName is the name of the file that is unpacked: of a folder that of an archive
// of the same files.
func (a artifact) archiveName() string {
	if a.format == release.Folder {
		return a.name + ".zip"
	}
	return a.name
}

// unpacked writes an archive into a folder, unpacks it below, and compares.
func (r *run) unpacked(a artifact, folder string) (err error) {
	contents := a.bytes
	if a.format == release.Folder {
		if contents, err = release.EncodeZip(a.payload, r.packing.options.Time); err != nil {
			return err
		}
	}
	archive := filepath.Join(folder, a.archiveName())
	if err := os.WriteFile(archive, contents, 0o600); err != nil {
		return err
	}
	dir := archive + ".unpacked"
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if _, err := release.Unpack(archive, dir); err != nil {
		return err
	}
	r.diagnostics.Add(a.payload.Compare(a.name, dir)...)
	return os.RemoveAll(dir)
}
