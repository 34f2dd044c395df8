package bundler

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// leftover is an import that stays in the bundle.
type leftover struct{ file, path, spec, kind string }

// leftovers lists the imports of kept files that are neither bundled nor of Node's
// own modules.
func (g *graph) leftovers() (list []leftover) {
	for _, name := range g.names {
		if strings.HasPrefix(name, externalNamespace+":") || name != virtualEntry && g.kept[name] == 0 {
			continue
		}
		for _, e := range g.Inputs[name].Imports {
			spec := strings.TrimPrefix(strings.TrimPrefix(e.Path, externalNamespace+":"), externalToken)
			// An import that TypeScript drops because only types, or nothing, of it is
			// used is listed here as well, but is not in the output.
			stays := e.External && g.left[e.Path] || !e.External && spec != e.Path && g.kept[e.Path] > 0
			if stays && !isBuiltin(spec) && e.Path != "<runtime>" {
				list = append(list, leftover{name, e.Path, spec, e.Kind})
			}
		}
	}
	return list
}

// checkExternals reports every import that was left in the bundle: an error when
// nothing says that it may stay, a warning when the bundle cannot start without
// it, a note otherwise. It returns the packages too.
func (b *build) checkExternals(g *graph) (list diag.List, packages []string) {
	left := g.leftovers()
	if len(left) == 0 {
		return nil, nil
	}
	targets := map[string]bool{}
	for _, e := range left {
		targets[e.path] = true
	}
	names := map[string]bool{}
	seen := map[diag.Position]bool{}
	r := b.newReach(g, targets)
	for _, e := range left {
		if name := packageName(e.spec); !strings.HasPrefix(name, ".") && !isPath(name) && !isBun(name) {
			names[name] = true
		}
		for _, u := range r.sites(e.file, e.spec) {
			u.kind = e.kind
			u.static = e.kind == "import-statement"
			u.atLoad = r.start[e.file] && (u.atLoad || u.static)
			u.guarded = u.guarded && !u.static
			if f := r.scan(e.file); isBun(e.spec) && f != nil && asksForBun(f) {
				u.guarded = true
			}
			at := r.position(u)
			if at.Line == 0 || !seen[at] {
				list.Add(b.judge(u, at))
			}
			seen[at] = true
		}
	}
	return list, sortedKeys(names)
}

// judge says what one import that was left means.
func (b *build) judge(u use, at diag.Position) diag.Diagnostic {
	name := packageName(u.spec)
	why, allowed := b.externals.reason(name)
	d := diag.Diagnostic{Position: at}
	switch {
	case isBun(u.spec):
		d.Code, d.Hint, d.Message = "bun-import", bunHint, fmt.Sprintf(bunOnly, u.spec)
		if u.guarded {
			d.Level, d.Hint = diag.Note, ""
			d.Message += "; the code handles its absence"
		}
	case strings.HasSuffix(u.spec, ".node") && !allowed:
		d.Code, d.Level = "native-addon", diag.Warning
		switch {
		case u.guarded:
			d.Level = diag.Note
		case u.atLoad:
			d.Level = diag.Error
		}
		d.Message = u.spec + " is compiled for this machine and is not bundled"
		d.Hint = "list the package under external, or make sure that it works without its addon"
	case !allowed && u.kind == "require-resolve":
		d.Code, d.Level = "unbundled-resolve", diag.Warning
		if u.guarded || strings.Contains(u.file, "node_modules/") {
			d.Level = diag.Note
		}
		d.Message = "the place of " + u.spec + " is asked for, and it is not in the bundle"
		d.Hint = "list " + name + " under external, or import it"
	case !allowed && u.guarded:
		d.Code, d.Level = "optional-import", diag.Note
		d.Message = u.spec + " is not installed and stays outside; the code handles its absence"
	case !allowed && strings.Contains(u.file, "node_modules/") && u.kind != "import-statement":
		d.Code, d.Level = "missing-later", diag.Warning
		d.Message = name + " is not installed and is looked for when it is first used; that use fails"
		if u.atLoad {
			d.Code, d.Level = "unresolved-import", diag.Error
			d.Message = "cannot find " + quote(u.spec)
		}
		d.Hint = b.missing(u.file, name)
	case !allowed:
		d.Code, d.Level = "unbundled-import", diag.Error
		d.Message = u.spec + " is still imported by the bundle, and nothing says that it may be"
		d.Hint = "install it so that it is bundled, or list " + name + " under external"
		if hint := foreignName(u.spec); hint != "" {
			d.Hint = hint
		}
	case u.atLoad && !u.guarded:
		d.Code, d.Level = "external-at-load", diag.Warning
		d.Hint = "import it inside the function that needs it and handle its absence, or use a built-in module such as node:sqlite"
		if why != "" {
			d.Code = "native-at-load"
			why = " and cannot be bundled (" + why + ")"
			if !b.o.declares(name) {
				d.Level = diag.Error
				d.Hint += "; where all users have it, list it under external"
			}
		}
		d.Message = name + " is loaded at the start" + why + ": where it is not installed, the program does not start"
	case why != "" && !b.o.declares(name):
		d.Code, d.Level = "native-later", diag.Warning
		if u.guarded {
			d.Level = diag.Note
		}
		d.Message = name + " cannot be bundled (" + why + ") and is looked for when it is first used; where it is not installed, that use fails"
		d.Hint = "handle its absence, and list it under external to say that it may be missing"
	default:
		d.Code, d.Level = "external-import", diag.Note
		if why != "" {
			why = " (" + why + ")"
		}
		d.Message = name + " stays outside the bundle" + why + " and is looked for when it is first used"
	}
	return d
}

