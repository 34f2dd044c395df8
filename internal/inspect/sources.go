package inspect

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// origin is what a file that a server starts is made of.
type origin struct {
	entry   string
	at      diag.Position // what says so
	build   *build        // the bundler's, nil for a compiler or none
	product output
	via     string // a launcher between the server and the file
}

// originOf finds the source of a file that is started.
func (p *plan) originOf(target string, at diag.Position) (origin, string) {
	if p.contested[stem(target)] {
		return origin{}, "it starts " + target + ", which is built of different sources under different conditions; name its entry by hand"
	}
	if o, ok := p.built(target); ok {
		return o, ""
	}
	switch path.Ext(target) {
	case ".ts", ".mts", ".cts", ".tsx":
		if p.repo.isFile(target) {
			return origin{entry: target, at: at}, ""
		}
	}
	if o, ok := p.compiledFrom(target); ok {
		return o, ""
	}
	if p.repo.isFile(target) {
		if o, ok := p.bundled(target); ok {
			return o, ""
		}
		if o, ok := p.launched(target); ok {
			return o, ""
		}
		if !slices.Contains(sourceExtensions, path.Ext(target)) {
			return origin{}, "it starts " + target + ", in which no built file is named"
		}
		if !productFolder(target) {
			return origin{entry: target, at: at}, ""
		}
	}
	if entry := p.guess(target); entry != "" {
		return origin{entry: entry, at: at}, ""
	}
	switch {
	case p.repo.isFile(target) && p.repo.isFile(stem(target)+lockSuffix):
		return origin{}, "it starts " + target + ", a bundle that does not say what it was made of; name its entry by hand, or put back what started the server before"
	case p.repo.isFile(target):
		return origin{}, "it starts " + target + ", whose source was not found"
	case p.repo.exists(target):
		return origin{}, "it starts " + target + ", which is no file inside the repository"
	}
	return origin{}, "it starts " + target + ", which does not exist, and no build was found that makes it"
}

// built looks for a file among what the bundlers make, whatever its extension.
func (p *plan) built(target string) (origin, bool) {
	for _, b := range p.builds {
		for _, o := range b.outputs {
			if stem(o.file) == stem(target) {
				return origin{entry: o.entry, at: o.entryAt, build: b, product: o}, true
			}
		}
	}
	return origin{}, false
}

// compiledFrom looks for a file among what a compiler makes.
func (p *plan) compiledFrom(target string) (origin, bool) {
	for _, m := range p.compiled {
		rest, ok := strings.CutPrefix(stem(target), m.to+"/")
		if m.to == "." || !ok {
			continue
		}
		for _, ext := range sourceExtensions {
			if file := path.Join(m.from, rest) + ext; p.repo.isFile(file) && file != target {
				return origin{entry: file, at: m.at}, true
			}
		}
	}
	return origin{}, false
}

// productFolders usually hold what is built.
var productFolders = []string{"dist", "build", "out", "lib", "bundle", "bridge"}

func productFolder(file string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(part string) bool {
		return slices.Contains(productFolders[:3], part) || part == "bundle" || part == "bridge"
	})
}

// guess looks where sources usually are: src/x.ts for dist/x.js.
func (p *plan) guess(target string) string {
	parts := strings.Split(stem(target), "/")
	for i, part := range parts {
		if !slices.Contains(productFolders, part) || i == len(parts)-1 {
			continue
		}
		for _, folder := range []string{"src", ""} {
			base := path.Join(path.Join(parts[:i]...), folder, path.Join(parts[i+1:]...))
			for _, ext := range sourceExtensions {
				if file := base + ext; file != target && p.repo.isFile(file) {
					return file
				}
			}
		}
	}
	return ""
}

// launched looks for a built file that a launcher names: a script that starts
// or imports it.
func (p *plan) launched(launcher string) (origin, bool) {
	data, err := p.repo.read(launcher)
	if err != nil {
		return origin{}, false
	}
	o, ok := p.mentioned(path.Dir(launcher), string(data))
	o.via = launcher
	return o, ok
}

