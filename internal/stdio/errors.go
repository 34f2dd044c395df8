package stdio

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"omcbuild/internal/process"
)

// ErrClosed is what calls get that wait when Close is called.
var ErrClosed = errors.New("the conversation was closed")

// ExitError says that the server process ended.
type ExitError struct{ Status process.ExitStatus }

func (e *ExitError) Error() string { return "the server ended: " + e.Status.String() }

// OutputClosedError says that the server runs but has closed its standard output.
type OutputClosedError struct{}

func (e *OutputClosedError) Error() string {
	return "the server closed its standard output and still runs"
}

// BudgetError says that the server wrote more than Limits allows. The process is
// killed then.
type BudgetError struct {
	Line  int   // 1-based number of the line that went over
	Limit int64 // in bytes
	Total bool  // the limit is that of all lines together
}

func (e *BudgetError) Error() string {
	if e.Total {
		return fmt.Sprintf("the server wrote more than %d bytes to stdout", e.Limit)
	}
	return fmt.Sprintf("line %d of stdout is longer than %d bytes", e.Line, e.Limit)
}

// Framing is a way to send messages that is not one message a line.
type Framing string

// The framings that are recognised.
const (
	ContentLength Framing = "Content-Length headers"
	PrettyPrinted Framing = "messages spread over several lines"
)

// FramingError says that the server sends its messages in another way than one a
// line. The process is killed then.
type FramingError struct {
	Framing Framing
	Line    int // 1-based number of the line where it shows
}

func (e *FramingError) Error() string {
	return fmt.Sprintf("line %d of stdout: the server sends %s", e.Line, e.Framing)
}

// TimeoutError says that no answer came before the deadline of the call. The
// conversation goes on, and a late answer is a Stray.
type TimeoutError struct {
	Method string
	After  time.Duration // how long the call waited
	cause  error
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("no answer to %s within %s", e.Method, e.After.Round(time.Millisecond))
}

// Unwrap returns context.DeadlineExceeded.
func (e *TimeoutError) Unwrap() error { return e.cause }

// MisansweredError says that the server answered a request under another id, and
// that the right answer did not follow within a second.
type MisansweredError struct {
	Method string
	Sent   json.RawMessage // the id of the request
	Stray  Stray           // the answer
}

func (e *MisansweredError) Error() string {
	return fmt.Sprintf("%s was sent with id %s and answered with id %s", e.Method, e.Sent, e.Stray.id())
}

// RPCError is the error member of an answer: the server understood that it was
// asked, and refused.
type RPCError struct {
	Code    int64           // 0 when it is not a whole number
	Message string          // empty when it is not a string
	Raw     json.RawMessage // the whole member as sent
}

func (e *RPCError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }
