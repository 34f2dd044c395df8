package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// writePage puts each table into the page, between the lines
// "<!-- table NAME -->" and "<!-- end -->"; the words around them stay. The file is
// replaced as a whole.
func writePage(file string, tables map[string]string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for name, text := range tables {
		if page, err = placed(page, name, text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	beside := file + ".new"
	if err := os.WriteFile(beside, page, 0o644); err != nil {
		return err
	}
	return os.Rename(beside, file)
}

// placed returns the page with one of its tables replaced.
func placed(page []byte, name, text string) ([]byte, error) {
	opening := []byte("<!-- table " + name + " -->\n")
	before, rest, ok := bytes.Cut(page, opening)
	if !ok {
		return nil, fmt.Errorf("there is no line <!-- table %s -->", name)
	}
	_, after, ok := bytes.Cut(rest, []byte("<!-- end -->\n"))
	if !ok {
		return nil, fmt.Errorf("no line <!-- end --> follows <!-- table %s -->", name)
	}
	return bytes.Join([][]byte{before, opening, []byte("\n" + strings.TrimSpace(text) + "\n\n<!-- end -->\n"), after}, nil), nil
}
