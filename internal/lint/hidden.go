package lint

import (
	"fmt"
	"strings"
	"unicode"

	"omcbuild/internal/diag"
)

// hiddenCharacter finds characters that a model reads and a reviewer does not
// see, the usual way of hiding instructions in a description.
func hiddenCharacter() rule[*offer] {
	return rule[*offer]{
		code: "hidden-character", level: diag.Error,
		meaning: "a text holds characters that cannot be seen and that a model reads: tags, direction marks, zero-width or control characters",
		find: func(o *offer, report reporter) {
			const hint = "remove the characters; look at who added them"
			if name, count := hiddenIn(o.Surface.Instructions); count > 0 {
				report.in("", hint, "the instructions hold %s of the kind %s", plural(count, "hidden character"), name)
			}
			for _, t := range o.tools {
				eachText(t.Raw, func(path, text string) {
					if name, count := hiddenIn(text); count > 0 {
						report.in(printable(t.label), hint, "%s holds %s of the kind %s", path, plural(count, "hidden character"), name)
					}
				})
			}
		},
	}
}

// hiddenIn counts the hidden characters of a text and names the kind of the
// first.
func hiddenIn(text string) (first string, count int) {
	runes := []rune(text)
	for i, r := range runes {
		kind := hiddenKind(r)
		if kind == "" || joins(runes, i) {
			continue
		}
		if count++; count == 1 {
			first = fmt.Sprintf("%s (U+%04X)", kind, r)
		}
	}
	return first, count
}

// hiddenKind names what a character does unseen, or returns "".
func hiddenKind(r rune) string {
	switch {
	case r >= 0xE0000 && r <= 0xE007F:
		return "tag"
	case r >= 0xE0100 && r <= 0xE01EF:
		return "variation selector"
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C:
		return "direction mark"
	case r >= 0x200B && r <= 0x200D, r == 0x2060, r == 0xFEFF, r == 0x180E:
		return "zero-width character"
	case r >= 0x2061 && r <= 0x2064, r >= 0x206A && r <= 0x206F:
		return "invisible operator"
	case r == 0x00AD, r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x2800:
		return "blank character"
	case r < 0x20 && r != '\n' && r != '\t' && r != '\r', r >= 0x7F && r <= 0x9F:
		return "control character"
	}
	return ""
}

// joins reports whether a joiner stands where writing needs it: between emoji,
// or between letters of scripts that join.
func joins(runes []rune, i int) bool {
	if runes[i] != 0x200C && runes[i] != 0x200D || i == 0 || i+1 == len(runes) {
		return false
	}
	needs := func(r rune) bool {
		return unicode.In(r, unicode.So, unicode.Sk, unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Tamil,
			unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar) || r == 0xFE0F
	}
	return needs(runes[i-1]) && needs(runes[i+1])
}

// printable writes hidden characters as their code points.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if hiddenKind(r) != "" {
			fmt.Fprintf(&b, "<U+%04X>", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
