package watch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"omcbuild/internal/diag"
)

// TestGeneratorIsOneRound writes 300 files while a round would still run: it is
// cancelled, and one that has all of them takes its place. Some more are allowed for what
// the system tells late.
func TestGeneratorIsOneRound(t *testing.T) {
	ways(t, func(t *testing.T, options Options) {
		made := make(chan struct{})
		p := watchProject(t, sources(), options)
		n := p.count()
		p.mu.Lock()
		p.in = func(ctx context.Context) {
			select {
			case <-ctx.Done():
			case <-made:
			}
		}
		p.mu.Unlock()
		for i := range 300 {
			p.write(fmt.Sprintf("src/gen/part%d/file%d.ts", i%7, i), "made")
		}
		close(made)
		p.until("a round with the last file", func() bool { return p.seen["src/gen/part5/file299.ts"] != "" && p.seen["src/gen/part0/file0.ts"] != "" })
		p.write("src/main.ts", "after")
		p.sees("src/main.ts", "after")
		if rounds := p.count() - n; rounds > 30 {
			t.Errorf("%d rounds for one generator and one save", rounds)
		}
		if given := p.since(n); len(given) < 301 {
			t.Errorf("the rounds were given %d of 301 changes", len(given))
		}
	})
}

// TestNoSaveIsLost saves 30 times at random moments of rounds that take a while.
func TestNoSaveIsLost(t *testing.T) {
	ways(t, func(t *testing.T, options Options) {
		p := watchProject(t, sources(), options, func(p *project) {
			p.in = func(ctx context.Context) {
				select {
				case <-ctx.Done():
				case <-time.After(time.Duration(rand.IntN(10)) * time.Millisecond):
				}
			}
		})
		for i := range 30 {
			text := fmt.Sprint("save ", i)
			if i%2 == 0 {
				p.write("src/main.ts", text)
			} else {
				p.must(os.WriteFile(p.path("src/main.ts.tmp"), []byte(text), 0o644))
				p.must(os.Rename(p.path("src/main.ts.tmp"), p.path("src/main.ts")))
			}
			if rand.IntN(3) == 0 {
				p.sees("src/main.ts", text)
			}
			time.Sleep(time.Duration(rand.IntN(12)) * time.Millisecond)
		}
		p.sees("src/main.ts", "save 29")
	})
}

// TestSaveDuringTheFirstRound is noticed although nothing is watched yet.
func TestSaveDuringTheFirstRound(t *testing.T) {
	ways(t, func(t *testing.T, options Options) {
		p := watchProject(t, sources(), options, func(p *project) {
			saved := false
			p.in = func(context.Context) {
				if saved {
					return
				}
				saved = true
				go func() { p.write("src/main.ts", "during") }()
				for text := ""; text != "during"; time.Sleep(time.Millisecond) {
					data, _ := os.ReadFile(p.path("src/main.ts"))
					text = string(data)
				}
			}
		})
		p.until("a round after the save", func() bool { return len(p.rounds) > 1 })
	})
}

// TestWhatMeansNothing starts no round: each is followed by a save, and the
// rounds were given that save alone.
func TestWhatMeansNothing(t *testing.T) {
	idle := map[string]func(p *project){
		"a mode":                    func(p *project) { p.must(os.Chmod(p.path("src/main.ts"), 0o755)) },
		"a time":                    func(p *project) { p.must(os.Chtimes(p.path("src"), time.Now(), time.Now())) },
		"reading":                   func(p *project) { _, err := os.ReadFile(p.path("src/main.ts")); p.must(err) },
		"a file of another kind":    func(p *project) { p.write("src/notes.md", "x") },
		"a hidden file":             func(p *project) { p.write("src/.main.ts.swp", "x") },
		"a hidden folder":           func(p *project) { p.write("src/.git/objects/x.ts", "x") },
		"packages":                  func(p *project) { p.write("src/node_modules/pkg/index.ts", "x") },
		"a backup":                  func(p *project) { p.write("src/main.ts~", "x") },
		"a product beside":          func(p *project) { p.write("bridge/server.cjs", "x") },
		"an empty folder":           func(p *project) { p.must(os.MkdirAll(p.path("src/empty/deep"), 0o755)) },
		"a file beside a known one": func(p *project) { p.write("tsconfig.tsbuildinfo", "x") },
	}
	for name, do := range idle {
		t.Run(name, func(t *testing.T) {
			ways(t, func(t *testing.T, options Options) {
				p := watchProject(t, sources(), options)
				n := p.count()
				do(p)
				p.write("src/lib/deep.ts", "marker")
				p.sees("src/lib/deep.ts", "marker")
				if given := p.since(n); !slices.Equal(given, []string{"src/lib/deep.ts"}) {
					t.Errorf("the rounds were given %v", given)
				}
			})
		})
	}
}

