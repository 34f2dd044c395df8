package plugintemplate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"text/template"
)

const (
	folder   = "files"
	licenses = "licenses"
	suffix   = ".tmpl"
)

// Values is what a template file may ask for.
type Values struct {
	Name        string // the plugin's name: lower-case letters, digits and hyphens
	Version     string // semantic version without a leading v
	Description string // one sentence, any characters
	Author      Person // who wrote it; the name is needed
	License     string // one of Licenses()
	Catalog     string // the name of the catalog of the repository that the plugin lies in; "" for a plugin that is a repository by itself
	Key         string // the server's key in .mcp.json: lower-case letters, digits, _ and -
}

// Person is an author. The address of mail and that of a page may be empty.
type Person struct{ Name, Email, URL string }

// String returns the person in npm's one-line form "Name <mail> (address)".
func (p Person) String() string {
	out := p.Name
	if p.Email != "" {
		out += " <" + p.Email + ">"
	}
	if p.URL != "" {
		out += " (" + p.URL + ")"
	}
	return out
}

// File is one file of a new plugin.
type File struct {
	Path     string // slash separated, relative to the plugin's root
	Contents []byte
}

// Licenses returns the SPDX identifiers of the licences there are texts of,
// sorted.
func Licenses() []string {
	entries, _ := FS.ReadDir(licenses)
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = strings.TrimSuffix(entry.Name(), suffix)
	}
	return names
}

// ofRoot reports whether a file works at the root of a repository alone.
func ofRoot(path string) bool {
	return path == ".claude-plugin/marketplace.json" || strings.HasPrefix(path, ".github/")
}

// Render returns the files of a new plugin, sorted by path: with a catalog and a
// workflow when it is a repository by itself. It checks nothing
// about the values; the errors there can be are a licence without a text and a
// template that does not execute, and name the file.
func Render(v Values) ([]File, error) {
	license, err := renderLicense(v)
	if err != nil {
		return nil, err
	}
	out := []File{license}
	err = fs.WalkDir(FS, folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := render(path, v)
		file.Path = strings.TrimPrefix(file.Path, folder+"/")
		if v.Catalog == "" || !ofRoot(file.Path) {
			out = append(out, file)
		}
		return err
	})
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out, err
}

func renderLicense(v Values) (File, error) {
	if !slices.Contains(Licenses(), v.License) {
		return File{}, fmt.Errorf("plugin template: there is no text of the licence %q", v.License)
	}
	path := licenses + "/" + v.License
	if _, err := fs.Stat(FS, path); err != nil {
		path += suffix
	}
	file, err := render(path, v)
	file.Path = "LICENSE"
	return file, err
}

// render returns one embedded file, executed if it is a template.
func render(path string, v Values) (File, error) {
	contents, err := FS.ReadFile(path)
	if err != nil {
		return File{}, err
	}
	target, isTemplate := strings.CutSuffix(path, suffix)
	if isTemplate {
		contents, err = execute(target, contents, v)
	}
	return File{Path: target, Contents: contents}, err
}

func execute(name string, text []byte, v Values) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{"json": quote}).Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("plugin template: parsing %s: %w", name, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("plugin template: rendering %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// quote returns s as a JSON string, with <, > and & left readable.
func quote(s string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n"), err
}
