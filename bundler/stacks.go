package bundler

import (
	"runtime"
	"sync"
)

const (
	deepGoroutines = 12
	deepCalls      = 56 // of about a kilobyte each
)

// LargeStacks makes the runtime start goroutines with 64 kB of stack. esbuild parses
// each file in a goroutine of its own, whose stack would be copied five times until it
// is as large as that: a twentieth of a build. The runtime takes the average of what it
// sees at a collection for the size of new stacks, so a program that turned its collector
// off gains by calling this before it builds; in others the runtime finds out itself.
func LargeStacks() {
	var deep, ended sync.WaitGroup
	seen := make(chan struct{})
	for range deepGoroutines {
		deep.Add(1)
		ended.Go(func() {
			descend(deepCalls, func() {
				deep.Done()
				<-seen
			})
		})
	}
	deep.Wait()
	runtime.GC()
	close(seen)
	ended.Wait()
}

// descend calls bottom below so many calls.
//
//go:noinline
func descend(calls int, bottom func()) byte {
	var frame [1024]byte
	if calls == 0 {
		bottom()
		return frame[0]
	}
	frame[calls] = descend(calls-1, bottom)
	return frame[calls]
}
