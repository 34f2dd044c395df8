package pipeline

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/lint"
	"omcbuild/internal/project"
	"omcbuild/internal/release"
	"omcbuild/internal/surface"
)

// VerifyPackage unpacks an archive, or copies a folder, and checks the plugin in it as a
// user would get it: every server that its manifests name is started as they say, where
// nothing else is, compared with the lock file that was packed, and asked for one result;
// the plugin rules are applied. Whether it was made by omcbuild does not matter.
func VerifyPackage(ctx context.Context, dir, archive string, o VerifyOptions) (*VerifyResult, error) {
	return verifyPackage(ctx, dir, archive, o, nil)
}

// verifyPackage is VerifyPackage for a package whose bundles are known: what the
// configuration says of how they are run and judged is not in the package.
func verifyPackage(ctx context.Context, dir, archive string, o VerifyOptions, known []project.Bundle) (*VerifyResult, error) {
	started := time.Now()
	full := archive
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, archive)
	}
	if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return nil, diag.Misuse(diag.Diagnostic{Code: "bad-archive", Message: "is no file or folder that can be read", Position: diag.Position{File: filepath.ToSlash(archive)}, Hint: "name the archive to verify: a .zip, .mcpb, .tar.gz or .tgz file, or a folder"}).Because(err)
	}
	temporary, err := surface.NewTemporary(o.Machine.Temp, surface.OfPackage)
	if err != nil {
		return nil, err
	}
	defer temporary.Remove()
	folder := filepath.Join(temporary.Path, "plugin")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	r := &run{machine: o.Machine, verify: o, env: o.Env, packaged: true, fronts: true, project: &project.Project{Root: folder}}
	r.verify.Plugin = true
	unpack := func(context.Context, *run) error {
		root, err := release.Unpack(full, folder)
		if err != nil {
			return err
		}
		r.project.Root = root
		return r.readPackage(filepath.Base(full), known)
	}
	goOn := func(*run) bool { return true }
	if err := r.do(ctx, []step{
		{name: "unpack", do: unpack}, {name: "read", do: readPackedStep, goOn: goOn}, {name: "run", do: runStep, goOn: goOn}, lookedAtStep(),
		{name: "check", do: checkStep, goOn: goOn}, {name: "launch", do: launchPackedStep, goOn: goOn}, {name: "plugin", do: pluginStep},
	}); err != nil {
		return nil, err
	}
	return r.verifyResult(time.Since(started)), nil
}

// readPackage learns from the manifests what a packed plugin is, and which of its servers
// node starts from a file directly; the others are for launchPackedStep.
func (r *run) readPackage(archive string, known []project.Bundle) error {
	var manifest struct{ Name, Version string }
	plugin := false
	for file, target := range map[string]any{project.ManifestFile: &manifest, project.ServersFile: nil, project.CatalogFile: nil, release.MCPBFile: nil} {
		data, problem := r.project.ReadFile(file)
		if problem != nil {
			return diag.Fail(*problem)
		}
		plugin = plugin || data != nil
		var any json.RawMessage
		if target == nil {
			target = &any
		}
		if data != nil && json.Unmarshal(data, target) != nil {
			return diag.Fail(diag.Diagnostic{Code: "bad-manifest", Message: "is not the JSON that the client reads", Position: diag.Position{File: file}, Hint: "run omcbuild verify --plugin in the plugin's repository"})
		}
	}
	if !plugin {
		return diag.Fail(diag.Diagnostic{Code: "bad-archive", Message: "holds no plugin: neither " + project.ManifestFile + " nor " + project.ServersFile + " is at its top or in its one folder", Position: diag.Position{File: archive}, Hint: "pack the plugin's folder, hidden folders too"})
	}
	r.project.Package.Version, r.project.Config.Plugin.Name = manifest.Version, manifest.Name
	servers, err := lint.StartedServers(lint.PluginInput{Root: r.project.Root})
	if err != nil {
		return err
	}
	for _, s := range servers {
		if s.Command != "node" || s.File == "" || !strings.HasSuffix(s.Args[0], s.File) || undecided(s) != "" {
			continue
		}
		it := &item{bundle: project.Bundle{Name: s.Key, Kind: project.MCP, Register: true, Outfile: s.File, Args: s.Args[1:], LockFile: surface.LockPath(s.File)}}
		if i := slices.IndexFunc(known, func(b project.Bundle) bool { return b.Outfile == s.File }); i >= 0 {
			it.bundle.Env, it.bundle.MayFail, it.bundle.Accept = known[i].Env, known[i].MayFail, known[i].Accept
		}
		if len(s.Env) > 0 || len(s.Options) > 0 {
			it.launch = r.launchOf(s)
		}
		r.items = append(r.items, it)
	}
	return nil
}

// readPackedStep reads the bundles, and goes on with those that can be run.
func readPackedStep(ctx context.Context, r *run) error {
	if err := readBundles(ctx, r); err != nil {
		return err
	}
	for _, it := range r.items {
		r.direct = append(r.direct, it.bundle.Name)
	}
	r.items = slices.DeleteFunc(r.items, func(it *item) bool { return len(it.outputs) == 0 })
	return nil
}

// undecided says which option of the user a server waits for, or "".
func undecided(s lint.Server) string {
	names := make([]string, 0, len(s.Options))
	for name, value := range s.Options {
		if value == nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "the user's option " + slices.Min(names) + " has no default"
}
