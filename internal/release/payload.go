package release

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"omcbuild/internal/diag"
)

// Modes of the files of a package. There are no others, whatever the umask and
// the file system say.
const (
	PlainMode   fs.FileMode = 0o644
	RunningMode fs.FileMode = 0o755 // a file that is started by its name
)

// File is one file of a package.
type File struct {
	Path     string      // slash separated, from the plugin's root
	Mode     fs.FileMode // PlainMode or RunningMode
	Contents []byte
}

// Payload is what a package holds: plain files, each with its bytes, in the order
// of their paths. There are no folders without files, no links and no times in it, so
// that two equal payloads give the same archive, byte for byte. Names that are one on
// a system that ignores letter case, or that composes letters otherwise, are in it
// once. The zero value is an empty payload.
//
// Everything else works on it: notices and the bill of materials are added to it,
// archives are written from it, and the proof compares with it what an archive
// unpacks to.
type Payload struct {
	files []File
	names map[string]string // folded path of each file and folder → as it is written
}

// Files lists the files in the order of their paths, which is that of their bytes.
// The list must not be changed.
func (p *Payload) Files() []File { return p.files }

// FileLike returns the file whose path is one with this on a system that ignores letter
// case or composes letters otherwise.
func (p *Payload) FileLike(path string) (File, bool) { return p.File(p.names[fold(path)]) }

// Len is how many files there are.
func (p *Payload) Len() int { return len(p.files) }

// Bytes is the size of all files together.
func (p *Payload) Bytes() int64 {
	var total int64
	for _, f := range p.files {
		total += int64(len(f.Contents))
	}
	return total
}

// File returns the file of a path.
func (p *Payload) File(path string) (File, bool) {
	i, found := p.search(path)
	if !found {
		return File{}, false
	}
	return p.files[i], true
}

// Add puts one more file in. The error is a *diag.Failure, and the payload stays as
// it was: the path has no form that every system can hold, or a file or folder of this
// name is there already.
func (p *Payload) Add(f File) error {
	if problem := nameFault(f.Path); problem != nil {
		return diag.Fail(*problem)
	}
	if problem := p.clash(f.Path); problem != nil {
		return diag.Fail(*problem)
	}
	for folder := range folders(f.Path) {
		p.names[fold(folder)] = folder
	}
	p.names[fold(f.Path)] = f.Path
	i, _ := p.search(f.Path)
	p.files = slices.Insert(p.files, i, f)
	return nil
}

// Replace gives a file other contents, and keeps its mode. It reports whether there is
// such a file.
func (p *Payload) Replace(path string, contents []byte) bool {
	i, found := p.search(path)
	if found {
		p.files[i].Contents = contents
	}
	return found
}

// Clone returns a payload of the same files, to which others can be added.
func (p *Payload) Clone() *Payload {
	c := &Payload{files: slices.Clone(p.files), names: map[string]string{}}
	for folded, name := range p.names {
		c.names[folded] = name
	}
	return c
}

func (p *Payload) search(path string) (int, bool) {
	return slices.BinarySearchFunc(p.files, path, func(f File, path string) int { return cmp.Compare(f.Path, path) })
}

// clash says what stands in the way of a new file: one of the same name, or a folder,
// or a folder on its way that is a file or is spelled otherwise.
func (p *Payload) clash(path string) *diag.Diagnostic {
	if p.names == nil {
		p.names = map[string]string{}
	}
	if known, taken := p.names[fold(path)]; taken {
		return clashing(path, known)
	}
	for folder := range folders(path) {
		known, taken := p.names[fold(folder)]
		_, file := p.search(known)
		if taken && (known != folder || file) {
			return clashing(path, known)
		}
	}
	return nil
}

func clashing(path, known string) *diag.Diagnostic {
	d := &diag.Diagnostic{Code: "package-clash", Position: diag.Position{File: path}, Hint: "rename one of them"}
	switch {
	case path == known:
		d.Message, d.Hint = "is to be in the package twice", "leave one of them out"
	case strings.EqualFold(path, known) || strings.EqualFold(path[:min(len(path), len(known))], known):
		d.Message = "differs from " + known + " only in letter case; on Windows and macOS one replaces the other"
	default:
		d.Message = "is the same name as " + known + " on systems that compose letters otherwise, or ignore their case"
	}
	return d
}

// fold returns a name as systems compare names that see as few differences as any:
// without letter case, and with letters composed in one way.
func fold(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
}

// folders yields the folders that a path leads through, from the top.
func folders(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i, c := range []byte(path) {
			if c == '/' && !yield(path[:i]) {
				return
			}
		}
	}
}
