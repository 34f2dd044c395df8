package bundler

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"omcbuild/internal/lazyregexp"
)

// Front is what a bundle answers before its server is loaded. The conversation is
// one of JSON-RPC messages, one a line; a message that no answer is for is the
// server's.
type Front struct {
	Env     []string      // variables that, when set, load the server at once, as OMCBUILD_FRONT=0 does
	Answers []FrontAnswer // the first that fits is given
	Minify  bool          // shorten the front's own code
}

// FrontAnswer is one recorded answer.
type FrontAnswer struct {
	// Match is a pattern for the message without its "jsonrpc" and "id", for example
	// {"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":"?object","*":"?any"}}.
	// A value stands for itself; "?string", "?number", "?boolean", "?object", "?array"
	// and "?any" for each value of the kind; a key with "?" at its end may be missing,
	// and the key "*" stands for all others. A key that no pattern is for does not fit.
	Match json.RawMessage

	// Asks says that the message has an id, as requests have and notifications have not.
	Asks bool

	// After names the states of the conversation in which the answer is given; empty
	// means any. A conversation begins in FrontStart.
	After []string
	State string // state of the conversation after the answer, "" for the same

	// Messages are the lines that the server wrote, without their line feeds, with
	// FrontID wherever the request's id stood; empty when it wrote nothing.
	Messages []string

	// Last says that what usually follows is for the server: it is loaded once this
	// was written.
	Last bool
}

const (
	// FrontID stands for the request's id in a recorded message. No JSON has it.
	FrontID = "\x00"
	// FrontStart is the state in which a conversation begins.
	FrontStart = "start"
)

//go:embed header/front.cjs
var frontSource string

// frontSwallow is the function of frontSource that keeps back what was said already.
//
//go:embed header/front-swallow.cjs
var frontSwallow string

// frontSettings is the first line of the recorded answers: how the rest of the file
// is to be read.
type frontSettings struct {
	Line    int      `json:"line"`              // lines of the file before the server's first one
	Slash   string   `json:"slash"`             // stands for the slash that would end a comment
	Unicode string   `json:"unicode,omitempty"` // stands before four digits of what is not ASCII
	ID      string   `json:"id"`                // stands for the request's id
	Env     []string `json:"env"`
	Sum     string   `json:"sum,omitempty"` // of the server's text; none where it calls import(), which code from a cache cannot
}

// frontAnswer is how a FrontAnswer is written, on a line of its own.
type frontAnswer struct {
	Match json.RawMessage `json:"match"`
	Asks  bool            `json:"asks"`
	After []string        `json:"after,omitempty"`
	State string          `json:"state,omitempty"`
	Last  bool            `json:"last,omitempty"`
}

// What stands between the parts of a bundle with a front.
const (
	frontAnswersOpen = "function __omcbuild_answers() {/*\n"
	frontServerOpen  = "function __omcbuild_server() {/*\n"
	frontClose       = "\n*/}\n"
	frontMessage     = "\t" // before each message
	mapComment       = "//# sourceMappingURL="
)

// envName is what the name of a variable may be.
var envName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// WithFront puts a front before the bundle that the outputs begin with, and moves
// its source map, if there is one, by as many lines. The server's text stays what it
// is, in a comment; its lines in stack traces are those of the file.
//
// The error says what cannot be written down: it is of the caller's making, but for
// a bundle that is no UTF-8 or uses up all the ways to hide the end of a comment.
func WithFront(outputs []Output, f Front) ([]Output, error) {
	if len(outputs) == 0 {
		return nil, errors.New("there is no bundle to put a front before")
	}
	server := string(outputs[0].Contents)
	if !utf8.ValidString(server) {
		return nil, errors.New("the bundle is not all UTF-8")
	}
	first := ""
	if line, rest, isLine := strings.Cut(server, "\n"); isLine && strings.HasPrefix(line, "#!") {
		first, server = line+"\n", rest
	}
	answers, settings, err := f.lines()
	if err != nil {
		return nil, err
	}
	code := frontSource + frontSwallow
	if f.Minify {
		code = minify(code)
	}
	if !callsImport(server) {
		sum := sha256.Sum256([]byte(server))
		settings.Sum = hex.EncodeToString(sum[:16])
	}
	if err := settings.escape(answers, &server); err != nil {
		return nil, err
	}
	head := func() string {
		line, _ := marshalPlain(settings)
		return first + code + frontAnswersOpen + strings.Join(append([]string{line}, answers...), "\n") + frontClose + frontServerOpen
	}
	settings.Line = strings.Count(head(), "\n")
	text := head() + server + frontClose
	if at := strings.LastIndex(server, "\n"+mapComment); at >= 0 {
		comment, _, _ := strings.Cut(server[at+1:], "\n")
		text += comment + "\n"
	}
	out := slices.Clone(outputs)
	out[0].Contents = []byte(text)
	for i := range out[1:] {
		if o := &out[1+i]; o.Path == outputs[0].Path+".map" {
			o.Contents = shiftMap(o.Contents, settings.Line-strings.Count(first, "\n"))
		}
	}
	return out, nil
}

