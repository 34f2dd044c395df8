package bundler

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"omcbuild/internal/lazyregexp"
)

// Unfront takes a bundle with a front apart: the bundle as it was before WithFront,
// byte for byte, and the front. ok is false for a file that has no front; server is
// then the file as it is.
func Unfront(bundle []byte) (server []byte, front *Front, ok bool) {
	parts, ok := splitFront(bundle)
	if !ok {
		return bundle, nil, false
	}
	return append(slices.Clip(parts.first), parts.plain(string(parts.body))...), parts.front, true
}

// FrontOf returns the front of a bundle, false for a file that has none. It takes a
// hundredth of the time that Unfront does, which undoes how the server is written too.
func FrontOf(bundle []byte) (*Front, bool) {
	parts, ok := splitFront(bundle)
	return parts.front, ok
}

// frontParts are the parts of a bundle with a front.
type frontParts struct {
	frontSettings
	front *Front
	first []byte // the first line of the server, when it is for the system
	body  []byte // the rest of it, as it is written
}

// splitFront finds the parts of a bundle with a front, false for a file that has none.
func splitFront(bundle []byte) (parts frontParts, ok bool) {
	text := bundle
	if bytes.HasPrefix(text, []byte("#!")) {
		at := bytes.IndexByte(text, '\n') + 1
		parts.first, text = text[:at], text[at:]
	}
	if !bytes.HasPrefix(text, []byte(frontAnswersOpen)) {
		if _, text, ok = bytes.Cut(text, []byte("\n"+frontAnswersOpen)); !ok {
			return frontParts{}, false
		}
	} else {
		text = text[len(frontAnswersOpen):]
	}
	answers, text, hasAnswers := bytes.Cut(text, []byte(frontClose+frontServerOpen))
	body, tail, isClosed := bytes.Cut(text, []byte(frontClose))
	line, answers, _ := bytes.Cut(answers, []byte("\n"))
	s := &parts.frontSettings
	if !hasAnswers || !isClosed || json.Unmarshal(line, s) != nil || s.ID == "" || len(s.Slash) != 1 || !digitsMark.MatchString(s.Unicode) {
		return frontParts{}, false
	}
	if rest, isMap := bytes.CutPrefix(tail, []byte(mapComment)); len(tail) > 0 && (!isMap || bytes.IndexByte(rest, '\n') != len(rest)-1) {
		return frontParts{}, false
	}
	parts.body = body
	if parts.front, ok = s.answers(string(answers)); !ok {
		return frontParts{}, false
	}
	return parts, true
}

// answers reads the lines of the recorded answers.
func (s frontSettings) answers(lines string) (*Front, bool) {
	front := &Front{Env: s.Env}
	for _, line := range strings.Split(lines, "\n") {
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
			return nil, false
		}
	}
	return front, true
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
	if _, has := FrontOf(bundle); !has {
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
