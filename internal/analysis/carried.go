package analysis

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/report"
)

// Carried is a package whose code another package had in its files before it was
// installed, because its author bundled it.
//
// That can be known only where the author's bundler has left it in comments or source
// maps beside the files. Nothing says it of code that was minified without them.
type Carried struct {
	Name    string
	Version string // "" when it was not left
	Texts   []Text // of an installed copy, which may be of another version
	From    string // version of that copy
}

// Label is the name and the version.
func (c Carried) Label() string { return strings.TrimSpace(c.Name + " " + c.Version) }

const (
	maxScript   = 16 << 20 // bytes of a file that is looked through
	maxPathLine = 400      // bytes of a comment that names a file
)

// carried finds what the files of a package carry. Texts are looked for from the
// package up to the folder above.
func carried(root, above string, m *Material) (list []Carried) {
	for _, file := range m.files {
		full := native(root, file)
		if text, err := readFileUpTo(full, maxScript); err == nil {
			list = append(list, namedInComments(text)...)
		}
		if text, err := readFileUpTo(full+".map", maxScript); err == nil {
			list = append(list, namedInMap(text)...)
		}
	}
	list = slices.DeleteFunc(list, func(c Carried) bool { return c.Name == m.Name })
	slices.SortFunc(list, func(a, b Carried) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version)) })
	list = slices.CompactFunc(list, func(a, b Carried) bool { return a.Name == b.Name && a.Version == b.Version })
	list = slices.DeleteFunc(list, func(c Carried) bool { // the same with its version is there too
		return c.Version == "" && slices.ContainsFunc(list, func(other Carried) bool { return other.Name == c.Name && other.Version != "" })
	})
	for i := range list {
		list[i].textsFrom(root, above, m.Folders[0])
	}
	return list
}

// namedInComments reads the comments with which bundlers begin each file:
//
//	// node_modules/ajv/dist/ajv.js
//	//#region ../../node_modules/.pnpm/ajv@8.18.0/node_modules/ajv/dist/ajv.js
//	!*** ./node_modules/ajv/dist/ajv.js ***!
func namedInComments(text []byte) (list []Carried) {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		line = bytes.TrimSpace(line)
		if len(line) > maxPathLine || !bytes.Contains(line, []byte("node_modules/")) {
			continue
		}
		if found := namedFile.FindSubmatch(line); found != nil {
			if c, ok := carriedFrom(string(found[1])); ok {
				list = append(list, c)
			}
		}
	}
	return list
}

var (
	namedFile   = lazyregexp.New(`^(?:///?|/\*+|\\?!\*+|\*)\s*(?:#region\s+)?((?:\S*/)?node_modules/\S+)(?:\s*\*+[!/]?)?$`)
	packageName = lazyregexp.New(`^(?:@[A-Za-z0-9~-][\w.~-]*/)?[A-Za-z0-9~-][\w.~-]*$`)
	versionText = lazyregexp.New(`^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?`)
)

func namedInMap(text []byte) (list []Carried) {
	var m struct{ Sources []string }
	if json.NewDecoder(bufio.NewReader(bytes.NewReader(text))).Decode(&m) != nil {
		return nil
	}
	for _, source := range m.Sources {
		if c, ok := carriedFrom(source); ok {
			list = append(list, c)
		}
	}
	return list
}

// carriedFrom reads the name of a package from the path of one of its files, and the
// version where a folder on the way has it, as those of pnpm and bun do:
// ".pnpm/@scope+name@1.0.0_peer@2.0.0/node_modules/@scope/name/index.js".
func carriedFrom(file string) (c Carried, ok bool) {
	before, inside, found := cutLast(file, "node_modules/")
	if !found {
		return c, false
	}
	parts := strings.SplitN(inside, "/", 3)
	if c.Name = parts[0]; strings.HasPrefix(c.Name, "@") && len(parts) > 2 {
		c.Name += "/" + parts[1]
	}
	if len(c.Name) > 214 || c.Name == inside || !packageName.MatchString(c.Name) {
		return c, false
	}
	_, store, _ := cutLast(strings.TrimSuffix(before, "/"), "/")
	if version, stored := strings.CutPrefix(store, strings.ReplaceAll(c.Name, "/", "+")+"@"); stored {
		c.Version = versionText.FindString(version)
	}
	return c, true
}

func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return "", text, false
}

// textsFrom takes the texts of an installed copy, that of the same version first.
func (c *Carried) textsFrom(root, above, folder string) {
	for dir := native(root, folder); ; dir = filepath.Dir(dir) {
		copied := filepath.Join(dir, "node_modules", filepath.FromSlash(c.Name))
		version, _ := readPackage(copied)
		if rel, err := filepath.Rel(root, copied); err == nil && version != "" && (c.Texts == nil || version == c.Version) {
			if texts := readTexts(copied, filepath.ToSlash(rel)); len(texts) > 0 {
				c.Texts, c.From = texts, report.Printable(version)
			}
		}
		if c.Texts != nil && c.From == c.Version || dir == above || dir == filepath.Dir(dir) {
			return
		}
	}
}
