package bundler

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/jsscan"
)

// maxNesting is how deep what a source says may be nested. A parser takes a piece of its
// stack for each level, and that of esbuild ends the whole program at some 100,000; Node's
// gives up before 10,000.
const maxNesting = 20_000

// tooDeep refuses a file that would end the program. Most files need one look at their
// bytes, or none.
func (b *build) tooDeep(path string, text []byte, loader api.Loader) []api.Message {
	offset := deepest(text, loader)
	if offset < 0 {
		return nil
	}
	line, column := jsscan.Position(asText(text), offset)
	return []api.Message{{Text: fmt.Sprintf("is nested more than %d levels deep, which no program reads", maxNesting),
		Location: &api.Location{File: b.rel(path), Line: line, Column: column - 1},
		Detail:   finding{code: "nested-too-deep", hint: "write it as a flat list, or leave the file out of what is imported"}}}
}

func isTooDeep(text []byte, loader api.Loader) bool { return deepest(text, loader) >= 0 }

// deepest returns where a text becomes too deep, or -1.
func deepest(text []byte, loader api.Loader) int {
	if len(text) < maxNesting || !mayBeTooDeep(text) {
		return -1
	}
	switch loader {
	case api.LoaderJS, api.LoaderJSX, api.LoaderTS, api.LoaderTSX:
		return deepestCode(asText(text))
	case api.LoaderJSON, api.LoaderCSS:
		return deepestData(text)
	}
	return -1
}

// loaderOf is how esbuild reads a file of that name.
func (b *build) loaderOf(path string) api.Loader {
	ext := filepath.Ext(path)
	name, configured := b.o.Loader[ext]
	switch {
	case configured:
		return loaders[name]
	case ext == ".json":
		return api.LoaderJSON
	case ext == ".css":
		return api.LoaderCSS
	case isScript(path), ext == "":
		return api.LoaderTSX
	}
	return defaultLoaders[ext]
}

// climb counts the levels around a place: open brackets, and in each of them what
// leads further down without a bracket, as in !!a, a.b.c, a => b => c and if (a) if (b).
type climb struct {
	levels int
	run    int   // since the last end of a statement or an element
	runs   []int // those of the brackets that are open
}

func (c *climb) open() {
	c.runs = append(c.runs, c.run)
	c.run = 0
	c.levels++
}

// close ends a bracket; what it held counts as one step, as in a()()().
func (c *climb) close() {
	if len(c.runs) == 0 {
		return
	}
	c.levels -= c.run + 1
	c.run = c.runs[len(c.runs)-1]
	c.runs = c.runs[:len(c.runs)-1]
	c.step()
}

func (c *climb) step()  { c.run++; c.levels++ }
func (c *climb) reset() { c.levels -= c.run; c.run = 0 }

// steps are the bytes that may lead down.
const steps = "!~+-.?:=*<` \t\r\n"

// mayBeTooDeep looks at bytes, not knowing which are strings or comments: it may say yes
// for any text, and no for none that is so deep unless the text is made to deceive it.
func mayBeTooDeep(text []byte) bool {
	var c climb
	kind := [256]byte{'(': 1, '[': 1, '{': 1, ')': 2, ']': 2, '}': 2, ';': 4, ',': 4}
	for i := range len(steps) {
		kind[steps[i]] = 3
	}
	leading := 0
	for _, char := range text {
		leading += int(kind[char] & 1) // those that open something, and steps
	}
	if leading <= maxNesting {
		return false
	}
	for i := range text {
		switch kind[text[i]] {
		case 1:
			c.open()
		case 2:
			c.close()
		case 3:
			c.step()
		case 4:
			if !elseFollows(text[i+1:]) {
				c.reset()
			}
		}
		if c.levels > maxNesting {
			return true
		}
	}
	return false
}

