package bundler

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// asset is a file or folder that a module reads from beside itself at run time.
type asset struct {
	source    string // absolute
	target    string // where it goes, relative to Root, slash separated
	self      bool   // it is the entry: the bundle stands for it
	installed bool   // it stays inside its package, which may lie outside the project
	script    bool   // a program of its own, started from here: bundled, not copied
	from      diag.Position
}

// neighbours finds the files that a module names relative to itself. They move
// with the bundle (to OUTFILE.assets), and the names in the module's text are
// changed to match; what cannot be followed is reported with its line.
func (b *build) neighbours(file string, f *jsscan.File) *neighbourhood {
	n := b.look(file, f, nil)
	for range maxReturns {
		functions := agreed(f, n.returned)
		if maps.Equal(functions, n.r.returns) {
			break
		}
		n = b.look(file, f, functions)
	}
	for _, fn := range n.returned {
		if _, known := n.r.returns[f.Source(fn.name)]; !known && !inPackage(file) {
			n.unfollowed(fn.p)
		}
	}
	n.wasm()
	n.transports()
	return n
}

// maxReturns is how deep functions that return folders may build on each other, and
// maxFunctions how many of them a module may have.
const (
	maxReturns   = 4
	maxFunctions = 50
)

// look goes once through a module, of which some functions are known to return a
// place.
func (b *build) look(file string, f *jsscan.File, functions map[string]string) *neighbourhood {
	r := newReader(f, file)
	r.returns = functions
	r.find = func(spec string) (string, bool) { return b.packageFile(filepath.Dir(file), spec) }
	n := &neighbourhood{b: b, r: r, file: file}
	for i := 0; i < len(f.Tokens); i++ {
		r.take(i)
		p, ok := r.at(i)
		if !ok {
			continue
		}
		n.see(p)
		i = p.last
	}
	return n
}

// neighbourhood is what one module reads from beside itself.
type neighbourhood struct {
	b     *build
	r     *reader
	file  string
	edits []edit
	reads []asset
	found diag.List

	returned []returned
	missing  []string // absolute
}

// see decides about one place: a file to take along, a variable to remember, or
// something that cannot be followed.
func (n *neighbourhood) see(p place) {
	f := n.r.f
	if !inPackage(n.file) && replaced(f, p) {
		n.report(p, "asset-unfollowed", "a path is made of the module's own by changing its text, which cannot be followed into a bundle")
		return
	}
	if len(p.literals) == 0 && !p.open || n.holdsModule(p.rel) && !p.open {
		first := beginning(f, p.first)
		name := assigned(f, first)
		if name >= 0 {
			n.remember(name, p)
			if n.holdsModule(p.rel) && exported(f, name) && !inPackage(n.file) {
				n.unfollowed(p)
			}
		} else if fn, ok := result(f, first); ok && len(n.returned) < maxFunctions {
			fn.p = p
			n.returned = append(n.returned, fn)
		} else if n.holdsModule(p.rel) && (len(p.literals) > 0 || !n.harmless(p)) {
			n.unfollowed(p)
		}
		return
	}
	if p.whole && scriptAt(filepath.Join(filepath.Dir(n.file), filepath.FromSlash(p.rel))) == "" && !n.exists(p.rel) {
		return // esbuild reports it
	}
	if !p.open && n.imported(p) {
		return
	}
	rel, rest := p.rel, ""
	if p.open && p.glued {
		cut := strings.LastIndexByte(rel, '/') + 1
		rel, rest = rel[:cut], rel[cut:]
	}
	if p.open && (len(p.literals) == 0 || n.holdsModule(rel)) {
		n.report(p, "asset-unfollowed", "a file beside the module is read by a computed name, which cannot be followed into a bundle")
		return
	}
	n.follow(p, filepath.Join(filepath.Dir(n.file), filepath.FromSlash(rel)), rest)
}

// unfollowed reports that the module's folder goes where it cannot be followed.
func (n *neighbourhood) unfollowed(p place) {
	n.report(p, "asset-unfollowed", "the module's own folder is used in a way that cannot be followed into a bundle")
}

// remember notes that a variable holds a place. A place in a package moves with what
// is read from there.
func (n *neighbourhood) remember(name int, p place) {
	rel := path.Clean(p.rel)
	if strings.HasSuffix(p.rel, "/") {
		rel += "/"
	}
	n.r.folders[n.r.f.Source(name)] = rel
	n.r.links[n.r.f.Source(name)] = p.link
	n.r.limit(name)
	if !p.installed {
		return
	}
	p.whole = true
	if e, ok := n.rewrite(p, n.b.assetTarget(filepath.Join(filepath.Dir(n.file), filepath.FromSlash(rel))), ""); ok {
		n.edits = append(n.edits, e)
	}
}

// imported turns require(path.join(__dirname, "x.json")) and its like, import()
// included, into an import by relative name, which esbuild bundles.
func (n *neighbourhood) imported(p place) bool {
	f, last := n.r.f, p.last
	if p.url && f.Is(last+1, ".") && f.Is(last+2, "href") {
		last += 2
	}
	call := f.Source(p.first - 2)
	if call != "require" && call != "import" || !f.Is(p.first-1, "(") || !f.Is(last+1, ")") {
		return false
	}
	if !importableAt(filepath.Join(filepath.Dir(n.file), filepath.FromSlash(p.rel))) {
		return false
	}
	n.edits = append(n.edits, edit{f.Tokens[p.first].Start, f.Tokens[last].End, quote("./" + path.Clean(p.rel))})
	return true
}

