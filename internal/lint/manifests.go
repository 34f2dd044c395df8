package lint

import (
	"path/filepath"

	"omcbuild/internal/diag"
)

func manifestJSON() rule[*plugin] {
	return rule[*plugin]{
		code: "manifest-json", level: diag.Error,
		meaning: "a manifest cannot be read as JSON; the client then loads none of it, often in silence",
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
		find: func(p *plugin, report reporter) {
			if _, err := p.root.Lstat(filepath.FromSlash(file)); err == nil {
				report.at(diag.Position{File: file}, "move it to "+mcpFile+" beside .claude-plugin", "is never read there")
			}
		},
	}
}
