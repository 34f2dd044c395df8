package lint

import (
	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// named calls find with the plugin's name where there is a manifest.
func named(find func(p *plugin, name string, place diag.Position, report reporter)) func(*plugin, reporter) {
	return func(p *plugin, report reporter) {
		if p.manifest != nil && p.manifest.Problem == nil {
			find(p, p.name(), p.manifest.Position("name"), report)
		}
	}
}

func pluginName() rule[*plugin] {
	return rule[*plugin]{
		code: "plugin-name", level: diag.Error,
		meaning: "the plugin has no name, or one under which it cannot be installed",
		find: named(func(_ *plugin, name string, place diag.Position, report reporter) {
			const hint = "use lower-case letters, digits and hyphens"
			switch project.CheckPluginName(name) {
			case project.NameMissing:
				report.at(place, hint, "the plugin has no name")
			case project.NameSpaces:
				report.at(place, hint, "the name %q has spaces", clip(name))
			case project.NamePath:
				report.at(place, hint, "the name %q looks like a path; such a plugin cannot be installed", clip(name))
			case project.NameNotASCII:
				report.at(place, hint, "the name %q has characters outside ASCII; catalogs refuse it", clip(printable(name)))
			}
		}),
	}
}

func pluginNameReserved() rule[*plugin] {
	return rule[*plugin]{
		code: "plugin-name-reserved", level: diag.Error,
		meaning: "the plugin's name is reserved for the client's vendor",
		find: named(func(_ *plugin, name string, place diag.Position, report reporter) {
			if project.CheckPluginName(name) == project.NameReserved {
				report.at(place, "put another word first", "the name %q begins with a reserved word", clip(name))
			}
		}),
	}
}

func pluginNameStyle() rule[*plugin] {
	return rule[*plugin]{
		code: "plugin-name-style", level: diag.Warning,
		meaning: "the plugin's name is not lower-case words joined by hyphens",
		find: named(func(_ *plugin, name string, place diag.Position, report reporter) {
			if project.CheckPluginName(name) == project.NameStyle {
				report.at(place, "use lower-case letters, digits and hyphens", "the name %q is not in the usual form", clip(name))
			}
		}),
	}
}
