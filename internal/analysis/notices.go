package analysis

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/report"
)

// NoticesMark is in the first line of a text of notices.
const NoticesMark = "written by omcbuild analyze"

// notice is what one version of a package asks to be passed on with its code.
type notice struct {
	name, license string
	bundles       []string
	texts         []byte
}

// Notices is the text that goes with the bundles to those who get them: of every
// package in them the name, version and licence, with the full texts of its licence
// and notice files. A package without the text of its licence is a warning, because
// its licence most likely asks for it.
func Notices(root, title string, bundles []*Bundle) ([]byte, diag.List) {
	var list diag.List
	var notices []*notice
	for _, b := range bundles {
		for _, p := range b.Packages {
			if !installed(p) {
				continue
			}
			name := strings.TrimSpace(report.Printable(p.Name + " " + p.Version))
			texts := noticeTexts(native(root, p.Folder))
			i := slices.IndexFunc(notices, func(n *notice) bool { return n.name == name && bytes.Equal(n.texts, texts) })
			if i < 0 {
				i = len(notices)
				notices = append(notices, &notice{name: name, license: report.Printable(p.License.Label()), texts: texts})
				if p.License.File == "" {
					list.Add(diag.Diagnostic{Code: "notice-missing", Level: diag.Warning, Position: diag.Position{File: p.Folder + "/package.json"},
						Message: name + " comes without the text of its licence, so the notices have none",
						Hint:    "take the text from where the package is developed and add it to what you publish"})
				}
			}
			if file := report.Printable(b.Outfile); !slices.Contains(notices[i].bundles, file) {
				notices[i].bundles = append(notices[i].bundles, file)
			}
		}
	}
	slices.SortStableFunc(notices, func(x, y *notice) int { return cmp.Compare(x.name, y.name) })
	return renderNotices(title, notices), list
}

func renderNotices(title string, notices []*notice) []byte {
	var out bytes.Buffer
	of := ""
	if title != "" {
		of = " of " + report.Printable(title)
	}
	fmt.Fprintf(&out, "Third-party notices%s, %s.\n\n", of, NoticesMark)
	if len(notices) == 0 {
		fmt.Fprintln(&out, "The bundles hold no code of other packages.")
	} else {
		fmt.Fprintf(&out, "The bundles hold code of %d other packages.\n", len(notices))
	}
	for _, n := range notices {
		fmt.Fprintf(&out, "\n%s\n\n%s\nLicence: %s\nIn: %s\n", strings.Repeat("-", 80), n.name, n.license, strings.Join(n.bundles, ", "))
		if len(n.texts) == 0 {
			fmt.Fprintln(&out, "\nThe package comes without the text of its licence.")
		}
		out.Write(n.texts)
	}
	return out.Bytes()
}

// noticeTexts are the licence and notice files of a package, one after the other.
func noticeTexts(dir string) []byte {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out bytes.Buffer
	for _, e := range entries {
		if !isLicense(e) && !isNamed(e, "notice") {
			continue
		}
		text, err := readBounded(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		text = bytes.ReplaceAll(bytes.ToValidUTF8(text, []byte("\uFFFD")), []byte("\r\n"), []byte("\n"))
		if text = bytes.Trim(bytes.TrimPrefix(text, []byte("\uFEFF")), "\n"); len(text) > 0 {
			fmt.Fprintf(&out, "\n%s\n", text)
		}
	}
	return out.Bytes()
}