// checkDuplicates reports packages of which two copies were bundled.
func (b *build) checkDuplicates(g *graph) (list diag.List) {
	dirs := map[string][]string{}
	majors := map[string]bool{}
	for _, name := range g.names {
		if g.kept[name] == 0 || !isFile(name) {
			continue
		}
		pkg, dir := b.packageOfInput(name)
		if pkg != "" && !slices.Contains(dirs[pkg], dir) {
			dirs[pkg] = append(dirs[pkg], dir)
		}
		if pkg == "zod" {
			first, _, _ := strings.Cut(strings.TrimPrefix(name, dir+"/"), "/")
			majors[first] = true
		}
	}
	for _, pkg := range sortedKeys(dirs) {
		if len(dirs[pkg]) > 1 {
			list.Add(b.duplicate(pkg, dirs[pkg]))
		}
	}
	if len(dirs["zod"]) == 1 && majors["v3"] && majors["v4"] {
		list.Add(diag.Diagnostic{Code: "zod-majors", Level: diag.Note, Message: "both generations of zod, v3 and v4, are in the bundle",
			Hint: "a schema made with one is unknown to the other; make sure that the SDK and the tools use the same"})
	}
	return list
}

// duplicate names all copies of a package with their versions.
func (b *build) duplicate(pkg string, dirs []string) diag.Diagnostic {
	var copies []string
	majors := map[string]bool{}
	for _, dir := range dirs {
		text := dir
		b.packages.mu.Lock()
		p := b.packages.read(filepath.Join(b.o.Root, filepath.FromSlash(dir)))
		b.packages.mu.Unlock()
		if p != nil && p.version != "" {
			text += " (" + p.version + ")"
			major, _, _ := strings.Cut(p.version, ".")
			majors[major] = true
		}
		copies = append(copies, text)
	}
	level := diag.Note // most copies are an installer's business and do no harm
	linked := slices.ContainsFunc(dirs, func(dir string) bool { return !strings.Contains("/"+dir, "/node_modules/") })
	if pkg == "zod" || strings.HasPrefix(pkg, "@modelcontextprotocol/") || linked {
		level = diag.Warning
	}
	d := diag.Diagnostic{Code: "duplicate-package", Level: level,
		Message: fmt.Sprintf("%s is bundled %d times: %s", pkg, len(dirs), strings.Join(copies, " and ")),
		Hint:    "install one version for all (npm dedupe, or overrides in package.json)"}
	if pkg == "zod" && len(majors) > 1 {
		d.Hint = "schemas of one zod are unknown to the other, so tools may list without parameters; " + d.Hint
	}
	return d
}

