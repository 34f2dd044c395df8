package stdio

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Noise is a line on stdout that is no message.
type Noise struct {
	Line    int    // 1-based
	Text    string // made visible and cut
	Bytes   int    // its whole length
	Partial bool   // the stream ended before the line did
	// Swallowed says that the line ends in a message, which no client can see:
	// something was written before it without a line end.
	Swallowed bool
}

// addNoise records a line. Only the reader calls it.
func (c *Client) addNoise(l line) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.record.NoiseLines++
	if len(c.record.Noise) >= c.options.NoiseLines {
		return
	}
	c.record.Noise = append(c.record.Noise, Noise{
		Line: l.number, Bytes: len(l.text), Partial: l.partial,
		Text:      Visible(l.text, c.options.NoiseBytes),
		Swallowed: endsInMessage(l.text),
	})
}

// endsInMessage reports whether a message stands at the end of a line that is
// none. It tries the first places where one could begin.
func endsInMessage(text []byte) bool {
	for at, tries := 0, 0; tries < 8; tries++ {
		next := bytes.IndexByte(text[at:], '{')
		if next < 0 {
			return false
		}
		at += next
		if at > 0 {
			if _, ok := Parse(text[at:]); ok {
				return true
			}
		}
		at++
	}
	return false
}

// Visible makes text safe to show on one line: control characters, characters
// without a shape and bytes that are no UTF-8 are written as escapes. Text beyond
// limit bytes is cut and ends in an ellipsis; limit 0 is none.
func Visible(text []byte, limit int) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if limit > 0 && i >= limit {
			b.WriteString("…")
			break
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + hex2(text[i]))
		case hidden(r):
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

func hex2(c byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[c>>4], digits[c&15]})
}

// shapeless are the letters and marks that Unicode counts as visible and no font
// draws: fillers and variation selectors beyond those of emoji.
var shapeless = &unicode.RangeTable{
	R16: []unicode.Range16{{0x034f, 0x034f, 1}, {0x115f, 0x1160, 1}, {0x2800, 0x2800, 1}, {0x3164, 0x3164, 1}, {0xfe00, 0xfe0e, 1}, {0xffa0, 0xffa0, 1}},
	R32: []unicode.Range32{{0xe0000, 0xe0fff, 1}},
}

func hidden(r rune) bool { return !unicode.IsPrint(r) || unicode.Is(shapeless, r) }
