package bundler

import "testing"

func TestCallsImport(t *testing.T) {
	for text, want := range map[string]bool{
		"":                               false,
		"import":                         false,
		"import(\"x\")":                  true,
		"await import(name)":             true,
		"$import (name)":                 true,
		"x;import\t\r\n (name)":          true,
		"import/* of it */(name)":        true,
		"é import(x)":                    true,
		"éimport(x)":                     true,
		"reimport(x)":                    false,
		"_import(x)":                     false,
		"importimport(x)":                false,
		"import0(x)":                     false,
		"import.meta":                    false,
		"import x from \"y\"":            false,
		"import x from \"y\"; import(z)": true,
		"reimport(x); import (y)":        true,
	} {
		if got := callsImport(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
