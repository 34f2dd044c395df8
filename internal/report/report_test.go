package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/report"
)

var sample = diag.List{
	{Code: "unresolved-import", Message: `cannot resolve "left-pad"`, Position: diag.Position{File: "src/a.ts", Line: 3, Column: 8}, Hint: "install it, or name it in external"},
	{Code: "slow-start", Level: diag.Warning, Message: "answers initialize after 900 ms"},
	{Code: "external", Level: diag.Note, Message: "leaves better-sqlite3 outside"},
}

func TestDiagnosticsShowPositionCodeAndHint(t *testing.T) {
	var plain, verbose bytes.Buffer
	report.Diagnostics(&plain, report.Style{}, sample)
	want := "error: src/a.ts:3:8: cannot resolve \"left-pad\" [unresolved-import]\n" +
		"  install it, or name it in external\n" +
		"warning: answers initialize after 900 ms [slow-start]\n"
	if plain.String() != want {
		t.Errorf("got\n%s\nwant\n%s", plain.String(), want)
	}
	report.Diagnostics(&verbose, report.Style{Notes: true}, sample)
	if !strings.HasSuffix(verbose.String(), "note: leaves better-sqlite3 outside [external]\n") {
		t.Errorf("notes are missing: %s", verbose.String())
	}
}

func TestColorOnlyWhenAskedFor(t *testing.T) {
	var plain, coloured bytes.Buffer
	report.Diagnostics(&plain, report.Style{}, sample)
	report.Diagnostics(&coloured, report.Style{Color: true}, sample)
	if strings.Contains(plain.String(), "\x1b") || !strings.Contains(coloured.String(), "\x1b[31merror:") {
		t.Errorf("plain %q, coloured %q", plain.String(), coloured.String())
	}
}

func TestHostileWordsCannotReachTheTerminal(t *testing.T) {
	evil := diag.List{{Code: "x", Message: "a\x1b[2Jb\u202ec", Hint: "\x07"}}
	var out bytes.Buffer
	report.Diagnostics(&out, report.Style{}, evil)
	report.Table(&out, report.Style{}, []string{"tool"}, [][]string{{"\x1b]0;title\x07"}})
	if strings.ContainsAny(out.String(), "\x1b\x07\u202e") {
		t.Errorf("control characters passed through: %q", out.String())
	}
}

func TestOutcomeNeverHoldsNull(t *testing.T) {
	var out bytes.Buffer
	if err := report.JSON(&out, report.NewOutcome(nil)); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got["ok"] != true || got["errors"] == nil || got["warnings"] == nil {
		t.Errorf("got %v", got)
	}
	failed := report.NewOutcome(sample)
	if failed.OK || len(failed.Errors) != 1 || len(failed.Warnings) != 1 {
		t.Errorf("got %+v", failed)
	}
}

func TestTableAlignsAndTrims(t *testing.T) {
	var out bytes.Buffer
	report.Table(&out, report.Style{}, []string{"tool", "bytes"}, [][]string{{"a", "7"}, {"long_name", "1234"}}, "bytes")
	want := "tool       bytes\na              7\nlong_name   1234\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{report.Bytes(999), "999 B"},
		{report.Bytes(426_000), "426.0 kB"},
		{report.Bytes(1_300_000), "1.30 MB"},
		{report.Duration(65 * time.Millisecond), "65 ms"},
		{report.Duration(12 * time.Second), "12.0 s"},
		{report.Count(1, "tool"), "1 tool"},
		{report.Count(0, "tool"), "0 tools"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestTextsOfOthersWriteNoLineOfTheirOwn(t *testing.T) {
	const forged = "1\n::error file=x::pwned\r\nerror: fake\u2028warning: fake\u2029\u0085end"
	var out bytes.Buffer
	report.Diagnostics(&out, report.Style{}, diag.List{{Code: "x", Message: forged, Position: diag.Position{File: forged}, Hint: forged}})
	report.Table(&out, report.Style{}, []string{"package", "version"}, [][]string{{"::stop-commands::q", forged}, {"b", strings.Repeat("x ", 40) + " ::error::y"}, {"c", strings.Repeat("7", 5000)}})
	if n := strings.Count(out.String(), "\n"); n > 30 {
		t.Errorf("%d lines for a diagnostic and three rows", n)
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.ContainsAny(line, "\r\u2028\u2029\u0085") || strings.HasPrefix(line, "error: fake") {
			t.Errorf("a line of its own: %q", line)
		}
	}
}

func TestClipCountsCharacters(t *testing.T) {
	for _, c := range []struct {
		words, want string
		most        int
	}{{"abc", "abc", 3}, {"abcd", "abc…", 3}, {"äöü", "äöü", 3}, {"äöüß", "äöü…", 3}} {
		if got := report.Clip(c.words, c.most); got != c.want {
			t.Errorf("%q gives %q, want %q", c.words, got, c.want)
		}
	}
}
