package pipeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"omcbuild/bundler"
	"omcbuild/internal/surface"
)

// otherWorld is what the cache keeps of the run elsewhere of the last server that was proved
// to have a front. A server that differs from that one only in functions which did not run
// there until its end is known to do the same there, so it is not run there again.
type otherWorld struct {
	World  string                 `json:"world"`  // what it ran with, but for other files
	Extra  string                 `json:"extra"`  // digest of those that it could read
	Idle   bundler.Idle           `json:"idle"`   // functions that did not run
	Awake  string                 `json:"awake"`  // digest of the rest of its text
	Server string                 `json:"server"` // digest of the text as it was last
	Answer *surface.KeptElsewhere `json:"answer"` // what it answered, and looked at
}

// mostOtherWorld is the size in bytes up to which it is kept.
const mostOtherWorld = 16 << 20

// learns reports whether it is noted of a run elsewhere which functions run.
func (r *run) learns() bool { return r.building() && r.fronts && !r.linked && !r.build.Frozen }

// otherWorld returns what the cache keeps for a bundle; nil when there is nothing, when
// it is not as it was written, or when anything that a server runs with is another.
func (r *run) otherWorld(it *item) *otherWorld {
	if !r.mayStand(it) {
		return nil
	}
	text, err := r.readKept(it)
	if err != nil {
		return nil
	}
	sum, text, _ := bytes.Cut(text, []byte("\n"))
	var known otherWorld
	if string(sum) != digest(text) || json.Unmarshal(text, &known) != nil || known.World != r.worldElsewhere(it) || known.Answer == nil {
		return nil
	}
	return &known
}

func (r *run) readKept(it *item) ([]byte, error) {
	root, err := os.OpenRoot(projectCache(r.cacheDir, r.project.Root))
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return readUpTo(root, it.bundle.Name+".elsewhere", mostOtherWorld)
}

// sameElsewhere returns what the server at hand would answer and look at elsewhere; nil when
// that is not known. before is the server on disk, which mostly is the one that was kept.
func (r *run) sameElsewhere(it *item, before, now []byte, extra string) *surface.Elsewhere {
	known := it.other
	if known == nil || known.Extra != extra {
		return nil
	}
	server := digest(now)
	if server == known.Server {
		return known.Answer.Recall()
	}
	here, ok := bundler.Idle{}, false
	if digest(before) == known.Server {
		here, ok = known.Idle.Moved(string(before), string(now))
	}
	if !ok {
		var awake string
		if awake, here, ok = known.Idle.Awake(string(now)); !ok || awake != known.Awake {
			return nil
		}
	}
	moved := *known
	moved.Idle, moved.Server = here, server
	r.compressing.Go(func() { r.keepElsewhere(it, &moved) })
	return known.Answer.Recall()
}

// learn keeps what a server that was proved to have a front did elsewhere, unless it is
// known from there.
func (r *run) learn(it *item, seen *surface.Elsewhere, plain []bundler.Output) {
	if seen != nil && !it.recalled {
		r.compressing.Go(func() { r.rememberElsewhere(it, seen, plain) })
	}
}

// rememberElsewhere keeps the run elsewhere of a server that was proved to have a front.
func (r *run) rememberElsewhere(it *item, seen *surface.Elsewhere, plain []bundler.Output) {
	if seen == nil || len(seen.Functions) == 0 {
		return
	}
	known := otherWorld{World: r.worldElsewhere(it), Extra: extras(plain), Answer: seen.Keep(), Server: digest(plain[0].Contents)}
	if known.Answer == nil {
		return
	}
	server := string(plain[0].Contents)
	functions, ran := make([][2]int, len(seen.Functions)), make([]bool, len(seen.Functions))
	for i, f := range seen.Functions {
		functions[i], ran[i] = [2]int{f[0], f[1]}, f[2] != 0
	}
	var ok bool
	if known.Idle, ok = bundler.IdleBodies(server, functions, ran); !ok {
		return
	}
	if known.Awake, _, ok = known.Idle.Awake(server); ok {
		r.keepElsewhere(it, &known)
	}
}

func (r *run) keepElsewhere(it *item, known *otherWorld) {
	if text, err := json.Marshal(known); err == nil && len(text) < mostOtherWorld/2 {
		_ = writeAtomically(r.elsewherePath(it), slices.Concat([]byte(digest(text)+"\n"), text))
	}
}

func (r *run) elsewherePath(it *item) string {
	return strings.TrimSuffix(r.recordPath(it.bundle), ".json") + ".elsewhere"
}

// worldElsewhere identifies what a server runs with: omcbuild, node, the environment, and how
// it is started.
func (r *run) worldElsewhere(it *item) string {
	return digest(fmt.Appendf(nil, "%q", []string{r.toolVersion, r.world(it), it.bundle.Outfile, strings.Join(it.bundle.Args, "\x00"), frontKey(it.bundle)}))
}

// extras identifies the files beside a bundle.
func extras(outputs []bundler.Output) string {
	var text strings.Builder
	for _, o := range outputs[1:] {
		fmt.Fprintf(&text, "%q %s\n", o.Path, digest(o.Contents))
	}
	return digest([]byte(text.String()))
}

// sayRecalled notes with the step at hand which servers were not run elsewhere.
func (r *run) sayRecalled() {
	var names []string
	for _, it := range r.items {
		if it.recalled {
			names = append(names, it.bundle.Outfile)
		}
	}
	if len(names) > 0 {
		r.steps[len(r.steps)-1].Note = "not started elsewhere: " + strings.Join(names, ", ") + " (nothing changed that ran there)"
	}
}
