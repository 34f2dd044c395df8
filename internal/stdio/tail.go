package stdio

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// stderrBytes is how much of one line of stderr is kept.
const stderrBytes = 400

// tail keeps the first and the last lines of a stream.
type tail struct {
	mu      sync.Mutex
	limit   int      // of the first lines, and of the last
	first   []string // until there are limit of them
	last    []string // a ring, once it is full
	next    int      // where the oldest of last is then
	dropped int      // lines that fell out of last
	current []byte   // the line that is being read, cut
	open    bool     // something of the current line was read
}

func newTail(limit int) *tail { return &tail{limit: limit} }

// drain reads to the end of the stream.
func (t *tail) drain(r io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := r.Read(buffer)
		t.write(buffer[:n])
		if err != nil {
			return
		}
	}
}

func (t *tail) write(data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(data) > 0 {
		text, rest, ended := bytes.Cut(data, []byte{'\n'})
		if room := stderrBytes + 1 - len(t.current); room > 0 {
			t.current = append(t.current, text[:min(room, len(text))]...)
		}
		t.open = !ended
		if ended {
			t.add(t.view())
			t.current = t.current[:0]
		}
		data = rest
	}
}

func (t *tail) view() string {
	return Visible(bytes.TrimSuffix(t.current, []byte{'\r'}), stderrBytes)
}

func (t *tail) add(text string) {
	switch {
	case len(t.first) < t.limit:
		t.first = append(t.first, text)
	case len(t.last) < t.limit:
		t.last = append(t.last, text)
	default:
		t.last[t.next] = text
		t.next = (t.next + 1) % t.limit
		t.dropped++
	}
}

// lines returns what is kept, in order.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := append([]string{}, t.first...)
	if t.dropped > 0 {
		out = append(out, fmt.Sprintf("… %d lines left out", t.dropped))
	}
	out = append(append(out, t.last[t.next:]...), t.last[:t.next]...)
	if t.open {
		out = append(out, t.view())
	}
	return out
}
