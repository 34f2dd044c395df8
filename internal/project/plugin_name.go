package project

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// NameFault says what the client or its catalogs object to in the name of a
// plugin. The zero value is a name that everybody takes.
type NameFault int

// From the worst down; CheckPluginName returns the first that applies.
const (
	NameFine     NameFault = iota
	NameMissing            // empty
	NameSpaces             // holds white space; the manifest is refused
	NamePath               // holds a slash, a backslash, @ or ..; cannot be installed
	NameNotASCII           // catalogs refuse it
	NameReserved           // belongs to the client's vendor
	NameStyle              // not lower-case words of letters and digits joined by hyphens
)

// CheckPluginName returns what is wrong with a plugin's name. It is the one
// statement of the rule: the metadata, the checks of a plugin and init ask it.
func CheckPluginName(name string) NameFault {
	switch {
	case name == "":
		return NameMissing
	case strings.ContainsFunc(name, unicode.IsSpace):
		return NameSpaces
	case strings.ContainsAny(name, `/\@`) || strings.Contains(name, ".."):
		return NamePath
	case strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }):
		return NameNotASCII
	case reservedName(strings.ToLower(name)):
		return NameReserved
	case !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(name):
		return NameStyle
	}
	return NameFine
}

// reservedName reports whether a name passes as one of the vendor's: by its first
// word, or by the word official beside the vendor's.
func reservedName(lower string) bool {
	words := strings.Split(lower, "-")
	vendor := []string{"claude", "anthropic", "anthropics"}
	switch {
	case slices.Contains(vendor, words[0]), words[0] == "cc" && len(words) > 2 && words[1] == "plugin":
		return true
	case slices.Contains(words, "official"):
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(vendor, word) })
	}
	return false
}
