package bundler

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
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
	if !isFront || !hasAnswers || !isClosed || json.Unmarshal([]byte(line), &s) != nil || s.ID == "" || len(s.Slash) != 1 {
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

// plain undoes escape.
func (s frontSettings) plain(text string) string {
	if s.Unicode != "" {
		runs := regexp.MustCompile("(?:" + regexp.QuoteMeta(s.Unicode) + "[0-9a-f]{4})+")
		text = runs.ReplaceAllStringFunc(text, func(run string) string {
			var units []uint16
			for _, digits := range strings.Split(run, s.Unicode)[1:] {
				unit, _ := strconv.ParseUint(digits, 16, 16)
				units = append(units, uint16(unit))
			}
			return string(utf16.Decode(units))
		})
	}
	return strings.ReplaceAll(text, "*"+s.Slash, "*/")
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