// mentioned finds a built file in the text of a launcher: by its whole path, or
// relative to the launcher.
func (p *plan) mentioned(folder, text string) (origin, bool) {
	for _, b := range p.builds {
		for _, o := range b.outputs {
			rel := o.file
			if inner, ok := strings.CutPrefix(o.file, folder+"/"); ok && folder != "." {
				rel = inner
			}
			for _, ext := range []string{"", ".js", ".cjs", ".mjs"} {
				name := o.file
				if ext != "" {
					name = stem(o.file) + ext
				}
				short := strings.TrimPrefix(name, strings.TrimSuffix(o.file, rel))
				if namesFile(text, name) || strings.Contains(short, "/") && namesFile(text, short) || namesFile(text, "./"+short) {
					return origin{entry: o.entry, at: o.entryAt, build: b, product: o}, true
				}
			}
		}
	}
	return p.mentionedCompiled(text)
}

// mentionedCompiled looks for what a compiler makes among the words of a text.
func (p *plan) mentionedCompiled(text string) (origin, bool) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r\"'`()=,;", r) })
	for _, w := range words[:min(len(words), 5000)] {
		if ext := path.Ext(w); ext != ".js" && ext != ".mjs" && ext != ".cjs" {
			continue
		}
		for _, m := range p.compiled {
			if at := strings.Index(w, m.to+"/"); at >= 0 {
				if o, ok := p.compiledFrom(w[at:]); ok {
					return o, true
				}
			}
		}
	}
	return origin{}, false
}

// namesFile reports whether a text holds a path that is not the end of a longer
// name.
func namesFile(text, file string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], file)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(file)
		before := i == 0 || strings.ContainsRune("/\\\"'`( \t\n=", rune(text[i-1]))
		after := end == len(text) || strings.ContainsRune("\\\"'`) \t\r\n;,?", rune(text[end]))
		if before && after {
			return true
		}
		from = i + 1
	}
}

// Bounds on how many files are looked through for code that only Bun runs: for
// one source, and altogether.
const (
	maxGraph   = 300
	maxScanned = 2000
)

// onlyBun returns the first place among a source and what it imports by
// relative path that only Bun can run, and what it is; "" for none.
func (p *plan) onlyBun(entry string) (diag.Position, string) {
	queue, seen := []string{entry}, map[string]bool{entry: true}
	for n := 0; n < len(queue) && n < maxGraph && p.scanned < maxScanned; n++ {
		file := queue[n]
		p.scanned++
		data, err := p.repo.read(file)
		if err != nil {
			continue
		}
		scanned, ok := jsscan.Scan(strings.TrimPrefix(string(data), "\ufeff"))
		if !ok {
			continue
		}
		if token, what := bunCode(scanned); what != "" {
			line, _ := jsscan.Position(scanned.Text, scanned.Tokens[token].Start)
			return diag.Position{File: file, Line: line}, what
		}
		for i := range scanned.Tokens {
			module, ok := scanned.Literal(i)
			if !ok || !strings.HasPrefix(module, ".") || !importing(scanned, i) {
				continue
			}
			if next, ok := inside(path.Dir(file), module); ok {
				if next = p.imported(next); next != "" && !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			}
		}
	}
	return diag.Position{}, ""
}

func importing(f *jsscan.File, i int) bool {
	return f.Is(i-1, "from") || f.Is(i-1, "import") || f.Is(i-1, "(") && (f.Is(i-2, "import") || f.Is(i-2, "require"))
}

// imported finds the file of a relative import: as written, as TypeScript for
// the .js that is written, or an index.
func (p *plan) imported(file string) string {
	for _, base := range []string{file, stem(file), path.Join(file, "index")} {
		if found := p.existing(base); p.repo.isFile(found) && slices.Contains(sourceExtensions, path.Ext(found)) {
			return found
		}
	}
	return ""
}

// bunCode finds code that only Bun runs. A file that asks whether Bun is there
// is taken to work without.
func bunCode(f *jsscan.File) (int, string) {
	for i := range f.Tokens {
		if f.Is(i, "typeof") && f.Is(i+1, "Bun") || f.Is(i, "globalThis") && f.Is(i+2, "Bun") {
			return 0, ""
		}
	}
	for i := range f.Tokens {
		if module, ok := f.Literal(i); ok && importing(f, i) && (module == "bun" || strings.HasPrefix(module, "bun:")) {
			return i, module
		}
		if f.Is(i, "Bun") && f.Is(i+1, ".") && !f.Is(i-1, ".") {
			return i, "Bun." + f.Source(i+2)
		}
	}
	return 0, ""
}
