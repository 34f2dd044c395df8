package project

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"omcbuild/internal/diag"
)

// PackageJSON is what omcbuild reads of the root's package.json. Fields that
// are absent are empty.
type PackageJSON struct {
	Document    *Document // nil when there is no package.json
	Name        string    // as written, with a scope if it has one
	Version     string    // as written; checked by who needs it
	Description string
	Author      Person
	License     string // an SPDX expression, or the type of the old object form
	Homepage    string
	Repository  string // an address as npm allows it: shorthand, git+https, ssh, …
	Keywords    []string
	Type        string // "module", "commonjs" or ""
	NodeEngine  string // engines.node, a semver range
}

// Person is an author as npm knows one.
type Person struct {
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
	URL   string `json:"url,omitempty"`
}

// ParsePackage reads the fields of a package.json. A field of the wrong type
// is left empty and named: as an error when omcbuild cannot do without it, as
// a warning otherwise.
func ParsePackage(doc *Document) (PackageJSON, diag.List) {
	p := PackageJSON{Document: doc}
	if doc == nil {
		return p, nil
	}
	if doc.Problem != nil {
		return p, diag.List{*doc.Problem}
	}
	r := fieldReader{doc: doc, level: diag.Error}
	p.Name = r.text("name")
	p.Version = r.text("version")
	r.level = diag.Warning
	p.Description = r.text("description")
	p.Homepage = r.text("homepage")
	p.Type = r.text("type")
	p.NodeEngine = r.text("engines", "node")
	p.License = r.textOr("license", "type")
	p.Repository = r.textOr("repository", "url")
	p.Author = r.person("author")
	p.Keywords = r.texts("keywords")
	return p, r.bad
}

// fieldReader takes values out of a document and notes those of a wrong type.
type fieldReader struct {
	doc   *Document
	level diag.Level // of what is noted
	bad   diag.List
}

func (r *fieldReader) text(keys ...string) string {
	v := r.doc.Find(keys...)
	if v == nil {
		return ""
	}
	if v.Value.Kind() != '"' {
		r.wrong(v, "a string", keys...)
	}
	return Text(v)
}

// textOr reads a string, or the string under key of an object.
func (r *fieldReader) textOr(field, key string) string {
	if v := r.doc.Find(field); v != nil && v.Value.Kind() == '{' {
		return r.text(field, key)
	}
	return r.text(field)
}

func (r *fieldReader) texts(field string) []string {
	v := r.doc.Find(field)
	if v == nil {
		return nil
	}
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		r.wrong(v, "an array of strings", field)
		return nil
	}
	var out []string
	for i := range array.Elements {
		element := &array.Elements[i]
		if element.Value.Kind() != '"' {
			r.wrong(element, "a string", fmt.Sprintf("%s[%d]", field, i))
			continue
		}
		out = append(out, Text(element))
	}
	return out
}

func (r *fieldReader) person(field string) Person {
	if v := r.doc.Find(field); v != nil && v.Value.Kind() == '{' {
		return Person{Name: r.text(field, "name"), Email: r.text(field, "email"), URL: r.text(field, "url")}
	}
	return ParsePerson(r.text(field))
}

func (r *fieldReader) wrong(v *hujson.Value, want string, keys ...string) {
	r.bad.Add(diag.Diagnostic{
		Code: "invalid-package", Level: r.level, Position: r.doc.PositionOf(v.StartOffset),
		Message: fmt.Sprintf("%s is %s, it must be %s", strings.Join(keys, "."), article(kindName(v.Value.Kind())), want),
		Hint:    "correct its type; it is not read as it stands",
	})
}

// ParsePerson splits npm's one-line form "Name <mail> (address)"; parts that are
// not there are empty.
func ParsePerson(text string) Person {
	rest, address := cut(text, "(", ")")
	rest, mail := cut(rest, "<", ">")
	return Person{Name: strings.Join(strings.Fields(rest), " "), Email: mail, URL: address}
}

// cut takes the part between two marks out of a text.
func cut(text, open, end string) (rest, part string) {
	before, after, ok := strings.Cut(text, open)
	if !ok {
		return text, ""
	}
	part, after, _ = strings.Cut(after, end)
	return before + " " + after, strings.TrimSpace(part)
}
