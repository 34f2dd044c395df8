package products

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"time"
)

// leftAfter is the age at which a staged file has no writer any more: between
// staging and renaming lie milliseconds, and other builds take turns.
const leftAfter = time.Minute

// sweep removes staged files of builds that were killed before they renamed
// them. What cannot be looked at or removed stays for the next time.
func sweep(root string, files []File) {
	targets := map[string][]string{}
	for _, file := range files {
		folder, name := path.Split(file.Path)
		targets[folder] = append(targets[folder], name)
	}
	for folder, names := range targets {
		dir := filepath.Join(root, filepath.FromSlash(folder))
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if info, err := entry.Info(); err == nil && entry.Type().IsRegular() && stagedFor(entry.Name(), names) && time.Since(info.ModTime()) > leftAfter {
				_ = os.Remove(filepath.Join(dir, entry.Name()))
			}
		}
	}
}

// stagedFor reports whether a file has the name under which renameio stages one
// of the targets: a dot, the target's name, a random number.
func stagedFor(name string, targets []string) bool {
	for _, target := range targets {
		if staged, _ := regexp.MatchString(`^\.`+regexp.QuoteMeta(target)+`\d{6,20}$`, name); staged {
			return true
		}
	}
	return false
}
