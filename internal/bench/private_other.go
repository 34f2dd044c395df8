//go:build !unix

package main

import "os"

// private reports whether a path is a folder; the temporary folder is each user's own
// on Windows.
func private(folder string) bool {
	info, err := os.Lstat(folder)
	return err == nil && info.IsDir()
}
