package inspect

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxScript bounds the text of one script in bytes, in package.json or a file.
const maxScript = 32 << 10

// command is one program that a package.json script runs.
type command struct {
	words []word
	shell string // when it is more than a plain call: what the shell would do; words is then empty
	line  int    // 1-based, in the text that was split
	inner int    // when it is no program: 1 where a subshell begins, -1 where it ends
}

// word is one argument. Of what the shell would put in nothing is known,
// except for the variables that npm sets from package.json.
type word struct {
	text    string
	dynamic bool // the shell puts something in
	version bool
}

// texts returns the words as strings.
func (c command) texts() []string {
	out := make([]string, len(c.words))
	for i, w := range c.words {
		out[i] = w.text
	}
	return out
}

// commands splits a script into the programs it runs one after the other. The
// shell's own language is parsed and never run: what is more than a plain call
// comes back as its text. False means that the script is no shell at all.
func commands(line, version string) ([]command, bool) {
	if len(line) > maxScript {
		return nil, false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, false
	}
	s := splitter{line: line, version: version}
	for _, statement := range file.Stmts {
		s.statement(statement)
	}
	return s.out, true
}

type splitter struct {
	line    string
	version string // of package.json
	out     []command
}

func (s *splitter) statement(statement *syntax.Stmt) {
	switch c := statement.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.AndStmt {
			if call, ok := c.X.Cmd.(*syntax.CallExpr); ok && len(call.Args) == 1 && call.Args[0].Lit() == "false" {
				break // what follows never runs
			}
			s.statement(c.X)
			s.statement(c.Y)
			return
		}
	case *syntax.CallExpr:
		if words, ok := s.words(c.Args); ok && !statement.Negated && len(c.Args) > 0 {
			s.out = append(s.out, command{words: words, line: int(statement.Pos().Line())})
			return
		}
	case *syntax.DeclClause: // export, and the like
		return
	case *syntax.Subshell:
		s.out = append(s.out, command{inner: 1})
		for _, inner := range c.Stmts {
			s.statement(inner)
		}
		s.out = append(s.out, command{inner: -1})
		return
	case *syntax.Block:
		for _, inner := range c.Stmts {
			s.statement(inner)
		}
		return
	}
	s.out = append(s.out, command{shell: s.source(statement), line: int(statement.Pos().Line())})
}

func (s *splitter) source(node syntax.Node) string {
	from, to := int(node.Pos().Offset()), int(node.End().Offset())
	if from < 0 || to > len(s.line) || from > to {
		return s.line
	}
	return s.line[from:to]
}

func (s *splitter) words(args []*syntax.Word) ([]word, bool) {
	var out []word
	for _, arg := range args {
		w := word{}
		if !s.parts(arg.Parts, &w) {
			return nil, false
		}
		out = append(out, w)
	}
	return out, true
}

// parts adds the parts of a word; false when one of them runs something.
func (s *splitter) parts(parts []syntax.WordPart, w *word) bool {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			w.text += bare(p.Value)
		case *syntax.SglQuoted:
			w.text += p.Value
		case *syntax.DblQuoted:
			if !s.quoted(p.Parts, w) {
				return false
			}
		case *syntax.ParamExp:
			s.variable(p, w)
		default:
			return false
		}
	}
	return true
}

// quoted adds what stands between double quotes, where a backslash stays
// before most characters.
func (s *splitter) quoted(parts []syntax.WordPart, w *word) bool {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			w.text += unescapeQuoted(p.Value)
		case *syntax.ParamExp:
			s.variable(p, w)
		default:
			return false
		}
	}
	return true
}

func (s *splitter) variable(p *syntax.ParamExp, w *word) {
	if p.Param != nil && p.Param.Value == "npm_package_version" && s.version != "" && p.Exp == nil && p.Repl == nil && p.Slice == nil && !p.Length && !p.Excl {
		w.text += s.version
		w.version = true
		return
	}
	w.text += s.source(p)
	w.dynamic = true
}

// bare removes the backslashes of an unquoted word.
func bare(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func unescapeQuoted(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`", "\\\n", "").Replace(s)
}

// flagged finds an option among words, as "--name value" or "--name=value".
func flagged(words []string, names ...string) (string, bool) {
	for i, w := range words {
		name, value, joined := strings.Cut(w, "=")
		switch {
		case !slices.Contains(names, name):
		case joined:
			return value, true
		case i+1 < len(words):
			return words[i+1], true
		}
	}
	return "", false
}
