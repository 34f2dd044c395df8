package project

import (
	"errors"
	"path"
	"strings"

	"omcbuild/internal/diag"
)

// repository reads every plugin that was found.
func (s *survey) repository() (*Repository, error) {
	if s.config != nil {
		if s.config.Problem != nil {
			return nil, diag.Misuse(*s.config.Problem)
		}
		if bad := validate(s.config); len(bad) > 0 {
			return nil, diag.Misuse(bad...)
		}
	}
	if len(s.usage) > 0 {
		sortByPlace(s.usage)
		return nil, diag.Misuse(s.usage...)
	}
	r := &Repository{Root: s.root, Catalog: s.catalog, Diagnostics: s.notes}
	if s.catalog != nil && s.catalog.Problem != nil {
		r.Diagnostics.Add(*s.catalog.Problem)
	}
	for i := range s.found {
		m, err := s.member(&s.found[i])
		if err != nil {
			return nil, err
		}
		r.Plugins = append(r.Plugins, m)
	}
	r.sameName()
	r.sameProduct()
	r.nested()
	return r, nil
}

// member reads one plugin. What is wrong with it is a fault of its own.
func (s *survey) member(at *site) (Member, error) {
	m := Member{Path: at.path, From: short(at.at)}
	p, err := loadAt(s.folder(at), s.place(at))
	var failure *diag.Failure
	switch {
	case errors.As(err, &failure):
		m.Faults = failure.Diagnostics.Below(at.path)
	case err != nil:
		return m, err
	default:
		m.Project, m.Name = p, p.Config.Plugin.Name
	}
	if m.Name == "" {
		m.Name = at.entry
	}
	if m.Name == "" {
		m.Name = path.Base(path.Join(path.Base(s.root), at.path))
	}
	return m, nil
}

// refuse keeps a plugin out of everything, for a reason.
func (m *Member) refuse(d diag.Diagnostic) {
	m.Project = nil
	m.Faults.Add(d)
}

// naming is the place that says what a plugin is called.
func (m *Member) naming() diag.Position {
	p := m.Project
	at := diag.Position{File: m.Path}
	switch {
	case p.Config.Document.String("plugin", "name") != "":
		at = p.Config.Document.Position("plugin", "name")
	case p.Package.Name != "":
		at = p.Package.Document.Position("name")
	case p.Manifest.String("name") != "":
		at = p.Manifest.Position("name")
	default:
		return at
	}
	at.File = path.Join(m.Path, at.File)
	return at
}

// sameName refuses a plugin that is called what one before it is: both would
// write the same entry of the catalog, and the client installs one of them.
func (r *Repository) sameName() {
	first := map[string]string{}
	for i := range r.Plugins {
		m := &r.Plugins[i]
		if m.Project == nil {
			continue
		}
		if other, taken := first[m.Name]; taken {
			m.refuse(diag.Diagnostic{Code: "plugin-twice", Position: m.naming(), Message: "the plugin is named " + quote(m.Name) + ", as the one in " + folderInWords(other) + " is", Hint: "give each plugin a name of its own"})
			continue
		}
		first[m.Name] = m.Path
	}
}

// sameProduct refuses a plugin that would write a file that one before it
// writes. That takes a plugin inside another one's folder.
func (r *Repository) sameProduct() {
	first := map[string]string{}
	for i := range r.Plugins {
		m := &r.Plugins[i]
		if m.Project == nil {
			continue
		}
		for _, b := range m.Project.Bundles {
			for _, product := range []string{b.Outfile, b.LockFile} {
				full := strings.ToLower(path.Join(m.Path, product))
				if other, taken := first[full]; taken && product != "" && other != m.Path && m.Project != nil {
					at := b.Where("outfile")
					at.File = path.Join(m.Path, at.File)
					m.refuse(diag.Diagnostic{Code: "outfile-twice", Position: at, Message: "writes " + path.Join(m.Path, product) + ", as the plugin in " + folderInWords(other) + " does", Hint: "give each bundle a file of its own, inside its plugin"})
					continue
				}
				first[full] = m.Path
			}
			if m.Project == nil {
				break
			}
		}
	}
}

func folderInWords(path string) string {
	if path == "." {
		return "the root"
	}
	return path
}

// nested warns of a plugin inside another one's folder, which is installed
// with it. Below a root that is a plugin there is no other way.
func (r *Repository) nested() {
	for _, inner := range r.Plugins {
		for _, outer := range r.Plugins {
			if outer.Path != "." && strings.HasPrefix(inner.Path, outer.Path+"/") {
				r.Diagnostics.Add(diag.Diagnostic{Code: "plugin-nested", Level: diag.Warning, Position: diag.Position{File: inner.Path},
					Message: "the plugin lies inside the plugin " + outer.Path + ", whose users get it too", Hint: "move it beside that folder"})
			}
		}
	}
}
