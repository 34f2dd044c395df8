package lint

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// hostPath finds folders of the building machine.
func hostPath() rule[*bundle] {
	return rule[*bundle]{
		code: "host-path", level: diag.Error,
		meaning: "a bundle holds a folder of the machine that built it; it works for its author only, and differs from machine to machine",
		find: func(b *bundle, report reporter) {
			folders := slices.Clone(b.HostPaths)
			slices.SortFunc(folders, func(x, y string) int { return len(y) - len(x) })
			lines := map[int]bool{}
			for _, folder := range folders {
				for _, form := range pathForms(folder) {
					found := occurrences(b.Text, form)
					first := slices.IndexFunc(found, func(at int) bool { return wholePath(b.Text, at, form) })
					if first < 0 {
						continue
					}
					place := b.place(found[first])
					if !lines[place.Line] {
						lines[place.Line] = true
						report.at(place, "remove the path from the source, or replace the package that was built with it", "holds %s, a folder of this machine", form)
					}
				}
			}
		},
	}
}

// pathForms returns how JavaScript may spell a folder; none for a folder that is
// no real one.
func pathForms(folder string) []string {
	folder = strings.TrimRight(folder, `/\`)
	if len(folder) < 3 || !filepath.IsAbs(folder) {
		return nil
	}
	forms := []string{folder}
	for _, form := range []string{strings.ReplaceAll(folder, `\`, `\\`), strings.ReplaceAll(folder, `\`, "/"), strings.ReplaceAll(folder, " ", "%20")} {
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms
}

// wholePath reports whether a folder's name at an offset stands for the folder
// and is not a part of a longer word. A folder of one part, such as /build, is
// meant only when more follows.
func wholePath(text []byte, at int, folder string) bool {
	if at > 0 && wordByte(text[at-1]) {
		return false
	}
	end := at + len(folder)
	single := strings.Count(folder, "/")+strings.Count(folder, `\`) < 2
	if end >= len(text) {
		return !single
	}
	if text[end] == '/' || text[end] == '\\' {
		return !single || end+1 < len(text) && bytes.IndexByte([]byte(" \t\r\n\"'`,;)"), text[end+1]) < 0
	}
	return !single && !wordByte(text[end])
}

func wordByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// maxAssignment is how long the assignment of a folder may be to be recognised.
const maxAssignment = 1024

// fixedFolder finds a baked-in __dirname, whoever's machine it is.
func fixedFolder() rule[*bundle] {
	form := regexp.MustCompile("^__(?:dirname|filename)\\s*=\\s*[\"'`](/[^\"'`\n]*|[A-Za-z]:[\\\\/][^\"'`\n]*)[\"'`]")
	return rule[*bundle]{
		code: "fixed-dirname", level: diag.Error,
		meaning: "a bundle fixes __dirname or __filename to a folder of some machine; files beside it are not found elsewhere",
		find: func(b *bundle, report reporter) {
			for _, name := range []string{"__dirname", "__filename"} {
				for _, at := range occurrences(b.Text, name) {
					found := form.Find(b.Text[at:min(at+maxAssignment, len(b.Text))])
					if found != nil && (at == 0 || !wordByte(b.Text[at-1])) {
						report.at(b.place(at), "use the package's own sources instead of a file that was bundled before", "fixes %s", clip(string(found)))
					}
				}
			}
		},
	}
}
