package lint

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/project"
)

// eachShipped makes a rule's function from one that looks at a single file that
// an installation copies.
func eachShipped(find func(p *plugin, file string, report reporter)) func(*plugin, reporter) {
	return func(p *plugin, report reporter) {
		for _, file := range p.files.files {
			find(p, file, report)
		}
	}
}

// lockfileBeside finds the pair of files that makes the client install the
// development dependencies for every user.
func lockfileBeside() rule[*plugin] {
	return rule[*plugin]{
		code: "lockfile-beside-package", level: diag.Warning,
		meaning: "a lockfile lies beside package.json at the plugin's root; the client then installs all dependencies, those for development too, for every user",
		page: Page{
			Group: Shipped,
			Why:   "After an installation the client runs npm for such a pair, development dependencies included, and runs no lifecycle scripts. Users wait and get hundreds of files that a bundle does not need.",
			Wrong: "package.json\npackage-lock.json",
			Do:    "Keep the npm workspace in a folder of its own, such as src/.",
		},
		find: func(p *plugin, report reporter) {
			if p.pkg == nil {
				return
			}
			for _, file := range []string{"package-lock.json", "npm-shrinkwrap.json"} {
				if !p.exists(file) || p.Git.ignores(file) {
					continue
				}
				when := ""
				if !slices.Contains(p.files.files, file) {
					when = ", once it is committed"
				}
				report.at(diag.Position{File: file}, "move the npm workspace with its package.json and lockfile into a folder, such as src/, and keep the root's package.json without dependencies",
					"makes every user's client install %s%s", p.installed(file), when)
			}
		},
	}
}

// installed estimates what a lockfile installs.
func (p *plugin) installed(lockfile string) string {
	var packages map[string]any
	if doc := p.read(lockfile); doc != nil {
		_ = doc.Decode(&packages, "packages")
	}
	delete(packages, "")
	text := "its packages"
	if len(packages) > 0 {
		text = plural(len(packages), "package")
	}
	if p.files.bytes >= 100_000 {
		more := ""
		if p.files.counted > maxFiles {
			more = "more than "
		}
		text += fmt.Sprintf(" (%s%.1f MB here)", more, float64(p.files.bytes)/1e6)
	}
	return text
}

func shippedModules() rule[*plugin] {
	return rule[*plugin]{
		code: "shipped-node-modules", level: diag.Warning,
		meaning: "node_modules lies in the plugin and is copied with it",
		page: Page{
			Group: Shipped,
			Why:   "It is copied file by file to every user, with everything that development needs.",
			Wrong: "node_modules/",
			Do:    "Bundle what the server needs, and let git ignore the folder.",
		},
		find: func(p *plugin, report reporter) {
			if p.files.modules && (p.Git == nil || slices.ContainsFunc(p.Git.Tracked, func(f string) bool { return strings.HasPrefix(f, "node_modules/") })) {
				report.at(diag.Position{File: "node_modules"}, "bundle what the server needs; add the folder to .gitignore", "is copied to every user")
			}
		},
	}
}

func shippedSecret() rule[*plugin] {
	return rule[*plugin]{
		code: "shipped-secret", level: diag.Error,
		meaning: "a file that usually holds secrets is part of the plugin",
		page: Page{
			Group: Shipped,
			Why:   "An installation copies everything that is committed, dotfiles too.",
			Wrong: ".env",
			Do:    "Remove it from the repository and revoke what is in it.",
		},
		find: eachShipped(func(p *plugin, file string, report reporter) {
			base := path.Base(file)
			secret := project.HoldsSecrets(base) || base == ".npmrc" && project.HoldsToken(p.head(file))
			if secret {
				report.at(diag.Position{File: file}, "remove it from the plugin and revoke what is in it", "is a file of secrets, and every user gets it")
			}
		}),
	}
}

// head returns the beginning of a file of the plugin.
func (p *plugin) head(file string) string {
	if planned, ok := p.Planned[file]; ok {
		return string(planned.Contents)
	}
	handle, err := project.OpenRegular(p.root, file)
	if err != nil {
		return ""
	}
	defer handle.Close()
	buffer := make([]byte, 64<<10)
	n, _ := handle.Read(buffer)
	return string(buffer[:n])
}

func shippedLink() rule[*plugin] {
	return rule[*plugin]{
		code: "shipped-link-out", level: diag.Error,
		meaning: "a symbolic link leads out of the plugin; an installation drops it",
		page: Page{
			Group: Shipped,
			Why:   "An installation by git drops links that lead out of the plugin; the file is missing for users only.",
			Wrong: "shared -> ../shared",
			Do:    "Put the files themselves into the plugin.",
		},
		find: eachShipped(func(p *plugin, file string, report reporter) {
			if target, linked := p.files.links[file]; linked && p.linkLeaves(file) {
				report.at(diag.Position{File: file}, "put the file or folder itself into the plugin", "links out of the plugin, to %s", clip(filepath.ToSlash(target)))
			}
		}),
	}
}

