//go:build !unix

package watch

import "errors"

// explain says what the reason for polling is, and what to do about it.
func explain(reason error) (why, remedy string) {
	if errors.Is(reason, errDeaf) {
		return reason.Error(), "network drives are like that; work on a local disk, or give --poll to choose the interval"
	}
	return reason.Error(), "give --poll to choose the interval"
}
