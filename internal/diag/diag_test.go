package diag_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"testing"

	"omcbuild/internal/diag"
)

func TestStringNamesPlaceToolAndMessage(t *testing.T) {
	cases := []struct {
		d    diag.Diagnostic
		want string
	}{
		{diag.Diagnostic{Message: "no bundles"}, "no bundles"},
		{diag.Diagnostic{Message: "no bundles", Position: diag.Position{File: "omcbuild.jsonc"}}, "omcbuild.jsonc: no bundles"},
		{diag.Diagnostic{Message: "m", Position: diag.Position{File: "a.ts", Line: 3}}, "a.ts:3: m"},
		{diag.Diagnostic{Message: "m", Position: diag.Position{File: "a.ts", Line: 3, Column: 9}}, "a.ts:3:9: m"},
		{diag.Diagnostic{Message: "lost a hint", Tool: "state_read"}, "state_read: lost a hint"},
		{diag.Diagnostic{Message: "lost its readOnly hint", Tool: "read"}, "read: lost its readOnly hint"},
		{diag.Diagnostic{Message: "state_read lost a hint", Tool: "state_read"}, "state_read lost a hint"},
	}
	for _, c := range cases {
		if got := c.d.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestJSONHasTheFieldsPromised(t *testing.T) {
	full := diag.Diagnostic{Code: "c", Message: "m", Position: diag.Position{File: "f", Line: 1, Column: 2}, Tool: "t", Hint: "h"}
	got, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"code":"c","message":"m","file":"f","line":1,"column":2,"tool":"t","hint":"h"}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	bare, _ := json.Marshal(diag.Diagnostic{Code: "c", Message: "m"})
	if want := `{"code":"c","message":"m"}`; string(bare) != want {
		t.Errorf("got %s, want %s", bare, want)
	}
}

func TestListSortsByLevel(t *testing.T) {
	var list diag.List
	list.Add(diag.Diagnostic{Code: "w", Level: diag.Warning}, diag.Diagnostic{Code: "n", Level: diag.Note})
	if list.HasErrors() {
		t.Error("warnings and notes are not errors")
	}
	list.Add(diag.Diagnostic{Code: "e"})
	if !list.HasErrors() || len(list.At(diag.Error)) != 1 || list.At(diag.Warning)[0].Code != "w" {
		t.Errorf("got %v", list)
	}
}

func TestFailureKeepsItsClassAndCause(t *testing.T) {
	var err error = diag.Misuse(diag.Diagnostic{Message: "one"}, diag.Diagnostic{Message: "two"}).Because(fs.ErrNotExist)
	var failure *diag.Failure
	if !errors.As(err, &failure) || failure.Class != diag.Usage || !errors.Is(err, fs.ErrNotExist) || err.Error() != "one\ntwo" {
		t.Errorf("got %#v", err)
	}
	if diag.Fail().Class != diag.Failed {
		t.Error("Fail must be of class Failed")
	}
}
