package pipeline

import (
	"context"
	"time"

	"omcbuild/internal/project"
	"omcbuild/internal/surface"
)

// buildSteps is what build does, in order, up to the writing.
func buildSteps() []step {
	return []step{
		{name: "prebuild", do: prebuildStep, skip: func(r *run) string { return unless(len(r.project.Config.Prebuild) > 0, "not configured") }},
		{name: "typecheck", beside: typecheckBeside, skip: func(r *run) string { return unless(r.build.Typecheck, "not asked for") }},
		{name: "bundle", do: bundleStep, decides: true},
		{name: "run", do: runStep, skip: func(r *run) string { return unless(r.build.Verify, "--no-verify") }},
		{name: "front", do: frontStep, waits: true, goOn: frozen, skip: withoutFronts},
		{name: "check", do: checkStep, goOn: frozen},
		{name: "metadata", do: metadataStep, goOn: frozen},
		{name: "plugin", do: plannedStep, goOn: frozen},
		{name: "frozen", do: frozenStep, goOn: frozen, skip: func(r *run) string { return unless(r.build.Frozen, "not asked for") }},
	}
}

// finishSteps put in place what the steps before them made.
func finishSteps() []step {
	return []step{{name: "write", do: writeStep, skip: func(r *run) string { return unless(!r.readOnly, "--frozen") }}}
}

// aloneSteps are finishSteps for a plugin by itself, which brings its entry in a
// catalog of several into step as well.
func aloneSteps() []step {
	return append(append([]step{catalogFirstStep()}, finishSteps()...), catalogStep())
}

// frozen builds write nothing, so they go on to name all that is stale.
func frozen(r *run) bool { return r.build.Frozen }

func unless(wanted bool, reason string) string {
	if wanted {
		return ""
	}
	return reason
}

// Build makes the project's bundles, proves what they offer, and puts
// bundles, lock files and metadata in place. What it found wrong is in the
// result's diagnostics, and then nothing was written; the error is for wrong
// configuration and for the end of ctx. Two builds of one project wait for
// each other.
func Build(ctx context.Context, p *project.Project, o BuildOptions) (*BuildResult, error) {
	started := time.Now()
	if err := p.NeedsBundles(); err != nil {
		return nil, err
	}
	done, err := takeTurn(ctx, o.CacheDir, p.Root)
	if err != nil {
		return nil, err
	}
	defer done()
	r := newBuildRun(p, o)
	if o.Verify && !o.Frozen {
		r.standby = &surface.Standby{}
		defer r.standby.Close()
	}
	if err := r.do(ctx, append(buildSteps(), aloneSteps()...)); err != nil {
		return nil, err
	}
	return r.buildResult(time.Since(started)), nil
}

func newBuildRun(p *project.Project, o BuildOptions) *run {
	r := newRun(p, o.Machine, o.CacheDir, o.ToolVersion)
	r.build, r.update, r.readOnly, r.env, r.fronts = o, o.Update, o.Frozen, o.Env, true
	return r
}

func (r *run) buildResult(took time.Duration) *BuildResult {
	return &BuildResult{Bundles: r.bundleReports(), Metadata: r.metadataReports(), Steps: r.steps, Diagnostics: r.shown(), Duration: took}
}
