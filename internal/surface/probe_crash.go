package surface

import (
	"regexp"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// crash is what standard error says about the end of a process.
type crash struct {
	text string // the line that names the error, or the last one that says anything
	line int    // where in the bundle it happened, 1-based; 0 when unknown
}

var (
	errorLine = lazyregexp.New(`^(?:Uncaught )?(?:[\w$.]*(?:Error|Exception))(?: \[\w+\])?: .+`)
	frameLine = lazyregexp.New(`^\s+at `)
	nodeLine  = lazyregexp.New(`^(?:Node\.js v\d|\s*\^+\s*$|\(Use .node --trace|node:internal|\s*$|\s*throw )`)
)

// readCrash finds the error and its place in what node writes when an exception
// ends it. File is the bundle's path as it stands in the lines.
func readCrash(stderr []string, file string) crash {
	place := regexp.MustCompile(`(?:^|[\s(/])` + regexp.QuoteMeta(file) + `:(\d+)`)
	var c crash
	for _, line := range stderr {
		if found := place.FindStringSubmatch(line); found != nil && c.line == 0 {
			c.line, _ = strconv.Atoi(found[1]) // digits; too many for an int are no place
		}
		if errorLine.MatchString(line) && !errorLine.MatchString(c.text) {
			c.text = line
		}
		said := !frameLine.MatchString(line) && !nodeLine.MatchString(line) && !place.MatchString(line)
		if said && !errorLine.MatchString(c.text) {
			c.text = line
		}
	}
	c.text = strings.TrimSpace(c.text)
	return c
}

// cause is a known reason for a bundle to fail, and its remedy.
type cause struct{ sign, remedy string }

// needsVariable is the remedy for a server that insists on its settings.
const needsVariable = "give the variable with --env, or a dummy under env of the bundle in omcbuild.jsonc; better do not insist on it before a tool is called"

// causes are looked for in this order in the text of an error.
func causes() []cause {
	return []cause{
		{"Dynamic require of", "the file is an ES module in which a CommonJS package calls require; build it as CommonJS, as omcbuild does"},
		{"require is not defined", "the file is read as an ES module; name it .cjs, or build it as an ES module"},
		{"Cannot use import statement outside a module", "the file is read as CommonJS; build it as CommonJS, or name it .mjs"},
		{"Unexpected token 'export'", "the file is read as CommonJS; build it as CommonJS, or name it .mjs"},
		{"Cannot find module '.", "the bundle requires a file beside it that is not in the plugin; import it, or list it under assets"},
		{"Cannot find module '/", "the bundle holds a path of the machine that built it; resolve it from the bundle's own folder"},
		{"Cannot find module", "bundle the module, or require it only when it is used and declare it external; no node_modules is there where users run the plugin"},
		{"Cannot find package", "bundle the package, or import it only when it is used and declare it external; no node_modules is there where users run the plugin"},
		{"Invalid URL", "import.meta.url is empty in CommonJS unless it is replaced; build with omcbuild, which does that"},
		{"ERR_INVALID_ARG_TYPE", "import.meta.url, .dirname or .filename may be empty here; they are in CommonJS unless they are replaced"},
		{"ERR_DLOPEN_FAILED", "a native module was built for another Node; load it only when it is used"},
		{"NODE_MODULE_VERSION", "a native module was built for another Node; load it only when it is used"},
		{"Could not locate the bindings file", "a native module's binary is not in the plugin; load it only when it is used"},
		{"ENOENT: no such file", "the bundle reads a file that is not in the plugin; list it under assets, or create it before reading"},
		{"Invalid or unexpected token", "the file does not parse; look at its first two lines for a second shebang, a byte order mark, or text before the shebang"},
		{"SyntaxError", "the file does not parse; run node --check on it"},
		{"environment variable", needsVariable},
		{"API_KEY", needsVariable},
		{"_TOKEN", needsVariable},
	}
}

// cutOff is the remedy for a file that stops being JavaScript after its first
// lines, which build does not write.
const cutOff = "the file does not parse there: it was cut off or changed after it was built; run omcbuild build, which writes it anew"

// unparsed returns the remedy for a bundle that does not parse far from its
// first lines, "" for any other end.
func (c crash) unparsed() string {
	if c.line <= 2 {
		return ""
	}
	for _, sign := range []string{"Invalid or unexpected token", "Unexpected end of input", "Unterminated template"} {
		if strings.Contains(c.text, "SyntaxError: "+sign) {
			return cutOff
		}
	}
	return ""
}

// remedyFor returns the remedy for the first sign found in a text, or the one
// given.
func remedyFor(text, otherwise string) string {
	for _, c := range causes() {
		if strings.Contains(text, c.sign) {
			return c.remedy
		}
	}
	return otherwise
}

// Places returns where in the bundle, by its path in the plugin, the lines on standard
// error say that it was when it ended: from the given line on, the innermost first.
func Places(stderr []string, file string, line int) (places []diag.Position) {
	place := regexp.MustCompile(`(?:^|[\s(/])` + regexp.QuoteMeta(file) + `:(\d+)(?::(\d+))?`)
	for _, text := range stderr {
		found := place.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		at := diag.Position{File: file}
		at.Line, _ = strconv.Atoi(found[1])   // digits; too many for an int are no place
		at.Column, _ = strconv.Atoi(found[2]) // 0 where there is none
		if len(places) > 0 || at.Line == line {
			places = append(places, at)
		}
	}
	return places
}
