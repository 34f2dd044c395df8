package analysis

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/github/go-spdx/v2/spdxexp"
	"github.com/github/go-spdx/v2/spdxexp/spdxlicenses"

	"omcbuild/internal/diag"
)

// Class says what a licence asks of those who pass the code on, roughly.
type Class string

// The classes.
const (
	Permissive Class = "permissive" // keep the notice
	Copyleft   Class = "copyleft"   // publish changes, or all of the program, under the same terms
	Other      Class = "other"      // known, and neither of the two
	Unknown    Class = "unknown"    // not declared, or not in the words of SPDX
)

// License is what a package says about its licence.
type License struct {
	Expression string `json:"expression"`        // in SPDX; "" when unknown
	Written    string `json:"written,omitempty"` // as in package.json, when that is not the expression
	Class      Class  `json:"class"`
	File       string `json:"file,omitempty"` // file beside package.json with the text; "" when there is none
}

// Label is the licence in a few words, for people.
func (l License) Label() string { return cmp.Or(l.Expression, l.Written, "not declared") }

// ID is the licence's name on the list of SPDX when it is a single one, spelled as there;
// "" otherwise.
func (l License) ID() string {
	if slices.Contains(spdxlicenses.GetLicenses(), l.Expression) {
		return l.Expression
	}
	return ""
}

// Declared reads a licence as the field license of a manifest has it.
func Declared(text string) License { return classify(licenseNames(quoted(text))) }

// LicenseUse is all that stands under one licence.
type LicenseUse struct {
	License  string   `json:"license"` // as License.Label
	Class    Class    `json:"class"`
	Packages []string `json:"packages"` // name and version
	NoFile   int      `json:"noFile"`   // packages of these without the text of the licence
	Bytes    int64    `json:"bytes"`
	Share    float64  `json:"share"`
}

const (
	maxManifest = 1 << 20 // bytes of a package.json that is read
	maxLicense  = 200     // bytes of a licence expression
)

// readPackage reads the version and the licence from the package.json in a folder. A
// file that is missing or broken says nothing.
func readPackage(dir string) (version string, l License) {
	var m struct {
		Version  any             `json:"version"`
		License  json.RawMessage `json:"license"`
		Licenses json.RawMessage `json:"licenses"`
	}
	if text, err := readBounded(filepath.Join(dir, "package.json")); err == nil {
		_ = json.Unmarshal(text, &m)
	}
	version, _ = m.Version.(string)
	names := licenseNames(m.License)
	if len(names) == 0 {
		names = licenseNames(m.Licenses)
	}
	l = classify(names)
	l.File = licenseFile(dir)
	return version, l
}

func readBounded(path string) ([]byte, error) { return readFileUpTo(path, maxManifest) }

// licenseNames reads all forms that the field has had: a name, an object with a
// type, a list of these.
func licenseNames(raw json.RawMessage) (names []string) {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
		return names
	}
	var object struct{ Type, Name string }
	if json.Unmarshal(raw, &object) == nil {
		return licenseNames(quoted(cmp.Or(object.Type, object.Name)))
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, one := range list[:min(len(list), 10)] {
			if !strings.HasPrefix(strings.TrimSpace(string(one)), "[") {
				names = append(names, licenseNames(one)...)
			}
		}
	}
	return names
}

func quoted(s string) json.RawMessage {
	text, _ := json.Marshal(s)
	return text
}

// spellings are names from before SPDX, in lower case.
var spellings = map[string]string{
	"apache 2.0": "Apache-2.0", "apache2": "Apache-2.0", "apache-2": "Apache-2.0", "apache license 2.0": "Apache-2.0",
	"apache license, version 2.0": "Apache-2.0", "apache 2": "Apache-2.0",
	"mit license": "MIT", "the mit license": "MIT", "mit/x11": "MIT", "isc license": "ISC",
	"new bsd": "BSD-3-Clause", "bsd 3-clause": "BSD-3-Clause", "3-clause bsd": "BSD-3-Clause",
	"simplified bsd": "BSD-2-Clause", "bsd 2-clause": "BSD-2-Clause", "2-clause bsd": "BSD-2-Clause",
	"mpl 2.0": "MPL-2.0", "cc0": "CC0-1.0", "cc0 1.0": "CC0-1.0", "the unlicense": "Unlicense", "wtfpl2": "WTFPL",
}

// permissive are the licences that ask for the notice at most.
var permissive = []string{
	"0BSD", "AFL-2.1", "Apache-2.0", "Artistic-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC-BY-3.0",
	"CC-BY-4.0", "CC0-1.0", "ISC", "MIT", "MIT-0", "NCSA", "PostgreSQL", "Python-2.0", "Unicode-3.0", "Unlicense", "WTFPL", "X11", "Zlib",
}

