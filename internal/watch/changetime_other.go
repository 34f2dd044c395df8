//go:build !linux && !darwin && !freebsd && !netbsd

package watch

import (
	"os"
	"time"
)

// changedAt is when a file was last written: this system has no time of other
// changes.
func changedAt(info os.FileInfo) time.Time { return info.ModTime() }
