package pipeline

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/surface"
)

// located turns places in a bundle where it broke down into places in the sources,
// since the bundle is long, and after a failed build not even written. For that the
// bundle is made once more, with a source map; when it is not the one that ran, such
// as an older one on disk, the places stay as they are. Those in a bundle that was
// linked for speed are left out: it is replaced before anybody looks.
func (r *run) located(ctx context.Context, it *item, probe *surface.Probe, list diag.List) diag.List {
	list = slices.Clone(list)
	if r.linked {
		for i := range list {
			if list[i].File == it.bundle.Outfile {
				list[i].Line, list[i].Column = 0, 0
			}
		}
		return list
	}
	var sourceMap []byte
	for i, d := range list {
		if d.Level != diag.Error || d.File != it.bundle.Outfile || d.Line == 0 || it.bundle.Entry == "" || r.lone || r.packaged {
			continue
		}
		if sourceMap == nil {
			if sourceMap = r.sourceMap(ctx, it); sourceMap == nil {
				return list
			}
		}
		if at, ok := inSources(sourceMap, it, probe, d.Line); ok {
			list[i].Position, list[i].Message = at, d.File+" "+d.Message
		}
	}
	return list
}

// inSources finds the source behind a crash. A package that throws was called by
// somebody; the innermost place outside packages counts.
func inSources(sourceMap []byte, it *item, probe *surface.Probe, line int) (best diag.Position, found bool) {
	for _, c := range probe.Conversations {
		places := surface.Places(c.Record.Stderr, it.bundle.Outfile, line)
		if len(places) > 1 && places[0].Column == 0 && places[1].Line == line {
			places = places[1:] // the same with its column
		}
		for _, place := range places {
			at, ok := bundler.Locate(sourceMap, it.bundle.Outfile, place)
			switch {
			case !ok:
			case !strings.Contains("/"+at.File, "/node_modules/"):
				return at, true
			case !found:
				best, found = at, true
			}
		}
		if found {
			break
		}
	}
	return best, found
}

// sourceMap makes the bundle again and returns its source map, or nil when the bundle
// is another one.
func (r *run) sourceMap(ctx context.Context, it *item) []byte {
	o := r.bundlerOptions(it.bundle)
	o.Sourcemap = true
	result, err := bundler.Build(ctx, o)
	if err != nil || len(result.Outputs) < 2 || result.Outputs[1].Path != it.bundle.Outfile+".map" {
		return nil
	}
	server, f, has := bundler.Unfront(it.file())
	if !bytes.Equal(withoutMap(result.Outputs[0].Contents), withoutMap(server)) {
		return nil
	}
	if !has {
		return result.Outputs[1].Contents
	}
	for _, f.Minify = range []bool{false, true} { // which has another number of lines
		same, err := bundler.WithFront([]bundler.Output{{Contents: server}}, *f)
		if err != nil || !bytes.Equal(same[0].Contents, it.file()) {
			continue
		}
		if moved, err := bundler.WithFront(result.Outputs, *f); err == nil {
			return moved[1].Contents
		}
	}
	return nil
}

// withoutMap leaves out the last line of a bundle that points to its source map.
func withoutMap(bundle []byte) []byte {
	if at := bytes.LastIndex(bundle, []byte("//# sourceMappingURL=")); at >= 0 {
		return bundle[:at]
	}
	return bundle
}
