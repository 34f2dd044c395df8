package lint

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// eachFile calls find once for every file inside the plugin that a server or
// hook names.
func eachFile(find func(p *plugin, r reference, file string, report reporter)) func(*plugin, reporter) {
	return func(p *plugin, report reporter) {
		seen := map[string]bool{}
		for _, r := range p.references() {
			if file, ok := r.inside(); ok && !seen[r.owner+"\x00"+file] {
				seen[r.owner+"\x00"+file] = true
				find(p, r, file, report)
			}
		}
	}
}

// stat looks at a named file. It tells what is missing from what is a link to a
// place outside the plugin.
func (p *plugin) stat(file string) (info fs.FileInfo, outside bool) {
	if planned, ok := p.Planned[file]; ok {
		return plannedInfo{path.Base(file), planned}, false
	}
	info, err := p.root.Stat(filepath.FromSlash(file))
	if err == nil {
		return info, false
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	return nil, true
}

func fileMissing() rule[*plugin] {
	return rule[*plugin]{
		code: "file-missing", level: diag.Error,
		meaning: "a server or hook names a file that is not in the plugin",
		page: Page{
			Group: Paths,
			Why:   "The client does not look whether the file is there. It starts node, which ends, and reports a closed connection.",
			Wrong: "\"args\": [\"${CLAUDE_PLUGIN_ROOT}/bridge/sever.cjs\"]",
			Do:    "Build the file, or correct its name.",
		},
		find: eachFile(func(p *plugin, r reference, file string, report reporter) {
			info, outside := p.stat(file)
			_, folded := p.otherCase(file)
			switch {
			case outside, info == nil && folded: // other rules speak about these
			case info == nil:
				report.at(r.place, p.remedy(file, "build it, or correct the path"), "%s: %s is not there", r.owner, clip(file))
			case info.IsDir() && r.command:
				report.at(r.place, "name a file", "%s: %s is a folder", r.owner, clip(file))
			}
		}),
	}
}

func fileOutside() rule[*plugin] {
	return rule[*plugin]{
		code: "file-outside", level: diag.Error,
		meaning: "a server or hook names a file that is a link out of the plugin; an installation drops it",
		page: Page{
			Group: Paths,
			Why:   "Links out of the plugin are dropped by an installation, so users do not have the file.",
			Wrong: "bridge/s.cjs -> /opt/clock/s.cjs",
			Do:    "Put the file itself into the plugin.",
		},
		find: eachFile(func(p *plugin, r reference, file string, report reporter) {
			if _, outside := p.stat(file); outside {
				report.at(r.place, "put the file itself into the plugin", "%s: %s leads out of the plugin", r.owner, clip(file))
			}
		}),
	}
}

func fileCase() rule[*plugin] {
	return rule[*plugin]{
		code: "file-case", level: diag.Error,
		meaning: "a server or hook names a file in other letter case; it is found on some systems only",
		page: Page{
			Group: Paths,
			Why:   "macOS and Windows find the file, Linux does not.",
			Wrong: "\"args\": [\"${CLAUDE_PLUGIN_ROOT}/Bridge/s.cjs\"]",
			Do:    "Write the name as it is on disk.",
		},
		find: eachFile(func(p *plugin, r reference, file string, report reporter) {
			if other, folded := p.otherCase(file); folded {
				report.at(r.place, "write "+other, "%s: %s is %s on disk", r.owner, clip(file), clip(other))
			}
		}),
	}
}

// fileNotRunnable finds what cannot be started although it is there.
func fileNotRunnable() rule[*plugin] {
	return rule[*plugin]{
		code: "file-not-runnable", level: diag.Error,
		meaning: "a file is started that the system or Node cannot run: without the executable bit or an interpreter, or TypeScript",
		page: Page{
			Group: Paths,
			Why:   "A system starts a file only with its executable bit and a first line that names an interpreter; node does not read all of TypeScript. The client reports EACCES or a closed connection.",
			Wrong: "\"command\": \"${CLAUDE_PLUGIN_ROOT}/bin/serve\"",
			Do:    "Start `node` with a bundle as its argument, or set the bit and begin the file with `#!`.",
		},
		find: eachFile(func(p *plugin, r reference, file string, report reporter) {
			info, _ := p.stat(file)
			switch {
			case info == nil || info.IsDir():
			case r.command && info.Mode().Perm()&0o111 == 0:
				report.at(r.place, "start node with the file as its argument, or set the executable bit", "%s: %s is not executable", r.owner, clip(file))
			case slices.Contains([]string{".ts", ".mts", ".cts", ".tsx"}, path.Ext(file)):
				report.at(r.place, "bundle it and start the bundle", "%s: %s is TypeScript source", r.owner, clip(file))
			case r.command && info.Size() > 0 && !startable(p.head(file)) && !slices.Contains([]string{".cmd", ".bat", ".ps1"}, path.Ext(file)):
				report.at(r.place, "start node with the file as its argument, or begin the file with #!/usr/bin/env node and LF", "%s: %s names no interpreter", r.owner, clip(file))
			}
		}),
	}
}

func fileIgnored() rule[*plugin] {
	return rule[*plugin]{
		code: "file-ignored", level: diag.Error,
		meaning: "a server or hook names a file that git ignores; it is on the author's disk and in no installation",
		page: Page{
			Group: Paths,
			Why:   "Users get what is committed. A file that git ignores works for the author only.",
			Wrong: ".gitignore  dist/\n.mcp.json   ${CLAUDE_PLUGIN_ROOT}/dist/s.cjs",
			Do:    "Take it out of .gitignore and commit it.",
		},
		find: eachFile(func(p *plugin, r reference, file string, report reporter) {
			if p.Git == nil {
				return
			}
			const hint = "take it out of .gitignore and commit it, or git add --force it"
			if !p.Git.tracks(file) && p.Git.ignores(file) {
				report.at(r.place, p.remedy(file, hint), "%s: %s is ignored by git", r.owner, clip(file))
				return
			}
			p.assetsThat(file, p.Git.ignores, func(first, more string) {
				report.at(r.place, hint, "%s: %s%s beside %s is ignored by git", r.owner, first, more, clip(file))
			})
		}),
	}
}

func fileUntracked() rule[*plugin] {
	return rule[*plugin]{
		code: "file-untracked", level: diag.Warning,
		meaning: "a server or hook names a file that is not committed yet",
		page: Page{
			Group: Paths,
			Why:   "The file is on the author's disk and not in the repository yet.",
			Wrong: "?? bridge/s.cjs",
			Do:    "Add it to git.",
		},
		find: eachFile(func(p *plugin, r reference, file string, report reporter) {
			info, _ := p.stat(file)
			if p.Git == nil || info == nil || info.IsDir() || p.successor(file) != "" {
				return
			}
			if !p.Git.tracks(file) && !p.Git.ignores(file) {
				report.at(r.place, "git add it", "%s: %s is not tracked by git", r.owner, clip(file))
			}
			p.assetsThat(file, func(asset string) bool { return !p.Git.ignores(asset) }, func(first, more string) {
				report.at(r.place, "git add the folder", "%s: %s%s beside %s is not tracked by git", r.owner, first, more, clip(file))
			})
		}),
	}
}

// assetsThat looks in the folder of the files that a bundle reads, as the bundler
// lays them beside it, for untracked ones that match. It tells the first and, as
// text, how many more there are.
func (p *plugin) assetsThat(bundle string, match func(file string) bool, tell func(first, more string)) {
	folder := strings.TrimSuffix(bundle, path.Ext(bundle)) + ".assets"
	var found []string
	_ = fs.WalkDir(p.root.FS(), folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !p.Git.tracks(name) && match(name) {
			found = append(found, name)
		}
		switch {
		case len(found) > maxFiles:
			return fs.SkipAll
		case err == nil && entry.IsDir() && tooDeep(name):
			return fs.SkipDir
		}
		return nil
	})
	switch len(found) {
	case 0:
	case 1:
		tell(clip(found[0]), "")
	default:
		tell(clip(found[0]), fmt.Sprintf(" (and %d more)", len(found)-1))
	}
}
