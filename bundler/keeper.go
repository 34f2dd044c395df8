package bundler

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// keeper keeps what builds of the same options share: esbuild's contexts, which parse
// only files whose contents changed, and the sources of the build before.
type keeper struct {
	contexts map[string]*keptContext // attempt → its context
	before   map[string]*loaded      // sources of the build before
	dropped  sync.WaitGroup          // contexts that were dropped while esbuild used them
}

// keptContext is one of esbuild's contexts, for the build at hand.
type keptContext struct {
	session api.BuildContext
	now     *build        // whose plugin esbuild calls
	ended   chan struct{} // closed when esbuild does nothing any more
	used    bool          // in the build at hand
}

func newKeeper() *keeper { return &keeper{contexts: map[string]*keptContext{}} }

// begin prepares for the next build.
func (k *keeper) begin() {
	for _, c := range k.contexts {
		c.used = false
	}
}

// end keeps the sources of a good build and ends the contexts that it did not need.
func (k *keeper) end(b *build) {
	b.sources.mu.Lock()
	k.before = maps.Clone(b.sources.files)
	b.sources.mu.Unlock()
	for key, c := range k.contexts {
		if !c.used {
			k.drop(key)
		}
	}
}

// close ends all contexts. It waits a while for what esbuild still does for them, but
// not for good: a file that never ends may keep it.
func (k *keeper) close() {
	for key := range k.contexts {
		k.drop(key)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		k.dropped.Wait()
	}()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
	}
}

// drop ends a context, and does not wait for what esbuild still does for it.
func (k *keeper) drop(key string) {
	session := k.contexts[key].session
	delete(k.contexts, key)
	session.Cancel()
	k.dropped.Go(session.Dispose)
}

// context returns the context for an attempt, once what esbuild did for a build that
// was given up has ended.
func (k *keeper) context(ctx context.Context, b *build, a attempt) (*keptContext, *api.ContextError, error) {
	key := fmt.Sprintf("%d %t %t %q", a.format, a.names, a.direct, a.late)
	c := k.contexts[key]
	if c == nil {
		c = &keptContext{now: b}
		o := b.buildOptions(a)
		o.Plugins = []api.Plugin{plugin(func() *build { return c.now }, a)}
		session, failed := api.Context(o)
		if failed != nil {
			return nil, failed, nil
		}
		c.session = session
		k.contexts[key] = c
	}
	if c.ended != nil {
		select {
		case <-c.ended:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
	c.now, c.used, c.ended = b, true, make(chan struct{})
	return c, nil, nil
}

// known returns a source as it was loaded for the build before, when it has the same
// contents and nothing in it asks for a closer look, which other files may have a say
// in.
func (b *build) known(path string, file *loaded) *loaded {
	if b.keeper == nil || path == b.entry || len(b.o.Reveal) > 0 {
		return nil
	}
	old := b.keeper.before[path]
	if old == nil || !old.plain || old.hash != file.hash {
		return nil
	}
	return old
}
