package architecture

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tracked lists the files that git keeps; without git, as in an unpacked
// archive, all that are there.
func tracked(t *testing.T) []string {
	t.Helper()
	command := exec.Command("git", "ls-files", "-z", "--cached")
	command.Dir = root
	listed, err := command.Output()
	if err != nil {
		return paths(t, "")
	}
	return strings.Split(strings.TrimRight(string(listed), "\x00"), "\x00")
}

// A binary that is committed is downloaded with every clone for good, and
// nobody can read it in a review.
func TestNoTrackedFileIsABinary(t *testing.T) {
	files := tracked(t)
	if len(files) < 100 {
		t.Fatalf("%d files are tracked, which is too few to be true", len(files))
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			continue // deleted and not committed yet, or a link
		}
		if what := binary(text); what != "" {
			t.Errorf("%s: %s; remove it with git rm --cached and let .gitignore name it", name, what)
		}
	}
}

// binary says why a file is no text, or nothing.
func binary(content []byte) string {
	for _, magic := range []struct{ begin, what string }{
		{"\x7fELF", "is a program for Linux"},
		{"\xcf\xfa\xed\xfe", "is a program for macOS"},
		{"\xca\xfe\xba\xbe", "is a program for macOS, or a class of Java"},
	} {
		if bytes.HasPrefix(content, []byte(magic.begin)) {
			return magic.what
		}
	}
	if bytes.IndexByte(content, 0) >= 0 {
		return "holds NUL bytes, so it is no text"
	}
	return ""
}

func TestBinaryIsTold(t *testing.T) {
	for _, content := range []string{"\x7fELF\x02\x01", "\xcf\xfa\xed\xfe\x07", "\xca\xfe\xba\xbe\x00", "MZ\x90\x00", "\x89PNG\r\n\x1a\n\x00"} {
		if binary([]byte(content)) == "" {
			t.Errorf("%q is taken for text", content)
		}
	}
	for _, content := range []string{"", "MZ is how it begins\n", "#!/bin/sh\n", "é\n"} {
		if what := binary([]byte(content)); what != "" {
			t.Errorf("%q: %s", content, what)
		}
	}
}
