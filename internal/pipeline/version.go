package pipeline

import (
	"context"
	"slices"
	"time"

	"github.com/Masterminds/semver/v3"

	"omcbuild/internal/diag"
	"omcbuild/internal/metadata"
	"omcbuild/internal/project"
	"omcbuild/internal/versioning"
)

// VersionOptions say which version is next, and what is done about it.
type VersionOptions struct {
	Wish      versioning.Wish // zero to tag the version that is there
	Tag       bool            // commit what was changed, and make the tag that the client expects
	DryRun    bool            // change nothing, and say what would change
	Changelog bool            // begin a section of the changelog
	Date      time.Time       // of that section

	Minify, Sourcemap bool              // as for build
	Env               map[string]string // for the bundles' runs; never shown
	ToolVersion       string
	CacheDir          string
	Machine           Machine
	BeforeBundling    func() // see BuildOptions
}

// VersionResult is what became of the version.
type VersionResult struct {
	Name, Old, New string
	Bump           versioning.Part // what was raised
	Since          string          // the tag of the last release; "" when there is none
	Reasons        []string        // what changed since, gravest first, and the rule that was applied
	Changelog      string          // the section, as it stands in the changelog; "" for none
	Files          []FileReport    // what was, or with DryRun would be, changed; paths are relative to the plugin
	Tag            string          // that was made, is there already, or with DryRun would be made
	Kept           bool            // the tag was there already, with the same files
	Commit         string          // that the tag is of; "" when nothing was tagged
	Steps          []StepReport
	Diagnostics    diag.List
	Duration       time.Duration
}

// raising is what the steps of version leave to each other.
type raising struct {
	options VersionOptions
	name    string    // of the plugin
	file    string    // that the version is written in by hand
	tree    *workTree // nil when there is none
	noTree  string    // why
	tags    []versioning.Tag
	old     string
	current *semver.Version // old; nil when it is no semantic version
	next    *semver.Version // nil until it is decided
	part    versioning.Part // what is raised
	last    *versioning.Tag // the last release, or nil
	changes []Change        // since then
	// unrecorded are servers of which it is not known what they offered then.
	unrecorded []string
	demanded   versioning.Part // what these ask for
	reasons    []string
	section    versioning.Changelog
	files      []FileReport
	built      *run      // the build with the next version; nil when there was none
	found      diag.List // about the version, not about the build
	tag        string
	kept       bool // the tag was there already
	commit     string
}

// versionSteps is what version does to raise a version: the plugin is built as it is, to
// know what it offers; then it is built with the next version, and all files are put in
// place together.
func versionSteps() []step {
	steps := []step{
		{name: "repository", do: repositoryStep},
		{name: "clean", do: cleanStep, skip: untagged},
		{name: "decide", do: decideStep},
	}
	for _, s := range buildSteps() {
		steps = append(steps, s)
		if s.name == "check" {
			break
		}
	}
	return append(steps,
		step{name: "compare", do: sinceStep},
		step{name: "ship", do: shipStep, skip: untagged},
		step{name: "raise", do: raiseStep, skip: func(r *run) string { return unless(!r.raising.options.DryRun, "--dry-run") }},
		step{name: "plan", do: planStep, skip: func(r *run) string { return unless(r.raising.options.DryRun, "no --dry-run") }},
		step{name: "commit", do: commitStep, skip: unchanging},
		step{name: "tag", do: tagStep, skip: untagged},
	)
}

// tagSteps is what version does to tag the version that is there: nothing may be stale.
func tagSteps() []step {
	catalog := catalogStep()
	catalog.goOn = frozen // all that is in the way is named
	return slices.Concat(
		[]step{{name: "repository", do: repositoryStep}, {name: "clean", do: cleanStep}},
		buildSteps(),
		[]step{catalog, {name: "ship", do: shipStep}, {name: "tag", do: tagStep}})
}

func untagged(r *run) string { return unless(r.raising.options.Tag, "no --tag") }

func unchanging(r *run) string {
	return unless(r.raising.options.Tag && !r.raising.options.DryRun, "nothing is committed")
}

// Version raises the version of a plugin everywhere, or tags the one that it has. What it
// found wrong is in the result's diagnostics, and then no file was changed, unless the
// diagnostics say that only the commit or the tag failed; the error is for wrong words
// and for the end of ctx.
func Version(ctx context.Context, p *project.Project, o VersionOptions) (*VersionResult, error) {
	started := time.Now()
	if err := p.NeedsBundles(); err != nil {
		return nil, err
	}
	done, err := takeTurn(ctx, o.CacheDir, p.Root)
	if err != nil {
		return nil, err
	}
	defer done()
	r := newVersionRun(p, o, o.Wish.IsZero())
	steps := versionSteps()
	if o.Wish.IsZero() {
		steps = tagSteps()
	}
	if err := r.do(ctx, steps); err != nil {
		return nil, err
	}
	return r.versionResult(time.Since(started)), nil
}

// newVersionRun is the run of a build, which is frozen when only a tag is made.
func newVersionRun(p *project.Project, o VersionOptions, frozen bool) *run {
	r := newBuildRun(p, BuildOptions{
		Minify: o.Minify, Sourcemap: o.Sourcemap, Verify: true, Frozen: frozen, Env: o.Env,
		ToolVersion: o.ToolVersion, CacheDir: o.CacheDir, Machine: o.Machine, BeforeBundling: o.BeforeBundling,
	})
	v := &raising{options: o, name: p.Config.Plugin.Name, file: metadata.VersionFile(p), old: p.Package.Version, part: versioning.None}
	if v.file == project.ManifestFile {
		v.old = p.Manifest.String("version")
	}
	if current, err := semver.StrictNewVersion(v.old); err == nil {
		v.current = current
	}
	r.raising = v
	return r
}

func (r *run) versionResult(took time.Duration) *VersionResult {
	v := r.raising
	out := &VersionResult{
		Name: v.name, Old: v.old, New: v.old, Bump: v.part, Reasons: v.reasons, Changelog: v.section.Section,
		Files: v.files, Tag: v.tag, Kept: v.kept, Commit: v.commit, Steps: r.steps, Duration: took,
	}
	if v.next != nil {
		out.New = v.next.String()
	}
	if v.last != nil {
		out.Since = v.last.Name
	}
	out.Diagnostics = append(r.shown(), v.found...)
	return out
}
