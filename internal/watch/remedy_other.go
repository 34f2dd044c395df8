//go:build !unix

package watch

import "errors"

// remedy says what to do about the reason for polling.
func remedy(reason error) string {
	if errors.Is(reason, errDeaf) {
		return "network drives are like that; work on a local disk, or give --poll to choose the interval"
	}
	return "give --poll to choose the interval"
}
