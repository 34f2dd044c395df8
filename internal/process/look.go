package process

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// LookPath finds a program by name in the folders of path, which has the form of
// the PATH variable, and returns its absolute path. A name with a separator is
// not searched for. Folders that are empty or relative are passed over, since
// what they mean depends on where one stands. The error wraps fs.ErrNotExist.
func LookPath(name, path string) (string, error) { return lookPath(runtime.GOOS, name, path) }

// lookPath looks as a system does, named as in runtime.GOOS.
func lookPath(system, name, path string) (string, error) {
	if name != filepath.Base(name) {
		if file, ok := runnable(system, name); ok && filepath.IsAbs(name) {
			return file, nil
		}
		return "", fmt.Errorf("program %s: %w", name, fs.ErrNotExist)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if file, ok := runnable(system, filepath.Join(dir, name)); ok {
			return file, nil
		}
	}
	return "", fmt.Errorf("program %s is not in PATH: %w", name, fs.ErrNotExist)
}

// runnable returns the file that name stands for, and whether the system would
// run it. Windows has no bit that says so; there the ending does.
func runnable(system, name string) (string, bool) {
	for _, ending := range endings(system, name) {
		info, err := os.Stat(name + ending) //nolint:gosec // PATH says where to look
		if err == nil && info.Mode().IsRegular() && (system == "windows" || info.Mode()&0o111 != 0) {
			return name + ending, true
		}
	}
	return "", false
}

// endings are what a system adds to the name of a program, in the order in which it
// tries them. On Windows they are the usual ones: PATHEXT, which could add to them, is
// not read. A name without any of them is no program there, though npm has such files
// beside its own, for other shells.
func endings(system, name string) []string {
	if system != "windows" {
		return []string{""}
	}
	all := []string{".com", ".exe", ".bat", ".cmd"}
	if slices.Contains(all, strings.ToLower(filepath.Ext(name))) {
		return []string{""}
	}
	return all
}
