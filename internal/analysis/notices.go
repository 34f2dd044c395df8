package analysis

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/report"
)

// NoticesMark is in the first line of a text of notices.
const NoticesMark = "written by omcbuild"

// Supply gives a text to the packages of a name, or of a name and version, "ajv" or
// "ajv@8.18.0", that come without the text of their licence, and to what other packages
// carry of it. It reports whether there is such a package.
func (inv *Inventory) Supply(name string, file string, contents []byte) (there bool) {
	text := Text{file, plainText(contents)}
	for _, m := range inv.Installed() {
		if name == m.Name || name == m.Key() {
			there = true
			m.License.File = cmp.Or(m.License.File, file)
			m.addText(text)
		}
		for i := range m.Carries {
			if c := &m.Carries[i]; name == c.Name || name == keyOf(c.Name, c.Version) {
				there = true
				c.Texts, c.From = []Text{text}, c.Version
			}
		}
	}
	return there
}

// CheckTexts finds packages in the inventory without the text of their licence, which
// their licence most likely asks for.
func (inv *Inventory) CheckTexts() (list diag.List) {
	const hint = "take the text from where the package is developed, and name its file under package.notices"
	for _, m := range inv.Installed() {
		at := diag.Position{File: m.Folders[0] + "/package.json"}
		if m.License.File == "" {
			list.Add(diag.Diagnostic{Code: "notice-missing", Level: diag.Warning, Position: at, Hint: hint,
				Message: m.Label() + " comes without the text of its licence, so the notices have none"})
		}
		var without []string
		for _, c := range m.Carries {
			if c.Texts == nil {
				without = append(without, c.Label())
			}
		}
		if len(without) > 0 {
			list.Add(diag.Diagnostic{Code: "notice-carried", Level: diag.Warning, Position: at, Hint: strings.Replace(hint, "package", "code", 1),
				Message: fmt.Sprintf("%s holds code of %s without the text of its licence, so the notices have none", m.Label(), strings.Join(without, ", "))})
		}
	}
	return list
}

// Unnamed lists the packages of others that a text of notices does not name.
func (inv *Inventory) Unnamed(text []byte) (labels []string) {
	missing := func(name, label string) {
		named := regexp.MustCompile(`(?i)(?:^|[^\w@/.-]|node_modules/)` + regexp.QuoteMeta(name) + `(?:$|[^\w/-])`)
		if !slices.Contains(labels, label) && !named.Match(text) {
			labels = append(labels, label)
		}
	}
	for _, m := range inv.Installed() {
		missing(m.Name, m.Label())
		for _, c := range m.Carries {
			missing(c.Name, c.Label())
		}
	}
	return labels
}

// Notices is the text that goes with the bundles to those who get them: of every
// package in them the name, version and licence, and the full texts of its licence and
// notice files, each once. The same inventory gives the same text.
func (inv *Inventory) Notices(title string) []byte {
	var out bytes.Buffer
	if title != "" {
		title = " of " + report.Printable(title)
	}
	fmt.Fprintf(&out, "Third-party notices%s, %s.\n\n", title, NoticesMark)
	materials := inv.Installed()
	if len(materials) == 0 {
		fmt.Fprintln(&out, "The bundles hold no code of other packages.")
		return out.Bytes()
	}
	fmt.Fprintf(&out, "The bundles hold code of %s. Their licences, as they declare them, and where\ntheir code is:\n", report.Count(len(materials), "other package"))
	carries := false
	for _, m := range materials {
		describeMaterial(&out, m)
		carries = carries || len(m.Carries) > 0
	}
	if carries {
		fmt.Fprint(&out, "\nWhat a package carried in its own files is listed as far as they name it.\n")
	}
	fmt.Fprint(&out, "\nThe texts that come with them follow.\n")
	for _, s := range sections(materials) {
		fmt.Fprintf(&out, "\n%s\n\n%s\n\n%s\n", strings.Repeat("-", 80), strings.Join(s.of, "\n"), s.text)
	}
	return out.Bytes()
}

func describeMaterial(out *bytes.Buffer, m *Material) {
	fmt.Fprintf(out, "\n%s\n  Licence: %s\n", m.Label(), report.Printable(m.License.Label()))
	if m.License.File == "" {
		fmt.Fprintln(out, "  The package comes without the text of its licence.")
		for _, line := range []struct{ name, value string }{{"Author", m.About.Author}, {"Home", m.About.Homepage}} {
			if line.value != "" {
				fmt.Fprintf(out, "  %s: %s\n", line.name, line.value)
			}
		}
	}
	fmt.Fprintf(out, "  In: %s\n", report.Printable(strings.Join(m.In, ", ")))
	for _, c := range m.Carries {
		switch {
		case c.Texts == nil:
			fmt.Fprintf(out, "  Carries code of %s, without the text of its licence.\n", c.Label())
		case c.From != c.Version:
			fmt.Fprintf(out, "  Carries code of %s; the text below is that of version %s.\n", c.Label(), c.From)
		default:
			fmt.Fprintf(out, "  Carries code of %s.\n", c.Label())
		}
	}
}

// section is one text with those it belongs to.
type section struct {
	of   []string
	text []byte
}

// sections are the texts of materials, each once, in the order of the first material
// that has it.
func sections(materials []*Material) (list []section) {
	add := func(label string, texts []Text) {
		for _, text := range texts {
			i := slices.IndexFunc(list, func(s section) bool { return bytes.Equal(s.text, text.Contents) })
			if i < 0 {
				i = len(list)
				list = append(list, section{text: text.Contents})
			}
			if of := label + ", " + report.Printable(text.File[strings.LastIndexByte(text.File, '/')+1:]); !slices.Contains(list[i].of, of) {
				list[i].of = append(list[i].of, of)
			}
		}
	}
	for _, m := range materials {
		add(m.Label(), m.Texts)
		for _, c := range m.Carries {
			add(c.Label()+" (in "+m.Label()+")", c.Texts)
		}
	}
	return list
}
