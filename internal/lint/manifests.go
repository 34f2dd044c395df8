package lint

import (
	"path/filepath"

	"omcbuild/internal/diag"
)

func manifestJSON() rule[*plugin] {
	return rule[*plugin]{
		code: "manifest-json", level: diag.Error,
		meaning: "a manifest cannot be read as JSON; the client then loads none of it, often in silence",
		page: Page{
			Group:  Manifest,
			Why:    "The client reads plain JSON. From a server map that it cannot read it starts no server and says nothing; of a manifest it loads nothing. A key that stands twice is read, and the last one wins, silently.",
			Wrong:  "{\"name\": \"clock\", \"version\": \"1.0.0\",}",
			Do:     "Remove comments and trailing commas, and keep one of two equal keys.",
			Client: "MANIFEST_INVALID_JSON, MCPJSON_UNPARSEABLE",
		},
		find: func(p *plugin, report reporter) {
			for _, d := range p.documents() {
				if d.Problem != nil {
					report.at(d.Problem.Position, d.Problem.Hint, "%s", d.Problem.Message)
				}
			}
		},
	}
}

func manifestMark() rule[*plugin] {
	return rule[*plugin]{
		code: "manifest-bom", level: diag.Error,
		meaning: "a manifest begins with a byte order mark; the client loads no servers from it, and catalogs refuse it",
		page: Page{
			Group:  Manifest,
			Why:    "From `.mcp.json` with a byte order mark the client loads no server; a directory refuses such a `plugin.json`.",
			Wrong:  "\ufeff{\"name\": \"clock\"}",
			Do:     "Save the file as UTF-8 without a mark.",
			Client: "MANIFEST_INVALID_JSON, MCPJSON_UNPARSEABLE",
		},
		find: func(p *plugin, report reporter) {
			for _, d := range p.documents() {
				if d.BOM && d != p.pkg {
					report.at(diag.Position{File: d.Path, Line: 1}, "save it as UTF-8 without a mark", "begins with a byte order mark")
				}
			}
		},
	}
}

func manifestLink() rule[*plugin] {
	return rule[*plugin]{
		code: "manifest-link", level: diag.Warning,
		meaning: "a manifest is a symbolic link; parts of the client do not read it",
		page: Page{
			Group: Manifest,
			Why:   "Parts of the client's checks do not read a manifest that is a link, and an installation drops links that lead out of the plugin.",
			Wrong: ".claude-plugin/plugin.json -> ../plugin.json",
			Do:    "Put the file itself there.",
		},
		find: func(p *plugin, report reporter) {
			for _, file := range []string{manifestFile, catalogFile, mcpFile, hooksFile} {
				if _, linked := p.files.links[file]; linked {
					report.at(diag.Position{File: file}, "replace the link by the file", "is a symbolic link")
				}
			}
		},
	}
}

// mcpElsewhere finds the server map in the one folder where nobody looks.
func mcpElsewhere() rule[*plugin] {
	const file = ".claude-plugin/.mcp.json"
	return rule[*plugin]{
		code: "mcp-misplaced", level: diag.Error,
		meaning: "the server map lies inside .claude-plugin, where it is never read",
		page: Page{
			Group: Manifest,
			Why:   "`.claude-plugin` holds manifests. A server map in it is never read, so no server starts and no error is shown.",
			Wrong: ".claude-plugin/.mcp.json",
			Do:    "Move the file to the plugin's root.",
		},
		find: func(p *plugin, report reporter) {
			if _, err := p.root.Lstat(filepath.FromSlash(file)); err == nil {
				report.at(diag.Position{File: file}, "move it to "+mcpFile+" beside .claude-plugin", "is never read there")
			}
		},
	}
}
