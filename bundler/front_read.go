package bundler

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"

	"omcbuild/internal/lazyregexp"
)

// Unfront takes a bundle with a front apart: the bundle as it was before WithFront,
// byte for byte, and the front. ok is false for a file that has no front; server is
// then the file as it is.
func Unfront(bundle []byte) (server []byte, front *Front, ok bool) {
	text := string(bundle)
	first := ""
	if strings.HasPrefix(text, "#!") {
		at := strings.Index(text, "\n") + 1
		first, text = text[:at], text[at:]
	}
	_, text, isFront := strings.Cut("\n"+text, "\n"+frontAnswersOpen)
	answers, text, hasAnswers := strings.Cut(text, frontClose+frontServerOpen)
	body, tail, isClosed := strings.Cut(text, frontClose)
	line, answers, _ := strings.Cut(answers, "\n")
	var s frontSettings
	if !isFront || !hasAnswers || !isClosed || json.Unmarshal([]byte(line), &s) != nil || s.ID == "" || len(s.Slash) != 1 || !digitsMark.MatchString(s.Unicode) {
		return bundle, nil, false
	}
	if rest, isMap := strings.CutPrefix(tail, mapComment); tail != "" && (!isMap || strings.Index(rest, "\n") != len(rest)-1) {
		return bundle, nil, false
	}
	front = &Front{Env: s.Env}
	for _, line := range strings.Split(answers, "\n") {
		message, isMessage := strings.CutPrefix(line, frontMessage)
		var a frontAnswer
		switch n := len(front.Answers); {
		case line == "":
		case isMessage && n > 0:
			last := &front.Answers[n-1]
			last.Messages = append(last.Messages, s.plain(strings.ReplaceAll(message, s.ID, FrontID)))
		case json.Unmarshal([]byte(s.plain(line)), &a) == nil:
			front.Answers = append(front.Answers, FrontAnswer{Match: a.Match, Asks: a.Asks, After: a.After, State: a.State, Last: a.Last})
		default:
			return bundle, nil, false
		}
	}
	return []byte(first + s.plain(body)), front, true
}

// digitsMark is what may stand before the digits of what is not ASCII.
var digitsMark = lazyregexp.New(`^(~u{1,64})?$`)

// Tampered reports whether a file is a bundle with a front that WithFront does not write
// like this: by hand, or by an omcbuild of another version. What it does is then unknown,
// and its parts say nothing of it.
func Tampered(bundle []byte) bool {
	server, front, ok := Unfront(bundle)
	if !ok {
		return bytes.Contains(bundle, []byte("\n"+frontAnswersOpen))
	}
	for _, front.Minify = range []bool{false, true} {
		outputs, err := WithFront([]Output{{Contents: server}}, *front)
		if err == nil && bytes.Equal(outputs[0].Contents, bundle) {
			return false
		}
	}
	return true
}

// plain undoes escape.
func (s frontSettings) plain(text string) string {
	if s.Unicode != "" && strings.Contains(text, s.Unicode) {
		text = fromDigits(text, s.Unicode)
	}
	return strings.ReplaceAll(text, "*"+s.Slash, "*/")
}

// fromDigits undoes inDigits. A mark without four digits stands for itself.
func fromDigits(text, mark string) string {
	var out strings.Builder
	out.Grow(len(text))
	var units []uint16 // of marks that follow each other at once
	flush := func() {
		out.WriteString(string(utf16.Decode(units)))
		units = units[:0]
	}
	for {
		before, after, found := strings.Cut(text, mark)
		if before != "" || !found {
			flush()
			out.WriteString(before)
		}
		if !found {
			return out.String()
		}
		digits := after[:min(4, len(after))]
		if unit, err := strconv.ParseUint(digits, 16, 16); err == nil && len(digits) == 4 && digits == strings.ToLower(digits) {
			units, text = append(units, uint16(unit)), after[4:]
			continue
		}
		flush()
		out.WriteString(mark)
		text = after
	}
}

// FrontLine is the line of a bundle in which a line of its server stands, both from 1:
// the same line in a bundle without a front.
func FrontLine(bundle []byte, line int) int {
	at := bytes.Index(bundle, []byte(frontClose+frontServerOpen))
	if _, _, has := Unfront(bundle); !has {
		return line
	}
	before := bytes.Count(bundle[:at], []byte("\n")) + strings.Count(frontClose+frontServerOpen, "\n")
	switch {
	case !bytes.HasPrefix(bundle, []byte("#!")):
		return before + line
	case line == 1:
		return 1
	}
	return before + line - 1
}