// TestRestGivesWay ends a rest for a save, and does it again afterwards.
func TestRestGivesWay(t *testing.T) {
	ways(t, func(t *testing.T, options Options) {
		p := watchProject(t, sources(), options)
		began, gave := make(chan struct{}, 10), make(chan struct{}, 10)
		p.mu.Lock()
		rests := p.rests
		first := true
		p.resting = func(ctx context.Context) {
			if !first {
				return
			}
			first = false
			began <- struct{}{}
			<-ctx.Done()
			gave <- struct{}{}
		}
		p.mu.Unlock()
		p.write("src/main.ts", "one")
		<-began
		p.write("src/main.ts", "two")
		<-gave
		p.sees("src/main.ts", "two")
		p.until("a whole rest", func() bool { return p.rests >= rests+2 })
	})
}

// TestARoundDoesNotWaitForWhatItEnded lets a check, and a rest, go on after they were
// told to end, until the next round is done.
func TestARoundDoesNotWaitForWhatItEnded(t *testing.T) {
	for _, stage := range []string{"check", "rest"} {
		t.Run(stage, func(t *testing.T) {
			ways(t, func(t *testing.T, options Options) {
				began, done := make(chan struct{}), make(chan struct{})
				stay := func(ctx context.Context) {
					close(began)
					<-ctx.Done()
					<-done
				}
				p := watchProject(t, sources(), options)
				p.mu.Lock()
				var once sync.Once
				work := func(ctx context.Context) { once.Do(func() { stay(ctx) }) }
				if stage == "check" {
					p.checking = work
				} else {
					p.resting = work
				}
				p.mu.Unlock()
				p.write("src/main.ts", "one")
				<-began
				p.write("src/main.ts", "two")
				p.sees("src/main.ts", "two")
				close(done)
			})
		})
	}
}

// TestOwnFilesEndNothing lets a rest write one of the files that are watched: it is
// done to its end, and a round follows.
func TestOwnFilesEndNothing(t *testing.T) {
	ways(t, func(t *testing.T, options Options) {
		looked, ended := make(chan bool, 100), make(chan bool, 1)
		p := watchProject(t, sources(), options, func(p *project) {
			set := p.set()
			set.Own = []string{p.path("package.json")}
			set.Matters = func(path string) bool {
				if filepath.Base(path) == "sign.md" { // what was written before it has been noticed
					looked <- true
				}
				return false
			}
			p.set = func() Set { return set }
		})
		written := false
		p.mu.Lock()
		n := len(p.rounds)
		p.resting = func(ctx context.Context) {
			if written {
				return
			}
			written = true
			p.write("package.json", "written by the rest")
			p.write("src/sign.md", "x")
			<-looked
			ended <- ctx.Err() == nil
		}
		p.mu.Unlock()
		p.write("src/main.ts", "one")
		if !<-ended {
			t.Error("the rest was ended by what it wrote")
		}
		p.until("a round for it", func() bool { return len(p.given(n, "package.json")) > 0 })
	})
}

