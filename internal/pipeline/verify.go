package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/products"
	"omcbuild/internal/project"
)

// verifySteps is what verify does, in order.
func verifySteps() []step {
	return []step{
		{name: "read", do: readStep},
		{name: "run", do: runStep},
		{name: "check", do: checkStep},
		{name: "plugin", do: pluginStep, skip: func(r *run) string { return unless(r.verify.Plugin, "no --plugin") }},
		{name: "write", do: lockStep, skip: func(r *run) string { return unless(r.update, "no --update") }},
	}
}

// Verify runs the bundles on disk and holds what they offer against lock
// files, sources and rules. With Update it then writes the lock files.
func Verify(ctx context.Context, p *project.Project, o VerifyOptions) (*VerifyResult, error) {
	return verifyWith(ctx, p, o, verifySteps())
}

// Tools runs the bundles on disk and reports what they offer, without judging
// it.
func Tools(ctx context.Context, p *project.Project, o VerifyOptions) (*VerifyResult, error) {
	return verifyWith(ctx, p, o, []step{{name: "read", do: readBundles}, {name: "run", do: runStep}, {name: "compare", do: compareStep}})
}

func verifyWith(ctx context.Context, p *project.Project, o VerifyOptions, steps []step) (*VerifyResult, error) {
	started := time.Now()
	r := newRun(p, o.Machine, o.CacheDir, o.ToolVersion)
	r.verify, r.update = o, o.Update
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
	tools, costs := r.toolReports()
	return &VerifyResult{
		Bundles: r.bundleReports(), Tools: tools, Costs: costs, Steps: r.steps,
		Diagnostics: r.diagnostics, Duration: time.Since(started),
	}, nil
}

// VerifyFile runs one bundle that need not belong to a project. There is
// nothing to compare it with but the rules.
func VerifyFile(ctx context.Context, dir, file string, o VerifyOptions) (*VerifyResult, error) {
	started := time.Now()
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, file)
	}
	contents, err := os.ReadFile(path)
	if err != nil {
		return nil, diag.Misuse(diag.Diagnostic{Code: "bundle-missing", Message: "cannot be read", Position: diag.Position{File: filepath.ToSlash(file)}, Hint: "name the bundle to verify"}).Because(err)
	}
	name := filepath.Base(path)
	r := &run{machine: o.Machine, verify: o, lone: true, project: &project.Project{Root: filepath.Dir(path)}}
	r.items = []*item{{
		bundle:  project.Bundle{Name: "t", Kind: project.MCP, Outfile: name},
		outputs: append([]bundler.Output{{Path: name, Contents: contents}}, neighbours(filepath.Dir(path), name)...),
	}}
	if err := r.do(ctx, []step{{name: "run", do: runStep}, {name: "check", do: checkStep}}); err != nil {
		return nil, err
	}
	tools, costs := r.toolReports()
	return &VerifyResult{Bundles: r.bundleReports(), Tools: tools, Costs: costs, Steps: r.steps, Diagnostics: r.diagnostics, Duration: time.Since(started)}, nil
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
