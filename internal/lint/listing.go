package lint

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // the two kinds of icons
	_ "image/png"
	"net/url"
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

const readmeFile = "README.md"

func readmeMissing() rule[*plugin] {
	return rule[*plugin]{
		code: "readme-missing", level: diag.Warning, raised: true,
		meaning: "the plugin has no README.md",
		page: Page{
			Group:  Listing,
			Why:    "Users and reviewers learn from it what the plugin does. A directory does not list a plugin without one.",
			Wrong:  "readme.txt",
			Do:     "Write README.md: what it does, how to install it, how to use it.",
			Client: "README_MISSING",
		},
		find: func(p *plugin, report reporter) {
			if p.manifest != nil && !p.exists(readmeFile) {
				report.at(diag.Position{File: readmeFile}, "write what the plugin does, how to install it and how to use it", "is not there")
			}
		},
	}
}

func readmeShort() rule[*plugin] {
	const least = 40
	return rule[*plugin]{
		code: "readme-short", level: diag.Warning, raised: true,
		meaning: "README.md has fewer than 40 words",
		page: Page{
			Group:  Listing,
			Why:    "A directory takes the description of its page from there and does not list a plugin without one.",
			Wrong:  "# clock",
			Do:     "Say what the plugin does, how to install it and how to use it.",
			Client: "README_TRIVIAL",
		},
		find: func(p *plugin, report reporter) {
			if text, ok := p.text(readmeFile); ok {
				if words := len(strings.Fields(string(text))); words < least {
					report.at(diag.Position{File: readmeFile}, "say what the plugin does, how to install it and how to use it", "has %s of at least %d", plural(words, "word"), least)
				}
			}
		},
	}
}

func readmeInstall() rule[*plugin] {
	line := lazyregexp.New(`(?i)plugin install|marketplace add|--plugin-dir`)
	return rule[*plugin]{
		code: "readme-install", level: diag.Note,
		meaning: "README.md does not say how to install the plugin",
		page: Page{
			Group: Listing,
			Why:   "It is the first thing that a user looks for. The client's check advises it.",
			Wrong: "# clock\n\nTells the time.",
			Do:    "Add the line that users type: `claude plugin install NAME@CATALOG`.",
		},
		find: func(p *plugin, report reporter) {
			if text, ok := p.text(readmeFile); ok && !line.Match(text) {
				report.at(diag.Position{File: readmeFile}, "add the line: claude plugin install "+p.name()+"@CATALOG", "does not say how to install the plugin")
			}
		},
	}
}

func licenseMissing() rule[*plugin] {
	return rule[*plugin]{
		code: "license-missing", level: diag.Warning, raised: true,
		meaning: "the plugin states no licence",
		page: Page{
			Group:  Listing,
			Why:    "Without one nobody may use it. A directory does not list it.",
			Wrong:  `{"name": "clock", "version": "1.0.0"}`,
			Do:     "Add a LICENSE file, or the field license.",
			Client: "LICENSE_MISSING",
		},
		find: func(p *plugin, report reporter) {
			if p.manifest == nil || p.manifest.Problem != nil || p.manifest.String("license") != "" {
				return
			}
			names, _ := readDir(p, ".")
			if !slices.ContainsFunc(names, func(name string) bool { return licenseFile.MatchString(name) }) {
				report.at(diag.Position{File: manifestFile}, "add a LICENSE file, or license to package.json and run omcbuild sync", "states no licence")
			}
		},
	}
}

var licenseFile = lazyregexp.New(`(?i)^(?:licen[cs]e|copying)(?:\.(?:md|txt|rst))?$`)

const iconFile = ".claude-plugin/icon.png"

func iconMissing() rule[*plugin] {
	return rule[*plugin]{
		code: "icon-missing", level: diag.Note, raised: true,
		meaning: "the plugin has no icon",
		page: Page{
			Group:  Listing,
			Why:    "A directory shows a picture of its own in its place.",
			Wrong:  ".claude-plugin/plugin.json",
			Do:     "Add .claude-plugin/icon.png, or name another file in the field icon: a square PNG or JPEG of 512 to 2048 pixels and under 2 MB.",
			Client: "ICON_MISSING",
		},
		find: func(p *plugin, report reporter) {
			if p.manifest != nil && p.manifest.Problem == nil && p.manifest.Find("icon") == nil && !p.exists(iconFile) {
				report.at(diag.Position{File: iconFile}, "add a square PNG of 512 to 2048 pixels", "is not there")
			}
		},
	}
}

func iconInvalid() rule[*plugin] {
	return rule[*plugin]{
		code: "icon-invalid", level: diag.Warning,
		meaning: "the icon is no square PNG or JPEG of 512 to 2048 pixels and under 2 MB",
		page: Page{
			Group:  Listing,
			Why:    "A directory drops it and shows a picture of its own.",
			Wrong:  `{"icon": "./icon.svg"}`,
			Do:     "Save it as a square PNG or JPEG of 512 to 2048 pixels and under 2 MB, inside the plugin.",
			Client: "ICON_INVALID",
		},
		find: func(p *plugin, report reporter) {
			file, place := iconFile, diag.Position{File: iconFile}
			if value, given := p.stated()["icon"]; given {
				file, place = path.Clean(textOf(value)), p.manifest.Position("icon")
				if textOf(value) == "" {
					report.at(place, "name a file of the plugin", "the icon is %s", valueType(value))
					return
				}
			} else if !p.exists(file) {
				return
			}
			if fault := p.iconFault(file); fault != "" {
				report.at(place, "save a square PNG or JPEG of 512 to 2048 pixels and under 2 MB", "the icon %s", fault)
			}
		},
	}
}

