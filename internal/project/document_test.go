package project_test

import (
	"fmt"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

func TestDocumentKnowsPlaces(t *testing.T) {
	text := "\xef\xbb\xbf{\r\n  \"a\": { \"b/c\": [1, \"two\"] },\r\n  \"ü\": null\r\n}\r\n"
	doc := project.Parse("x.json", []byte(text), project.Strict)
	if doc.Problem != nil || !doc.BOM {
		t.Fatalf("problem %v, BOM %v", doc.Problem, doc.BOM)
	}
	for _, c := range []struct {
		got  diag.Position
		want string
	}{
		{doc.Position("a"), "x.json:2:8"},
		{doc.Position("a", "b/c"), "x.json:2:17"},
		{doc.Position("a", "b/c", "1"), "x.json:2:21"},
		{doc.Position("a", "b/c", "7", "deeper"), "x.json:2:17"},
		{doc.KeyPosition("a"), "x.json:2:3"},
		{doc.KeyPosition("a", "b/c"), "x.json:2:10"},
		{doc.KeyPosition("ü"), "x.json:3:3"},
		{doc.Position("none"), "x.json"},
		{doc.Position(), "x.json"},
	} {
		if c.got.String() != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	if doc.String("a", "b/c", "1") != "two" || doc.String("a") != "" || doc.Find("a", "x") != nil {
		t.Error("values under keys are not found")
	}
	var list []any
	if err := doc.Decode(&list, "a", "b/c"); err != nil || fmt.Sprint(list) != "[1 two]" {
		t.Errorf("got %v, %v", list, err)
	}
	if err := doc.Decode(&list, "none"); err == nil {
		t.Error("decoding what is not there must fail")
	}
}

func TestNoDocumentIsEmpty(t *testing.T) {
	var doc *project.Document
	if doc.Find("a") != nil || doc.String("a") != "" || doc.Position("a") != (diag.Position{}) {
		t.Error("a missing document must be empty")
	}
}

func TestParseRefuses(t *testing.T) {
	deep := strings.Repeat("[", 5_000_000)
	for name, c := range map[string]struct {
		text   string
		syntax project.Syntax
		want   string
	}{
		"nothing":            {"", project.Strict, "x.json:1:1: the file is empty"},
		"only a mark":        {"\xef\xbb\xbf \n", project.Strict, "x.json:1:1: the file is empty"},
		"no UTF-8":           {"{\n\"a\": \"\xff\"}", project.Strict, "x.json:2:7: the text is not UTF-8"},
		"half a rune":        {"{\"a\": \"\xe2\x82\"}", project.Strict, "x.json:1:8: the text is not UTF-8"},
		"bottomless":         {`{"a":` + deep, project.Strict, "x.json:1:105: more than 100 levels of nesting"},
		"brackets in text":   {`{"a": "` + deep[:500] + `", /* ` + deep[:500] + ` */}`, project.Relaxed, ""},
		"escaped quote":      {`{"a": "\"` + deep[:500] + `"}`, project.Strict, ""},
		"unclosed":           {`{"a": 1`, project.Strict, "x.json:1:8: not valid JSON: parsing object after value: unexpected EOF"},
		"unclosed comment":   {`{} /* `, project.Relaxed, "x.json:1:4: not valid JSON: parsing comment: unexpected EOF"},
		"two values":         {`{} {}`, project.Strict, "x.json:1:4: not valid JSON: invalid character '{' after top-level value"},
		"line comment":       {"{\"a\": \"//\" // here\n}", project.Strict, "x.json:1:12: comments and trailing commas are not allowed in x.json"},
		"block comment":      {"/* a */ {}", project.Strict, "x.json:1:1: comments and trailing commas are not allowed in x.json"},
		"comma in an object": {"{\"a\": 1,\n}", project.Strict, "x.json:1:8: comments and trailing commas are not allowed in x.json"},
		"comma in an array":  {"{\"a\": [1 , ]}", project.Strict, "x.json:1:10: comments and trailing commas are not allowed in x.json"},
		"text":               {`"text"`, project.Strict, "x.json:1:1: the file holds a string, not an object"},
		"null":               {`null`, project.Strict, "x.json:1:1: the file holds null, not an object"},
		"number":             {` 5`, project.Strict, "x.json:1:2: the file holds a number, not an object"},
		"boolean":            {`true`, project.Strict, "x.json:1:1: the file holds a boolean, not an object"},
		"twice":              {`{"a": [{"b": 1, "c": 2, "b": 3}]}`, project.Strict, `x.json:1:25: the key "b" stands twice in the same object`},
		"twice, escaped":     {`{"a": 1, "\u0061": 2}`, project.Strict, `x.json:1:10: the key "a" stands twice in the same object`},
		"same key elsewhere": {`{"a": {"a": 1}, "b": {"a": 2}}`, project.Strict, ""},
	} {
		doc := project.Parse("x.json", []byte(c.text), c.syntax)
		got := ""
		if doc.Problem != nil {
			got = doc.Problem.String()
			if doc.Problem.Hint == "" {
				t.Errorf("%s: no hint", name)
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a": [1, {"b": "c"}], /* d */ "e": null,}`, "\xef\xbb\xbf{}", `{"\ud800": "//"}`, "{\r\n}", `{"a":1,"a":2}`} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, relaxed bool) {
		syntax := project.Strict
		if relaxed {
			syntax = project.Relaxed
		}
		doc := project.Parse("x.json", data, syntax)
		if doc.Problem != nil {
			if doc.Problem.Line < 1 || doc.Problem.Column < 1 || doc.Problem.Line > strings.Count(string(data), "\n")+1 {
				t.Fatalf("the place %s is not in the file", doc.Problem.Position)
			}
			return
		}
		mark := ""
		if doc.BOM {
			mark = "\xef\xbb\xbf"
		}
		if got := mark + string(doc.Value.Pack()); got != string(data) {
			t.Fatalf("the parsed file is not the file: %q", got)
		}
		var any map[string]any
		if err := doc.Decode(&any); err != nil {
			t.Fatalf("a document without a problem does not decode: %v", err)
		}
	})
}
