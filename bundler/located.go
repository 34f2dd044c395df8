package bundler

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
)

// packageFile finds the file that a module in a folder means by "package/file", or the
// folder of "package/folder/", as a path relative to that folder; false for what is
// not there, or stays outside.
func (b *build) packageFile(dir, spec string) (rel string, ok bool) {
	name := packageName(spec)
	if isBuiltin(spec) || name == spec || strings.ContainsAny(spec, ":#\\") {
		return "", false
	}
	p := b.packages.find(dir, name)
	if p == nil || p.native != "" || b.o.declares(name) {
		return "", false
	}
	file := filepath.Join(p.dir, filepath.FromSlash(strings.TrimPrefix(spec, name)))
	if info, err := os.Stat(file); err != nil || info.IsDir() != strings.HasSuffix(spec, "/") {
		return "", false
	}
	rel, err := filepath.Rel(dir, file)
	return filepath.ToSlash(rel), err == nil
}

// meant returns the file that a module means by a path that leads nowhere from where
// the module is now: sources are often written for the place of the bundle, and
// package.json, which holds the version, lies higher up in any case. It returns ""
// when there is none.
func (b *build) meant(dir, rel string) string {
	if inPackage(dir + string(filepath.Separator)) {
		return ""
	}
	outdir := filepath.Join(b.o.Root, filepath.FromSlash(path.Dir(b.family.outfile)))
	if file := filepath.Join(outdir, filepath.FromSlash(rel)); b.contains(file) {
		return file
	}
	if path.Base(rel) != "package.json" {
		return ""
	}
	for ; b.contains(dir); dir = filepath.Dir(dir) {
		if file := filepath.Join(dir, "package.json"); b.contains(file) {
			return file
		}
	}
	return ""
}

// resolveManifest finds the package.json that a relative import means.
func (b *build) resolveManifest(args api.OnResolveArgs) (result api.OnResolveResult, err error) {
	defer b.contain(&err)
	relative := strings.HasPrefix(args.Path, "./") || strings.HasPrefix(args.Path, "../")
	if !relative || args.Namespace != "file" || exists(args.ResolveDir, filepath.FromSlash(args.Path)) {
		return api.OnResolveResult{}, nil
	}
	return api.OnResolveResult{Path: b.meant(args.ResolveDir, path.Clean(args.Path))}, nil
}

// assetTarget is where a file lies after the build: in the folder OUTFILE.assets of
// the family's first bundle, by its path in the project, so that no two files meet.
// What lies beside that bundle already stays there.
func (b *build) assetTarget(source string) string {
	rel := b.rel(source)
	dir := path.Dir(b.family.outfile)
	if dir != "." && strings.HasPrefix(rel, dir+"/") {
		return rel
	}
	base := strings.TrimSuffix(path.Base(b.family.outfile), path.Ext(b.family.outfile))
	rel = strings.NewReplacer("node_modules/.", "packages/", "node_modules/", "packages/", "../", "").Replace(rel)
	return path.Join(dir, base+".assets", rel)
}

// mayTake reports whether a file or folder may be taken along: it lies in the project,
// or in the package of the module, or in one that the module names. Packages of a
// workspace are often installed in a folder above the plugin.
func (n *neighbourhood) mayTake(p place, target, script string) bool {
	if script != "" {
		target = script
	}
	if n.b.contains(target) {
		return true
	}
	_, own := packageOf(filepath.ToSlash(n.file))
	_, dir := packageOf(filepath.ToSlash(target))
	return (p.installed || own == dir) && inOwnPackage(target)
}

// inOwnPackage reports whether a path leads into an installed package, and no symbolic
// link in it leads out again.
func inOwnPackage(file string) bool {
	_, dir := packageOf(filepath.ToSlash(file))
	if dir == "" {
		return false
	}
	realDir, notThere := filepath.EvalSymlinks(filepath.FromSlash(dir))
	real, err := filepath.EvalSymlinks(file)
	if notThere != nil || err != nil {
		return false
	}
	rel, err := filepath.Rel(realDir, real)
	return err == nil && filepath.IsLocal(rel)
}

// importableAt reports whether an import of a path without or with an ending would
// find a file there.
func importableAt(target string) bool {
	for _, ending := range strings.Fields(importable + " /index.ts /index.js /package.json") {
		if info, err := os.Stat(target + filepath.FromSlash(ending)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	info, err := os.Stat(target)
	return scriptAt(target) != "" || err == nil && info.Mode().IsRegular()
}

// scriptAt returns the script at a path; TypeScript may stand where the path, as
// it is written for after the compilation, says JavaScript.
func scriptAt(target string) string {
	ext := filepath.Ext(target)
	stem := strings.TrimSuffix(target, ext)
	for _, candidate := range map[string][]string{
		".js": {".js", ".ts", ".tsx"}, ".mjs": {".mjs", ".mts"}, ".cjs": {".cjs", ".cts"}, ".ts": {".ts"}, ".mts": {".mts"}, ".cts": {".cts"},
	}[ext] {
		if info, err := os.Stat(stem + candidate); err == nil && info.Mode().IsRegular() {
			return stem + candidate
		}
	}
	return ""
}

// spelled returns the path, relative to the root, of the file or folder that has a
// path when letter case is left aside; "" when there is none. Endings are tried too.
func (b *build) spelled(target string, endings ...string) string {
	rel, err := filepath.Rel(b.o.Root, target)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	found := "."
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for i, part := range parts {
		entries, _ := os.ReadDir(filepath.Join(b.o.Root, filepath.FromSlash(found)))
		next := ""
		for _, e := range entries {
			if e.Name() == part {
				next = part
				break
			}
			if next == "" && alike(e.Name(), part, i == len(parts)-1, endings) {
				next = e.Name()
			}
		}
		if next == "" {
			return ""
		}
		found = path.Join(found, next)
	}
	return found
}

// alike reports whether a name is the wanted one but for letter case and, at the end
// of a path, an ending.
func alike(name, wanted string, last bool, endings []string) bool {
	if strings.EqualFold(name, wanted) {
		return true
	}
	for _, ending := range endings {
		if last && strings.EqualFold(name, strings.TrimSuffix(wanted, ".js")+ending) {
			return true
		}
	}
	return false
}

// letterCase is the diagnostic for a name that differs from a file's in letter case.
func letterCase(at diag.Position, written, actual string) diag.Diagnostic {
	return diag.Diagnostic{Code: "letter-case", Position: at,
		Message: quote(written) + " is " + actual + " on disk; where letter case counts, as on Linux, it is not found",
		Hint:    "write the name as the file has it"}
}
