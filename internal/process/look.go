package process

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// LookPath finds a program by name in the folders of path, which has the form of
// the PATH variable, and returns its absolute path. A name with a separator is
// not searched for. Folders that are empty or relative are passed over, since
// what they mean depends on where one stands. The error wraps fs.ErrNotExist.
func LookPath(name, path string) (string, error) {
	if name != filepath.Base(name) {
		if file, ok := runnable(name); ok && filepath.IsAbs(name) {
			return file, nil
		}
		return "", fmt.Errorf("program %s: %w", name, fs.ErrNotExist)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if file, ok := runnable(filepath.Join(dir, name)); ok {
			return file, nil
		}
	}
	return "", fmt.Errorf("program %s is not in PATH: %w", name, fs.ErrNotExist)
}

// runnable returns the file that name stands for, and whether the system would
// run it.
func runnable(name string) (string, bool) {
	for _, ending := range endings(name) {
		if info, err := os.Stat(name + ending); err == nil && info.Mode().IsRegular() && mayRun(info) {
			return name + ending, true
		}
	}
	return "", false
}
