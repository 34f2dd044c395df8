package stdio

import (
	"bufio"
	"errors"
	"io"
	"time"
)

// readStdout reads messages until the stream ends or the server goes too far.
func (c *Client) readStdout() {
	defer close(c.read)
	lines := newLineReader(c.process.Stdout(), c.options.LineBytes, c.options.TotalBytes)
	var framing framing
	for {
		line, err := lines.next()
		if err != nil {
			c.endOfOutput(err)
			return
		}
		c.mu.Lock()
		c.record.Lines, c.record.Bytes = lines.number, lines.total
		c.mu.Unlock()
		m, ok := Message{}, false
		if !line.partial {
			m, ok = Parse(line.text)
		}
		if ok {
			framing.reset()
			c.dispatch(&m)
			continue
		}
		c.addNoise(line)
		if found, ok := framing.feed(line); ok {
			c.endOfOutput(&FramingError{Framing: found, Line: line.number})
			return
		}
	}
}

// endOfOutput ends the conversation when the server is at fault. The plain end
// of the stream is for supervise to judge.
func (c *Client) endOfOutput(err error) {
	var budget *BudgetError
	var framing *FramingError
	if errors.As(err, &budget) || errors.As(err, &framing) {
		c.mu.Lock()
		c.record.Overrun = err
		c.mu.Unlock()
		c.fail(err)
		c.owned.Go(c.process.Kill)
	}
}

func (c *Client) dispatch(m *Message) {
	now := time.Now()
	switch {
	case m.IsAnswer():
		c.deliver(m, now)
	case m.IsRequest():
		c.keep(&c.record.Requests, m)
		c.reply(answerTo(m, c.options.Answers))
	default:
		c.keep(&c.record.Notifications, m)
		c.mu.Lock()
		close(c.notified)
		c.notified = make(chan struct{})
		c.mu.Unlock()
	}
}

// deliver gives an answer to the call that waits for it.
func (c *Client) deliver(m *Message, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := idKey(m.ID)
	waiting, ok := c.pending[key]
	if !ok {
		c.stray(m, key)
		return
	}
	delete(c.pending, key)
	c.answered.add(key)
	reply := &Reply{Result: m.Result, Raw: m.Raw, At: now, Elapsed: now.Sub(waiting.sent)}
	if m.Error != nil {
		reply.Result, reply.Error = nil, rpcError(m.Error)
	}
	waiting.reply <- reply
}

// line is one line of stdout.
type line struct {
	text    []byte // without its end
	number  int    // 1-based
	partial bool   // the stream ended before the line did
}

// lineReader cuts a stream into lines within a budget.
type lineReader struct {
	r            *bufio.Reader
	perLine, all int64 // budgets in bytes; 0 for all: none
	number       int   // of the last line returned
	total        int64 // bytes read
	end          error // what follows the last, unfinished line
}

func newLineReader(r io.Reader, perLine, all int64) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), perLine: perLine, all: all}
}

// next returns the next line, whose text is the caller's to keep. A line ends
// with LF or CR LF. The error is io.EOF or that of the stream at its end, and
// *BudgetError when a budget is used up.
func (l *lineReader) next() (line, error) {
	if l.end != nil {
		return line{}, l.end
	}
	var text []byte
	for {
		chunk, err := l.r.ReadSlice('\n')
		l.total += int64(len(chunk))
		if int64(len(text)+len(chunk)) > l.perLine+2 {
			return line{}, &BudgetError{Line: l.number + 1, Limit: l.perLine}
		}
		if l.all > 0 && l.total > l.all {
			return line{}, &BudgetError{Line: l.number + 1, Limit: l.all, Total: true}
		}
		text = append(text, chunk...)
		switch {
		case err == nil:
			l.number++
			return line{text: trimEnd(text), number: l.number}, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case len(text) > 0:
			l.end = err
			l.number++
			return line{text: text, number: l.number, partial: true}, nil
		default:
			return line{}, err
		}
	}
}

func trimEnd(text []byte) []byte {
	text = text[:len(text)-1]
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text = text[:n-1]
	}
	return text
}
