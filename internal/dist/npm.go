package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"omcbuild/internal/products"
	"omcbuild/internal/release"
)

// npmName is what Node calls the target: process.platform and os.arch() of it.
func (t target) npmName() string { return t.npmSystem() + "-" + t.npmProcessor() }

func (t target) npmSystem() string {
	if t.system == "windows" {
		return "win32"
	}
	return t.system
}

func (t target) npmProcessor() string {
	if t.processor == "amd64" {
		return "x64"
	}
	return t.processor
}

// npmPackages returns the files of all packages: the wrapper in the folder omcbuild, and
// in @omcbuild one for each build. Their version is one, which the wrapper asks for.
func npmPackages(root, version string, builds []build) ([]products.File, error) {
	license, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	wrapper := map[string]any{}
	text, err := os.ReadFile(filepath.Join(root, "npm", "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &wrapper)
	}
	if err != nil {
		return nil, fmt.Errorf("npm/package.json: %w", err)
	}
	var out []products.File
	add := func(path string, contents []byte, mode bool) {
		f := products.File{Path: path, Contents: contents, Mode: release.PlainMode}
		if mode {
			f.Mode = release.RunningMode
		}
		out = append(out, f)
	}
	platforms := map[string]string{}
	for _, b := range builds {
		name := "@omcbuild/" + b.npmName()
		platforms[name] = version
		add(name+"/package.json", encode(map[string]any{
			"name": name, "version": version, "description": "omcbuild for " + b.npmName(), "author": wrapper["author"], "license": wrapper["license"],
			"os": []string{b.npmSystem()}, "cpu": []string{b.npmProcessor()}, "files": []string{"bin", noticesFile},
			"preferUnplugged": true, // a program cannot be started inside of a zip file
		}), false)
		add(name+"/README.md", fmt.Appendf(nil, "# %s\n\nThe program of omcbuild for this system. Install `omcbuild`, which asks for it.\n", name), false)
		add(name+"/LICENSE", license, false)
		add(name+"/"+noticesFile, b.notices, false)
		add(name+"/bin/"+b.file(), b.program, true)
	}
	wrapper["version"], wrapper["optionalDependencies"] = version, platforms
	add("omcbuild/package.json", encode(wrapper), false)
	add("omcbuild/LICENSE", license, false)
	for _, name := range []string{"README.md", "bin/omcbuild.cjs"} {
		text, err := os.ReadFile(filepath.Join(root, "npm", filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		add("omcbuild/"+name, text, name != "README.md")
	}
	return out, nil
}

// encode returns a manifest as npm itself writes it, with sorted keys.
func encode(manifest map[string]any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(manifest) // strings, lists and maps of strings can be encoded
	return out.Bytes()
}