func shippedDangling() rule[*plugin] {
	return rule[*plugin]{
		code: "shipped-link-dangling", level: diag.Warning,
		meaning: "a symbolic link leads nowhere",
		page: Page{
			Group: Shipped,
			Why:   "The link is copied as it is and leads nowhere for users either.",
			Wrong: "notes.md -> docs/none.md",
			Do:    "Remove the link, or add what it points to.",
		},
		find: eachShipped(func(p *plugin, file string, report reporter) {
			target, linked := p.files.links[file]
			if linked && !p.linkLeaves(file) && !p.exists(file) {
				report.at(diag.Position{File: file}, "remove the link, or add what it points to", "links to %s, which is not there", clip(filepath.ToSlash(target)))
			}
		}),
	}
}

// linkLeaves reports whether a link, as it is written, points outside the plugin.
func (p *plugin) linkLeaves(file string) bool {
	target := filepath.ToSlash(p.files.links[file])
	if path.IsAbs(target) || windowsPath.MatchString(target) {
		return true
	}
	clean := path.Join(path.Dir(file), target)
	return clean == ".." || strings.HasPrefix(clean, "../")
}

// shippedClash finds names that are one on systems that ignore letter case.
func shippedClash() rule[*plugin] {
	return rule[*plugin]{
		code: "shipped-case-clash", level: diag.Error,
		meaning: "two files differ only in letter case; on Windows and macOS one replaces the other",
		page: Page{
			Group: Shipped,
			Why:   "On Windows and macOS one file replaces the other during the installation.",
			Wrong: "README.md\nReadme.md",
			Do:    "Rename one of them.",
		},
		find: func(p *plugin, report reporter) {
			first := map[string]string{}
			for _, file := range p.files.files {
				folded := strings.ToLower(file)
				if before, seen := first[folded]; seen {
					report.at(diag.Position{File: file}, "rename one of them", "differs from %s only in letter case", clip(before))
					continue
				}
				first[folded] = file
			}
		},
	}
}

func shippedName() rule[*plugin] {
	device := lazyregexp.New(`(?i)^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?$`)
	return rule[*plugin]{
		code: "shipped-name", level: diag.Warning,
		meaning: "a file has a name that Windows does not allow; the plugin cannot be installed there",
		page: Page{
			Group: Shipped,
			Why:   "Windows reserves some names and characters. Git stops there, so the plugin cannot be installed.",
			Wrong: "docs/aux.txt",
			Do:    "Rename the file.",
		},
		find: eachShipped(func(_ *plugin, file string, report reporter) {
			for part := range strings.SplitSeq(file, "/") {
				if device.MatchString(part) || strings.ContainsAny(part, "<>:\"|?*\\") || strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") {
					report.at(diag.Position{File: printable(file)}, "rename it", "has a name that Windows does not allow")
					return
				}
			}
		}),
	}
}

// shippedJunk finds files that programs left.
func shippedJunk() rule[*plugin] {
	return rule[*plugin]{
		code: "shipped-junk", level: diag.Warning,
		meaning: "a file that some program left behind is part of the plugin; catalogs object to those of operating systems",
		page: Page{
			Group:  Shipped,
			Why:    "A directory cannot scan an archive that holds such files.",
			Wrong:  ".DS_Store",
			Do:     "Delete it and let git ignore it.",
			Client: "ARCHIVE_OS_METADATA_FILE",
		},
		find: eachShipped(func(_ *plugin, file string, report reporter) {
			if project.IsLeftBehind(file) {
				report.at(diag.Position{File: file}, "delete it and add it to .gitignore", "was left behind by a program")
			}
		}),
	}
}

func rootClaudeMD() rule[*plugin] {
	return rule[*plugin]{
		code: "claude-md-at-root", level: diag.Warning,
		meaning: "CLAUDE.md at the plugin's root is not loaded by clients, and the strict check of the client fails on it",
		page: Page{
			Group: Shipped,
			Why:   "The client does not load it for users, and its strict check fails on it.",
			Wrong: "CLAUDE.md",
			Do:    "Move what users need into a skill, and notes for developers to CONTRIBUTING.md.",
		},
		find: eachShipped(func(_ *plugin, file string, report reporter) {
			if file == "CLAUDE.md" {
				report.at(diag.Position{File: file}, "move what users need into a skill, and notes for developers elsewhere", "is not loaded as part of a plugin")
			}
		}),
	}
}