// iconFault looks at the head of an image, which says its size.
func (p *plugin) iconFault(file string) string {
	const most = 2_000_000 // bytes
	info, _ := p.stat(file)
	if info == nil || !info.Mode().IsRegular() {
		return clip(printable(file)) + " is no file of the plugin"
	}
	if info.Size() >= most {
		return fmt.Sprintf("has %.1f MB", float64(info.Size())/1e6)
	}
	head, _ := p.text(file)
	config, _, err := image.DecodeConfig(bytes.NewReader(head))
	switch {
	case err != nil:
		return "is neither PNG nor JPEG"
	case config.Width != config.Height:
		return fmt.Sprintf("has %d by %d pixels and is not square", config.Width, config.Height)
	case config.Width < 512 || config.Width > 2048:
		return fmt.Sprintf("has %d by %d pixels", config.Width, config.Height)
	}
	return ""
}

func listingURL() rule[*plugin] {
	return rule[*plugin]{
		code: "listing-url", level: diag.Note, raised: true,
		meaning: "a link of the manifest does not begin with https://",
		page: Page{
			Group:  Listing,
			Why:    "A directory leaves the link out of its page.",
			Wrong:  `{"homepage": "http://clock.example.org", "repository": "git@example.org:clock"}`,
			Do:     "Write https links; for supportUrl mailto: is fine too.",
			Client: "LISTING_URL_SCHEME",
		},
		find: func(p *plugin, report reporter) {
			for _, field := range []string{"homepage", "privacyPolicyUrl", "repository", "supportUrl"} {
				value := p.manifest.String(field)
				u, err := url.Parse(value)
				if value == "" || err == nil && (u.Scheme == "https" && u.Host != "" || field == "supportUrl" && u.Scheme == "mailto") {
					continue
				}
				report.at(p.manifest.Position(field), "write an https link", "%s %s is no https link", field, clip(printable(value)))
			}
		},
	}
}

func privacyMissing() rule[*plugin] {
	return rule[*plugin]{
		code: "privacy-missing", level: diag.Note, raised: true,
		meaning: "the plugin sends data to another machine and names no privacy policy",
		page: Page{
			Group:  Listing,
			Why:    "A directory asks for one of every plugin with a remote server or an http hook.",
			Wrong:  `{"mcpServers": {"t": {"type": "http", "url": "https://api.example.org/mcp"}}}`,
			Do:     "Add privacyPolicyUrl to plugin.json.",
			Client: "PRIVACY_URL_MISSING",
		},
		find: func(p *plugin, report reporter) {
			if p.manifest == nil || p.manifest.Problem != nil || p.manifest.String("privacyPolicyUrl") != "" {
				return
			}
			remote := ""
			for _, s := range p.servers {
				if s.text("url") != "" {
					remote = "server " + s.key
				}
			}
			for _, h := range p.handlers {
				if h.text("type") == "http" {
					remote = "hook " + h.event
				}
			}
			if remote != "" {
				report.at(diag.Position{File: manifestFile}, "add privacyPolicyUrl", "names no privacy policy, and %s reaches another machine", clip(printable(remote)))
			}
		},
	}
}

// identifierASCII finds names that users type, and that look alike in other
// scripts.
func identifierASCII() rule[*plugin] {
	return rule[*plugin]{
		code: "identifier-non-ascii", level: diag.Warning, raised: true,
		meaning: "a server, skill, agent or command has letters outside ASCII in its name",
		page: Page{
			Group:  Listing,
			Why:    "Letters of other scripts can pass as Latin ones, so a directory objects; in names of tools they become underscores.",
			Wrong:  "skills/café/SKILL.md",
			Do:     "Use letters a to z, digits and hyphens; other scripts are fine in descriptions.",
			Client: "IDENTIFIER_NON_ASCII",
		},
		find: func(p *plugin, report reporter) {
			foreign := func(name string) bool {
				return strings.ContainsFunc(name, func(r rune) bool { return r > 126 || r < 32 })
			}
			const hint = "use letters a to z, digits and hyphens"
			for _, s := range p.servers {
				if foreign(s.key) {
					report.at(s.doc.KeyPosition(s.keys...), hint, "server %s: the name is not ASCII", clip(printable(s.key)))
				}
			}
			for _, c := range p.parts {
				if foreign(c.called()) || foreign(c.name) {
					report.at(diag.Position{File: printable(c.file)}, hint, "the name of the %s is not ASCII", c.kind)
				}
			}
		},
	}
}

// filesMany finds more files of servers than the client's check reads.
func filesMany() rule[*plugin] {
	const most = 16
	return rule[*plugin]{
		code: "server-files-many", level: diag.Warning, raised: true,
		meaning: "the manifest names more than 16 files of servers or hooks, and checks read no more",
		page: Page{
			Group: Listing,
			Why:   "The client reads them all and its check looks at 16, so its result is incomplete and fails.",
			Wrong: `{"mcpServers": ["./a.json", "./b.json", …]}`,
			Do:    "Put the servers into one .mcp.json.",
		},
		find: func(p *plugin, report reporter) {
			for _, field := range []string{"hooks", "mcpServers"} {
				if files := len(p.named(field)); files > most {
					report.at(p.manifest.Position(field), "put them into one file", "%s names %d files", field, files)
				}
			}
		},
	}
}
