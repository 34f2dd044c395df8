package watch

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"omcbuild/internal/diag"
)

// project is a folder that is watched, and what the rounds saw of it.
type project struct {
	t    *testing.T
	root string
	set  func() Set
	open func() (notifier, error)

	mu      sync.Mutex
	seen    map[string]string // contents of all files, as the last whole round read them
	rounds  [][]string        // changed paths of whole rounds, relative to the root
	rests   int
	said    []diag.Diagnostic
	in      func(context.Context) // done inside every round, before the files are read
	resting func(context.Context)

	checking func(context.Context)
}

// watchProject lays files in a folder and watches it until the test ends.
func watchProject(t *testing.T, files map[string]string, options Options, adjust ...func(*project)) *project {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t: t, root: root, open: openNotifier, seen: map[string]string{}}
	for name, text := range files {
		p.write(name, text)
	}
	p.set = func() Set {
		return Set{Files: []string{p.path("package.json"), p.path("src/main.ts"), p.path("src/lib/deep.ts")}, Folders: []string{p.path(".")}, Trees: []string{p.path("src")},
			Matters: func(path string) bool { return strings.HasSuffix(path, ".ts") || strings.HasSuffix(path, ".json") }}
	}
	for _, f := range adjust {
		f(p)
	}
	options.Root = root
	if options.Say == nil {
		options.Say = func(d diag.Diagnostic) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.said = append(p.said, d)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l := newLoop(ctx, Work{Watched: func() Set { return p.set() }, Round: p.round, Check: p.check, Rest: p.rest}, options, p.open)
		defer l.close()
		l.run()
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	p.until("the first round", func() bool { return len(p.rounds) > 0 && p.rests > 0 })
	return p
}

func (p *project) path(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

func (p *project) write(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// round reads all files, as a build would.
func (p *project) round(ctx context.Context, changed []string) {
	if p.in != nil {
		p.in(ctx)
	}
	seen := map[string]string{}
	_ = filepath.WalkDir(p.root, func(path string, entry os.DirEntry, err error) error {
		if err == nil {
			if data, err := os.ReadFile(path); err == nil {
				seen[p.relative(path)] = string(data)
			}
		}
		return nil
	})
	if ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var names []string
	for _, path := range changed {
		names = append(names, p.relative(path))
	}
	p.seen, p.rounds = seen, append(p.rounds, names)
}

// check does what the test asks for, which may set that meanwhile.
func (p *project) check(ctx context.Context) {
	p.mu.Lock()
	checking := p.checking
	p.mu.Unlock()
	if checking != nil {
		checking(ctx)
	}
}

func (p *project) rest(ctx context.Context) {
	if p.resting != nil {
		p.resting(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rests++
}

func (p *project) relative(path string) string {
	rel, err := filepath.Rel(p.root, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// until waits for what has to happen. The condition may look at the fields.
func (p *project) until(what string, holds func() bool) {
	p.t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	for {
		p.mu.Lock()
		held := holds()
		p.mu.Unlock()
		if held {
			return
		}
		if time.Now().After(deadline) {
			p.fail(what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (p *project) fail(what string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.t.Fatalf("%s did not happen in 60 s; rounds %v, said %v, seen %v", what, p.rounds, p.said, slices.Sorted(maps.Keys(p.seen)))
}

// sees waits until a round has read that text.
func (p *project) sees(name, text string) {
	p.t.Helper()
	p.until(name+" with "+text, func() bool { return p.seen[name] == text })
}

// count is how many whole rounds there were.
func (p *project) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.rounds)
}

// since lists the paths that rounds were given after the first n, without double ones.
func (p *project) since(n int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, round := range p.rounds[n:] {
		all = append(all, round...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ways are the two ways of looking; everything has to work in both. Looks beside the
// events would find what events miss, so there are none.
func ways(t *testing.T, test func(t *testing.T, options Options)) {
	t.Run("events", func(t *testing.T) {
		t.Parallel()
		test(t, Options{looks: time.Hour})
	})
	t.Run("polling", func(t *testing.T) {
		t.Parallel()
		test(t, Options{Poll: 10 * time.Millisecond})
	})
}

func sources() map[string]string {
	return map[string]string{"package.json": "{}", "src/main.ts": "old", "src/lib/deep.ts": "old", "other/readme.md": "old"}
}

// given lists those paths of rounds after the first n that end in a name. It is
// for conditions, which hold the lock.
func (p *project) given(n int, name string) []string {
	var all []string
	for _, round := range p.rounds[n:] {
		for _, path := range round {
			if filepath.Base(path) == name {
				all = append(all, path)
			}
		}
	}
	return all
}

// TestSwappedLink leads to another folder: that is a change of the link, and so is one
// of a link to a file.
func TestSwappedLink(t *testing.T) {
	ways(t, func(t *testing.T, options Options) {
		lead := func(p *project, name, to string) {
			p.must(os.Symlink(to, p.path(name+".new")))
			p.must(os.Rename(p.path(name+".new"), p.path(name)))
		}
		p := watchProject(t, map[string]string{"src/main.ts": "main", "made/a/x.ts": "a", "made/b/x.ts": "b"}, options, func(p *project) {
			lead(p, "src/gen", filepath.Join("..", "made", "a"))
			lead(p, "src/word.ts", filepath.Join("..", "made", "a", "x.ts"))
			p.set = func() Set {
				real, _ := filepath.EvalSymlinks(p.path("src/gen/x.ts"))
				return Set{Files: []string{p.path("src/main.ts"), p.path("src/gen"), p.path("src/word.ts"), real}}
			}
		})
		n := p.count()
		lead(p, "src/gen", filepath.Join("..", "made", "b"))
		p.until("a round of the swapped link", func() bool { return slices.Contains(slices.Concat(p.rounds[n:]...), "src/gen") })
		n = p.count()
		p.write("made/b/x.ts", "b, edited")
		p.until("a round of the file behind it", func() bool { return slices.Contains(slices.Concat(p.rounds[n:]...), "made/b/x.ts") })
		n = p.count()
		lead(p, "src/word.ts", filepath.Join("..", "made", "b", "x.ts"))
		p.until("a round of the swapped file", func() bool { return slices.Contains(slices.Concat(p.rounds[n:]...), "src/word.ts") })
	})
}
