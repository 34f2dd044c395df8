package jsscan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/jsscan"
)

// words scans text and joins its tokens with spaces.
func words(t *testing.T, text string) string {
	t.Helper()
	f, ok := jsscan.Scan(text)
	if !ok {
		t.Fatalf("lost in %q", text)
	}
	var out []string
	for i := range f.Tokens {
		out = append(out, f.Source(i))
	}
	return strings.Join(out, " ")
}

func TestCommentsAreNoCode(t *testing.T) {
	for text, want := range map[string]string{
		"a // b\nc":                   "a c",
		"a /* b\n c */ d":             "a d",
		"#!/usr/bin/env node\na":      "a",
		"a //":                        "a",
		"`a // ${ b /* } */ } c` d":   "`a // ${ b } c` d",
		"a \u00a0\ufeff b":            "a b",
		`"a // b" 'c /* d'`:           `"a // b" 'c /* d'`,
		"\"a\\\nb\" c":                "\"a\\\nb\" c",
		"\"a\\\r\nb\" c":              "\"a\\\r\nb\" c",
		"x = 1.5e-3 + .5 + 0xe+1":     "x = 1.5e-3 + .5 + 0xe + 1",
		"a?.b ... c => d++ - --e":     "a ? . b ... c => d ++ - -- e",
		"#private @decorator $x _y é": "#private @decorator $x _y é",
	} {
		if got := words(t, text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestSlashIsDivisionOrRegex(t *testing.T) {
	for text, regex := range map[string]string{
		"a / b / c":                        "",
		"(a) / b / c":                      "",
		"a[0] / b / c":                     "",
		"x++ / 2 / 3":                      "",
		"`t` / 2 / 3":                      "",
		"1 / 2 / 3":                        "",
		"a.return / 2 / 3":                 "",
		"x = {} / 2 / 3":                   "",
		"f = function() {} ; /a'/.test(b)": "/a'/",
		"x = /[/'\"]/g":                    "/[/'\"]/g",
		"return /'/":                       "/'/",
		"if (a) /'/.test(b)":               "/'/",
		"while (a) /'/.test(b)":            "/'/",
		"{ } /'/.test(b)":                  "/'/",
		"f(/\\//, 1)":                      "/\\//",
		"`${/'/}`":                         "/'/",
		"a => /'/":                         "/'/",
		"for await (a of b) /'/.x":         "/'/",
		"<a></a>":                          "",
	} {
		f, ok := jsscan.Scan(text)
		if !ok {
			t.Errorf("%q: lost", text)
			continue
		}
		got := ""
		for i := range f.Tokens {
			if f.Kind(i) == jsscan.Regex {
				got += f.Source(i)
			}
		}
		if got != regex {
			t.Errorf("%q: got regex %q, want %q", text, got, regex)
		}
	}
}

// Each case marks the place asked about with HERE.
func TestFunctionsAndTriesAroundAToken(t *testing.T) {
	cases := []struct {
		text             string
		functions, tries int
	}{
		{"HERE", 0, 0},
		{"function f() { HERE }", 1, 0},
		{"function f(): Promise<string> { HERE }", 1, 0},
		{"function f(a: string): { b: number } { HERE }", 1, 0},
		{"class A extends B<C> { HERE }", 0, 0},
		{"class A { m(): void { HERE } }", 1, 0},
		{"const f = () => { HERE }", 1, 0},
		{"const f = () => HERE", 1, 0},
		{"const f = () => g(HERE)", 1, 0},
		{"const f = () => g(), x = HERE", 0, 0},
		{"const f = () => g(); HERE", 0, 0},
		{"const f = () => g()\nconst x = HERE", 0, 0},
		{"h(() => g()); HERE", 0, 0},
		{"h(() => g(), HERE)", 0, 0},
		{"if (a) { HERE }", 0, 0},
		{"for (;;) { HERE }", 0, 0},
		{"switch (a) { case f(b): { HERE } }", 0, 0},
		{"try { HERE } catch (e) { }", 0, 1},
		{"try { } catch (e) { HERE }", 0, 0},
		{"try { f(() => { HERE }) } finally {}", 1, 1},
		{"try { } catch { }\nHERE", 0, 0},
		{"x = { a: HERE }", 0, 0},
	}
	for _, c := range cases {
		f, ok := jsscan.Scan(c.text)
		if !ok {
			t.Errorf("%q: lost", c.text)
			continue
		}
		for i, tok := range f.Tokens {
			if f.Source(i) == "HERE" && (tok.Functions != c.functions || tok.Tries != c.tries) {
				t.Errorf("%q: got %d functions, %d tries; want %d, %d", c.text, tok.Functions, tok.Tries, c.functions, c.tries)
			}
		}
	}
}

func TestLostIsSaid(t *testing.T) {
	for _, text := range []string{"(", ")", "(]", "`", "`${", "/*", "f({)"} {
		if _, ok := jsscan.Scan(text); ok {
			t.Errorf("%q: not lost", text)
		}
	}
}

func TestAccessors(t *testing.T) {
	f, _ := jsscan.Scan("f('a', `b`, \"c\\n\")\n  x")
	if v, ok := f.Literal(2); v != "a" || !ok {
		t.Errorf("got %q %v", v, ok)
	}
	if v, ok := f.Literal(4); v != "b" || !ok {
		t.Errorf("got %q %v", v, ok)
	}
	if _, ok := f.Literal(6); ok {
		t.Error("an escape is not a plain literal")
	}
	if _, ok := f.Literal(99); ok || f.Source(99) != "" || f.Is(99, "f") || f.Kind(-1) != jsscan.Punct {
		t.Error("outside the file there is nothing")
	}
	if f.Close(1) != 7 || !f.Is(7, ")") {
		t.Errorf("got %d", f.Close(1))
	}
	if line, column := jsscan.Position(f.Text, f.Tokens[8].Start); line != 2 || column != 3 {
		t.Errorf("got %d:%d", line, column)
	}
}

// Every package we depend on scans to its end.
func TestRealCode(t *testing.T) {
	files, _ := filepath.Glob("../../../src/node_modules/*/*.js")
	more, _ := filepath.Glob("../../../src/node_modules/@modelcontextprotocol/*/dist/*.mjs")
	deep, _ := filepath.Glob("../../../src/node_modules/*/*/*/*.js")
	for _, name := range append(append(files, more...), deep...) {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if _, ok := jsscan.Scan(string(text)); !ok {
			t.Errorf("%s: lost", name)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{"a / b", "`${a}`", "import {z} from \"zod\"", "'\\", "`\\", "/[", "() => x", "f(): T {"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, _ := jsscan.Scan(text)
		end := 0
		for i, tok := range file.Tokens {
			if tok.Start < end || tok.End <= tok.Start || tok.End > len(text) {
				t.Fatalf("%q: token %d is [%d,%d) after %d", text, i, tok.Start, tok.End, end)
			}
			end = tok.End
		}
	})
}
