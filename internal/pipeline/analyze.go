package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"omcbuild/bundler"
	"omcbuild/internal/analysis"
	"omcbuild/internal/diag"
	"omcbuild/internal/products"
	"omcbuild/internal/project"
)

// AnalyzeOptions are the switches of analyze.
type AnalyzeOptions struct {
	Bundle  string   // look at this one alone; "" is all
	Minify  bool     // as build would with the same switch
	Why     []string // modules and packages whose way into the bundle is wanted
	Chains  int      // how many ways are listed for each
	Page    string   // absolute path of the page to write; "" for none
	Notices string   // absolute path of the text of notices to write; "" for none
	Machine Machine
}

// AnalyzeResult is what was found.
type AnalyzeResult struct {
	Bundles     []*analysis.Bundle
	Ways        []BundleWays
	Steps       []StepReport
	Diagnostics diag.List
	Duration    time.Duration
}

// BundleWays are the ways by which something came into one bundle.
type BundleWays struct {
	Bundle  string `json:"bundle"`
	Outfile string `json:"outfile"`
	analysis.Ways
}

// analyzing is what travels through the steps of analyze beside the run.
type analyzing struct {
	o         AnalyzeOptions
	results   []*bundler.Result
	asWritten []*bundler.Result // nil for bundles that would be the same
	found     AnalyzeResult
}

// Analyze bundles in memory, from the sources as they are, and says what is in the
// bundles. Nothing is written but the page that was asked for.
func Analyze(ctx context.Context, p *project.Project, o AnalyzeOptions) (*AnalyzeResult, error) {
	started := time.Now()
	if err := p.NeedsBundles(); err != nil {
		return nil, err
	}
	r := newRun(p, o.Machine, "", "")
	r.build.Minify = o.Minify
	if err := r.only(o.Bundle); err != nil {
		return nil, err
	}
	a := &analyzing{o: o, results: make([]*bundler.Result, len(r.items)), asWritten: make([]*bundler.Result, len(r.items))}
	steps := []step{
		{name: "place", do: a.place, skip: a.writesNothing},
		{name: "bundle", do: a.bundle},
		{name: "describe", do: a.describe},
		{name: "why", do: a.why, skip: func(*run) string { return unless(len(o.Why) > 0, "no --why") }},
		{name: "write", do: a.write, skip: a.writesNothing},
	}
	if err := r.do(ctx, steps); err != nil {
		return nil, err
	}
	a.found.Steps, a.found.Diagnostics, a.found.Duration = r.steps, r.diagnostics, time.Since(started)
	return &a.found, nil
}

// only leaves one bundle in the run.
func (r *run) only(name string) error {
	if name == "" {
		return nil
	}
	var names []string
	for _, it := range r.items {
		if it.bundle.Name == name {
			r.items = []*item{it}
			return nil
		}
		names = append(names, it.bundle.Name)
	}
	return diag.Misuse(diag.Diagnostic{Code: "unknown-bundle", Message: "no bundle is called " + name, Hint: "the bundles are " + strings.Join(names, ", ")})
}

