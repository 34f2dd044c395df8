package doctor

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"omcbuild/internal/process"
)

const (
	// classicTypeScript is the advice for TypeScript: npm gives version 7 of
	// the compiler otherwise, which typescript-language-server cannot use.
	classicTypeScript = "npm install -g typescript-language-server typescript@5"

	matcher = "@ast-grep/napi"
	// wholeMatcher is the last release of the matcher with all languages.
	wholeMatcher = "0.33.0"
	// maxManifest is how much of a package.json is read.
	maxManifest = 1 << 20
)

// advised is what to tell npm to install for a module.
func advised(module string) string {
	if module == matcher {
		return matcher + "@" + wholeMatcher
	}
	return module
}

// judgeModule looks at a module that is there. A later matcher is usable, with
// fewer languages unless packages bring the others; the detail says so.
func judgeModule(module, dir string) Finding {
	f := Finding{Name: module, Status: OK, Detail: dir}
	if module != matcher {
		return f
	}
	version := packageVersion(dir)
	if !later(version, 0, 33) {
		return f
	}
	added, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "lang-*"))
	f.Detail = version + " (" + dir + "), which has five languages and " + strconv.Itoa(len(added)) +
		" from packages @ast-grep/lang-*; " + wholeMatcher + " has all 17"
	return f
}

// checkTypeScript looks for a TypeScript that typescript-language-server can
// use: beside itself, or that of the tsc on PATH. Without any it still serves
// projects that bring theirs. Nothing is said of a program that is not in a
// node_modules folder, such as a wrapper.
func checkTypeScript(p Patient, path string) (status Status, note string) {
	version, packaged := typeScriptNear(path)
	if tsc, err := process.LookPath("tsc", p.Path); err == nil && !usable(version) {
		if other, _ := typeScriptNear(tsc); usable(other) || version == "" {
			version = other
		}
	}
	switch {
	case usable(version) || version == "" && !packaged:
		return OK, ""
	case version == "":
		return OK, "for projects that have TypeScript installed only"
	}
	return Broken, "which cannot use the installed TypeScript " + version
}

// usable reports whether the TypeScript of that version has a tsserver.
func usable(version string) bool { return version != "" && !later(version, 6, math.MaxInt) }

// typeScriptNear returns the version of the first TypeScript that a program
// finds in the node_modules folders above it, and whether it is in one.
func typeScriptNear(path string) (version string, packaged bool) {
	place, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	for dir := filepath.Dir(place); dir != filepath.Dir(dir) && version == ""; dir = filepath.Dir(dir) {
		packaged = packaged || filepath.Base(dir) == "node_modules"
		version = packageVersion(filepath.Join(dir, "node_modules", "typescript"))
	}
	return version, packaged
}

// packageVersion reads the version of the package in dir, empty when unknown.
func packageVersion(dir string) string {
	path := filepath.Join(dir, "package.json")
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "" // to open a pipe may take forever
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	var manifest struct {
		Version string `json:"version"`
	}
	if err := json.NewDecoder(io.LimitReader(file, maxManifest)).Decode(&manifest); err != nil {
		return ""
	}
	return manifest.Version
}

// later reports whether the version is beyond all releases of major.minor.
func later(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, errA := strconv.Atoi(parts[0])
	b, errB := strconv.Atoi(parts[1])
	return errA == nil && errB == nil && (a > major || a == major && b > minor)
}
