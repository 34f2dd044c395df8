package bundler

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"omcbuild/internal/diag"
)

// stampFormat changes whenever what a stamp records does.
const stampFormat = 3

// Stamp recognises a project that would be bundled to the same bytes again. It
// records the contents of every file that had a say in the bundle and of what
// came out, by SHA-256; times play no part. It survives encoding as JSON, and
// moving the project. The tool's version stands for the code of this package: a
// caller that is being developed should put a hash of itself into it.
type Stamp struct {
	Format      int               `json:"format"`
	ToolVersion string            `json:"toolVersion"`
	Options     string            `json:"options"`           // digest of the options and of our header
	Files       map[string]string `json:"files"`             // path → digest, "" for a file whose absence had a say
	Folders     map[string]string `json:"folders,omitempty"` // folder of sources → digest of the names in it that an import could mean
	Links       map[string]string `json:"links,omitempty"`   // symbolic link on the way to a file → where it leads, from its folder
	Trees       map[string]string `json:"trees,omitempty"`   // folder copied as a whole → digest of all paths below
	Globs       map[string]string `json:"globs,omitempty"`   // asset pattern → digest of the paths it matched
	Outputs     map[string]string `json:"outputs"`           // path → mode and digest
	Inputs      int               `json:"inputs"`            // how many files were bundled
	Externals   []string          `json:"externals,omitempty"`
	Found       []stamped         `json:"found,omitempty"`
}

// stamped is a diagnostic with its level, which JSON of a diagnostic leaves out.
type stamped struct {
	Rank  int             `json:"level"`
	Shown diag.Diagnostic `json:"diagnostic"`
}

// Diagnostics returns what the build had to say, so that a build that is skipped
// can say it again.
func (s *Stamp) Diagnostics() (list diag.List) {
	for _, f := range s.Found {
		f.Shown.Level = diag.Level(f.Rank)
		list.Add(f.Shown)
	}
	return list
}

// UpToDate reports whether building the options again below root would give the
// outputs that are on disk; if not, reason says in a few words what changed.
func (s *Stamp) UpToDate(root string, o Options) (fresh bool, reason string) {
	return s.holds(root, o, append(s.outputChecks(), s.inputChecks(nil)...))
}

// Same is UpToDate for a bundle that was not put on disk: it reports whether building
// the options again would give the same, or differ only in files that are tolerated.
// That is asked of files that changed, relative to root, from several goroutines; nil
// tolerates none.
func (s *Stamp) Same(root string, o Options, tolerated func(file string) bool) (same bool, reason string) {
	return s.holds(root, o, s.inputChecks(tolerated))
}

// holds reports whether options and tool are the same and the checks hold.
func (s *Stamp) holds(root string, o Options, checks []check) (bool, string) {
	o.Root = root
	o, err := o.check()
	switch {
	case err != nil:
		return false, "the options changed"
	case s.Format != stampFormat || s.ToolVersion != o.ToolVersion:
		return false, "the tool changed"
	case s.Options != o.digest():
		return false, "the options changed"
	}
	for _, pattern := range sortedKeys(s.Globs) {
		if matches, _ := matchAssets(o.Root, pattern); digestNames(matches) != s.Globs[pattern] {
			return false, "the files that " + pattern + " matches changed"
		}
	}
	return runChecks(o.Root, checks)
}

// Behind reports whether the outputs below root are still those of this build
// while its sources have changed since; reason says in a few words what changed.
// Outputs that somebody else built are not judged, and neither are lock files beside
// which nothing is installed that is in the bundle.
func (s *Stamp) Behind(root string) (behind bool, reason string) {
	if s.Format != stampFormat {
		return false, ""
	}
	if same, _ := runChecks(root, s.outputChecks()); !same {
		return false, ""
	}
	fresh, reason := runChecks(root, slices.DeleteFunc(s.inputChecks(nil), func(c check) bool { return s.idle(c.path) }))
	return !fresh, reason
}

// idle reports whether a path is that of a lock file, and no file of the bundle comes
// from the packages beside it.
func (s *Stamp) idle(name string) bool {
	for _, lock := range lockFiles {
		if name != lock && !strings.HasSuffix(name, "/"+lock) {
			continue
		}
		installed := strings.TrimSuffix(name, lock) + "node_modules/"
		for file, digest := range s.Files {
			if digest != "" && strings.HasPrefix(file, installed) && !slices.Contains(lockFiles, strings.TrimPrefix(file, strings.TrimSuffix(installed, "node_modules/"))) {
				return false
			}
		}
		return true
	}
	return false
}

// inputsFresh reports whether the sources below root are as they were, those aside
// that the caller looks at.
func (s *Stamp) inputsFresh(root string, aside map[string]*loaded) (bool, string) {
	for pattern, digest := range s.Globs {
		if matches, _ := matchAssets(root, pattern); digestNames(matches) != digest {
			return false, "the files that " + pattern + " matches changed"
		}
	}
	return runChecks(root, slices.DeleteFunc(s.inputChecks(nil), func(c check) bool { return aside[c.path] != nil }))
}