// copyleft are the beginnings of the names of licences that ask for more.
var copyleft = []string{"AGPL-", "GPL-", "LGPL-", "MPL-", "EPL-", "CDDL-", "EUPL-", "CC-BY-SA-", "OSL-", "SSPL-", "CECILL-", "MS-RL", "CPL-", "APSL-"}

// classify reads the licences that are written, of which one may be chosen.
func classify(choice []string) License {
	written := strings.Join(choice, " OR ")
	spelled := make([]string, len(choice))
	for i, name := range choice {
		spelled[i] = cmp.Or(spellings[strings.ToLower(name)], name)
	}
	expression := strings.Join(spelled, " OR ")
	names, err := licensesOf(expression)
	if err != nil {
		return License{Written: shortened(written), Class: Unknown}
	}
	l := License{Expression: expression, Class: Other}
	if expression != written {
		l.Written = shortened(written)
	}
	switch {
	case satisfies(expression):
		l.Class = Permissive
	case slices.ContainsFunc(names, isCopyleft):
		l.Class = Copyleft
	}
	return l
}

func isCopyleft(name string) bool {
	return slices.ContainsFunc(copyleft, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

var errNoExpression = errors.New("no licence expression")

func licensesOf(expression string) ([]string, error) {
	if expression == "" || len(expression) > maxLicense {
		return nil, errNoExpression
	}
	return spdxexp.ExtractLicenses(expression)
}

// satisfies reports whether permissive licences are enough to use the code.
func satisfies(expression string) bool {
	enough, err := spdxexp.Satisfies(expression, permissive)
	return err == nil && enough
}

func shortened(s string) string {
	if runes := []rune(s); len(runes) > 60 {
		return string(runes[:59]) + "…"
	}
	return s
}

// licenseFile finds the file with the licence's text.
func licenseFile(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if isLicense(e) {
			return e.Name()
		}
	}
	return ""
}

// isLicense reports whether a file holds the text of a licence, by its name.
func isLicense(e fs.DirEntry) bool { return isNamed(e, "license", "licence", "copying", "unlicense") }

// isNamed reports whether a file that is no program begins with one of the stems.
func isNamed(e fs.DirEntry, stems ...string) bool {
	name := strings.ToLower(e.Name())
	return e.Type().IsRegular() && !strings.HasSuffix(name, ".js") && !strings.HasSuffix(name, ".ts") &&
		slices.ContainsFunc(stems, func(stem string) bool { return strings.HasPrefix(name, stem) })
}

func (b *Bundle) addLicenses() {
	b.Licenses = []LicenseUse{}
	for _, p := range b.Packages {
		label := p.License.Label()
		i := slices.IndexFunc(b.Licenses, func(u LicenseUse) bool { return u.License == label && u.Class == p.License.Class })
		if i < 0 {
			i = len(b.Licenses)
			b.Licenses = append(b.Licenses, LicenseUse{License: label, Class: p.License.Class})
		}
		u := &b.Licenses[i]
		u.Packages = append(u.Packages, strings.TrimSpace(p.Label()+" "+p.Version))
		u.Bytes += p.Bytes
		if p.License.File == "" {
			u.NoFile++
		}
	}
	for i := range b.Licenses {
		b.Licenses[i].Share = b.share(b.Licenses[i].Bytes)
	}
	slices.SortStableFunc(b.Licenses, func(x, y LicenseUse) int { return cmp.Compare(y.Bytes, x.Bytes) })
}

// installed reports whether a package is somebody else's.
func installed(p Package) bool { return strings.Contains("/"+p.Folder+"/", "/node_modules/") }

// checkLicenses reports the packages whose licence asks for a look. The project's own
// files and folders that are linked into it are the business of their owner.
func (b *Bundle) checkLicenses() (list diag.List) {
	for _, p := range b.Packages {
		if !installed(p) {
			continue
		}
		name := strings.TrimSpace(p.Name + " " + p.Version)
		at := diag.Position{File: p.Folder + "/package.json"}
		switch p.License.Class {
		case Copyleft:
			list.Add(diag.Diagnostic{Code: "license-copyleft", Level: diag.Warning, Position: at,
				Message: fmt.Sprintf("%s is in %s and its licence %s asks for more than its notice", name, b.Outfile, p.License.Label()),
				Hint:    "read what it asks of those who pass the bundle on, or use another package"})
		case Unknown:
			list.Add(diag.Diagnostic{Code: "license-unknown", Level: diag.Warning, Position: at,
				Message: fmt.Sprintf("%s is in %s and its licence is unknown: %s", name, b.Outfile, p.License.Label()),
				Hint:    "find out under which terms it may be passed on, or use another package"})
		}
		if p.License.File == "" {
			list.Add(diag.Diagnostic{Code: "license-file-missing", Level: diag.Note, Position: at,
				Message: name + " comes without the text of its licence"})
		}
	}
	return list
}