// holdsModule reports whether a place is a folder that the module lies in.
func (n *neighbourhood) holdsModule(rel string) bool {
	return strings.HasPrefix(n.file, filepath.Join(filepath.Dir(n.file), filepath.FromSlash(rel))+string(filepath.Separator))
}

func (n *neighbourhood) exists(rel string) bool {
	return exists(filepath.Dir(n.file), filepath.FromSlash(rel))
}

// assigned returns the token of the variable that gets the value of the expression
// at token i, declared there or earlier, or -1.
func assigned(f *jsscan.File, i int) int {
	if name := declared(f, i); name >= 0 {
		return name
	}
	if f.Is(i-1, "=") && f.Kind(i-2) == jsscan.Ident && !f.Is(i-3, ".") {
		return i - 2
	}
	return -1
}

// harmless reports whether a place without constant parts is only compared or
// handed to a function that was understood on its own.
func (n *neighbourhood) harmless(p place) bool {
	compared := n.r.f.Is(p.last+1, "=") || n.r.f.Is(p.first-1, "typeof") || n.r.f.Is(p.first-1, "=") && n.r.f.Is(p.first-2, "=")
	return compared || path.Clean(p.rel) == n.r.self || inPackage(n.file)
}

// follow takes the file or folder at target along.
func (n *neighbourhood) follow(p place, target, rest string) {
	info, err := os.Stat(target)
	if err != nil && scriptAt(target) == "" && !slices.Contains(n.b.o.Beside, path.Join(path.Dir(n.b.o.Outfile), p.rel)) {
		if meant := n.b.meant(filepath.Dir(n.file), p.rel); meant != "" {
			n.missing = append(n.missing, target)
			target = meant
			if n.b.assetTarget(meant) == n.b.rel(meant) && n.b.o.Outfile == n.b.family.outfile { // right as it is
				n.reads = append(n.reads, asset{source: meant, target: n.b.rel(meant), from: n.at(p)})
				return
			}
			info, err = os.Stat(target)
		}
	}
	isFolder := err == nil && info.IsDir()
	script := ""
	if !isFolder {
		script = scriptAt(target)
	}
	switch {
	case err != nil && script == "" && !p.open && slices.Contains(n.b.o.Beside, path.Join(path.Dir(n.b.o.Outfile), p.rel)):
		return // another product of the build, which lies beside this one
	case err != nil && script == "":
		n.missing = append(n.missing, target)
		if n.misspelled(p, target) {
			return
		}
		n.report(p, "asset-missing", quote(p.rel)+" is read beside the module and does not exist; from the bundle it is another place")
		return
	case !inPackage(target) && n.misspelled(p, target):
		return
	case !n.mayTake(p, target, script):
		n.report(p, "asset-outside", quote(p.rel)+" is read beside the module and lies outside the project")
		return
	case p.open && !isFolder:
		n.report(p, "asset-unfollowed", quote(p.rel)+" is read beside the module in a way that cannot be followed into a bundle")
		return
	}
	a := asset{source: target, target: n.b.assetTarget(target), installed: inOwnPackage(target), from: n.at(p)}
	if script != "" {
		a = n.program(p, script)
	}
	e, ok := n.rewrite(p, a.target, rest)
	if !ok {
		n.report(p, "asset-unfollowed", quote(p.rel)+" is read beside the module in a way that cannot be changed")
		return
	}
	n.edits = append(n.edits, e)
	n.reads = append(n.reads, a)
}

// misspelled reports a path that differs from a file's in letter case.
func (n *neighbourhood) misspelled(p place, target string) bool {
	actual := n.b.spelled(target)
	if actual == "" || actual == n.b.rel(target) || inPackage(n.file) {
		return false
	}
	n.found.Add(letterCase(n.at(p), p.rel, actual))
	return true
}

// readers are functions that take a script as data and do not run it.
const readers = " readFile readFileSync createReadStream sendFile existsSync access accessSync stat statSync copyFile copyFileSync "

// program decides what a script beside the module is: the entry itself, data, or a
// program (a worker, a child process) that needs a bundle of its own.
func (n *neighbourhood) program(p place, script string) asset {
	a := asset{source: script, target: n.b.assetTarget(script), installed: inOwnPackage(script), from: n.at(p)}
	caller := ""
	for i := p.first - 1; i >= 0 && i > p.first-6; i-- {
		if caller = n.r.f.Source(i); n.r.f.Kind(i) == jsscan.Ident && caller != "URL" && caller != "new" && caller != "await" {
			break
		}
	}
	switch {
	case strings.Contains(readers, " "+caller+" "):
	case script == n.b.family.entry:
		a.target, a.self = n.b.family.outfile, true
	default:
		a.target = strings.TrimSuffix(a.target, filepath.Ext(script)) + ".cjs"
		a.script = a.target != n.b.rel(script) // what lies beside the bundle already stays as it is
	}
	return a
}

// report notes something about a place; in a package it is only a note, because
// its user cannot mend it.
func (n *neighbourhood) report(p place, code, message string) {
	level := diag.Warning
	if inPackage(n.file) || code == "asset-unfollowed" && len(n.b.o.Assets) > 0 {
		level = diag.Note // nobody can mend it, or somebody did, as the hint says
	}
	n.found.Add(diag.Diagnostic{Code: code, Level: level, Message: message,
		Position: n.at(p),
		Hint:     "name the file by a constant path, import it, or list it under the bundle's assets"})
}

func (n *neighbourhood) at(p place) diag.Position {
	return n.b.at(n.file, n.r.f.Text, n.r.f.Tokens[p.first].Start)
}

// contains reports whether a path lies in the project, its symbolic links
// followed.
func (b *build) contains(file string) bool {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(b.o.Root, real)
	return err == nil && filepath.IsLocal(rel)
}
