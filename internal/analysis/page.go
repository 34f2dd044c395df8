package analysis

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"strings"

	"omcbuild/internal/report"
)

//go:embed page
var pageFiles embed.FS

// PageMark is in the first bytes of every page, so that a page can be told from
// other files.
const PageMark = "<!-- written by omcbuild analyze -->"

// pageBundle is a bundle as the page's script reads it. Names stand in it as text
// without control characters, and the script uses them as text.
type pageBundle struct {
	Name     string        `json:"name"`
	Outfile  string        `json:"outfile"`
	Packages []pagePackage `json:"packages"`
	Files    [][3]any      `json:"files"` // path, bytes, index of the package
	Rest     [][2]any      `json:"rest"`  // name, bytes
}

type pagePackage struct {
	Name    string `json:"name"`
	Folder  string `json:"folder"`
	License string `json:"license"`
}

// Page draws bundles as one page of HTML that needs nothing else: styles, script and
// data stand in it, and its policy lets it load nothing. plugin, a name and a version
// for example, stands in its heading unless it is empty.
func Page(plugin string, bundles []*Bundle) ([]byte, error) {
	list := []pageBundle{}
	for _, b := range bundles {
		list = append(list, b.page())
	}
	// The encoder writes <, > and & and the two line ends that JavaScript has besides
	// as escapes, so no name can end the element that the data stand in.
	data, err := json.Marshal(map[string]any{"bundles": list, "plugin": report.Printable(plugin)})
	if err != nil {
		return nil, err
	}
	html, err := pageFiles.ReadFile("page/page.html")
	if err != nil {
		return nil, err
	}
	style, err := pageFiles.ReadFile("page/page.css")
	if err != nil {
		return nil, err
	}
	var script []byte
	for _, name := range []string{"page/tree.js", "page/page.js"} {
		text, err := pageFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		script = append(script, text...)
	}
	policy := "default-src 'none'; style-src '" + digest(style) + "'; script-src '" + digest(script) + "'; base-uri 'none'; form-action 'none'"
	return fill(string(html), map[string][]byte{"policy": []byte(policy), "style": style, "script": script, "data": data}), nil
}

// fill puts parts into the places {{name}} of a text. What was put in is not looked
// at again.
func fill(text string, parts map[string][]byte) []byte {
	var out bytes.Buffer
	for {
		before, rest, found := strings.Cut(text, "{{")
		out.WriteString(before)
		if !found {
			return out.Bytes()
		}
		name, after, _ := strings.Cut(rest, "}}")
		out.Write(parts[name])
		text = after
	}
}

// digest names a script or a style in the page's policy.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (b *Bundle) page() pageBundle {
	p := pageBundle{Name: report.Printable(b.Name), Outfile: report.Printable(b.Outfile), Packages: []pagePackage{}, Files: [][3]any{}, Rest: [][2]any{}}
	index := map[string]int{}
	for i, owner := range b.Packages {
		index[owner.Folder] = i
		p.Packages = append(p.Packages, pagePackage{Name: report.Printable(strings.TrimSpace(owner.Label() + " " + owner.Version)),
			Folder: report.Printable(owner.Folder), License: report.Printable(owner.License.Label())})
	}
	for _, f := range b.Files {
		p.Files = append(p.Files, [3]any{report.Printable(f.Path), f.Bytes, index[f.Folder]})
	}
	for _, part := range b.Rest {
		p.Rest = append(p.Rest, [2]any{part.Name, part.Bytes})
	}
	return p
}
