//go:build unix

package main

import (
	"os"
	"syscall"
)

// private reports whether a path is a folder that this user alone can open. Anybody
// can make a folder among the temporary files whose name can be foreseen.
func private(folder string) bool {
	info, err := os.Lstat(folder)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	its, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(its.Uid) == os.Getuid()
}
