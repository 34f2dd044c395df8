package lint

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxFiles is how many files of a plugin are looked at.
const maxFiles = 20_000

// maxDepth is how many folders deep a plugin is looked at: the way to a file is gone
// folder by folder, so that links lead nowhere else.
const maxDepth = 64

// tree is what an installation of the plugin would copy.
type tree struct {
	files   []string          // regular files and links, slash separated, sorted
	links   map[string]string // path of each symbolic link → its target
	modules bool              // there is a node_modules folder at the root
	counted int               // files in it, as far as they were counted
	bytes   int64             // and their size
	deep    string            // the first folder that was not looked into because of its depth, or ""
}

// walk lists the plugin's files: those that git tracks, or in a folder without
// git all that are there.
func (p *plugin) walk() tree {
	t := tree{links: map[string]string{}}
	_ = fs.WalkDir(p.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read is not shipped either
		case entry.IsDir() && (entry.Name() == ".git" || path.Base(name) == "node_modules" && p.Git == nil && name != "node_modules"):
			return fs.SkipDir
		case entry.IsDir() && name == "node_modules":
			t.modules = true
			p.measure(&t)
			return fs.SkipDir
		case entry.IsDir() && p.Git.ignores(name):
			return fs.SkipDir
		case entry.IsDir() && tooDeep(name):
			if t.deep == "" && (p.Git == nil || slices.ContainsFunc(p.Git.Tracked, func(file string) bool { return strings.HasPrefix(file, name+"/") })) {
				t.deep = name
			}
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case len(t.files) >= maxFiles:
			return fs.SkipAll
		}
		if p.Git == nil || p.Git.tracks(name) {
			t.files = append(t.files, name)
			if entry.Type()&fs.ModeSymlink != 0 {
				t.links[name], _ = p.root.Readlink(filepath.FromSlash(name))
			}
		}
		return nil
	})
	slices.Sort(t.files)
	return t
}

// tooDeep reports whether a folder lies deeper than is looked at.
func tooDeep(name string) bool { return strings.Count(name, "/") >= maxDepth }

// measure adds up the size of node_modules, as far as the bound goes.
func (p *plugin) measure(t *tree) {
	_ = fs.WalkDir(p.root.FS(), "node_modules", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // an estimate goes on without it
		case entry.IsDir() && tooDeep(name):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		if t.counted++; t.counted > maxFiles {
			return fs.SkipAll
		}
		if info, err := entry.Info(); err == nil {
			t.bytes += info.Size()
		}
		return nil
	})
}

// otherCase returns the path of the plugin that equals file but for letter case,
// when file itself is not there in this spelling.
func (p *plugin) otherCase(file string) (string, bool) {
	if _, planned := p.Planned[file]; planned {
		return "", false
	}
	if p.files.links == nil {
		return p.spelled(file)
	}
	if slices.Contains(p.files.files, file) {
		return "", false
	}
	i := slices.IndexFunc(p.files.files, func(candidate string) bool { return strings.EqualFold(candidate, file) })
	if i < 0 {
		return "", false
	}
	return p.files.files[i], true
}

// spelled looks for a path of other letter case folder by folder.
func (p *plugin) spelled(file string) (string, bool) {
	folder := "."
	for part := range strings.SplitSeq(file, "/") {
		names, err := readDir(p, folder)
		if err != nil {
			return "", false
		}
		i := slices.Index(names, part)
		if i < 0 {
			i = slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, part) })
		}
		if i < 0 {
			return "", false
		}
		folder = path.Join(folder, names[i])
	}
	return folder, folder != file
}

// plannedInfo describes a file that is about to be written.
type plannedInfo struct {
	name string
	Planned
}

func (i plannedInfo) Name() string       { return i.name }
func (i plannedInfo) Size() int64        { return int64(len(i.Contents)) }
func (i plannedInfo) Mode() fs.FileMode  { return i.Planned.Mode.Perm() }
func (i plannedInfo) ModTime() time.Time { return time.Time{} }
func (i plannedInfo) IsDir() bool        { return false }
func (i plannedInfo) Sys() any           { return nil }
