package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
)

// source is a file of a copy that is edited again and again. Each edit puts a
// statement with a new token into it, which stays in a bundle.
type source struct {
	path string
	text []byte // before the first edit
	at   int    // where the statement goes; the end of the file to begin with
}

// openSource reads a file of a copy, given relative to it.
func openSource(copied, relative string) (*source, error) {
	path := filepath.Join(copied, filepath.FromSlash(relative))
	text, err := os.ReadFile(path)
	return &source{path: path, text: text, at: len(text)}, err
}

// within moves the statement to the start of the first function of a name.
func (s *source) within(function string) error {
	begins := bytes.Index(s.text, []byte(function+"("))
	if begins < 0 {
		return fmt.Errorf("%s has no function %s", s.path, function)
	}
	body := bytes.Index(s.text[begins:], []byte(" {\n"))
	if body < 0 {
		return fmt.Errorf("the function %s of %s has no body", function, s.path)
	}
	s.at = begins + body + len(" {")
	return nil
}

// marked is the file with a token. All tokens have one length, so that the
// outputs have one as well.
func (s *source) marked(token string) []byte {
	return fmt.Appendf(nil, "%s\nObject.assign(globalThis, { benchmark: %q });\n%s", s.text[:s.at], token, s.text[s.at:])
}

// save writes the file in place, as some editors do.
func (s *source) save(token string) error { return os.WriteFile(s.path, s.marked(token), 0o644) }

// replace writes another file and renames it, as other editors do.
func (s *source) replace(token string) error {
	beside := s.path + ".tmp"
	if err := os.WriteFile(beside, s.marked(token), 0o644); err != nil {
		return err
	}
	return os.Rename(beside, s.path)
}

// tokens gives each edit of a run a token of its own.
type tokens struct{ used atomic.Int64 }

func (t *tokens) next() string { return fmt.Sprintf("benchmark-token-%06d", t.used.Add(1)) }
