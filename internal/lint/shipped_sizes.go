package lint

import (
	"encoding/binary"
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

func shippedLarge() rule[*plugin] {
	const most = 20_000_000 // bytes
	return rule[*plugin]{
		code: "shipped-large", level: diag.Warning,
		meaning: "a file of more than 20 MB is part of the plugin",
		page: Page{
			Group: Shipped,
			Why:   "Every user downloads it, again with every version; git keeps every version of it. Archives of plugins may have 256 MB.",
			Wrong: "models/voice.bin  31.0 MB",
			Do:    "Fetch it when it is first used, or publish it as a package of its own.",
		},
		find: eachShipped(func(p *plugin, file string, report reporter) {
			if _, linked := p.files.links[file]; linked {
				return
			}
			if info, _ := p.stat(file); info != nil && info.Size() > most {
				report.at(diag.Position{File: printable(file)}, "fetch it when it is first used, or leave it out", "has %.1f MB", float64(info.Size())/1e6)
			}
		}),
	}
}

func shippedBinary() rule[*plugin] {
	endings := []string{".exe", ".dll", ".node", ".so", ".dylib", ".msi", ".app"}
	return rule[*plugin]{
		code: "shipped-binary", level: diag.Warning,
		meaning: "a program for one kind of machine is part of the plugin",
		page: Page{
			Group: Shipped,
			Why:   "It runs on one system and processor only, and nobody can read what it does; scanners of directories stop at it.",
			Wrong: "bin/clock.exe",
			Do:    "Take it from a package that has one for each system, or do the work in JavaScript or WebAssembly.",
		},
		find: eachShipped(func(p *plugin, file string, report reporter) {
			if slices.Contains(endings, strings.ToLower(path.Ext(file))) || machineCode(p.head(file)) {
				report.at(diag.Position{File: printable(file)}, "take it from a package that has one for each system", "runs on one kind of machine only")
			}
		}),
	}
}

// shippedDeep finds folders that no rule looks into.
func shippedDeep() rule[*plugin] {
	return rule[*plugin]{
		code: "shipped-deep", level: diag.Warning,
		meaning: "folders are nested more than 64 deep, and checks look no deeper",
		page: Page{
			Group: Shipped,
			Why:   "Nothing is known of what lies deeper. Windows copies no path of more than 260 characters unless it is told to.",
			Wrong: "a/a/a/… (65 folders) …/a/note.md",
			Do:    "Put the files into fewer folders, or leave them out of the plugin.",
		},
		find: func(p *plugin, report reporter) {
			if p.files.deep != "" {
				top, _, _ := strings.Cut(p.files.deep, "/")
				report.at(diag.Position{File: printable(top)}, "put what is in it into fewer folders", "has folders more than %d deep, and what lies deeper is not looked at", maxDepth)
			}
		},
	}
}

// binNotRunnable finds files of bin/ that the client offers and no shell starts.
func binNotRunnable() rule[*plugin] {
	return rule[*plugin]{
		code: "bin-not-runnable", level: diag.Warning,
		meaning: "a file of bin/ has no executable bit, or does not begin with #!",
		page: Page{
			Group: Shipped,
			Why:   "The client puts bin/ on the path of its shell without looking at it. Permission is denied when the model uses it.",
			Wrong: "-rw-r--r--  bin/clock",
			Do:    "Set the bit, git update-index --chmod=+x bin/clock, and begin the file with a line such as `#!/usr/bin/env node`.",
		},
		find: eachShipped(func(p *plugin, file string, report reporter) {
			if path.Dir(file) != "bin" || slices.Contains([]string{".md", ".txt", ".json", ".cmd", ".ps1", ".bat", ".exe"}, path.Ext(file)) || strings.HasPrefix(path.Base(file), ".") {
				return
			}
			info, _ := p.stat(file)
			switch {
			case info == nil || !info.Mode().IsRegular():
			case info.Mode().Perm()&0o111 == 0:
				report.at(diag.Position{File: printable(file)}, "set the executable bit and commit it", "is not executable")
			case !startable(p.head(file)):
				report.at(diag.Position{File: printable(file), Line: 1}, "begin it with #!/usr/bin/env node, or another interpreter, and LF", "names no interpreter")
			}
		}),
	}
}

// startable reports whether a system knows how to start a file by its head: a
// line of #! that ends in LF, or a program in machine code.
func startable(head string) bool {
	line, _, _ := strings.Cut(head, "\n")
	if strings.HasPrefix(line, "#!") {
		return !strings.HasSuffix(line, "\r")
	}
	return strings.HasPrefix(head, "MZ") || machineCode(head)
}

// machineCode reports whether a file is a program by its head, whatever it is
// called: ELF, Mach-O for one processor or for several, or a program of Windows.
func machineCode(head string) bool {
	switch {
	case strings.HasPrefix(head, "\x7fELF"), strings.HasPrefix(head, "\xcf\xfa\xed\xfe"):
		return true
	case strings.HasPrefix(head, "\xca\xfe\xba\xbe"): // a class of Java has its version, 45 or more, where this has a number of processors
		return len(head) >= 8 && binary.BigEndian.Uint32([]byte(head[4:8])) < 45
	case strings.HasPrefix(head, "MZ") && len(head) >= 0x40:
		at := int64(binary.LittleEndian.Uint32([]byte(head[0x3c:0x40])))
		return at+4 <= int64(len(head)) && head[at:at+4] == "PE\x00\x00"
	}
	return false
}

// versionTagged finds a version that is tagged and has other files since.
func versionTagged() rule[*plugin] {
	return rule[*plugin]{
		code: "version-tagged", level: diag.Warning,
		meaning: "the version is tagged already, and the plugin has changed since",
		page: Page{
			Group: Versions,
			Why:   "For the client the same version means the same plugin: whoever has it gets none of the changes, and `plugin update` reports that all is up to date.",
			Wrong: "git tag         clock--v1.0.0\nplugin.json     {\"version\": \"1.0.0\"}",
			Do:    "Raise the version in package.json and run `omcbuild sync` before you publish.",
		},
		find: func(p *plugin, report reporter) {
			if p.Git != nil && p.Git.TaggedChanges && p.manifest.String("version") != "" {
				report.at(p.manifest.Position("version"), "raise the version before you publish", "%s is tagged, and files have changed since", clip(p.manifest.String("version")))
			}
		},
	}
}
