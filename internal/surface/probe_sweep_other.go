//go:build !unix

package surface

import "io/fs"

// ours is true of every file where the temporary folder is that of one user.
func ours(fs.FileInfo) bool { return true }
