package inspect

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// plan gathers what the repository says, and makes bundles of it.
type plan struct {
	repo         *repository
	root         *pkg // never nil; without doc when there is no package.json
	packages     []*pkg
	builds       []*build
	buildsBefore int    // how many there were when the package at hand was begun
	steps        []step // what runs before the bundler and is not known
	compiled     []mapping
	used         map[string]bool // entries that became bundles, or of which it was said why not
	members      []plugin        // the other plugins of the repository
	seen         map[string]bool // scripts that were followed: folder and file
	ran          int             // steps that were looked at
	scanned      int             // files looked through for code that only Bun runs
	outputs      int             // of all builds
	declared     []server        // see servers
	renamed      map[string]bool // names that bundles got for want of a server's
	contested    map[string]bool // stems of files that calls under conditions make of different sources
}

// first reports whether a script is met for the first time in a folder.
func (p *plan) first(folder, file string) bool {
	key := folder + "\x00" + file
	known := p.seen[key]
	p.seen[key] = true
	return !known
}

// maxRan bounds the steps of all packages together.
const maxRan = 5000

// maxOutputs bounds the files that all builds make together.
const maxOutputs = 500

// mapping is what a compiler does: sources below one folder become files below
// another.
type mapping struct {
	from, to string // folders
	at       diag.Position
}

func newPlan(repo *repository) *plan {
	p := &plan{repo: repo, used: map[string]bool{}, renamed: map[string]bool{}, contested: map[string]bool{}, seen: map[string]bool{}}
	p.root = p.readPackage(".")
	if p.root == nil {
		p.root = &pkg{folder: ".", file: project.PackageFile, scripts: map[string]setting{}}
	}
	p.packages = []*pkg{p.root}
	for _, folder := range p.workspaces() {
		if of := p.readPackage(folder); of != nil {
			p.packages = append(p.packages, of)
		}
	}
	return p
}

// collect follows the build scripts of all packages.
func (p *plan) collect() {
	for _, of := range p.packages {
		p.tsconfig(path.Join(of.folder, "tsconfig.json"))
	}
	for _, of := range p.packages {
		p.buildsBefore = len(p.builds)
		for _, s := range p.stepsOf(of) {
			p.run(s)
		}
	}
	for _, of := range p.packages {
		p.unnamedConfigs(of)
	}
	p.noteConditions()
	p.catalog()
}

// unnamedConfigs names the configuration files of bundlers that no script led
// to, so that nobody thinks they were read.
func (p *plan) unnamedConfigs(of *pkg) {
	for _, tool := range []string{"rollup", "vite", "webpack", "rspack", "rolldown", "build"} {
		for _, ext := range []string{".ts", ".mts", ".js", ".mjs", ".cjs"} {
			file := path.Join(of.folder, tool+".config"+ext)
			if !p.repo.exists(file) {
				continue
			}
			if tool == "build" {
				tool = "unbuild"
			}
			p.repo.leave(file, diag.Position{File: file}, "the configuration of "+tool+" is not read")
		}
	}
}

// add keeps a build, unless the same files are made already, as by a script
// that watches.
func (p *plan) add(b *build) {
	b.outputs = slices.DeleteFunc(b.outputs, func(o output) bool {
		if p.contested[stem(o.file)] {
			return true
		}
		for _, other := range p.builds {
			if i := slices.IndexFunc(other.outputs, func(x output) bool { return x.file == o.file }); i >= 0 && !p.compare(other, b, other.outputs[i], o) {
				return true
			}
		}
		return false
	})
	if p.outputs += len(b.outputs); p.outputs > maxOutputs {
		p.repo.leave(b.tool, b.from, "there are more outputs than are looked at; name the bundles by hand")
		return
	}
	if len(b.outputs) > 0 {
		p.builds = append(p.builds, b)
	}
}

// packageNamed finds a package by its name or its folder.
func (p *plan) packageNamed(name string, near *pkg) *pkg {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "...")
	for _, of := range p.packages {
		if of.name == name || of.folder == path.Clean(name) || of.folder == path.Join(near.folder, name) {
			return of
		}
	}
	if folder, ok := inside(near.folder, name); ok {
		return p.readPackage(folder)
	}
	return nil
}

// tsconfig notes which sources a compiler turns into which files.
func (p *plan) tsconfig(file string) {
	if slices.ContainsFunc(p.compiled, func(m mapping) bool { return m.at.File == file }) || !p.repo.isFile(file) {
		return
	}
	m := mapping{at: diag.Position{File: file}}
	folder := path.Dir(file)
	var outDir, rootDir value
	for at, hops := file, 0; at != "" && hops < 10; hops++ {
		doc := p.repo.document(at, project.Relaxed)
		if doc == nil {
			break
		}
		all := fromJSON(doc, &doc.Value)
		set := all.get("compilerOptions")
		if v := set.get("outDir"); outDir.kind != text && v.kind == text {
			outDir = v
			m.at = v.at
			m.to, _ = inside(path.Dir(at), strings.TrimPrefix(v.text, "${configDir}/"))
		}
		if v := set.get("rootDir"); rootDir.kind != text && v.kind == text {
			rootDir = v
			m.from, _ = inside(path.Dir(at), strings.TrimPrefix(v.text, "${configDir}/"))
		}
		at = p.parent(at, all.get("extends"))
	}
	if outDir.kind != text || m.to == "" {
		return
	}
	m.at.Column = 0
	if rootDir.kind == text {
		p.compiled = append(p.compiled, m)
		return
	}
	// Without rootDir it is the folder that all sources have in common.
	for _, from := range []string{"src", "lib", "."} {
		if from = path.Join(folder, from); p.repo.isFolder(from) {
			m.from = from
			p.compiled = append(p.compiled, m)
		}
	}
}

// parent is the configuration that a tsconfig extends, when it is a file of
// the repository.
func (p *plan) parent(of string, extends value) string {
	for _, v := range extends.items() {
		if v.kind == text && strings.HasPrefix(v.text, ".") {
			file, ok := inside(path.Dir(of), v.text)
			if path.Ext(file) != ".json" {
				file += ".json"
			}
			if ok && p.repo.isFile(file) {
				return file
			}
		}
	}
	return ""
}
