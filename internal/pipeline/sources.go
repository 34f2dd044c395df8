package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"omcbuild/bundler"
	"omcbuild/internal/project"
	"omcbuild/internal/surface"
)

// collection is how it is found out what the sources of a bundle declare.
type collection struct {
	options bundler.Options
	result  *bundler.Result // the program that prints it
}

// collect takes from the cache what the sources declare, or bundles the program that
// prints it.
func (r *run) collect(ctx context.Context, it *item) error {
	families, err := r.project.FamilyFiles(it.bundle)
	if err != nil || (len(families) == 0 && it.bundle.Registry == "") {
		return err
	}
	ways := r.collectorWays(it.bundle, families)
	if it.source = r.knownSource(it, ways); it.source != nil {
		return nil
	}
	defer r.machine.slot()()
	for _, o := range ways {
		var result *bundler.Result
		if result, err = bundler.Build(ctx, o); err == nil {
			it.collector = &collection{options: o, result: result}
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return err
}

// collectorWays are the options that the collector is bundled with, from what tells most
// to the files as they are: whatever is wrong is to be said of those.
func (r *run) collectorWays(b project.Bundle, families []string) []bundler.Options {
	plain := r.bundlerOptions(b)
	plain.Entry, plain.Source = "", surface.CollectorSource(families, b.Registry)
	plain.Outfile = path.Join(path.Dir(b.Outfile), "collector.cjs")
	plain.Minify, plain.Sourcemap, plain.Metafile, plain.Assets = false, false, false, nil
	revealed := plain
	revealed.Reveal, revealed.RevealAs = families, surface.HiddenPrefix
	marked := revealed
	marked.MarkAs = surface.MarkName
	return []bundler.Options{marked, revealed, plain}
}

// readSource runs the collector and remembers what it printed.
func (r *run) readSource(ctx context.Context, it *item) (err error) {
	it.source, err = surface.ReadSource(ctx, r.sourceOptions(it))
	if c := it.collector; c.options.MarkAs != "" && (err != nil || len(it.source.Diagnostics) > 0) && ctx.Err() == nil {
		c.options.MarkAs = "" // whatever is wrong is to be said of functions as they are
		if c.result, err = bundler.Build(ctx, c.options); err == nil {
			it.source, err = surface.ReadSource(ctx, r.sourceOptions(it))
		}
	}
	if err == nil {
		r.rememberSource(it)
	}
	return err
}

func (r *run) sourceOptions(it *item) surface.SourceOptions {
	outputs := it.collector.result.Outputs
	o := surface.SourceOptions{Node: r.machine.Node, Bundle: outputs[0].Contents, Env: r.environment(it), Root: r.project.Root, Extra: map[string][]byte{}}
	folder := path.Dir(outputs[0].Path) + "/"
	for _, output := range outputs[1:] {
		o.Extra[strings.TrimPrefix(output.Path, folder)] = output.Contents
	}
	return o
}

// sourceRecord is what the cache keeps of the sources of a bundle.
type sourceRecord struct {
	Stamp  *bundler.Stamp  `json:"stamp"`  // of the collector: every file that had a say
	World  string          `json:"world"`  // what it ran with
	Source *surface.Source `json:"source"` // without findings
}

// sourceTexts are the sources whose functions told when they ran, by path: kept apart
// from the record, because they are needed only where one of them changed.
type sourceTexts map[string]string

func (r *run) sourcePath(it *item, kind string) string {
	return filepath.Join(projectCache(r.cacheDir, r.project.Root), it.bundle.Name+"."+kind+".json")
}

// knownSource returns what the cache says that the sources declare, or nil when
// anything that had a say is another now: what the collector runs with, and any file,
// unless only functions of it changed that did not run. A frozen build believes no cache.
func (r *run) knownSource(it *item, ways []bundler.Options) *surface.Source {
	var known sourceRecord
	if r.build.Frozen || !readJSON(r.sourcePath(it, "sources"), &known) || known.Stamp == nil || known.Source == nil || known.World != r.world(it) {
		return nil
	}
	b := bystanders{root: r.project.Root, ran: known.Source.Ran, digests: known.Stamp.Files, read: sync.OnceValue(func() (texts sourceTexts) {
		readJSON(r.sourcePath(it, "texts"), &texts)
		return texts
	})}
	for _, o := range ways {
		if same, _ := known.Stamp.Same(r.project.Root, o, b.tolerate); same {
			if b.tolerated.Load() {
				known.Source.Locate(r.project.Root)
			}
			return known.Source
		}
	}
	return nil
}

// rememberSource keeps what the sources declare, unless something is wrong with them:
// that is found out anew each time.
func (r *run) rememberSource(it *item) {
	if len(it.source.Diagnostics) > 0 {
		return
	}
	texts, stamp := sourceTexts{}, it.collector.result.Stamp
	for _, file := range it.collector.result.Marked {
		text, err := os.ReadFile(filepath.Join(r.project.Root, filepath.FromSlash(file)))
		if err == nil && digest(text) == stamp.Files[file] { // else it changed since
			texts[file] = string(text)
		}
	}
	if writeJSON(r.sourcePath(it, "texts"), texts) {
		writeJSON(r.sourcePath(it, "sources"), sourceRecord{Stamp: stamp, World: r.world(it), Source: it.source})
	}
}

func readJSON(path string, value any) bool {
	data, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(data, value) == nil
}

// writeJSON writes a file of the cache. One that cannot be written costs time, not
// correctness.
func writeJSON(path string, value any) bool {
	data, err := json.Marshal(value)
	return err == nil && writeAtomically(path, data) == nil
}

// bystanders tell which changes of files had no say in what was collected.
type bystanders struct {
	root      string
	ran       map[string][]int
	digests   map[string]string  // of the files as they were
	read      func() sourceTexts // as they were
	tolerated atomic.Bool        // whether there was such a change
}

// tolerate reports whether a file differs only within functions that did not run.
func (b *bystanders) tolerate(file string) bool {
	before, known := b.read()[file]
	if !known || digest([]byte(before)) != b.digests[file] {
		return false
	}
	info, err := os.Stat(filepath.Join(b.root, filepath.FromSlash(file)))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxOutlined {
		return false
	}
	now, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(file)))
	if err != nil {
		return false
	}
	old, ok := bundler.Outline(before, b.ran[file])
	outline, fine := bundler.Outline(string(now), b.ran[file])
	if !ok || !fine || old != outline {
		return false
	}
	b.tolerated.Store(true)
	return true
}

// maxOutlined is the size in bytes up to which a changed source is looked into.
const maxOutlined = 4 << 20

// world identifies what a collector runs with: the node program and the environment.
func (r *run) world(it *item) string {
	node := r.machine.Node
	if info, err := os.Stat(node); err == nil {
		node = fmt.Sprintf("%s %d %d", node, info.Size(), info.ModTime().UnixNano())
	}
	return digest([]byte(node + "\x00" + strings.Join(r.environment(it), "\x00")))
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
