package stdio

import (
	"bytes"

	"omcbuild/internal/lazyregexp"
)

// framing recognises, in lines that are no messages, a server that sends its
// messages in another way.
type framing struct {
	header bool         // the last line was a Content-Length header
	object bytes.Buffer // lines since one that opened an object; empty when none did
}

// prettyBytes bounds how much of an object is looked at.
const prettyBytes = 1 << 20

var contentLength = lazyregexp.New(`^(?i:content-length): *[0-9]+$`)

// reset is for a line that is a message: what came before was only noise.
func (f *framing) reset() {
	f.header = false
	f.object.Reset()
}

// feed looks at the next line and reports the framing that is proven by it.
func (f *framing) feed(l line) (Framing, bool) {
	if f.header && len(l.text) == 0 {
		return ContentLength, true
	}
	f.header = contentLength.Match(l.text)
	if f.object.Len() == 0 && string(l.text) != "{" {
		return "", false
	}
	if f.object.Len()+len(l.text) > prettyBytes {
		f.object.Reset()
		return "", false
	}
	f.object.Write(l.text)
	f.object.WriteByte('\n')
	if string(l.text) != "}" {
		return "", false
	}
	_, ok := Parse(f.object.Bytes())
	f.object.Reset()
	return PrettyPrinted, ok
}
