//go:build darwin || freebsd || netbsd

package watch

import (
	"os"
	"syscall"
	"time"
)

// changedAt is when a file or its name, mode or place last changed, which
// nobody can set.
func changedAt(info os.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(int64(stat.Ctimespec.Sec), int64(stat.Ctimespec.Nsec))
	}
	return info.ModTime()
}
