package lint

import (
	"bytes"
	"path"
	"regexp"

	"omcbuild/internal/diag"
)

// BundleInput is what CheckBundle looks at: a finished bundle, wherever it came
// from.
type BundleInput struct {
	File      string   // its path, named in every finding
	Text      []byte   // its bytes
	HostPaths []string // absolute folders of this machine that must not show in it, such as the project's root and the home folder
}

// CheckBundle applies the bundle rules. Whether the text parses is for the
// bundler and for Node to say.
func CheckBundle(in BundleInput) diag.List {
	b := bundle{BundleInput: in}
	b.body = b.Text
	if first, rest, found := bytes.Cut(b.Text, []byte("\n")); found && bytes.HasPrefix(bytes.TrimPrefix(first, byteOrderMark), []byte("#!")) {
		b.shebang, b.body = first, rest
	}
	return apply(&b, in.File, bundleRules())
}

func bundleRules() []rule[*bundle] {
	return []rule[*bundle]{
		bundleEmpty(), bundleMark(), shebangTwice(), shebangPlace(), shebangProgram(), shebangReturn(), lineReturns(),
		requireStub(), requireContext(), hostPath(), fixedFolder(),
	}
}

// bundle is a bundle split at its first line.
type bundle struct {
	BundleInput
	shebang []byte // the first line when it names an interpreter, without its newline; may start with a byte order mark
	body    []byte // the rest
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// place turns an offset into the text into a position.
func (b *bundle) place(offset int) diag.Position {
	before := b.Text[:min(offset, len(b.Text))]
	return diag.Position{File: b.File, Line: bytes.Count(before, []byte("\n")) + 1, Column: len(before) - bytes.LastIndexByte(before, '\n')}
}

// module reports whether Node runs the bundle as an ES module, where require
// does not exist.
func (b *bundle) module() bool {
	switch path.Ext(b.File) {
	case ".mjs":
		return true
	case ".cjs":
		return false
	}
	return regexp.MustCompile(`(?m)^(?:import|export)[\s{*"']`).Match(b.body)
}

func bundleEmpty() rule[*bundle] {
	return rule[*bundle]{
		code: "bundle-empty", level: diag.Error,
		meaning: "a bundle has no code",
		find: func(b *bundle, report reporter) {
			if len(bytes.TrimSpace(b.body)) == 0 {
				report.in("", "build it again", "the bundle is empty")
			}
		},
	}
}
