package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/products"
	"omcbuild/internal/project"
	"omcbuild/internal/release"
)

// archivesStep makes the packages in memory, in the order of the formats.
func archivesStep(ctx context.Context, r *run) error {
	for _, format := range release.Formats() {
		if !slices.Contains(r.packing.options.Formats, format) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.archive(format); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) archive(format release.Format) error {
	pack, id := r.packing, r.identity()
	a := artifact{name: release.FileName(id.Name, id.Version, format), format: format, payload: pack.payload}
	var err error
	switch format {
	case release.Zip:
		a.bytes, err = release.EncodeZip(a.payload, pack.options.Time)
	case release.TarGz:
		a.bytes, err = release.EncodeTarGz(a.payload, pack.options.Time)
	case release.MCPB:
		return r.serverArchives(id)
	case release.Folder:
		a.payload, err = r.published(id)
	}
	if err == nil {
		pack.artifacts = append(pack.artifacts, a)
	}
	return err
}

// serverArchives makes an .mcpb file for each server. Where there are several, each is
// named after its server too.
func (r *run) serverArchives(id release.Identity) error {
	servers, err := r.packedServers()
	if err != nil {
		return err
	}
	if len(servers) == 0 {
		missing := noServer()
		if len(r.packing.options.Formats) > 1 || r.folder != "" { // there are other packages
			missing.Level = diag.Warning
		}
		r.diagnostics.Add(missing)
	}
	for _, s := range servers {
		own := id
		if len(servers) > 1 {
			own.Name += "-" + s.Key
		}
		manifest, list := release.MCPBManifest(own, s)
		r.diagnostics.Add(list...)
		payload := r.packing.payload.Clone()
		if !payload.Replace(release.MCPBFile, manifest) {
			if err := payload.Add(release.File{Path: release.MCPBFile, Mode: release.PlainMode, Contents: manifest}); err != nil {
				return err
			}
		}
		bytes, err := release.EncodeZip(payload, r.packing.options.Time)
		if err != nil {
			return err
		}
		r.packing.artifacts = append(r.packing.artifacts, artifact{name: release.FileName(own.Name, own.Version, release.MCPB), format: release.MCPB, bytes: bytes, payload: payload})
	}
	return nil
}

// published is the payload of a folder that can be published: it has a catalog that
// offers the plugin from the folder itself.
func (r *run) published(id release.Identity) (*release.Payload, error) {
	if _, there := r.packing.payload.File(project.CatalogFile); there {
		return r.packing.payload, nil
	}
	var original []byte
	if within := r.project.Within; within != nil && within.Catalog {
		text, problem := (&project.Project{Root: within.Root}).ReadFile(project.CatalogFile)
		if problem != nil {
			return nil, diag.Fail(*problem)
		}
		original = text
	}
	payload := r.packing.payload.Clone()
	err := payload.Add(release.File{Path: project.CatalogFile, Mode: release.PlainMode, Contents: release.CatalogFor(original, id, true)})
	return payload, err
}

// placeStep puts the packages and their checksums in place, together.
func placeStep(_ context.Context, r *run) error {
	out := r.packing.options.Out
	before, err := os.ReadFile(filepath.Join(out, release.SumsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diag.Fail(diag.Diagnostic{Code: "unwritable-output", Position: r.packagePlace(release.SumsFile), Message: "cannot be read: " + plain(err), Hint: "nothing was changed; remove it, or name another folder with --out"}).Because(err)
	}
	known := release.DecodeSums(before)
	var folders []products.Folder
	var files []products.File
	var sums []release.Sum
	for _, a := range r.packing.artifacts {
		if a.format != release.Folder {
			files = append(files, products.File{Path: a.name, Contents: a.bytes})
			sums = append(sums, release.SumOf(a.name, a.bytes))
			continue
		}
		if err := r.foreign(a.name, known); err != nil {
			return err
		}
		folders = append(folders, folderOf(a))
		sums = append(sums, a.payload.FolderSums(a.name)...)
	}
	sums = append(sums, r.keptSums(known)...)
	files = append(files, products.File{Path: release.SumsFile, Contents: release.EncodeSums(sums)})
	return products.WriteFolders(out, folders, files)
}

func folderOf(a artifact) products.Folder {
	folder := products.Folder{Name: a.name}
	for _, f := range a.payload.Files() {
		folder.Files = append(folder.Files, products.File{Path: f.Path, Contents: f.Contents, Mode: f.Mode})
	}
	return folder
}

// keptSums are those of packages that were made before, are still there and are not
// made anew.
func (r *run) keptSums(known []release.Sum) []release.Sum {
	return slices.DeleteFunc(slices.Clone(known), func(s release.Sum) bool {
		top, _, _ := strings.Cut(s.File, "/")
		if slices.ContainsFunc(r.packing.artifacts, func(a artifact) bool { return a.name == top }) {
			return true
		}
		info, err := os.Lstat(filepath.Join(r.packing.options.Out, filepath.FromSlash(s.File)))
		return err != nil || !info.Mode().IsRegular()
	})
}

// foreign refuses to replace a folder in which there is something that no package put
// there, by the checksums of the packages made before.
func (r *run) foreign(name string, known []release.Sum) error {
	folder := filepath.Join(r.packing.options.Out, name)
	own := map[string]bool{}
	for _, s := range known {
		own[s.File] = true
	}
	refuse := func(file, what string) error {
		return diag.Fail(diag.Diagnostic{Code: "package-folder", Position: r.packagePlace(file), Message: what, Hint: "nothing was changed; move it away, or name another folder with --out"})
	}
	if info, err := os.Lstat(folder); err == nil && !info.IsDir() {
		return refuse(name, "is no folder, and the package is to be one")
	}
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return refuse(name, "cannot be read: "+plain(err))
		case entry.IsDir():
			return nil
		}
		file, err := filepath.Rel(r.packing.options.Out, path)
		if file = filepath.ToSlash(file); err != nil || !own[file] {
			return refuse(file, fmt.Sprintf("was not put there by a package, and %s would be replaced as a whole", r.shownPackage(name)))
		}
		return nil
	})
}

// shownPackage is the path of a package as the user is told it: from the root of the
// plugin, or of the repository when all of its plugins are packaged, where it lies in
// there.
func (r *run) shownPackage(name string) string {
	root := r.project.Root
	if r.folder != "" {
		root = r.project.Within.Root
	}
	full := filepath.Join(r.packing.options.Out, filepath.FromSlash(name))
	if short, err := filepath.Rel(root, full); err == nil && filepath.IsLocal(short) {
		full = short
	}
	return filepath.ToSlash(full)
}

// packagePlace is where something about a package is said: seen from the plugin.
func (r *run) packagePlace(name string) diag.Position {
	full := filepath.Join(r.packing.options.Out, filepath.FromSlash(name))
	if short, err := filepath.Rel(r.project.Root, full); err == nil && (filepath.IsLocal(short) || r.folder != "") {
		full = short
	}
	return diag.Position{File: filepath.ToSlash(full)}
}
