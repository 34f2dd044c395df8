package inspect

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// layout collects the options that say which files a build reads and makes.
type layout struct {
	plan    *plan
	build   *build
	folder  string
	entries []entry
	pattern string // entryNames
	outfile value
	outdir  value
	outbase value
	ext     value
	format  value
}

// entry is a source that a build begins with. Name is what the build calls its
// product, without an extension; "" for the name of the source.
type entry struct {
	file, name string
	at         diag.Position
}

// take keeps an option when it is about files.
func (l *layout) take(o option) bool {
	switch o.name {
	case "entryPoints":
		l.entryPoints(o.value)
	case "outfile":
		l.outfile = o.value
	case "outdir":
		l.outdir = o.value
	case "outbase":
		l.outbase = o.value
	case "outExtension":
		l.ext = o.value.returned()
	case "entryNames":
		if o.value.kind != text || strings.Contains(o.value.text, "[hash]") {
			l.plan.repo.leave(l.build.tool+": entryNames", o.value.at, orWhy(o.value, "names with a hash change with every build"))
		}
		l.pattern = o.value.text
	case "format":
		l.format = o.value
	default:
		return false
	}
	return true
}

// entryPoints reads the three forms of entries: names, pairs of in and out,
// and an object from product to source.
func (l *layout) entryPoints(v value) {
	items := v.items()
	if len(items) > maxOutputs {
		l.plan.repo.leave(l.build.tool+": entry", v.at, "there are more entries than are looked at")
		return
	}
	for _, item := range items {
		switch item.kind {
		case text:
			l.source(item, "")
		case object:
			if in := item.get("in"); in.kind != absent {
				l.source(in, item.get("out").text)
				continue
			}
			for _, m := range item.members {
				l.source(m.value, m.key)
			}
		default:
			l.plan.repo.leave(l.build.tool+": entry", item.at, orWhy(item, "it is no path"))
		}
	}
}

func (l *layout) source(v value, name string) {
	what := l.build.tool + ": entry"
	if v.kind != text {
		l.plan.repo.leave(what, v.at, orWhy(v, "it is no path"))
		return
	}
	exclude := strings.HasPrefix(v.text, "!")
	file, ok := inside(l.folder, strings.TrimPrefix(v.text, "!"))
	switch {
	case !ok:
		l.plan.repo.leave(what+" "+v.text, v.at, "the path leads out of the repository")
	case strings.ContainsAny(file, "*{["):
		found := l.plan.repo.glob(".", file)
		if exclude {
			l.entries = slices.DeleteFunc(l.entries, func(e entry) bool { return slices.Contains(found, e.file) })
			return
		}
		if len(found) == 0 {
			l.plan.repo.leave(what+" "+v.text, v.at, "it matches no file, or too many")
		}
		for _, f := range found {
			l.entries = append(l.entries, entry{f, "", v.at})
		}
	case exclude:
		l.entries = slices.DeleteFunc(l.entries, func(e entry) bool { return e.file == file })
	default:
		file = l.plan.existing(file)
		if o, ok := l.plan.compiledFrom(file); ok { // a bundler after a compiler
			file = o.entry
		}
		l.entries = append(l.entries, entry{file, name, v.at})
	}
}

// existing adds the extension to a source that is named without.
func (p *plan) existing(file string) string {
	if p.repo.isFile(file) {
		return file
	}
	for _, ext := range sourceExtensions {
		if p.repo.isFile(file + ext) {
			return file + ext
		}
	}
	return file
}

// files pairs each entry with its product.
func (l *layout) files() []output {
	var out []output
	if len(l.entries) == 0 && l.build.tool != "bun build" && l.build.tool != "esbuild" {
		if file := l.plan.existing(path.Join(l.folder, "src/index")); l.plan.repo.isFile(file) {
			l.entries = []entry{{file, "", l.build.from}}
		}
	}
	for _, e := range l.entries {
		if !l.plan.repo.isFile(e.file) {
			l.plan.repo.leave(l.build.tool+": entry "+e.file, e.at, "the file does not exist, or lies outside the repository")
			continue
		}
		file, at := l.product(e)
		if file != "" {
			out = append(out, output{entry: e.file, entryAt: e.at, file: file, fileAt: at})
		}
	}
	return out
}

// product is the path of what becomes of an entry, and "" when that cannot be
// told, which is noted.
func (l *layout) product(e entry) (string, diag.Position) {
	v, name := l.outfile, ""
	if v.kind == absent || v.kind == unknown && v.why == "" {
		v, name = l.outdir, l.name(e)+l.extension()
	}
	if v.kind == absent || v.kind == unknown && v.why == "" {
		l.plan.repo.leave(l.build.tool+": "+e.file, e.at, "no file is named for what is built of it")
		return "", e.at
	}
	if v.kind != text {
		l.plan.repo.leave(l.build.tool+": output of "+e.file, v.at, orWhy(v, "it is no path"))
		return "", v.at
	}
	file, ok := inside(l.folder, v.text)
	if ok && name != "" {
		file, ok = inside(file, name)
	}
	if !ok {
		l.plan.repo.leave(l.build.tool+": output "+v.text, v.at, "the path leads out of the repository")
		return "", v.at
	}
	return file, v.at
}

// name is the product's name below the output folder.
func (l *layout) name(e entry) string {
	if e.name != "" {
		return stem(e.name)
	}
	base := l.base()
	rel := strings.TrimPrefix(stem(e.file), base+"/")
	if base == "." {
		rel = stem(e.file)
	}
	if l.pattern == "" {
		return rel
	}
	return path.Clean(strings.NewReplacer("[dir]", path.Dir(rel), "[name]", path.Base(rel)).Replace(l.pattern))
}

// base is the folder that all entries have in common.
func (l *layout) base() string {
	if l.outbase.kind == text {
		if base, ok := inside(l.folder, l.outbase.text); ok {
			return base
		}
	}
	base := path.Dir(l.entries[0].file)
	for _, e := range l.entries[1:] {
		for base != "." && !strings.HasPrefix(e.file, base+"/") {
			base = path.Dir(base)
		}
	}
	return base
}

// extension is that of the products. It only matters as a name: servers are
// matched without it.
func (l *layout) extension() string {
	if ext := l.ext.get("js"); ext.kind == text {
		return ext.text
	}
	if ext := l.ext.get(".js"); ext.kind == text {
		return ext.text
	}
	format := ""
	if items := l.format.items(); len(items) > 0 {
		format = items[0].text
	}
	module := l.build.pkg != nil && l.build.pkg.kind == "module"
	switch {
	case l.build.tool == "tsdown" && format == "cjs", l.build.tool == "tsup" && module && format != "esm":
		return ".cjs"
	case l.build.tool == "tsdown", l.build.tool == "tsup" && !module && format == "esm":
		return ".mjs"
	}
	return ".js"
}
