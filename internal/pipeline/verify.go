package pipeline

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/products"
	"omcbuild/internal/project"
	"omcbuild/internal/release"
	"omcbuild/internal/surface"
)

// verifySteps is what verify does, in order.
func verifySteps() []step {
	return []step{
		{name: "read", do: readStep},
		{name: "run", do: runStep},
		lookedAtStep(),
		{name: "check", do: checkStep, goOn: func(r *run) bool { return r.verify.Plugin }},
		{name: "launch", do: launchStep, skip: withoutPlugin, goOn: func(*run) bool { return true }},
		{name: "plugin", do: pluginStep, skip: withoutPlugin},
		{name: "write", do: lockStep, skip: func(r *run) string { return unless(r.update, "no --update") }},
	}
}

// lookedAtStep proves the fronts of bundles on disk.
func lookedAtStep() step {
	return step{name: "front", do: frontStep, goOn: func(*run) bool { return true }, skip: withoutFronts}
}

func withoutPlugin(r *run) string { return unless(r.verify.Plugin, "no --plugin") }

// Verify runs the bundles on disk and holds what they offer against lock
// files, sources and rules. With Update it then writes the lock files.
func Verify(ctx context.Context, p *project.Project, o VerifyOptions) (*VerifyResult, error) {
	return verifyWith(ctx, p, o, verifySteps())
}

// Tools runs the bundles on disk and reports what they offer, without judging
// it.
func Tools(ctx context.Context, p *project.Project, o VerifyOptions) (*VerifyResult, error) {
	return verifyWith(ctx, p, o, toolsSteps())
}

func toolsSteps() []step {
	return []step{{name: "read", do: readBundles}, {name: "run", do: runStep}, heardStep(), {name: "compare", do: compareStep}}
}

func verifyWith(ctx context.Context, p *project.Project, o VerifyOptions, steps []step) (*VerifyResult, error) {
	started := time.Now()
	if err := p.NeedsBundles(); err != nil && !o.Plugin { // with the plugin, servers are run as they are started
		return nil, err
	}
	r := newVerifyRun(p, o, steps)
	if o.Update {
		done, err := takeTurn(ctx, o.CacheDir, p.Root)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	if err := r.do(ctx, steps); err != nil {
		return nil, err
	}
	return r.verifyResult(time.Since(started)), nil
}

func newVerifyRun(p *project.Project, o VerifyOptions, steps []step) *run {
	r := newRun(p, o.Machine, o.CacheDir, o.ToolVersion)
	r.verify, r.update, r.env = o, o.Update, o.Env
	r.fronts = slices.ContainsFunc(steps, func(s step) bool { return s.name == "front" })
	return r
}

func (r *run) verifyResult(took time.Duration) *VerifyResult {
	tools, costs := r.toolReports()
	return &VerifyResult{Bundles: r.bundleReports(), Tools: tools, Costs: costs, Steps: r.steps, Diagnostics: r.shown(), Duration: took}
}

// VerifyFile runs one bundle that need not belong to a project. There is
// nothing to compare it with but the rules.
func VerifyFile(ctx context.Context, dir, file string, o VerifyOptions) (*VerifyResult, error) {
	started := time.Now()
	full := file
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, file)
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() {
		return nil, diag.Misuse(diag.Diagnostic{Code: "bundle-missing", Message: "is no file that can be read", Position: diag.Position{File: filepath.ToSlash(file)}, Hint: "name the bundle to verify"}).Because(err)
	}
	name := filepath.Base(full)
	r := &run{machine: o.Machine, verify: o, env: o.Env, lone: true, fronts: true, project: &project.Project{Root: filepath.Dir(full)}}
	r.items = []*item{{bundle: project.Bundle{Name: "t", Kind: project.MCP, Outfile: name}}}
	if err := r.do(ctx, []step{{name: "read", do: readBundles}, {name: "run", do: runStep}, lookedAtStep(), {name: "check", do: checkStep}}); err != nil {
		return nil, err
	}
	result := r.verifyResult(time.Since(started))
	result.call(name, filepath.ToSlash(file))
	return result, nil
}