func elseFollows(text []byte) bool {
	for i := range len(text) {
		switch text[i] {
		case ' ', '\t', '\r', '\n':
		default:
			return bytes.HasPrefix(text[i:], []byte("else"))
		}
	}
	return false
}

// deepestData returns where JSON, or any text whose strings stand in double quotes,
// becomes too deep, or -1.
func deepestData(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '(', '[', '{':
			if depth++; depth > maxNesting {
				return i
			}
		case ')', ']', '}':
			depth--
		}
	}
	return -1
}

// deepestCode returns where a script becomes too deep, or -1.
func deepestCode(text string) int {
	f, _ := jsscan.Scan(text) // as far as it goes
	d := descent{f: f}
	for i := range f.Tokens {
		if d.token(i); d.levels > maxNesting {
			return f.Tokens[i].Start
		}
	}
	return -1
}

// descent follows the tokens of a script.
type descent struct {
	climb
	f       *jsscan.File
	ended   int   // the run of the statement that ended last, which an else goes on with
	opened  []int // the brackets that are open
	control bool  // the last token closed the parentheses of if, for, while or with
}

// deeper are the words that lead down.
const deeper = " typeof void delete await new yield throw return if else for while with do extends as satisfies keyof readonly infer unique async asserts is in instanceof "

// onward are the words that go on with what stands before them.
const onward = " else while catch finally instanceof in of as satisfies is extends implements from "

func (d *descent) token(i int) {
	f, t := d.f, d.f.Tokens[i]
	for len(d.opened) > t.Parens {
		last := d.opened[len(d.opened)-1]
		d.opened = d.opened[:len(d.opened)-1]
		d.close()
		d.control = f.Is(last, "(") && strings.Contains(" if for while with await ", " "+f.Source(last-1)+" ")
	}
	text := f.Source(i)
	if d.begins(i) {
		d.ended = d.run
		d.reset()
	}
	switch {
	case f.Is(i, "else"):
		for d.run <= d.ended {
			d.step()
		}
	case f.Is(i, "case"), f.Is(i, "default"):
		d.reset()
	case f.Is(i, ";"), f.Is(i, ","):
		d.ended = d.run
		d.reset()
	case (f.Is(i, ")") || f.Is(i, "]") || f.Is(i, "}")) && (f.Is(i-1, "(") || f.Is(i-1, "[") || f.Is(i-1, "{")):
		d.step() // with nothing in it
	case t.Kind == jsscan.Ident && strings.Contains(deeper, " "+text+" "), t.Kind == jsscan.Punct && strings.Contains(" ! ~ ++ -- => ? : = . < ", " "+text+" "):
		d.step()
	case (f.Is(i, "+") || f.Is(i, "-")) && !d.operand(i-1), f.Is(i, "*") && f.Is(i-1, "*"), t.Kind == jsscan.String && text[0] == '`':
		d.step()
	}
	if i+1 < len(f.Tokens) && f.Tokens[i+1].Parens > t.Parens {
		d.opened = append(d.opened, i)
		d.open()
	}
	d.control = d.control && strings.Contains(")", text)
}

// operand reports whether a value ends with token i.
func (d *descent) operand(i int) bool {
	f := d.f
	switch f.Kind(i) {
	case jsscan.Punct:
		return f.Is(i, ")") && !d.control || f.Is(i, "]") || f.Is(i, "}")
	case jsscan.Ident:
		return !strings.Contains(deeper, " "+f.Source(i)+" ") || f.Is(i-1, ".")
	}
	return true
}

// begins reports whether a statement begins with token i though no semicolon stands
// before it.
func (d *descent) begins(i int) bool {
	f := d.f
	if i == 0 || f.Kind(i) == jsscan.Punct || f.Kind(i) == jsscan.TemplatePart || strings.Contains(onward, " "+f.Source(i)+" ") || !d.operand(i-1) {
		return false
	}
	return f.Is(i-1, "}") || strings.Contains(f.Text[f.Tokens[i-1].End:f.Tokens[i].Start], "\n")
}
