package lint

import (
	"slices"
	"strings"

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
		page: Page{
			Group:  Manifest,
			Why:    "The name is part of every tool's name and of folders in the client's cache. One with spaces is refused; one that looks like a path cannot be installed; one outside ASCII is refused by directories.",
			Wrong:  "{\"name\": \"my plugin\"}",
			Do:     "Use lower-case letters, digits and hyphens: `my-plugin`.",
			Client: "IDENTIFIER_NON_ASCII",
		},
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
		page: Page{
			Group: Manifest,
			Why:   "The client refuses names that pass as those of its vendor: what begins with claude-, anthropic-, anthropics- or cc-plugin-, these words alone, and official beside one of them.",
			Wrong: "{\"name\": \"claude-clock\"}",
			Do:    "Name the plugin for what it does.",
		},
		find: named(func(_ *plugin, name string, place diag.Position, report reporter) {
			if project.CheckPluginName(name) == project.NameReserved {
				report.at(place, "name it for what it does", "the name %q passes as one of the vendor", clip(name))
			}
		}),
	}
}

func pluginNameStyle() rule[*plugin] {
	return rule[*plugin]{
		code: "plugin-name-style", level: diag.Warning,
		meaning: "the plugin's name is not lower-case words joined by hyphens, or has the vendor's name in it",
		page: Page{
			Group: Manifest,
			Why:   "The client takes such a name and warns, so its strict check fails, and other readers of catalogs require the usual form.",
			Wrong: "{\"name\": \"MyPlugin\"}",
			Do:    "Use lower-case letters, digits and hyphens: `my-plugin`.",
		},
		find: named(func(_ *plugin, name string, place diag.Position, report reporter) {
			words := strings.Split(strings.ToLower(name), "-")
			switch fault := project.CheckPluginName(name); {
			case fault == project.NameStyle:
				report.at(place, "use lower-case letters, digits and hyphens", "the name %q is not in the usual form", clip(name))
			case fault == project.NameFine && (slices.Contains(words, "claude") || slices.Contains(words, "anthropic")):
				report.at(place, "name it for what it does", "the name %q reads as one of the vendor", clip(name))
			}
		}),
	}
}
