package pipeline

import (
	"context"

	"omcbuild/internal/lint"
)

// pluginStep checks the plugin around the bundles: what the real client
// accepts in silence and a user then suffers.
func pluginStep(_ context.Context, r *run) error {
	r.diagnostics.Add(lint.CheckPlugin(lint.PluginInput{Root: r.project.Root})...)
	return nil
}
