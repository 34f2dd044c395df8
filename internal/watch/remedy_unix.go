//go:build unix

package watch

import (
	"errors"
	"syscall"
)

// remedy says what to do about the reason for polling.
func remedy(reason error) string {
	switch {
	case errors.Is(reason, syscall.ENOSPC), errors.Is(reason, syscall.EMFILE), errors.Is(reason, syscall.ENFILE):
		return "the user's limit is reached: on Linux raise fs.inotify.max_user_watches and fs.inotify.max_user_instances with sysctl, elsewhere the limit of open files"
	case errors.Is(reason, errDeaf):
		return "network drives and folders shared with a virtual machine are like that; work on a local disk, or give --poll to choose the interval"
	}
	return "give --poll to choose the interval"
}
