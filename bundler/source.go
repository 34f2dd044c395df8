package bundler

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// loaded is a file as it was read, once, for this build.
type loaded struct {
	bytes int64
	hash  [sha256.Size]byte
	text  []byte // as given to esbuild
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

func (s *sources) get(path string) *loaded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[path]
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// load reads one file for esbuild. Every file is read here and nowhere else,
// so the hash in the stamp is of the very bytes that were bundled.
func (b *build) load(args api.OnLoadArgs) (api.OnLoadResult, error) {
	raw, err := os.ReadFile(args.Path)
	if err != nil {
		return api.OnLoadResult{}, nil // esbuild reports it with the importing line
	}
	file := &loaded{bytes: int64(len(raw)), hash: sha256.Sum256(raw), text: raw}
	if isScript(args.Path) {
		file.text = bytes.TrimPrefix(raw, byteOrderMark)
	}
	b.sources.put(args.Path, file)
	contents := string(file.text)
	return api.OnLoadResult{Contents: &contents, Loader: api.LoaderDefault}, nil
}

// isScript reports whether a file is JavaScript or TypeScript by its name.
func isScript(path string) bool {
	switch filepath.Ext(path) {
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return !strings.HasSuffix(path, ".d.ts")
	}
	return false
}
