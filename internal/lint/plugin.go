package lint

import "omcbuild/internal/diag"

// PluginInput is what CheckPlugin looks at.
type PluginInput struct {
	Root string // absolute folder of the plugin, the one that holds .claude-plugin
}

// CheckPlugin applies the plugin rules.
func CheckPlugin(PluginInput) diag.List { return nil }

// plugin is a plugin folder with its manifests read.
type plugin struct{}

func pluginRules() []rule[*plugin] { return nil }
