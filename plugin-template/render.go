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
	folder = "files"
	suffix = ".tmpl"
)

// Values is what a template file may ask for.
type Values struct {
	Name        string // the plugin's name: lower-case letters, digits and hyphens
	Version     string // semantic version without a leading v
	Description string // one sentence, any characters
}

// File is one file of a new plugin.
type File struct {
	Path     string // slash separated, relative to the plugin's root
	Contents []byte
}

// Render returns the files of a new plugin, sorted by path. It checks nothing
// about the values; the one error there can be is a template that does not
// execute, and names the file.
func Render(v Values) ([]File, error) {
	var out []File
	err := fs.WalkDir(FS, folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		contents, err := FS.ReadFile(path)
		if err != nil {
			return err
		}
		path = strings.TrimPrefix(path, folder+"/")
		if target, ok := strings.CutSuffix(path, suffix); ok {
			if contents, err = execute(path, contents, v); err != nil {
				return err
			}
			path = target
		}
		out = append(out, File{Path: path, Contents: contents})
		return nil
	})
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out, err
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
