package main

import (
	"strings"

	"omcbuild/internal/lazyregexp"
)

var (
	exclusive = lazyregexp.New(`^if any flags in the group \[.*\] are set none of the others can be; \[(\S+) (\S+)\] were all set$`)
	badValue  = lazyregexp.New(`(?s)^invalid argument (".*") for "(?:-\w, )?(--[\w-]+)" flag: strconv\.Parse(Int|Bool): .*: (invalid syntax|value out of range)$`)
	operation = lazyregexp.New(`(?s)^(?:write|getwd|open|stat|lstat)(?: .*)?: (.*)$`)
)

// plainWords says in fewer words, and without those of a programming language,
// what the flag parser and the system say.
func plainWords(message string) string {
	if m := exclusive.FindStringSubmatch(message); m != nil {
		return "--" + m[1] + " and --" + m[2] + " exclude each other"
	}
	if m := badValue.FindStringSubmatch(message); m != nil {
		switch {
		case m[4] != "invalid syntax":
			return m[2] + " takes no number as large as " + m[1]
		case m[3] == "Bool":
			return m[2] + " takes true or false, not " + m[1]
		}
		return m[2] + " takes a whole number, not " + m[1]
	}
	if m := operation.FindStringSubmatch(message); m != nil {
		return strings.TrimSpace(m[1])
	}
	return message
}
