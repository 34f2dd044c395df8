package bundler

import (
	"bytes"
	"strconv"
	"strings"
)

// moduleToken stands in front of a module's number where another asks for it.
const moduleToken = "omcbuild-module:"

// printed is one module as esbuild compiled it by itself, to CommonJS, with what it
// imports left outside:
//
//	__export(a_exports, { name: () => name });
//	module.exports = __toCommonJS(a_exports);
//	var import_b = __toESM(require("omcbuild-module:2"), 1);
//	__reExport(a_exports, require("omcbuild-module:3"), module.exports);
type printed struct {
	text    []byte           // linked: it asks for modules by number
	es      bool             // an ES module, or a script without imports and exports
	exports map[string]bool  // names
	stars   []int            // modules of which it exports all
	asks    []int            // modules that it loads, import() aside
	uses    map[int][]string // module → names that are taken from it
	written map[int][]string // the same as its source has it, used or not
	wholes  map[int]bool     // modules that it asks for as a whole
	bare    []int            // modules that it imports for their effects alone
}

// takes are the names that are taken from other modules, used or only written.
func (p *printed) takes() map[int][]string {
	all := map[int][]string{}
	for _, part := range []map[int][]string{p.uses, p.written} {
		for id, names := range part {
			all[id] = append(all[id], names...)
		}
	}
	return all
}

// link reads a compiled module and makes it ask for the others; node says that Node
// would load it as an ES module. It fails where the text has a form that is not known.
func link(text []byte, es, node bool, isES func(id int) bool) (*printed, bool) {
	p := &printed{es: es, exports: map[string]bool{}, uses: map[int][]string{}, written: map[int][]string{}, wholes: map[int]bool{}}
	if bytes.Contains(text, []byte("\nvar __glob = ")) { // what import(`./${name}.js`) may mean was bundled with it
		return nil, false
	}
	if es {
		text = bytes.TrimPrefix(text, []byte("\"use strict\";\n"))
		p.readExports(text)
		text = bytes.Replace(text, []byte("\nmodule.exports = __toCommonJS("), []byte("\n__omcbuild_module.exports = __toCommonJS(__omcbuild_module.space = "), 1)
		text = starTargets(text)
	}
	variables := map[string]int{}
	out := make([]byte, 0, len(text))
	token := []byte(`"` + moduleToken)
	for {
		at := bytes.Index(text, token)
		if at < 0 {
			break
		}
		end := bytes.IndexByte(text[at+1:], '"')
		if end < 0 {
			return nil, false
		}
		end += at + 2
		id, err := strconv.Atoi(string(text[at+len(token) : end-1]))
		if err != nil {
			return nil, false
		}
		before, after := text[:at], text[end:]
		switch {
		case bytes.HasSuffix(before, []byte("require(")):
			before = before[:len(before)-len("require(")]
			p.asks = append(p.asks, id)
			before, converted := bytes.CutSuffix(before, []byte("__toESM("))
			rest, whole := bytes.CutPrefix(after, []byte("), 1)"))
			if !whole {
				rest, whole = bytes.CutPrefix(after, []byte("))"))
			}
			switch {
			case converted && whole && isES(id): // import * as name, or its default
				after = rest
				out = append(append(out, before...), "__omcbuild_space("+strconv.Itoa(id)+")"...)
				p.wholes[id] = true
			case converted:
				out = append(append(out, before...), "__toESM(__omcbuild_load("+strconv.Itoa(id)...)
			default:
				out = append(append(out, before...), "__omcbuild_load("+strconv.Itoa(id)...)
				if !isClause(before) {
					p.wholes[id] = true
				}
			}
			if bytes.HasSuffix(before, []byte("__reExport(")) || starred(before) {
				p.stars = append(p.stars, id)
			}
			if name := variableBefore(before); name != "" {
				variables[name] = id
			}
		case bytes.HasSuffix(before, []byte("import(")):
			call := "__omcbuild_import("
			if node {
				call = "__omcbuild_import_node("
			}
			out = append(append(out, before[:len(before)-len("import(")]...), call+strconv.Itoa(id)...)
			p.wholes[id] = true
		default:
			return nil, false
		}
		text = after
	}
	out = append(out, text...)
	p.text = out
	p.readUses(variables)
	return p, true
}

// isClause reports whether what follows a text is an import or export statement's, and
// not a call of the module's own.
func isClause(before []byte) bool {
	return strings.HasPrefix(variableBefore(before), "import_") || starred(before) ||
		bytes.HasSuffix(before, []byte("__reExport(")) || bytes.HasSuffix(before, []byte("\n  ..."))
}

// starTargets gives the exports of all of another module to the module's record.
func starTargets(text []byte) []byte {
	start, end := []byte("\n__reExport("), []byte(", module.exports);\n")
	for at := 0; ; {
		next := bytes.Index(text[at:], start)
		if next < 0 {
			return text
		}
		at += next + len(start)
		line := bytes.IndexByte(text[at:], '\n')
		if line < 0 {
			return text
		}
		if bytes.HasSuffix(text[at:at+line+1], end) {
			stop := at + line + 1 - len(end)
			text = append(append(append([]byte(nil), text[:stop]...), ", __omcbuild_module.exports);\n"...), text[at+line+1:]...)
		}
	}
}

// starred reports whether a text ends in __reExport(NAME, .
func starred(before []byte) bool {
	before, ok := bytes.CutSuffix(before, []byte(", "))
	if !ok {
		return false
	}
	open := bytes.LastIndexByte(before, '(')
	return open > 0 && bytes.HasSuffix(before[:open], []byte("__reExport"))
}

// variableBefore returns the variable that a text ends in declaring, or "".
func variableBefore(before []byte) string {
	before, ok := bytes.CutSuffix(before, []byte(" = "))
	if !ok {
		return ""
	}
	space := bytes.LastIndexByte(before, ' ')
	if space < 0 || !bytes.HasSuffix(before[:space], []byte("var")) {
		return ""
	}
	return string(before[space+1:])
}

// readExports finds the names that the module exports.
func (p *printed) readExports(text []byte) {
	at := bytes.Index(text, []byte("\n__export("))
	if at < 0 {
		return
	}
	for line := range bytes.Lines(text[at+1:]) {
		name, _, isExport := strings.Cut(strings.TrimSpace(string(line)), ": () => ")
		switch {
		case isExport:
			if plain, err := strconv.Unquote(name); err == nil {
				name = plain
			}
			p.exports[name] = true
		case bytes.HasPrefix(line, []byte("})")):
			return
		}
	}
}

// readUses finds the names that are taken from other modules: import_b.name. The
// variables of imports as a whole do not start so.
func (p *printed) readUses(variables map[string]int) {
	const prefix = "import_"
	text := p.text
	seen := map[string]bool{}
	for {
		at := bytes.Index(text, []byte(prefix))
		if at < 0 {
			return
		}
		end := at
		for end < len(text) && (isNameByte(text[end]) || text[end] == '.') {
			end++
		}
		variable, rest, _ := strings.Cut(string(text[at:end]), ".")
		name, _, _ := strings.Cut(rest, ".")
		if id, known := variables[variable]; known && name != "" && !seen[variable+"."+name] {
			seen[variable+"."+name] = true
			p.uses[id] = append(p.uses[id], name)
		}
		text = text[max(end, at+len(prefix)):]
	}
}
