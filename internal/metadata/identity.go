package metadata

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/Masterminds/semver/v3"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// identity is what package.json says about the plugin, in the form the
// client's manifests have. Empty fields are not said.
type identity struct {
	name, version, description, license, homepage, repository string

	author   project.Person
	keywords []string
}

// readIdentity takes the plugin's identity from package.json and reports what
// the client would refuse in it.
func readIdentity(d *desk) identity {
	s := d.sheet(project.PackageFile)
	if s.unusual {
		return identity{}
	}
	if s.now == nil {
		d.add("no-package", diag.Error, diag.Position{File: project.PackageFile},
			"there is no package.json, which is where the plugin's name and version come from",
			`write one with at least { "name": "my-plugin", "version": "0.1.0", "private": true }`)
		return identity{}
	}
	pkg, bad := project.ParsePackage(project.Parse(project.PackageFile, s.now, project.Strict))
	if errors := bad.At(diag.Error); len(errors) > 0 {
		d.found.Add(errors...)
		return identity{}
	}
	id := identity{
		name: d.project.Config.Plugin.Name, version: pkg.Version, description: pkg.Description,
		license: pkg.License, homepage: pkg.Homepage, repository: webAddress(pkg.Repository),
		author: pkg.Author, keywords: pkg.Keywords,
	}
	c := identityCheck{desk: d, pkg: pkg}
	c.name(id.name)
	c.version(id.version)
	c.links(id)
	c.author(id.author)
	return id
}

// identityCheck reports what the client refuses or warns of.
type identityCheck struct {
	desk *desk
	pkg  project.PackageJSON
}

func (c identityCheck) report(level diag.Level, code, field, message, hint string) {
	c.desk.add(code, level, c.pkg.Document.Position(field), message, hint)
}

func (c identityCheck) name(name string) {
	configured := c.desk.project.Config.Document.String("plugin", "name") != ""
	report := func(level diag.Level, message, hint string) {
		at := c.pkg.Document.Position("name")
		if configured {
			at = c.desk.project.Config.Document.Position("plugin", "name")
		}
		c.desk.add("plugin-name", level, at, message, hint)
	}
	switch project.CheckPluginName(name) {
	case project.NameMissing:
		report(diag.Error, "there is no name, so the plugin has none", `add "name", in lower-case letters, digits and hyphens`)
	case project.NameSpaces, project.NamePath:
		report(diag.Error, fmt.Sprintf("the plugin name %q holds a space, a slash, @ or .., and cannot be installed", name), "use lower-case letters, digits and hyphens")
	case project.NameReserved:
		report(diag.Error, fmt.Sprintf("the plugin name %q begins with a prefix that the client reserves", name), "choose another name; set plugin.name in omcbuild.jsonc when the package keeps its own")
	case project.NameNotASCII, project.NameStyle:
		report(diag.Warning, fmt.Sprintf("the plugin name %q is not in lower-case letters, digits and hyphens", name), "the client warns of it and catalogs may refuse it; rename it, or set plugin.name in omcbuild.jsonc")
	}
}

func (c identityCheck) version(version string) {
	if version == "" {
		c.report(diag.Error, "plugin-version", "version", "there is no version", `add "version": "0.1.0"; without one, users get no updates`)
		return
	}
	parsed, err := semver.StrictNewVersion(version)
	switch {
	case err != nil:
		c.report(diag.Error, "plugin-version", "version", fmt.Sprintf("the version %q is not a semantic version", version), "write three numbers, for example 0.1.0, without a leading v")
	case parsed.Metadata() != "":
		c.report(diag.Warning, "plugin-version", "version", fmt.Sprintf("the version %q has build metadata, which the client's cache cannot tell from a pre-release", version), "leave out the part that begins with +")
	}
}

func (c identityCheck) links(id identity) {
	if id.homepage != "" && !isAddress(id.homepage) {
		c.report(diag.Error, "plugin-homepage", "homepage", fmt.Sprintf("the homepage %q is not an address, and the client refuses the manifest", id.homepage), "write it in full, for example https://example.org/plugin")
	} else if strings.HasPrefix(id.homepage, "http://") {
		c.report(diag.Warning, "plugin-homepage", "homepage", "the homepage is not https, which the catalog's checks ask for", "use an https address")
	}
	if id.repository != "" && !strings.HasPrefix(id.repository, "https://") {
		c.report(diag.Warning, "plugin-repository", "repository", fmt.Sprintf("the repository %q is not an https address, which the catalog's checks ask for", id.repository), "use an https address")
	}
}

func (c identityCheck) author(author project.Person) {
	if author.Name == "" && (author.Email != "" || author.URL != "") {
		c.report(diag.Error, "plugin-author", "author", "the author has no name, and the client refuses the manifest", `write it as "Name <mail>"`)
	}
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
}