// callsImport reports whether a text has what may be a call of import(): the word, and
// a bracket or a comment after it. It looks through all of a bundle.
func callsImport(text string) bool {
	const word = "import"
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(word)
		next := strings.TrimLeft(text[from:], "\t\n\f\r ")
		if (at == 0 || !isWordByte(text[at-1])) && next != "" && (next[0] == '(' || next[0] == '/') {
			return true
		}
	}
}

func isWordByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// lines are the answers as they are written, and the settings that follow from them.
func (f Front) lines() (lines []string, s frontSettings, err error) {
	s.Env = slices.Clone(f.Env)
	if s.Env == nil {
		s.Env = []string{}
	}
	for _, name := range f.Env {
		if !envName.MatchString(name) {
			return nil, s, fmt.Errorf("%q is no name of a variable", name)
		}
	}
	var all strings.Builder
	for _, a := range f.Answers {
		for _, m := range a.Messages {
			if strings.Contains(m, "\n") || !utf8.ValidString(m) {
				return nil, s, fmt.Errorf("a message of the answer to %s is not one line of UTF-8", a.Match)
			}
			all.WriteString(m)
		}
	}
	s.ID = unused(all.String(), func(n int) string { return fmt.Sprintf("<id%s>", strings.Repeat("'", n)) })
	for _, a := range f.Answers {
		var match bytes.Buffer
		if err := json.Compact(&match, a.Match); err != nil {
			return nil, s, fmt.Errorf("the pattern %s: %w", a.Match, err)
		}
		line, err := marshalPlain(frontAnswer{Match: match.Bytes(), Asks: a.Asks, After: a.After, State: a.State, Last: a.Last})
		if err != nil {
			return nil, s, err
		}
		lines = append(lines, line)
		for _, m := range a.Messages {
			lines = append(lines, frontMessage+strings.ReplaceAll(m, FrontID, s.ID))
		}
	}
	return lines, s, nil
}

// marshalPlain is JSON without the escapes that only HTML needs.
func marshalPlain(value any) (string, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// unused is the first of some marks that does not occur in a text.
func unused(text string, mark func(int) string) string {
	for n := 0; ; n++ {
		if m := mark(n); !strings.Contains(text, m) {
			return m
		}
	}
}

// slashes are what a slash after a star may be written as. The text keeps its length.
const slashes = "~^@#|%;:?!&+=<>,.'\"`$_-}])0123456789\x01\x02\x03\x04\x05\x06\x07"

// foreign is how many characters of a text may be outside ASCII, as a share of all,
// for them to be written in digits: that makes the file twice as fast to read, and
// each of them some work when the server is loaded.
const foreign = 1.0 / 64

// escape makes the answers and the server's text fit for a comment, and notes how.
func (s *frontSettings) escape(answers []string, server *string) error {
	text := strings.Join(answers, "\n") + "\n" + *server
	at := strings.IndexFunc(slashes, func(c rune) bool { return !strings.Contains(text, "*"+string(c)) })
	if at < 0 {
		return errors.New("the bundle leaves no way to hide the end of a comment in it")
	}
	s.Slash = slashes[at : at+1]
	slash := strings.NewReplacer("*/", "*"+s.Slash)
	count := strings.Count(text, "") - 1 - ascii(text)
	if count > 0 && float64(count) <= foreign*float64(len(text)) {
		s.Unicode = unused(slash.Replace(text), func(n int) string { return "~u" + strings.Repeat("u", n) })
		if !digitsMark.MatchString(s.Unicode) {
			s.Unicode = ""
		}
	}
	apply := func(t string) string {
		t = slash.Replace(t)
		if s.Unicode != "" {
			t = inDigits(t, s.Unicode)
		}
		return t
	}
	for i, line := range answers {
		answers[i] = apply(line)
	}
	*server = apply(*server)
	return nil
}

// ascii counts the characters of a text that are in ASCII.
func ascii(text string) (n int) {
	for i := range len(text) {
		if text[i] < utf8.RuneSelf {
			n++
		}
	}
	return n
}

// inDigits writes what is not ASCII as a mark and four digits for each of its units
// in UTF-16.
func inDigits(text, mark string) string {
	var out strings.Builder
	out.Grow(len(text))
	from := 0
	for at, c := range text {
		if c < utf8.RuneSelf {
			continue
		}
		out.WriteString(text[from:at])
		for _, unit := range utf16.AppendRune(nil, c) {
			fmt.Fprintf(&out, "%s%04x", mark, unit)
		}
		from = at + utf8.RuneLen(c)
	}
	out.WriteString(text[from:])
	return out.String()
}
