package analysis

import (
	"encoding/json"
	"testing"
)

// Whatever stands in a package.json, reading it ends, and gives a class.
func FuzzLicense(f *testing.F) {
	for _, seed := range []string{
		`"MIT"`, `"(MIT OR Apache-2.0) AND BSD-3-Clause"`, `{"type":"ISC"}`, `[{"type":"MIT"},"X"]`, `"GPL-2.0+ WITH x"`, `"((("`, `"LicenseRef-a"`,
		`"DocumentRef-a:LicenseRef-b"`, `"MIT OR"`, `"\u0000"`, `{"type":{"type":1}}`, `[[["MIT"]]]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		l := classify(licenseNames(json.RawMessage(raw)))
		if l.Class == "" || l.Label() == "" || (l.Class == Unknown) != (l.Expression == "") {
			t.Fatalf("%q became %+v", raw, l)
		}
	})
}
