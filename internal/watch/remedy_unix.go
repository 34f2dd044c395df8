//go:build unix

package watch

import (
	"errors"
	"syscall"
)

// explain says what the reason for polling is, and what to do about it. The system calls
// a full list of watched folders a full device.
func explain(reason error) (why, remedy string) {
	switch {
	case errors.Is(reason, syscall.ENOSPC):
		return "the user's limit of watched folders is reached, the disk is not full (" + reason.Error() + ")",
			"raise it, on Linux with sudo sysctl fs.inotify.max_user_watches=524288, or end other programs that watch"
	case errors.Is(reason, syscall.EMFILE), errors.Is(reason, syscall.ENFILE):
		return "the user's limit of programs that watch, or of open files, is reached (" + reason.Error() + ")",
			"raise it, on Linux with sudo sysctl fs.inotify.max_user_instances=1024, elsewhere with ulimit -n, or end other programs that watch"
	case errors.Is(reason, errDeaf):
		return reason.Error(), "network drives and folders shared with a virtual machine are like that; work on a local disk, or give --poll to choose the interval"
	}
	return reason.Error(), "give --poll to choose the interval"
}