// TestEndDuringARound waits for the round, which is told to end.
func TestEndDuringARound(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := false
	Run(ctx, Work{
		Watched: func() Set { return Set{} },
		Round: func(ctx context.Context, _ []string) {
			cancel()
			<-ctx.Done()
			ended = true
		},
		Check: func(context.Context) {},
		Rest:  func(context.Context) {},
	}, Options{Root: t.TempDir()})
	if !ended {
		t.Error("returned while the round was running")
	}
}

// deaf is a notifier that never tells anything, as on a network drive.
type deaf struct {
	refuse error
	ended  chan fsnotify.Event
}

func (d deaf) add(string) error                 { return d.refuse }
func (deaf) remove(string)                      {}
func (d deaf) events() <-chan fsnotify.Event    { return d.ended }
func (deaf) errors() <-chan error               { return nil }
func (deaf) close()                             {}
func (d deaf) open() (notifier, error)          { return d, nil }
func refuse(err error) func() (notifier, error) { return func() (notifier, error) { return nil, err } }

// TestFallsBackToPolling says so once, and goes on.
func TestFallsBackToPolling(t *testing.T) {
	ended := make(chan fsnotify.Event)
	close(ended)
	reasons := map[string]struct {
		open func() (notifier, error)
		want string
	}{
		"no event arrives":       {deaf{}.open, "a file changed and the system did not tell"},
		"a folder is refused":    {deaf{refuse: errors.New("no space left on device")}.open, "no space left on device"},
		"the notifier ended":     {deaf{ended: ended}.open, "it does not tell of files any more"},
		"there are no notifiers": {refuse(errors.New("too many open files")), "too many open files"},
	}
	for name, reason := range reasons {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := watchProject(t, sources(), Options{looks: 10 * time.Millisecond}, func(p *project) { p.open = reason.open })
			for _, text := range []string{"one", "two", "three"} {
				p.write("src/main.ts", text)
				p.sees("src/main.ts", text)
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if len(p.said) != 1 || p.said[0].Code != "watch-polling" || !strings.Contains(p.said[0].Message, reason.want) || p.said[0].Hint == "" {
				t.Errorf("said %v", p.said)
			}
		})
	}
}

// TestAConfigurationAboveTheProject appears in a folder that is not watched, because
// others work in it.
func TestAConfigurationAboveTheProject(t *testing.T) {
	p := watchProject(t, sources(), Options{looks: 10 * time.Millisecond}, func(p *project) {
		set := p.set()
		set.Files = append(set.Files, filepath.Join(filepath.Dir(p.root), "tsconfig.json"))
		p.set = func() Set { return set }
	})
	n := p.count()
	p.write("../tsconfig.json", "{}")
	p.until("a round for it", func() bool { return len(p.given(n, "tsconfig.json")) > 0 })
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.said) > 0 {
		t.Errorf("said %v", p.said)
	}
}

// TestAMissedEventIsMadeUpFor finds a change that the system did not tell, although it
// tells others. The first time that is no reason to poll.
func TestAMissedEventIsMadeUpFor(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "main.ts")
	save := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save("old")
	var said, changed []string
	e := newEyes(Options{Root: root, Say: func(d diag.Diagnostic) { said = append(said, d.Message) }}, deaf{}.open)
	e.changed, e.touched = func(path string) { changed = append(changed, path) }, func() {}
	e.look(Set{Files: []string{path}, Matters: func(string) bool { return true }}, time.Now())
	e.event(fsnotify.Event{Name: filepath.Join(root, "another.ts"), Op: fsnotify.Write})
	for i, polls := range []int{0, 1} {
		changed = nil
		save(strings.Repeat("missed ", i+1))
		e.act(e.lookAt, false)
		if len(changed) > 0 {
			t.Errorf("time %d: changed before an event could arrive: %v", i, changed)
		}
		e.judge(e.missed[path])
		if !slices.Equal(changed, []string{path}) || len(said) != polls {
			t.Errorf("time %d: changed %v, said %v", i, changed, said)
		}
	}
}
