package stdio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200_000) // more than the reader's buffer
	tests := []struct {
		name, stream string
		want         []string
	}{
		{"LF", "a\nb\n", []string{"1 a", "2 b"}},
		{"CR LF", "a\r\nb\r\n", []string{"1 a", "2 b"}},
		{"CR inside stays", "a\rb\n", []string{"1 a\rb"}},
		{"only one CR goes", "a\r\r\n", []string{"1 a\r"}},
		{"empty lines count", "\n\na\n", []string{"1 ", "2 ", "3 a"}},
		{"without an end", "a\nb", []string{"1 a", "2 b partial"}},
		{"nothing", "", nil},
		{"long", long + "\n" + long, []string{"1 " + long, "2 " + long + " partial"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lines := newLineReader(strings.NewReader(test.stream), 1<<20, 0)
			var got []string
			for {
				l, err := lines.next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				text := fmt.Sprintf("%d %s", l.number, l.text)
				if l.partial {
					text += " partial"
				}
				got = append(got, text)
			}
			if strings.Join(got, "\x00") != strings.Join(test.want, "\x00") {
				t.Errorf("got %.80q, want %.80q", got, test.want)
			}
			if _, err := lines.next(); !errors.Is(err, io.EOF) {
				t.Errorf("after the end: %v", err)
			}
			if lines.total != int64(len(test.stream)) {
				t.Errorf("counted %d bytes of %d", lines.total, len(test.stream))
			}
		})
	}
}

func TestLineBudgets(t *testing.T) {
	tests := []struct {
		name, stream string
		perLine, all int64
		want         *BudgetError
	}{
		{"line within", "0123456789\n", 10, 0, nil},
		{"line within, CR LF", "0123456789\r\n", 10, 0, nil},
		{"line over", "ok\n0123456789abc\n", 10, 0, &BudgetError{Line: 2, Limit: 10}},
		{"endless line", strings.Repeat("x", 1<<20), 1000, 0, &BudgetError{Line: 1, Limit: 1000}},
		{"total within", "0123\n5678\n", 10, 10, nil},
		{"total over", "0123\n5678\n\n", 10, 10, &BudgetError{Line: 3, Limit: 10, Total: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lines := newLineReader(strings.NewReader(test.stream), test.perLine, test.all)
			var err error
			for err == nil {
				_, err = lines.next()
			}
			var got *BudgetError
			errors.As(err, &got)
			if (got == nil) != (test.want == nil) || got != nil && *got != *test.want {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
}

func TestLineReaderKeepsTheErrorOfTheStream(t *testing.T) {
	broken := errors.New("broken")
	lines := newLineReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 100, 0)
	for _, want := range []string{"a", "b"} {
		if l, err := lines.next(); err != nil || string(l.text) != want {
			t.Fatalf("%q, %v", l.text, err)
		}
	}
	if _, err := lines.next(); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

// The lines and their ends are the stream: nothing is lost, whatever the pieces
// in which it arrives.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n{}"), 3)
	f.Add([]byte("\r\r\n\n\r"), 1)
	f.Fuzz(func(t *testing.T, stream []byte, piece int) {
		r := io.Reader(bytes.NewReader(stream))
		if piece%2 == 0 {
			r = iotest.OneByteReader(r)
		}
		lines := newLineReader(r, 1<<20, 0)
		var rebuilt []byte
		for {
			l, err := lines.next()
			if err != nil {
				break
			}
			if bytes.IndexByte(l.text, '\n') >= 0 {
				t.Fatal("a line holds a line end")
			}
			rebuilt = append(rebuilt, l.text...)
			if !l.partial {
				rebuilt = append(rebuilt, '\n')
			}
		}
		if want := bytes.ReplaceAll(stream, []byte("\r\n"), []byte("\n")); !bytes.Equal(rebuilt, want) {
			t.Errorf("rebuilt %q from %q", rebuilt, stream)
		}
	})
}
