package bundler

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// loaded is a file as it was read, once, for this build.
type loaded struct {
	bytes  int64             // as read
	hash   [sha256.Size]byte // as read
	text   string            // as given to esbuild
	edits  []edit            // what was changed in it, sorted
	lean   bool              // its zod import was made lean
	marked bool              // its functions tell when they run
	found  diag.List         // what was noticed in it
	reads  []asset           // files it reads at run time

	missing []string // files it names and that are not there, absolute
	plain   bool     // nothing in it asks for a closer look
}

// sources holds every file esbuild asked for, by absolute path. esbuild asks
// from many goroutines.
type sources struct {
	mu    sync.Mutex
	files map[string]*loaded
}

func (s *sources) put(path string, file *loaded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = file
}

// add puts a file there that was not read before.
func (s *sources) add(path string, file *loaded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files[path] == nil {
		s.files[path] = file
	}
}

// showNames reports whether the project's own code shows the names of classes or looks
// things up by them: minifying would change what users see, perhaps names of tools.
func (s *sources) showNames() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, file := range s.files {
		if !inPackage(path) && (strings.Contains(file.text, "constructor.name") || strings.Contains(file.text, "new.target.name")) {
			return true
		}
	}
	return false
}

func (s *sources) get(path string) *loaded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[path]
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// load reads one file for esbuild. Every file is read here and nowhere else,
// so the hash in the stamp is of the very bytes that were bundled.
func (b *build) load(a attempt, args api.OnLoadArgs) (result api.OnLoadResult, err error) {
	defer b.contain(&err)
	raw, err := readRegular(args.Path)
	loader, isData := dataLoader(args)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return api.OnLoadResult{}, nil // esbuild reports it with the importing line
	case err != nil:
		return api.OnLoadResult{Errors: []api.Message{b.unreadable(args.Path, err)}}, nil
	}
	file := &loaded{bytes: int64(len(raw)), hash: sha256.Sum256(raw)}
	if isData {
		if loader == api.LoaderText {
			raw = bytes.TrimPrefix(raw, byteOrderMark)
		}
		file.text = asText(raw)
		b.sources.add(args.Path, file)
		return api.OnLoadResult{Contents: &file.text, Loader: loader}, nil
	}
	if old := b.known(args.Path, file); old != nil {
		b.sources.put(args.Path, old)
		return api.OnLoadResult{Contents: &old.text, Loader: api.LoaderDefault}, nil
	}
	if deep := b.tooDeep(args.Path, raw, b.loaderOf(args.Path)); deep != nil {
		return api.OnLoadResult{Errors: deep}, nil
	}
	if args.Path == b.entry {
		file.found.Add(b.firstLine(asText(raw))...)
	}
	if isScript(args.Path) {
		raw = bytes.TrimPrefix(raw, byteOrderMark)
		file.text = asText(raw)
		if strings.HasPrefix(file.text, "#!") { // esbuild would keep it in the middle of the bundle
			file.text = "//" + file.text[2:]
		}
		var revealed string // of the text as written
		if slices.Contains(b.o.Reveal, b.rel(args.Path)) {
			revealed = reveal(file.text, b.o.RevealAs)
		}
		if b.o.MarkAs != "" && b.contains(args.Path) && !inPackage(args.Path) {
			file.text, file.marked = mark(file.text, b.rel(args.Path), b.o.MarkAs)
		}
		file.text = leanSDK(filepath.ToSlash(args.Path), file.text)
		b.repair(args.Path, file)
		file.text += revealed
	} else {
		file.text = asText(raw)
		if b.isText(args.Path) {
			file.text = strings.TrimPrefix(file.text, string(byteOrderMark))
		}
	}
	if len(a.late) > 0 && args.Path == b.entry {
		file.text += lateImport
	}
	b.sources.put(args.Path, file)
	return api.OnLoadResult{Contents: &file.text, Loader: api.LoaderDefault}, nil
}

// asText makes a text of bytes that nobody changes any more, without a copy.
func asText(raw []byte) string {
	return unsafe.String(unsafe.SliceData(raw), len(raw)) //nolint:gosec // as strings.Builder does
}

