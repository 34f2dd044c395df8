package typecheck

import (
	"path/filepath"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

var located = lazyregexp.New(`^(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)$`)
var unlocated = lazyregexp.New(`^error (TS\d+): (.*)$`)

// parse reads what the compiler prints with --pretty false. Indented lines
// continue the message before them.
func parse(root, dir, output string) diag.List {
	var list diag.List
	for _, text := range strings.Split(output, "\n") {
		text = strings.TrimRight(text, "\r ")
		if m := located.FindStringSubmatch(text); m != nil {
			row, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3])
			list.Add(diag.Diagnostic{Code: m[4], Message: m[5], Position: diag.Position{File: relative(root, filepath.Join(dir, filepath.FromSlash(m[1]))), Line: row, Column: column}})
		} else if m := unlocated.FindStringSubmatch(text); m != nil {
			list.Add(diag.Diagnostic{Code: m[1], Message: m[2]})
		} else if strings.HasPrefix(text, " ") && len(list) > 0 {
			list[len(list)-1].Message += "; " + strings.TrimSpace(text)
		}
	}
	return list
}

func relative(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}
