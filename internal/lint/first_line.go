package lint

import (
	"bytes"

	"omcbuild/internal/diag"
)

const shebangHint = "begin the bundle with #!/usr/bin/env node and a newline, once; the build does so by itself"

func bundleMark() rule[*bundle] {
	return rule[*bundle]{
		code: "bundle-bom", level: diag.Error,
		meaning: "a bundle begins with a byte order mark; with a first line of #! it is then a syntax error",
		find: func(b *bundle, report reporter) {
			if bytes.HasPrefix(b.Text, byteOrderMark) {
				report.at(b.place(0), "save it as UTF-8 without a mark", "begins with a byte order mark")
			}
		},
	}
}

func shebangTwice() rule[*bundle] {
	return rule[*bundle]{
		code: "shebang-twice", level: diag.Error,
		meaning: "a bundle has a second line of #!, which is a syntax error",
		find: func(b *bundle, report reporter) {
			if b.shebang == nil {
				return
			}
			rest := bytes.TrimLeft(b.body, "\r\n\t ")
			if bytes.HasPrefix(rest, []byte("#!")) {
				report.at(b.place(len(b.Text)-len(rest)), shebangHint, "has a second line of #!; the program cannot start")
			}
		},
	}
}

func shebangPlace() rule[*bundle] {
	return rule[*bundle]{
		code: "shebang-place", level: diag.Error,
		meaning: "a line of #! is not at the first byte of a bundle, which is a syntax error",
		find: func(b *bundle, report reporter) {
			rest := bytes.TrimLeft(bytes.TrimPrefix(b.Text, byteOrderMark), "\r\n\t ")
			if offset := len(b.Text) - len(rest); b.shebang == nil && bytes.HasPrefix(rest, []byte("#!")) {
				report.at(b.place(offset), shebangHint, "has its line of #! after other text")
			}
		},
	}
}

func shebangProgram() rule[*bundle] {
	return rule[*bundle]{
		code: "shebang-program", level: diag.Warning,
		meaning: "a bundle for Node names another program in its first line",
		find: func(b *bundle, report reporter) {
			line := bytes.TrimRight(bytes.TrimPrefix(b.shebang, byteOrderMark), "\r ")
			if b.shebang != nil && string(line) != "#!/usr/bin/env node" {
				report.at(b.place(0), shebangHint, "begins with %s", clip(printable(string(line))))
			}
		},
	}
}

func shebangReturn() rule[*bundle] {
	return rule[*bundle]{
		code: "shebang-crlf", level: diag.Error,
		meaning: "the first line of a bundle ends in CR LF; systems then look for a program named node with a CR",
		find: func(b *bundle, report reporter) {
			if bytes.HasSuffix(b.shebang, []byte("\r")) {
				report.at(b.place(0), "write bundles with LF; with git, add \"*.cjs text eol=lf\" to .gitattributes", "its first line ends in CR LF")
			}
		},
	}
}

func lineReturns() rule[*bundle] {
	return rule[*bundle]{
		code: "bundle-crlf", level: diag.Warning,
		meaning: "a bundle has CR line ends; its bytes then differ between machines",
		find: func(b *bundle, report reporter) {
			if at := bytes.IndexByte(b.body, '\r'); at >= 0 {
				report.at(b.place(len(b.Text)-len(b.body)+at), "write bundles with LF; with git, add \"*.cjs text eol=lf\" to .gitattributes", "has CR line ends")
			}
		},
	}
}
