package inspect

import (
	"io"
	"path"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// lockSuffix ends the name of the file beside a bundle that records its tools.
const lockSuffix = ".tools.json"

// bundled finds the source of a file that is a bundle already, as after a first
// build: above the code of each source stands its path, and the last is the
// entry's. Options come from a build of the same source.
func (p *plan) bundled(target string) (origin, bool) {
	if !productFolder(target) && !p.repo.isFile(stem(target)+lockSuffix) {
		return origin{}, false
	}
	entry := ""
	for line := range strings.Lines(p.repo.end(target)) {
		file, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "// ")
		if _, own := inside(".", file); ok && own && path.Clean(file) == file && !strings.Contains(file, "node_modules/") && file != target && p.isSource(file) {
			entry = file
		}
	}
	if entry == "" {
		return origin{}, false
	}
	o := origin{entry: entry, at: diag.Position{File: target}}
	o.product = output{entry: entry, entryAt: o.at, file: target, fileAt: o.at}
	for _, b := range p.builds {
		for _, made := range b.outputs {
			if made.entry == entry {
				o.build, o.at = b, made.entryAt
			}
		}
	}
	if o.build == nil {
		p.repo.leave("bundle "+target, o.at, "it tells its source alone; define, external and loader stand in the configuration that it was built with")
	}
	return o, true
}

func (p *plan) isSource(file string) bool {
	return stem(file) != file && p.repo.isFile(file)
}

// end returns the last part of a file, at most as much as is read of any.
func (r *repository) end(name string) string {
	file, err := project.OpenRegular(r.root, name)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	from := max(0, info.Size()-maxFile)
	data, err := io.ReadAll(io.NewSectionReader(file, from, maxFile))
	if err != nil {
		return ""
	}
	return string(data)
}
