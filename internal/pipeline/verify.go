package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/products"
	"omcbuild/internal/project"
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
