package bundler

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// home is the npm package that a source belongs to, where what it imports is to be
// installed. Folders are relative to the root of the build, slash separated.
type home struct {
	dir       string // with its package.json, or the root when there is none
	workspace string // above dir, whose workspaces it is one of; "" for none
	manifest  manifest
}

// homeOf finds the package of a file. What an installed package asks for belongs to
// the one that installed it.
func (b *build) homeOf(file string) home {
	if at := strings.Index("/"+file, "/node_modules/"); at >= 0 {
		file = file[:at] + "importer"
	}
	h := home{dir: "."}
	for dir := path.Dir(file); filepath.IsLocal(dir); dir = path.Dir(dir) {
		if m := readManifest(b.folder(dir)); m != nil {
			h.dir, h.manifest = dir, *m
			break
		}
		if dir == "." {
			break
		}
	}
	for dir := filepath.Dir(b.folder(h.dir)); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		m := readManifest(dir)
		if m == nil || !m.holds(dir, b.folder(h.dir)) {
			continue
		}
		if rel, err := filepath.Rel(b.o.Root, dir); err == nil {
			h.workspace = filepath.ToSlash(rel)
		}
		break
	}
	return h
}

func (b *build) folder(dir string) string { return filepath.Join(b.o.Root, filepath.FromSlash(dir)) }

// holds reports whether the manifest in dir counts a folder among its workspaces.
func (m *manifest) holds(dir, folder string) bool {
	var patterns []string
	if json.Unmarshal(m.Workspaces, &patterns) != nil {
		var wrapped struct {
			Packages []string `json:"packages"`
		}
		_ = json.Unmarshal(m.Workspaces, &wrapped) // in another form it names none
		patterns = wrapped.Packages
	}
	rel, err := filepath.Rel(dir, folder)
	rel = filepath.ToSlash(rel)
	return err == nil && slices.ContainsFunc(patterns, func(pattern string) bool {
		pattern = path.Clean(pattern)
		if base, deep := strings.CutSuffix(pattern, "/**"); deep {
			return strings.HasPrefix(rel, base+"/")
		}
		matches, _ := path.Match(pattern, rel)
		return matches
	})
}

// asksFor reports whether the package lists another among its dependencies.
func (h home) asksFor(name string) bool {
	for _, list := range []map[string]any{h.manifest.Dependencies, h.manifest.Development, h.manifest.Optional, h.manifest.Peer} {
		if list[name] != nil {
			return true
		}
	}
	return false
}

// install is the command that installs a package there, or with no name all that the
// package asks for. Which program it is depends on whose lockfile there is.
func (b *build) install(h home, name string) string {
	top := h.workspace
	if top == "" {
		top = h.dir
	}
	for _, m := range []struct{ lockfile, program, folder, add string }{
		{"pnpm-lock.yaml", "pnpm", "--dir", "add"}, {"yarn.lock", "yarn", "--cwd", "add"},
		{"bun.lock", "bun", "--cwd", "add"}, {"bun.lockb", "bun", "--cwd", "add"},
	} {
		if !exists(b.folder(top), m.lockfile) || exists(b.folder(top), "package-lock.json") {
			continue
		}
		words := []string{m.program}
		if h.dir != "." {
			words = append(words, m.folder, h.dir)
		}
		if name == "" {
			return strings.Join(append(words, "install"), " ")
		}
		return strings.Join(append(words, m.add, name), " ")
	}
	words := []string{"npm install"}
	if top != "." {
		words = append(words, "--prefix", top)
	}
	if name != "" && h.workspace != "" {
		member, _ := filepath.Rel(b.folder(h.workspace), b.folder(h.dir)) // both are below one root
		words = append(words, "--workspace", filepath.ToSlash(member))
	}
	if name != "" {
		words = append(words, name)
	}
	return strings.Join(words, " ")
}

// missing says what to do about a package that is not installed.
func (b *build) missing(file, name string) (hint string) {
	h := b.homeOf(file)
	if h.asksFor(name) {
		return "install what " + path.Join(h.dir, "package.json") + " asks for (" + b.install(h, "") + ")"
	}
	return "install it (" + b.install(h, name) + "), or list it under external when it may be missing"
}

// together makes one diagnostic of those about packages that one command installs:
// the place is that of the first, and all names are in it.
func together(list diag.List) (out diag.List) {
	first := map[string]int{}      // hint → index in out
	names := map[string][]string{} // hint → what was imported, each once
	imports := map[string]int{}    // hint → how many imports there were
	for _, d := range list {
		spec, absent := strings.CutPrefix(d.Message, "cannot find ")
		if d.Code != "unresolved-import" || !absent || !strings.HasPrefix(d.Hint, "install ") {
			out.Add(d)
			continue
		}
		if imports[d.Hint]++; imports[d.Hint] == 1 {
			first[d.Hint] = len(out)
			out.Add(d)
		}
		if !slices.Contains(names[d.Hint], spec) {
			names[d.Hint] = append(names[d.Hint], spec)
		}
	}
	for hint, at := range first {
		if imports[hint] > 1 {
			out[at].Message = fmt.Sprintf("cannot find %s, in %d imports", spoken(names[hint]), imports[hint])
		}
	}
	return out
}

// spoken joins words for a sentence.
func spoken(words []string) string {
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " and " + words[last]
	}
	return words[0]
}
