package bundler

import (
	"context"
	"crypto/sha256"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"omcbuild/internal/diag"
)

// Session bundles one program again and again, as its sources change. Build makes the
// same as the function of that name. Update is quicker by far: where it can, it
// compiles the changed modules alone and links the program from its modules. Such a
// program does what the bundle does, in another form and from more bytes; it is for
// the time between two saves.
//
// A Session is safe for use by several goroutines, one at a time; but an Update does not
// wait for a Plain that was given up, unless it has to bundle as a whole itself.
type Session struct {
	o Options

	preparing sync.Mutex    // before the others, by those who wait for Prepare
	whole     chan struct{} // holds one while something is bundled as a whole; before mu
	keeper    *keeper       // of who bundles as a whole

	mu       sync.Mutex
	updates  int             // begun so far: what is bundled as a whole beside one is outdated
	result   *Result         // of the last good build as a whole
	b        *build          // that build
	tried    *build          // the last build, good or not
	stale    bool            // there is no good build of the sources as they are
	modules  *modular        // nil before Prepare, and when the program does not suit
	reason   string          // why it does not
	unsuited *build          // the build of which that was said
	dirty    map[string]bool // modules that changed and could not be compiled, absolute
	wanted   []string        // what the last build looked for in vain, absolute
	quick    *Result         // the last result, of whichever kind
}

// NewSession prepares the building of what the options describe.
func NewSession(o Options) *Session {
	return &Session{o: o, whole: make(chan struct{}, 1), keeper: newKeeper(), dirty: map[string]bool{}}
}

// Update is what a Session makes of changed files.
type Update struct {
	Result    *Result // its Inputs, Stamp and Metafile are those of the last build as a whole
	Unchanged bool    // the files are as they were, and Result is that of the time before
	Quick     bool    // linked from modules, not bundled as a whole
	Reason    string  // why it was bundled as a whole
}

// Build bundles as a whole: the bytes, and the errors, are those of Build.
func (s *Session) Build(ctx context.Context) (*Result, error) {
	s.mu.Lock()
	updates := s.updates
	s.mu.Unlock()
	return s.bundle(ctx, updates)
}

// errOvertaken ends bundling of sources that an Update has seen changed.
var errOvertaken = errors.New("the sources changed meanwhile")

// bundle bundles as a whole, when there were so many updates and as long as no other
// begins.
func (s *Session) bundle(ctx context.Context, updates int) (*Result, error) {
	select {
	case s.whole <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-s.whole }()
	s.keeper.begin()
	r, b, err := buildAll(ctx, s.o, s.keeper)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.updates != updates {
		return nil, errOvertaken
	}
	if b != nil {
		s.tried = b
	}
	s.wanted = nil
	if err != nil {
		s.stale = s.stale || ctx.Err() == nil
		if b != nil {
			s.wanted = b.wanted(err)
		}
		return nil, err
	}
	s.keeper.end(b)
	s.result, s.quick, s.b, s.stale = r, r, b, false
	s.dirty = map[string]bool{}
	if m := s.modules; m != nil {
		m.outdated = m.outdated || !m.isOf(b, r)
		m.found = map[string]diag.List{}
	}
	return r, nil
}

// Close gives back what esbuild keeps. The session can be used no more.
func (s *Session) Close() {
	s.whole <- struct{}{}
	defer func() { <-s.whole }()
	s.keeper.close()
}

// Plain is Build, unless the last result is of that kind and Update found no change
// since.
func (s *Session) Plain(ctx context.Context) (*Result, error) {
	s.mu.Lock()
	r, updates := s.result, s.updates
	known := r != nil && s.quick == r && !s.stale && len(s.dirty) == 0
	s.mu.Unlock()
	if known {
		return r, nil
	}
	return s.bundle(ctx, updates)
}

// Last returns the last good result, nil when there is none.
func (s *Session) Last() *Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.quick
}

// Prepare takes the last build apart, so that the next Update can be quick; one that
// comes meanwhile waits for it. Without it every Update bundles as a whole.
func (s *Session) Prepare(ctx context.Context) error {
	s.preparing.Lock()
	defer s.preparing.Unlock()
	s.mu.Lock()
	b, r, before := s.b, s.result, s.modules
	known := b == nil || s.stale || s.unsuited == b || before != nil && !before.outdated
	s.mu.Unlock()
	if known {
		return nil
	}
	m, err := newModular(ctx, b, r, before)
	s.mu.Lock()
	defer s.mu.Unlock()
	var unsuited errNotModular
	switch {
	case errors.As(err, &unsuited):
		s.modules, s.reason, s.unsuited = nil, unsuited.Error(), b
		return nil
	case err != nil:
		return err
	}
	m.outdated = s.b != b && !m.isOf(s.b, s.result)
	s.modules, s.reason = m, ""
	return nil
}

