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

	"omcbuild/bundler"
	"omcbuild/internal/project"
	"omcbuild/internal/surface"
)

// collection is how it is found out what the sources of a bundle declare.
type collection struct {
	outputs []bundler.Output // the program that prints it; nil when that is known
	stamp   *bundler.Stamp   // of the program
}

// collect takes from the cache what the sources declare, or bundles the program that
// prints it.
func (r *run) collect(ctx context.Context, it *item) error {
	families, err := r.project.FamilyFiles(it.bundle)
	if err != nil || (len(families) == 0 && it.bundle.Registry == "") {
		return err
	}
	o := r.collectorOptions(it.bundle, families)
	if it.source = r.knownSource(it, o); it.source != nil {
		return nil
	}
	defer r.machine.slot()()
	result, err := bundler.Build(ctx, o)
	if err != nil && ctx.Err() == nil {
		o.Reveal = nil // whatever is wrong is to be said of the file as it is
		result, err = bundler.Build(ctx, o)
	}
	if err != nil {
		return err
	}
	it.collector = &collection{outputs: result.Outputs, stamp: result.Stamp}
	return nil
}

func (r *run) collectorOptions(b project.Bundle, families []string) bundler.Options {
	o := r.bundlerOptions(b)
	o.Entry, o.Source = "", surface.CollectorSource(families, b.Registry)
	o.Outfile = path.Join(path.Dir(b.Outfile), "collector.cjs")
	o.Reveal, o.RevealAs = families, surface.HiddenPrefix
	o.Minify, o.Sourcemap, o.Metafile, o.Assets = false, false, false, nil
	return o
}

// readSource runs the collector and remembers what it printed.
func (r *run) readSource(ctx context.Context, it *item) (err error) {
	it.source, err = surface.ReadSource(ctx, r.sourceOptions(it))
	if err == nil {
		r.rememberSource(it)
	}
	return err
}

func (r *run) sourceOptions(it *item) surface.SourceOptions {
	outputs := it.collector.outputs
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

func (r *run) sourcePath(it *item) string {
	return filepath.Join(projectCache(r.cacheDir, r.project.Root), it.bundle.Name+".sources.json")
}

// knownSource returns what the cache says that the sources declare, or nil when a file
// that had a say, or what the collector runs with, is another now. A frozen build
// believes no cache.
func (r *run) knownSource(it *item, o bundler.Options) *surface.Source {
	if r.build.Frozen {
		return nil
	}
	data, err := os.ReadFile(r.sourcePath(it))
	if err != nil {
		return nil
	}
	var known sourceRecord
	if json.Unmarshal(data, &known) != nil || known.Stamp == nil || known.Source == nil || known.World != r.world(it) {
		return nil
	}
	if same, _ := known.Stamp.Same(r.project.Root, o); !same {
		return nil
	}
	return known.Source
}

// rememberSource keeps what the sources declare, unless something is wrong with them:
// that is found out anew each time.
func (r *run) rememberSource(it *item) {
	if len(it.source.Diagnostics) > 0 {
		return
	}
	if data, err := json.Marshal(sourceRecord{Stamp: it.collector.stamp, World: r.world(it), Source: it.source}); err == nil {
		_ = writeAtomically(r.sourcePath(it), data)
	}
}

// world identifies what a collector runs with: the node program and the environment.
func (r *run) world(it *item) string {
	node := r.machine.Node
	if info, err := os.Stat(node); err == nil {
		node = fmt.Sprintf("%s %d %d", node, info.Size(), info.ModTime().UnixNano())
	}
	sum := sha256.Sum256([]byte(node + "\x00" + strings.Join(r.environment(it), "\x00")))
	return hex.EncodeToString(sum[:])
}
