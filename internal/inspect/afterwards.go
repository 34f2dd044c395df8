package inspect

import (
	"slices"
	"strings"
)

// copying is what a script copies with, wherever it stands; changing is what
// matters when it stands after the first call of a bundler.
var (
	copying  = []string{"cp", "copyFile", "copy"}
	changing = []string{"chmod", "rename", "writeFile", "appendFile", "symlink", "link", "unlink", "rm", "exec", "execFile", "spawn", "outputFile", "move"}
)

// work returns what the call at a token does with files or programs by the
// modules of Node for them: the name of the function without Sync, and as it is
// written; "" for any other call.
func (s *script) work(i int) (does, written string) {
	if s.file.Is(i-1, ".") {
		return "", ""
	}
	from := s.imported[s.file.Source(i)]
	switch strings.TrimPrefix(from.module, "node:") {
	case "fs", "fs/promises", "fs-extra", "child_process":
	default:
		return "", ""
	}
	written = s.file.Source(i)
	switch {
	case s.file.Is(i+1, "("):
		does = from.name
	case s.file.Is(i+1, ".") && s.file.Is(i+3, "("):
		does = s.file.Source(i + 2)
		written += "." + does
	case s.file.Is(i+1, ".") && s.file.Is(i+3, ".") && s.file.Is(i+5, "("):
		does = s.file.Source(i + 4)
		written += "." + s.file.Source(i+2) + "." + does
	}
	return strings.TrimSuffix(does, "Sync"), written + "()"
}

// leaveWork lists what a build script does itself, beside the bundler whose
// first call is at a token.
func (p *plan) leaveWork(script *script, first int) {
	for i := range script.file.Tokens {
		does, written := script.work(i)
		if _, line := script.file.Literal(i + 2); line && does == "exec" {
			continue // its steps were followed
		}
		copies := slices.Contains(copying, does)
		if !copies && (i < first || !slices.Contains(changing, does)) || script.reachOf(i) == never {
			continue
		}
		why := "it runs after the bundler; omcbuild runs nothing afterwards"
		if copies {
			why = "nothing is copied; name what the server reads under assets"
		}
		p.repo.leave(written, script.position(i), why)
	}
}
