package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"omcbuild/internal/lazyregexp"
)

const wrapAt = 60 // columns of the widest cell

// Table writes rows under a header, columns aligned, without frames, so that
// the output pastes well into an issue or a README. Columns named in numeric
// are aligned to the right. Cells are wrapped between words at wrapAt columns.
func Table(w io.Writer, style Style, header []string, rows [][]string, numeric ...string) {
	t := table.NewWriter()
	t.SetOutputMirror(nil)
	t.SetStyle(table.Style{
		Name:    "plain",
		Box:     table.BoxStyle{PaddingRight: "  "},
		Format:  table.FormatOptions{Header: text.FormatDefault},
		Options: table.OptionsNoBordersAndSeparators,
	})
	configs := make([]table.ColumnConfig, len(header))
	for i, name := range header {
		configs[i] = table.ColumnConfig{Name: name, WidthMax: wrapAt, WidthMaxEnforcer: text.WrapSoft}
		if slices.Contains(numeric, name) {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(cells(header))
	for _, row := range rows {
		t.AppendRow(cells(row))
	}
	for i, line := range strings.Split(t.Render(), "\n") {
		line = noCommand(strings.TrimRight(line, " "))
		if i == 0 {
			line = style.Strong(line)
		}
		_, _ = fmt.Fprintln(w, line)
	}
}

// longestCell is how many characters of a cell are shown, and longestLine of a
// diagnostic.
const (
	longestCell = 1000
	longestLine = 4000
)

func cells(words []string) table.Row {
	row := make(table.Row, len(words))
	for i, word := range words {
		row[i] = Clip(Name(word), longestCell)
	}
	return row
}

// Printable returns a text as it can be printed: on one line, whatever is in it,
// with a mark for each line end and control character but tabs, and for the colon
// with which a command to a workflow on GitHub begins. So no plugin can move the
// cursor or recolour the terminal of the person who checks it, or write a line
// that looks like one of the tool's own. Texts of several lines are given
// to it line by line.
func Printable(words string) string {
	return noCommand(strings.Map(func(r rune) rune {
		if r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return mark
		}
		return r
	}, words))
}

// mark stands for what is not printed.
const mark = '\uFFFD'

// Name is Printable for what has no tabs.
func Name(words string) string { return strings.ReplaceAll(Printable(words), "\t", string(mark)) }

var command = lazyregexp.New(`^\s*::[A-Za-z]`)

// noCommand marks what a workflow on GitHub takes for a command.
func noCommand(line string) string {
	if command.MatchString(line) {
		return strings.Replace(line, ":", string(mark), 1)
	}
	return line
}

// Clip cuts a text that may be of any length after a number of characters, and
// marks the cut.
func Clip(words string, most int) string {
	if len(words) <= most {
		return words
	}
	if runes := []rune(words); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return words
}

// Bytes renders a size in decimal units with at most one decimal.
func Bytes(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.2f MB", float64(n)/1e6)
}

// Duration renders a duration in milliseconds, or in seconds from ten up.
func Duration(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// Count renders a number with its noun in the right form.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
