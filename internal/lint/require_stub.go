package lint

import (
	"bytes"

	"omcbuild/internal/diag"
)

// stubGuard is how far before a stub the test for a real require may stand.
const stubGuard = 600

// requireStub finds the function that bundlers put in place of require and that
// does nothing but throw. A server with it starts, and fails in the one tool that
// calls it.
func requireStub() rule[*bundle] {
	return rule[*bundle]{
		code: "require-stub", level: diag.Error,
		meaning: "a bundle holds a require that only throws; the server starts, and a tool that gets there fails",
		find: func(b *bundle, report reporter) {
			module := b.module()
			for _, mark := range []string{`Dynamic require of "`, "Could not dynamically require"} {
				for _, at := range occurrences(b.body, mark) {
					before := b.body[max(0, at-stubGuard):at]
					if !module && bytes.Contains(before, []byte("typeof require")) {
						continue // the real one is taken where there is one, and here there is
					}
					report.at(b.place(len(b.Text)-len(b.body)+at), "bundle as CommonJS from the package's sources, or use its CommonJS build",
						"holds a require that only throws (%q)", mark)
					break
				}
			}
		},
	}
}

// requireContext finds what webpack leaves for a require with a computed name.
func requireContext() rule[*bundle] {
	return rule[*bundle]{
		code: "require-context-empty", level: diag.Warning,
		meaning: "a bundle holds a package that another bundler has cut off from its files; requiring by a computed name throws",
		find: func(b *bundle, report reporter) {
			if found := occurrences(b.body, "webpackEmptyContext"); len(found) > 0 {
				report.at(b.place(len(b.Text)-len(b.body)+found[0]), "use the package's own sources instead of its prebuilt file", "holds an empty require of webpack")
			}
		},
	}
}

// occurrences returns where a text stands.
func occurrences(text []byte, mark string) (offsets []int) {
	for from := 0; ; {
		at := bytes.Index(text[from:], []byte(mark))
		if at < 0 {
			return offsets
		}
		offsets = append(offsets, from+at)
		from += at + len(mark)
	}
}