// packageOfInput names the package an input belongs to. A folder linked into
// node_modules counts by the name in its package.json; the project's own files
// belong to none.
func (b *build) packageOfInput(name string) (pkg, dir string) {
	if pkg, dir = packageOf(name); pkg != "" {
		return pkg, dir
	}
	for dir = path.Dir(name); ; dir = path.Dir(dir) {
		if b.own[dir] || dir == "." || dir == ".." || dir == "/" || strings.HasSuffix(dir, "/..") {
			return "", ""
		}
		name, known := b.linked[dir]
		if !known {
			if m := readManifest(filepath.Join(b.o.Root, filepath.FromSlash(dir))); m != nil {
				name = m.Name
			}
			b.linked[dir] = name
		}
		if name != "" {
			return name, dir
		}
	}
}

// checkAddons reports compiled addons of the project's own that were copied.
func checkAddons(g *graph) (list diag.List) {
	copied := map[string]bool{}
	for _, output := range g.Outputs {
		for name := range output.Inputs {
			copied[name] = true
		}
	}
	for _, name := range g.names {
		if strings.HasSuffix(name, ".node") && copied[name] {
			list.Add(diag.Diagnostic{Code: "native-addon", Level: diag.Warning, Position: diag.Position{File: name},
				Message: "the addon is copied beside the bundle and works on the platform it was compiled for alone",
				Hint:    "publish it as a package with one build a platform and list that under external, or do without"})
		}
	}
	return list
}

// checkHostPaths searches the bundle for folders of this machine.
func (b *build) checkHostPaths(text []byte, g *graph) (list diag.List) {
	seen := map[int]bool{}
	for _, host := range b.hostPaths() {
		for _, form := range spellings(host) {
			i := findPath(text, form)
			if i < 0 {
				continue
			}
			line := bytes.Count(text[:i], []byte("\n")) + 1
			if seen[line] {
				continue
			}
			seen[line] = true
			list.Add(diag.Diagnostic{Code: "host-path", Message: "the bundle contains " + quote(form) + ", a folder of this machine (line " + fmt.Sprint(line) + " of the bundle)",
				Position: b.origin(form, g), Hint: "remove the path from the source, or replace the package that was built with it"})
		}
	}
	return list
}

// hostPaths are the folders that must not show, longest first.
func (b *build) hostPaths() []string {
	paths := []string{b.o.Root}
	for _, p := range append([]string{b.unresolvedRoot}, b.o.HostPaths...) {
		if p = filepath.Clean(p); filepath.IsAbs(p) && p != filepath.Dir(p) && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return len(b) - len(a) })
	return paths
}

// spellings are the ways in which JavaScript may write a path.
func spellings(p string) []string {
	list := []string{p}
	for _, form := range []string{strings.ReplaceAll(p, `\`, `\\`), filepath.ToSlash(p), (&url.URL{Path: filepath.ToSlash(p)}).EscapedPath()} {
		if !slices.Contains(list, form) {
			list = append(list, form)
		}
	}
	return list
}

// findPath returns where a folder's path stands in a text as a whole path or the
// start of one, or -1. A path of a single part, such as /root, counts only when
// more follows.
func findPath(text []byte, p string) int {
	short := strings.Count(p, "/")+strings.Count(p, `\`) < 2
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(p))
		if i < 0 {
			return -1
		}
		i += from
		from = i + len(p)
		before, after := byte('"'), byte('"')
		if i > 0 {
			before = text[i-1]
		}
		if from < len(text) {
			after = text[from]
		}
		whole := !isPathByte(after) && !short || after == '/' || after == '\\'
		if whole && !isPathByte(before) {
			return i
		}
	}
}

func isPathByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c >= 0x80
}

// origin finds the input that a text came from.
func (b *build) origin(text string, g *graph) diag.Position {
	for _, name := range g.names {
		p := filepath.Join(b.o.Root, filepath.FromSlash(name))
		if file := b.sources.get(p); file != nil && g.kept[name] > 0 {
			if i := findPath([]byte(file.text), text); i >= 0 {
				return b.at(p, file.text, i)
			}
		}
	}
	return diag.Position{File: b.o.Outfile}
}