// Update brings the program into step with files that changed, absolute paths; with
// none it looks at all. The errors are those of Build.
func (s *Session) Update(ctx context.Context, changed []string) (*Update, error) {
	s.preparing.Lock()
	defer s.preparing.Unlock()
	u, updates, reason, err := s.quickly(ctx, changed)
	if u != nil || err != nil {
		return u, err
	}
	r, err := s.bundle(ctx, updates)
	if err != nil {
		return nil, err
	}
	return &Update{Result: r, Reason: reason}, nil
}

// quickly is Update without bundling as a whole; it returns nothing, and why, where
// that has to be done.
func (s *Session) quickly(ctx context.Context, changed []string) (u *Update, updates int, reason string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updates++
	reason = s.reason
	if s.modules != nil && !s.modules.outdated && !s.stale {
		changes, why := s.changes(changed)
		if why == "" && len(changes) == 0 {
			return s.unchanged(), s.updates, "", nil
		}
		if why == "" {
			r, again, err := s.modules.update(ctx, s.result, changes)
			if err != nil || again == "" {
				s.note(changes, err)
				if s.wanted = s.modules.b.wanted(err); err != nil {
					return nil, s.updates, "", err
				}
				s.quick = r
				return &Update{Result: r, Quick: true}, s.updates, "", nil
			}
			why = again
			s.modules.outdated = true
		}
		reason = why
	}
	if s.result != nil && !s.stale && (s.modules == nil || s.modules.outdated && reason == "") {
		if fresh, _ := s.result.Stamp.inputsFresh(s.b.o.Root, nil); fresh {
			return s.unchanged(), s.updates, "", nil
		}
	}
	return nil, s.updates, reason, nil
}

func (s *Session) unchanged() *Update {
	return &Update{Result: s.quick, Unchanged: true, Quick: s.quick != s.result}
}

// note remembers modules that could not be compiled: they count as changed until they
// can.
func (s *Session) note(changes []string, err error) {
	for _, name := range changes {
		if err == nil {
			delete(s.dirty, s.modules.file(name))
		} else {
			s.dirty[s.modules.file(name)] = true
		}
	}
}

// changes returns the modules that have other contents than before, or why the program
// has to be bundled as a whole.
func (s *Session) changes(changed []string) (modules []string, why string) {
	m := s.modules
	if len(changed) == 0 {
		for name := range m.files {
			changed = append(changed, m.file(name))
		}
		if fresh, reason := s.result.Stamp.inputsFresh(m.b.o.Root, m.files); !fresh {
			return nil, reason
		}
	}
	for file := range s.dirty {
		changed = append(changed, file)
	}
	for _, file := range changed {
		name := m.b.rel(file)
		known, own := m.files[name]
		if !own || m.b.family.inputs[name] || m.isData(name) {
			if reason := s.concerns(name); reason != "" {
				return nil, reason
			}
			continue
		}
		text, err := readRegular(file)
		if err != nil {
			return nil, name + " is gone"
		}
		if sha256.Sum256(text) == known.hash {
			delete(s.dirty, file)
		} else if !slices.Contains(modules, name) {
			modules = append(modules, name)
		}
	}
	slices.Sort(modules)
	return modules, ""
}

// concerns reports why the change of a file that is no module asks for bundling as a
// whole, or "".
func (s *Session) concerns(name string) string {
	stamp, root := s.result.Stamp, s.b.o.Root
	folder := path.Dir(name)
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	if digest, known := stamp.Files[name]; known && digestFile(at(name), make([]byte, bufferSize)) != digest {
		return name + " changed"
	}
	if where, known := stamp.Links[name]; known && digestLink(at(name)) != where {
		return name + " leads elsewhere"
	}
	if digest, known := stamp.Folders[folder]; known && digestFolder(at(folder), stamp.isOutput) != digest {
		return folder + ": files were added or removed"
	}
	for tree, digest := range stamp.Trees {
		if strings.HasPrefix(name, tree+"/") && digestTree(at(tree)) != digest {
			return tree + ": files were added or removed"
		}
	}
	for pattern, digest := range stamp.Globs {
		if matches, _ := matchAssets(root, pattern); digestNames(matches) != digest {
			return "the files that " + pattern + " matches changed"
		}
	}
	return ""
}
