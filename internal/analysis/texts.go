package analysis

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"omcbuild/internal/report"
)

// Text is the text of a licence or of notices.
type Text struct {
	File     string // where it was read, relative to the root
	Contents []byte // UTF-8, with \n at line ends, without blank lines around it
}

// readTexts reads the licence and notice files of a package, in the order of their
// names: what it asks to be passed on with its code, and what it says of code of others
// that it carries.
func readTexts(dir, folder string) (list []Text) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !isLicense(e) && !isNamed(e, "notice", "thirdparty", "third-party", "third_party") {
			continue
		}
		contents, err := readBounded(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		if contents = plainText(contents); len(contents) > 0 {
			list = append(list, Text{path.Join(folder, e.Name()), contents})
		}
	}
	return list
}

// plainText brings a text into the form in which texts are compared and passed on. What
// could move the cursor of whoever prints it is marked.
func plainText(text []byte) []byte {
	text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\uFEFF")), []byte("\r\n"), []byte("\n"))
	text = bytes.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r == '\f': // pages of texts made for printers
			return -1
		case r != '\n' && r != '\t' && unicode.Is(unicode.Cc, r):
			return '\uFFFD'
		}
		return r
	}, text)
	lines := bytes.Split(text, []byte("\n"))
	for i := range lines {
		lines[i] = bytes.TrimRight(lines[i], " \t")
	}
	return bytes.Trim(bytes.Join(lines, []byte("\n")), "\n")
}

// addText adds a text that is not there yet.
func (m *Material) addText(text Text) {
	if !slices.ContainsFunc(m.Texts, func(t Text) bool { return bytes.Equal(t.Contents, text.Contents) }) {
		m.Texts = append(m.Texts, text)
	}
}

// About is what the package.json of a package says of it, each on one line.
type About struct {
	Name, Description, Author, Homepage string
}

// readAbout reads what a package says of itself. A file that is missing or broken says
// nothing.
func readAbout(dir string) About {
	var m struct{ Name, Description, Author, Homepage json.RawMessage }
	if text, err := readBounded(filepath.Join(dir, "package.json")); err == nil {
		_ = json.Unmarshal(text, &m)
	}
	return About{Name: oneLine(m.Name), Description: oneLine(m.Description), Author: oneLine(m.Author), Homepage: oneLine(m.Homepage)}
}

// oneLine reads a text, or the name in an object as persons are written.
func oneLine(raw json.RawMessage) string {
	var text string
	var person struct{ Name, Email string }
	if json.Unmarshal(raw, &text) != nil && json.Unmarshal(raw, &person) == nil {
		text = cmp.Or(person.Name, person.Email)
	}
	return report.Name(strings.Join(strings.Fields(text), " "))
}