func (s *Stamp) outputChecks() (checks []check) {
	for path, want := range s.Outputs {
		checks = append(checks, check{path, want, digestOutput, " is not what was built"})
	}
	return checks
}

func (s *Stamp) inputChecks(tolerated func(file string) bool) (checks []check) {
	for path, want := range s.Files {
		digest := func(full string, buffer []byte) string {
			now := digestFile(full, buffer)
			if now != want && now != "" && want != "" && tolerated != nil && tolerated(path) {
				return want
			}
			return now
		}
		checks = append(checks, check{path, want, digest, " changed"})
	}
	for path, want := range s.Folders {
		checks = append(checks, check{path, want, func(p string, _ []byte) string { return digestFolder(p, s.isOutput) }, ": files were added or removed"})
	}
	for path, want := range s.Links {
		checks = append(checks, check{path, want, func(p string, _ []byte) string { return digestLink(p) }, " leads elsewhere"})
	}
	for path, want := range s.Trees {
		checks = append(checks, check{path, want, func(p string, _ []byte) string { return digestTree(p) }, ": files were added or removed"})
	}
	return checks
}

// isOutput reports whether a file in a folder of sources is a product of a build.
func (s *Stamp) isOutput(name string) bool {
	for path := range s.Outputs {
		if filepath.Base(path) == name {
			return true
		}
	}
	return false
}

// check is one thing that must be as it was. The buffer is one to read with.
type check struct {
	path   string
	want   string
	digest func(path string, buffer []byte) string
	reason string
}

// runChecks makes all checks, several at a time, and returns the reason of the
// first that fails.
func runChecks(root string, checks []check) (bool, string) {
	slices.SortFunc(checks, func(a, b check) int { return strings.Compare(a.path, b.path) })
	failed := int64(len(checks))
	var lowest atomic.Int64
	lowest.Store(failed)
	parallel(len(checks), func(i int, buffer []byte) {
		if int64(i) > lowest.Load() || checks[i].digest(filepath.Join(root, filepath.FromSlash(checks[i].path)), buffer) == checks[i].want {
			return
		}
		for old := lowest.Load(); int64(i) < old && !lowest.CompareAndSwap(old, int64(i)); old = lowest.Load() {
		}
	})
	if i := lowest.Load(); i < failed {
		return false, checks[i].path + checks[i].reason
	}
	return true, ""
}

// parallel calls work for 0 to n-1 on as many goroutines as help. Each of them has a
// buffer of its own to read with.
func parallel(n int, work func(i int, buffer []byte)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, max(2, runtime.GOMAXPROCS(0))) {
		group.Go(func() {
			buffer := make([]byte, bufferSize)
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i, buffer)
			}
		})
	}
	group.Wait()
}

// digest identifies the options and the JavaScript of ours that goes into a bundle.
// Where the project lies and what is only searched for in the output is left out.
func (o Options) digest() string {
	o.Root, o.HostPaths, o.ToolVersion = "", nil, ""
	text, _ := json.Marshal(o)
	return digestBytes([]byte(string(text) + metaSource + nodePathSource))
}

func digestBytes(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func digestNames(names []string) string { return digestBytes([]byte(strings.Join(names, "\n"))) }

// bufferSize is how much of a file is read at once, in bytes. A buffer that is used
// again costs less than fresh memory for each file.
const bufferSize = 64 << 10

// digestFile is "" for what is no readable file. A pipe is none: reading it may
// take forever.
func digestFile(path string, buffer []byte) string {
	file, size, err := openRegular(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.CopyBuffer(hash, io.LimitReader(file, size), buffer); err != nil {
		return ""
	}
	return hex.EncodeToString(hash.Sum(nil))
}

func digestOutput(path string, buffer []byte) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return recordedMode(info.Mode()) + " " + digestFile(path, buffer)
}

// recordedMode is what counts of a mode: whether the owner may execute, as in git.
// The rest is a matter of the umask. Windows has no such bit.
func recordedMode(mode fs.FileMode) string {
	if runtime.GOOS != "windows" && mode&0o100 != 0 {
		return "x"
	}
	return "-"
}

// importable are the endings that an import without one may mean.
const importable = " .tsx .ts .jsx .js .css .json .mts .mjs .cts .cjs "

// Importable reports whether a file of that name, come or gone, could change what an
// import finds.
func Importable(name string) bool {
	ext := filepath.Ext(name)
	return name == "node_modules" || ext != "" && strings.Contains(importable, " "+ext+" ")
}

// digestFolder covers the names in a folder that could change what an import finds.
func digestFolder(path string, isOutput func(name string) bool) string {
	entries, _ := os.ReadDir(path)
	var names []string
	for _, e := range entries {
		if e.Name() == "node_modules" || Importable(e.Name()) && !isOutput(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return digestNames(names)
}

// digestTree covers the paths of all files below a folder.
func digestTree(dir string) string { return digestNames(filesBelow(dir)) }
