//go:build !unix

package bundler

// withoutWaiting is nothing where folders hold no named pipes.
const withoutWaiting = 0

func release(string) bool { return false }
