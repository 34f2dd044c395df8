package process

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// endings are the usual ones; PATHEXT, which could add to them, is not read.
func endings(name string) []string {
	all := []string{".com", ".exe", ".bat", ".cmd"}
	if slices.Contains(all, strings.ToLower(filepath.Ext(name))) {
		return []string{""}
	}
	return all
}

func mayRun(fs.FileInfo) bool { return true }
