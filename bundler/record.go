package bundler

import (
	"encoding/hex"
	"maps"
	"path"
	"path/filepath"

	"omcbuild/internal/diag"
)

// lockFiles are the files in which package managers record what they installed.
var lockFiles = []string{
	"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb",
	"node_modules/.package-lock.json", "node_modules/.yarn-integrity", "node_modules/.modules.yaml",
}

// stampInputs records what the bundle was made from. It needs nothing but what was
// loaded, so it can go on while esbuild's report is read.
func (b *build) stampInputs() *Stamp {
	s := &Stamp{Format: stampFormat, ToolVersion: b.o.ToolVersion, Options: b.o.digest(),
		Files: map[string]string{}, Folders: map[string]string{}, Links: map[string]string{}, Trees: map[string]string{}, Globs: map[string]string{}, Outputs: map[string]string{}}
	for file, l := range b.sources.files {
		s.Files[b.rel(file)] = hex.EncodeToString(l.hash[:])
		for _, absent := range l.missing {
			s.Files[b.rel(absent)] = ""
		}
	}
	b.consulted(s)
	s.fill(b.o.Root)
	return s
}

// finish adds what came of it.
func (s *Stamp) finish(b *build, r *Result, c *collection) {
	s.Inputs, s.Externals = len(r.Inputs), r.Externals
	b.links(s)
	s.Replace(r.Outputs)
	s.say(r.Diagnostics)
	for _, source := range c.sources {
		s.Files[b.rel(source)] = "?"
	}
	for _, tree := range c.trees {
		s.Trees[b.rel(tree)] = digestTree(tree)
	}
	for _, pattern := range b.o.Assets {
		matches, _ := matchAssets(b.o.Root, pattern)
		s.Globs[pattern] = digestNames(matches)
	}
	s.fill(b.o.Root)
	for folder := range s.Folders {
		s.Folders[folder] = digestFolder(filepath.Join(b.o.Root, filepath.FromSlash(folder)), s.isOutput)
	}
}

// Replace records what is written in the place of what was built, under the same paths.
// A copy of the stamp stays as it is.
func (s *Stamp) Replace(outputs []Output) {
	s.Outputs = maps.Clone(s.Outputs)
	for _, out := range outputs {
		s.Outputs[out.Path] = recordedMode(out.Mode) + " " + digestBytes(out.Contents)
	}
}

// say records what the build had to say.
func (s *Stamp) say(list diag.List) {
	s.Found = nil
	for _, d := range list {
		s.Found = append(s.Found, stamped{Rank: int(d.Level), Shown: d})
	}
}

// fill computes the digests that are still open.
func (s *Stamp) fill(root string) {
	var open []string
	for name, digest := range s.Files {
		if digest == "?" {
			open = append(open, name)
		}
	}
	digests := make([]string, len(open))
	parallel(len(open), func(i int, buffer []byte) {
		digests[i] = digestFile(filepath.Join(root, filepath.FromSlash(open[i])), buffer)
	})
	for i, name := range open {
		s.Files[name] = digests[i]
	}
}

// consulted adds the files that steer how imports are resolved and sources are
// compiled: package.json and tsconfig.json up to the root, those of packages, what
// a tsconfig extends, and lock files.
func (b *build) consulted(s *Stamp) {
	done := map[string]bool{}
	add := func(name string) {
		if _, known := s.Files[name]; !known {
			s.Files[name] = "?"
		}
	}
	up := func(dir, end string, names ...string) {
		for ; ; dir = path.Dir(dir) {
			key := dir + "|" + names[0]
			if done[key] {
				return
			}
			done[key] = true
			for _, name := range names {
				add(path.Join(dir, name))
			}
			if dir == end || dir == "." || dir == "/" || path.Base(dir) == ".." {
				return
			}
		}
	}
	for file := range b.sources.files {
		name := b.rel(file)
		if _, dir := packageOf(name); dir != "" {
			up(path.Dir(name), dir, "package.json")
			continue
		}
		s.Folders[path.Dir(name)] = ""
		up(path.Dir(name), ".", "package.json", "tsconfig.json", "jsconfig.json")
	}
	for _, name := range b.configsAbove() {
		add(name)
	}
	for dir, p := range b.packages.byDir {
		if p != nil {
			add(path.Join(b.rel(dir), "package.json"))
		}
	}
	up(path.Dir(b.o.Entry), ".", lockFiles...)
	for name := range maps.Clone(s.Files) {
		if base := path.Base(name); base == "tsconfig.json" || base == "jsconfig.json" {
			b.extends(filepath.Join(b.o.Root, filepath.FromSlash(name)), add, 0)
		}
	}
}
