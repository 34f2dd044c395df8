package bundler

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// OneShot prepares a program that builds and then exits; a long-lived one must not call
// it. The garbage collector stays off from then on, unless the caller sets a memory
// limit, and goroutines begin with stacks as large as parsers need.
func OneShot() {
	largeStacks()
	debug.SetGCPercent(-1)
}

const (
	deepGoroutines = 12
	deepCalls      = 56 // of about a kilobyte each
)

// largeStacks makes the runtime start goroutines with 64 kB of stack. esbuild parses
// each file in a goroutine of its own, whose stack would be copied five times until it
// is as large as that: a twentieth of a build. The runtime takes the average of what it
// sees at a collection for the size of new stacks, and without a collector it would
// never look.
func largeStacks() {
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