// repair looks at a script and changes what would not survive bundling.
func (b *build) repair(path string, file *loaded) {
	s := b.diagnose(path, file.text)
	if file.plain = !s.any(); file.plain {
		return
	}
	scan, ok := jsscan.Scan(file.text)
	if !ok {
		return
	}
	var edits []edit
	if s.module {
		edits = noModule(scan)
	}
	scan = scan.Plain()
	if s.zod && !b.o.AsWritten {
		lean := leanZod(scan)
		file.lean = len(lean) > 0
		edits = append(edits, lean...)
	}
	if s.require {
		edits = append(edits, visibleRequires(scan)...)
	}
	if s.umd {
		edits = append(edits, throughParameters(scan)...)
	}
	if s.program {
		answers := programQuestions(scan, filepath.ToSlash(path), path == b.entry)
		file.found.Add(b.openQuestions(path, scan, answers)...)
		edits = append(edits, answers...)
	}
	if s.stub {
		file.found.Add(b.throwingStubs(path, scan)...)
	}
	if s.pattern {
		edits = append(edits, patternImports(path, scan)...)
	}
	if s.runtime {
		changes, found := b.elsewhere(path, scan)
		edits = append(edits, changes...)
		file.found.Add(found...)
	}
	if s.place {
		n := b.neighbours(path, scan)
		file.reads, file.missing = n.reads, n.missing
		file.found.Add(n.found...)
		edits = append(edits, n.edits...)
	}
	for i, e := range edits {
		start, end := scan.Widen(e.start, e.end)
		lost := strings.Count(file.text[start:end], "\n") - strings.Count(e.text, "\n")
		edits[i] = edit{start, end, e.text + strings.Repeat("\n", max(lost, 0))}
	}
	file.text = apply(file.text, edits)
	file.edits = edits
	if path == b.entry {
		b.asks = strings.Contains(file.text, programName)
	}
}

// edit replaces the text from start up to end.
type edit struct {
	start, end int
	text       string
}

// apply makes edits that do not overlap; of two that do, the first stays. Each
// keeps the number of lines, so that every other line keeps its number.
func apply(text string, edits []edit) string {
	if len(edits) == 0 {
		return text
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue
		}
		out.WriteString(text[at:e.start])
		out.WriteString(e.text)
		if lost := strings.Count(text[e.start:e.end], "\n") - strings.Count(e.text, "\n"); lost > 0 {
			out.WriteString(strings.Repeat("\n", lost))
		}
		at = e.end
	}
	out.WriteString(text[at:])
	return out.String()
}

// isScript reports whether a file is JavaScript or TypeScript by its name.
func isScript(path string) bool {
	switch filepath.Ext(path) {
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return true
	}
	return false
}

// isText reports whether a file that is no script is imported as text or JSON.
func (b *build) isText(path string) bool {
	ext := filepath.Ext(path)
	if name, configured := b.o.Loader[ext]; configured {
		return name == "text" || name == "json"
	}
	return ext == ".json" || defaultLoaders[ext] == api.LoaderText
}

// firstLine reports options of Node in the entry's first line, which every bundle has
// in the same words.
func (b *build) firstLine(text string) (list diag.List) {
	line, _, _ := strings.Cut(strings.TrimPrefix(text, string(byteOrderMark)), "\n")
	if !strings.HasPrefix(line, "#!") {
		return nil
	}
	for _, word := range strings.Fields(line[2:]) {
		if strings.HasPrefix(word, "--") {
			list.Add(diag.Diagnostic{Code: "first-line-options", Level: diag.Warning, Position: diag.Position{File: b.o.Entry, Line: 1, Column: 1},
				Message: "the first line asks for " + word + ", and the first line of a bundle has no options",
				Hint:    "put the option in front of the file in the args of .mcp.json, or do without"})
		}
	}
	return list
}

// rel is a path relative to the root, slash separated.
func (b *build) rel(path string) string {
	rel, err := filepath.Rel(b.o.Root, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// at is the place of an offset in a file.
func (b *build) at(path, text string, offset int) diag.Position {
	line, column := jsscan.Position(text, offset)
	return diag.Position{File: b.rel(path), Line: line, Column: column}
}

// inPackage reports whether a path lies in an installed package, whose faults a
// user cannot mend.
func inPackage(path string) bool { return strings.Contains(filepath.ToSlash(path), "/node_modules/") }
