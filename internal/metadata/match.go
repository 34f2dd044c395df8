package metadata

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"omcbuild/internal/project"
)

// The texts a placeholder stands for. A version's identifiers do not end in a
// hyphen here, so that the end of an HTML comment is not taken for a part of
// one.
const (
	identifier = `[0-9A-Za-z]+(?:-+[0-9A-Za-z]+)*`
	number     = `[0-9]+`
	name       = `[A-Za-z0-9]+(?:[-_]+[A-Za-z0-9]+)*`
)

func versionText(repeat string) string {
	identifiers := identifier + `(?:\.` + identifier + `)*` + repeat
	return number + `\.` + number + `\.` + number + `(?:-` + identifiers + `)?` + repeat + `(?:\+` + identifiers + `)?` + repeat
}

// expression builds the regular expression of a pattern, one group for each
// placeholder. Where text follows a placeholder the shortest version is meant,
// at the end of the pattern the longest. A line break also matches CRLF.
func expression(p project.Pattern) (*regexp.Regexp, error) {
	var b strings.Builder
	for i, part := range p.Parts {
		repeat := "?"
		if i == len(p.Parts)-1 {
			repeat = ""
		}
		switch part.Field {
		case "":
			b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(part.Literal), "\n", `\r?\n`))
		case project.Version:
			b.WriteString("(" + versionText(repeat) + ")")
		case project.Name:
			b.WriteString("(" + name + ")")
		default:
			b.WriteString("(" + number + ")")
		}
	}
	return regexp.Compile(b.String())
}

// replace puts the values, one for each placeholder, into every place of the
// text that matches the pattern, and counts those places. All other bytes stay.
func replace(p project.Pattern, text []byte, values []string) ([]byte, int) {
	re, err := expression(p)
	if err != nil {
		return text, 0
	}
	var out []byte
	copied, matches := 0, 0
	for _, m := range re.FindAllSubmatchIndex(text, -1) {
		if !delimited(p, text, m[0], m[1]) {
			continue
		}
		matches++
		for i, value := range values {
			from, to := m[2+2*i], m[3+2*i]
			out = append(append(out, text[copied:from]...), value...)
			copied = to
		}
	}
	return append(out, text[copied:]...), matches
}

// delimited reports whether a match stands on its own: a placeholder at either
// end of the pattern must not continue in the text around it.
func delimited(p project.Pattern, text []byte, from, to int) bool {
	first, last := p.Parts[0], p.Parts[len(p.Parts)-1]
	if first.Field != "" && from > 0 {
		before, _ := utf8.DecodeLastRune(text[:from])
		if isDigit(before) || before == '.' || first.Field == project.Name && (isWord(before) || before == '-') {
			return false
		}
	}
	if last.Field == "" || to == len(text) {
		return true
	}
	after, size := utf8.DecodeRune(text[to:])
	if isWord(after) {
		return false
	}
	next, _ := utf8.DecodeRune(text[to+size:])
	return !strings.ContainsRune(".+-", after) || !isWord(next)
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isWord(r rune) bool {
	return isDigit(r) || r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