func (a *analyzing) bundle(ctx context.Context, r *run) error {
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, it := range r.items {
		group.Go(func() (err error) {
			o := r.bundlerOptions(it.bundle)
			o.Graph = true
			if a.results[i], err = bundler.Build(ctx, o); err != nil || len(a.results[i].Saved.Zod) == 0 {
				return err
			}
			o.Graph, o.AsWritten = false, true
			a.asWritten[i], err = bundler.Build(ctx, o)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, result := range a.results {
		r.diagnostics.Add(result.Diagnostics...)
	}
	return nil
}

func (a *analyzing) describe(_ context.Context, r *run) error {
	for i, it := range r.items {
		r.addFront(it, a.results[i], a.asWritten[i])
		b, list := analysis.Describe(analysis.Source{Name: it.bundle.Name, Root: r.project.Root, Result: a.results[i], AsWritten: a.asWritten[i]})
		b.GzipBytes = gzipSize(a.results[i].Outputs[0].Contents)
		a.found.Bundles = append(a.found.Bundles, b)
		r.diagnostics.Add(list...)
	}
	return nil
}

func (a *analyzing) why(_ context.Context, r *run) error {
	for _, asked := range a.o.Why {
		name, found := asked, false
		if filepath.IsAbs(name) {
			if rel, err := filepath.Rel(r.project.Root, name); err == nil {
				name = filepath.ToSlash(rel)
			}
		}
		for _, b := range a.found.Bundles {
			if ways := b.Why(name, a.o.Chains); ways != nil {
				found = true
				a.found.Ways = append(a.found.Ways, BundleWays{b.Name, b.Outfile, *ways})
			}
		}
		if !found {
			return diag.Misuse(diag.Diagnostic{Code: "unknown-module", Message: asked + " is in no bundle and is no package that one of them expects",
				Hint: "name a package or a path as omcbuild analyze --files --all lists it"})
		}
	}
	return nil
}

func (a *analyzing) writesNothing(*run) string {
	return unless(a.o.Page != "" || a.o.Notices != "", "no --html and no --notices")
}

// place looks whether what was asked for may be written where it was asked for.
func (a *analyzing) place(context.Context, *run) error {
	if err := placeOne(a.o.Page, "page", analysis.PageMark); err != nil {
		return err
	}
	return placeOne(a.o.Notices, "text", analysis.NoticesMark)
}

// placeOne accepts a path in a folder that exists, over nothing but an earlier file of
// the same kind, which has the mark in its first bytes.
func placeOne(target, kind, mark string) error {
	if target == "" {
		return nil
	}
	refuse := func(message, hint string) error {
		return diag.Misuse(diag.Diagnostic{Code: "page-refused", Message: message, Position: diag.Position{File: filepath.ToSlash(target)}, Hint: hint})
	}
	if info, err := os.Stat(filepath.Dir(target)); err != nil || !info.IsDir() {
		return refuse("the folder for the "+kind+" is not there", "make it, or name a file in a folder that exists")
	}
	info, err := os.Lstat(target)
	switch {
	case err != nil:
		return nil
	case !info.Mode().IsRegular():
		return refuse("is no file, so no "+kind+" is written there", "name a file that does not exist yet")
	}
	file, err := os.Open(target)
	if err != nil {
		return refuse("cannot be read, so it may be something else than a "+kind+" of omcbuild", "name another file")
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, 1024)
	n, _ := io.ReadFull(file, head)
	if n > 0 && !bytes.Contains(head[:n], []byte(mark)) {
		return refuse("is a file that omcbuild analyze did not write, so it stays", "delete it, or name another file")
	}
	return nil
}

func (a *analyzing) write(_ context.Context, r *run) error {
	title := r.title()
	if a.o.Page != "" {
		page, err := analysis.Page(title, a.found.Bundles)
		if err != nil {
			return err
		}
		if err := writeOne(a.o.Page, page); err != nil {
			return err
		}
	}
	if a.o.Notices == "" {
		return nil
	}
	inventory, list := r.inventory(a.results)
	r.diagnostics.Add(list...)
	r.diagnostics.Add(inventory.CheckTexts()...)
	return writeOne(a.o.Notices, inventory.Notices(title))
}

// title is the plugin's name and version, for people.
func (r *run) title() string {
	p := r.project
	title := cmp.Or(p.Config.Plugin.Name, p.Manifest.String("name"))
	if version := cmp.Or(p.Package.Version, p.Manifest.String("version")); title != "" && version != "" {
		title += " " + version
	}
	return title
}

func writeOne(target string, contents []byte) error {
	dir, name := filepath.Split(target)
	_, err := products.Write(filepath.Clean(dir), []products.File{{Path: name, Contents: contents}})
	return err
}
