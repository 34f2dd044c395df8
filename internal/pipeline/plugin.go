package pipeline

import (
	"context"

	"omcbuild/internal/lint"
	"omcbuild/internal/process"
)

// pluginStep checks the plugin around the bundles: what the real client
// accepts in silence and a user then suffers.
func pluginStep(ctx context.Context, r *run) error {
	in := lint.PluginInput{Root: r.project.Root}
	for _, it := range r.items {
		if it.mcp() && it.bundle.Register {
			in.Bundles = append(in.Bundles, it.bundle.Outfile)
		}
	}
	// Without git, what only git knows is not checked.
	if git, err := process.LookPath("git", r.machine.Path); err == nil {
		known, err := lint.ReadGit(ctx, git, r.project.Root)
		if err != nil {
			return err
		}
		in.Git = known
	}
	r.diagnostics.Add(lint.CheckPlugin(in)...)
	return nil
}
