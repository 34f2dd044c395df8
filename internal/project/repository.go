package project

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
)

// Repository is a folder with several plugins in it, and usually the catalog
// that offers them.
type Repository struct {
	Root        string    // absolute, free of symbolic links
	Catalog     *Document // .claude-plugin/marketplace.json, or nil
	Plugins     []Member  // in the order of the catalog, then by path
	Diagnostics diag.List // about the plugins together; files are relative to Root
}

// Member is one plugin of a repository.
type Member struct {
	Path    string    // folder relative to the repository's root, as written; "." for the root itself
	Name    string    // of the plugin; that of the folder when there is none
	From    string    // what names it: a place in the catalog or in the configuration, or the file that makes the root a plugin
	Project *Project  // nil when the plugin cannot be used
	Faults  diag.List // why it cannot; files are relative to the repository's root
}

// Place says where in a repository of several a plugin stands.
type Place struct {
	Root    string // of the repository: absolute, free of symbolic links
	Path    string // of the plugin below it, "." for the root itself
	Catalog bool   // whether the repository has a catalog
	Entry   string // name of the plugin's entry in the catalog, "" when it has none
}

// Paths lists the folders of the plugins.
func (r *Repository) Paths() []string {
	out := make([]string, len(r.Plugins))
	for i, m := range r.Plugins {
		out[i] = m.Path
	}
	return out
}

// Open reads what dir belongs to: one plugin, or, at the root of a repository
// of several and in its folders that are in no plugin, all of them. One of the
// two results is nil. A root is one of several when its catalog lists plugins
// in folders below it, or its omcbuild.jsonc has the key plugins.
//
// The error is a *diag.Failure as that of Load. What is wrong with one of
// several plugins is no error but stands in its Member.
func Open(dir string) (*Project, *Repository, error) {
	start, err := startFolder(dir)
	if err != nil {
		return nil, nil, err
	}
	folders := upwards(start)
	for i, folder := range folders {
		s := lookAround(folder)
		if s == nil {
			continue
		}
		own := nearestPlugin(folders[:i])
		at := s.covering(start)
		if at != nil && (own == "" || !below(own, s.folder(at))) {
			p, err := loadAt(s.folder(at), s.place(at))
			if err == nil {
				s.looked(p, true)
			}
			return p, nil, err
		}
		if own != "" {
			p, err := loadAt(own, nil)
			if err == nil {
				s.looked(p, at != nil)
			}
			return p, nil, err
		}
		r, err := s.repository()
		return nil, r, err
	}
	root, err := findRoot(start)
	if err != nil {
		return nil, nil, becauseOf(err, start, folders)
	}
	p, err := loadAt(root, nil)
	if err == nil {
		p.brokenAbove(folders)
	}
	return p, nil, becauseOf(err, start, folders)
}

// Load reads the plugin that dir belongs to. The error is a *diag.Failure: of
// class Usage when the configuration is wrong, no plugin is there, or several
// are; of class Failed when package.json is broken.
func Load(dir string) (*Project, error) {
	p, r, err := Open(dir)
	if r != nil {
		return nil, r.Several("this is for one plugin")
	}
	return p, err
}

// Several is the error for what can be done to one plugin only; why completes
// the sentence "the folder holds 3 plugins, and ...".
func (r *Repository) Several(why string) *diag.Failure {
	hint := "name one of them"
	for i, m := range r.Plugins {
		if i == 5 {
			hint += ", …"
			break
		}
		if m.Path != "." {
			hint += ", -C " + m.Path
		}
	}
	return diag.Misuse(diag.Diagnostic{
		Code: "several-plugins", Message: "the folder holds " + strconv.Itoa(len(r.Plugins)) + " plugins, and " + why,
		Hint: strings.Replace(hint, ", ", ": ", 1),
	})
}

// startFolder makes dir absolute and free of links, and makes sure that it is
// a folder.
func startFolder(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err == nil {
		start, err = filepath.EvalSymlinks(start)
	}
	if err == nil {
		err = mustBeFolder(start)
	}
	if err != nil {
		return "", diag.Misuse(diag.Diagnostic{
			Code: "no-project", Message: "the folder " + dir + " cannot be used: " + reason(err),
			Hint: "name an existing folder of a plugin",
		}).Because(err)
	}
	return start, nil
}

// nearestPlugin is the first folder that says of itself that it is a plugin,
// or "".
func nearestPlugin(folders []string) string {
	i := slices.IndexFunc(folders, func(folder string) bool { return marked(folder, ConfigFile) || marked(folder, ManifestFile) })
	if i < 0 {
		return ""
	}
	return folders[i]
}

func marked(folder, file string) bool {
	_, err := os.Lstat(filepath.Join(folder, filepath.FromSlash(file)))
	return err == nil
}

// below reports whether a folder lies in another and is not that folder.
func below(folder, above string) bool {
	rel, err := filepath.Rel(above, folder)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}