// call gives the one bundle of a result the name by which the user knows it.
func (r *VerifyResult) call(name, shown string) {
	for i := range r.Bundles {
		r.Bundles[i].Outfile = shown
	}
	for i := range r.Diagnostics {
		if at := &r.Diagnostics[i].Position; at.File == name {
			at.File = shown
		}
	}
}

// VerifyPackage unpacks an archive into an empty folder and checks the plugin
// in it as a user would get it: every server of its .mcp.json is run, compared
// with the lock file that was packed, and the plugin rules are applied.
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
	if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() {
		return nil, diag.Misuse(diag.Diagnostic{Code: "bad-archive", Message: "is no file that can be read", Position: diag.Position{File: filepath.ToSlash(archive)}, Hint: "name the archive to verify: a .zip, .mcpb, .tar.gz or .tgz file"}).Because(err)
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
		return r.readPackage(filepath.Base(archive), known)
	}
	if err := r.do(ctx, []step{{name: "unpack", do: unpack}, {name: "read", do: readBundles}, {name: "run", do: runStep}, lookedAtStep(), {name: "check", do: checkStep}, {name: "launch", do: launchStep}, {name: "plugin", do: pluginStep}}); err != nil {
		return nil, err
	}
	return r.verifyResult(time.Since(started)), nil
}

// readPackage learns from the manifests which servers a packed plugin has.
func (r *run) readPackage(archive string, known []project.Bundle) error {
	var manifest struct{ Name, Version string }
	var servers struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	for file, target := range map[string]any{project.ManifestFile: &manifest, project.ServersFile: &servers} {
		data, problem := r.project.ReadFile(file)
		if problem != nil {
			return diag.Fail(*problem)
		}
		if data != nil && json.Unmarshal(data, target) != nil {
			return diag.Fail(diag.Diagnostic{Code: "bad-manifest", Message: "is not the JSON that the client reads", Position: diag.Position{File: file}, Hint: "run omcbuild verify --plugin in the plugin's repository"})
		}
	}
	r.project.Package.Version, r.project.Config.Plugin.Name = manifest.Version, manifest.Name
	const root = "${CLAUDE_PLUGIN_ROOT}/"
	for _, key := range slices.Sorted(maps.Keys(servers.MCPServers)) {
		server := servers.MCPServers[key]
		if server.Command != "node" || len(server.Args) == 0 || !strings.HasPrefix(server.Args[0], root) {
			continue
		}
		outfile := path.Clean(strings.TrimPrefix(server.Args[0], root))
		bundle := project.Bundle{Name: key, Kind: project.MCP, Register: true, Outfile: outfile, Args: server.Args[1:], LockFile: surface.LockPath(outfile)}
		if i := slices.IndexFunc(known, func(b project.Bundle) bool { return b.Outfile == outfile }); i >= 0 {
			bundle.Env, bundle.MayFail, bundle.Accept = known[i].Env, known[i].MayFail, known[i].Accept
		}
		r.items = append(r.items, &item{bundle: bundle})
	}
	if len(r.items) == 0 {
		return diag.Fail(diag.Diagnostic{Code: "servers-missing", Message: "has no server that node starts from a file of the plugin", Position: diag.Position{File: archive}, Hint: "pack .mcp.json and the bundle that it names"})
	}
	return nil
}

// compareStep fills in the changes since the lock files, for reports only.
func compareStep(_ context.Context, r *run) error {
	for _, it := range r.items {
		if it.probe == nil {
			continue
		}
		if _, err := r.compareWithLock(it); err != nil {
			return err
		}
	}
	return nil
}

// lockStep writes what the bundles offered into their lock files.
func lockStep(_ context.Context, r *run) error {
	var locks []products.File
	for _, it := range r.items {
		if it.probe == nil {
			continue
		}
		lock, err := it.lockBytes()
		if err != nil {
			return err
		}
		locks = append(locks, products.File{Path: it.bundle.LockFile, Contents: lock})
	}
	_, err := products.Write(r.project.Root, locks)
	return err
}
