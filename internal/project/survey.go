package project

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/tailscale/hujson"

	"omcbuild/internal/diag"
)

// maxPlugins bounds how many plugins of one repository are looked at.
const maxPlugins = 1000

// survey is what the root of a repository says about the plugins below it.
type survey struct {
	root    string
	config  *Document // nil when there is none
	catalog *Document // nil when there is none
	found   []site
	exclude []string  // globs of folders that are left out
	usage   diag.List // wrong configuration
	notes   diag.List // about the repository as a whole
}

// site is one folder that is named as a plugin.
type site struct {
	path  string // relative to the root, as written
	real  string // the same without links
	entry string // name of its entry in the catalog, "" when it has none
	at    diag.Position
}

// lookAround reads the catalog and the configuration of a folder. It returns
// nil when they name no plugin but the folder itself.
func lookAround(root string) *survey {
	if !marked(root, CatalogFile) && !marked(root, ConfigFile) {
		return nil
	}
	files, err := openTree(root)
	if err != nil {
		return nil
	}
	defer files.close()
	s := &survey{root: root, config: files.document(ConfigFile, Relaxed), catalog: files.document(CatalogFile, Strict)}
	include, exclude, hasKey := s.patterns()
	s.listed(files)
	s.matched(files, include)
	s.exclude = exclude
	s.found = slices.DeleteFunc(s.found, func(at site) bool { return s.isExcluded(at.path) })
	others := slices.ContainsFunc(s.found, func(at site) bool { return at.path != "." })
	s.rootItself(files)
	if !hasKey && !others && (len(s.found) > 0 || len(s.notes) == 0) {
		return nil
	}
	s.unlisted(files)
	return s
}

// tooMany refuses a repository that names more plugins than anybody has.
func (s *survey) tooMany(who string) {
	s.usage.Add(diag.Diagnostic{Code: "invalid-config", Message: who + " more than " + strconv.Itoa(maxPlugins) + " plugins in folders of this repository", Hint: "divide the repository, or name fewer"})
}

// pattern is one value of the key plugins.
type pattern struct {
	index int
	glob  string
}

// patterns reads the key plugins: globs to include, and those to exclude, which
// begin with an exclamation mark.
func (s *survey) patterns() (include []pattern, exclude []string, hasKey bool) {
	v := s.config.Find("plugins")
	if v == nil {
		return nil, nil, false
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, nil, true // the schema says what is wrong
	}
	for i := range list.Elements {
		written := Text(&list.Elements[i])
		glob, negative := strings.CutPrefix(written, "!")
		clean, err := cleanGlob(glob)
		switch {
		case err != nil:
			s.misuse(i, "is "+quote(written)+", which "+err.Error(), "write a glob of folders below the root, for example plugins/*")
		case negative:
			exclude = append(exclude, clean)
		default:
			include = append(include, pattern{i, clean})
		}
	}
	return include, exclude, true
}

// misuse notes something wrong with one value of the key plugins.
func (s *survey) misuse(index int, message, hint string) {
	keys := []string{"plugins", strconv.Itoa(index)}
	s.usage.Add(diag.Diagnostic{Code: "invalid-config", Position: s.config.Position(keys...), Message: where(keys) + " " + message, Hint: hint})
}

// LocalSource returns the folder, relative to the catalog's root, that an entry
// of a catalog names; "" when the plugin is offered from elsewhere.
func LocalSource(catalog *Document, index int) string {
	source := catalog.String("plugins", strconv.Itoa(index), "source")
	if root := catalog.String("metadata", "pluginRoot"); root != "" && source != "" && !strings.HasPrefix(source, ".") && !strings.Contains(source, "/") {
		return path.Join(root, source)
	}
	return source
}

// listed adds the plugins of the catalog whose source is a folder.
func (s *survey) listed(files tree) {
	v := s.catalog.Find("plugins")
	if v == nil {
		return
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return
	}
	local := 0
	for i := range list.Elements {
		source := LocalSource(s.catalog, i)
		if source == "" {
			continue
		}
		if local++; local > maxPlugins {
			s.tooMany("the catalog lists")
			return
		}
		index := strconv.Itoa(i)
		at := s.catalog.Position("plugins", index, "source")
		name, written := s.catalog.String("plugins", index, "name"), s.catalog.String("plugins", index, "source")
		bad := func(message, hint string) {
			s.notes.Add(diag.Diagnostic{Code: "catalog-source", Position: at, Message: clip(name, 80) + ": " + clip(written, 120) + " " + message, Hint: hint})
		}
		clean, err := cleanPath(source)
		switch {
		case err != nil:
			bad("is outside the catalog", "name a folder below the one that holds .claude-plugin")
		case !files.exists(clean):
			bad("is not there", "correct the path")
		default:
			s.add(files, site{path: clean, entry: name, at: at})
		}
	}
}

// matched adds the folders that the globs of the configuration match. With a
// glob, only what looks like a plugin counts; a folder that is named must be
// there.
func (s *survey) matched(files tree, include []pattern) {
	for _, p := range include {
		at := s.config.Position("plugins", strconv.Itoa(p.index))
		if !strings.ContainsAny(p.glob, `*?[{`) {
			if !files.exists(p.glob) {
				s.misuse(p.index, "is "+p.glob+", which does not exist", "create the folder, or correct the path")
				continue
			}
			s.add(files, site{path: p.glob, at: at})
			continue
		}
		matches := slices.DeleteFunc(files.folders(p.glob), func(folder string) bool { return !files.leaves(folder) && !files.isPlugin(folder) })
		if len(matches) == 0 {
			s.misuse(p.index, "is "+quote(p.glob)+", which matches no plugin", "correct the glob; a plugin has "+ManifestFile+" or "+ConfigFile)
		}
		if len(matches) > maxPlugins {
			s.tooMany(quote(p.glob) + " matches")
			return
		}
		for _, folder := range matches {
			s.add(files, site{path: folder, at: at})
		}
	}
}

// add takes up a folder, once, unless a link leads out of the repository.
func (s *survey) add(files tree, at site) {
	if err := files.contained(at.path); err != nil {
		s.notes.Add(diag.Diagnostic{Code: "outside-root", Position: at.at, Message: at.path + " " + err.Error(),
			Hint: "put the plugin's folder itself into the repository; links out of it are dropped when the catalog is installed"})
		return
	}
	at.real = files.real(at.path)
	if info, err := files.root.Stat(at.path); err != nil || !info.IsDir() {
		s.notes.Add(diag.Diagnostic{Code: "catalog-source", Position: at.at, Message: at.path + " is not a folder", Hint: "name the folder of a plugin"})
		return
	}
	for i := range s.found {
		if s.found[i].real != at.real {
			continue
		}
		if s.found[i].entry != "" && at.entry != "" {
			s.notes.Add(diag.Diagnostic{Code: "plugin-twice", Position: at.at, Message: "the catalog lists " + at.path + " as " + quote(s.found[i].entry) + " and as " + quote(at.entry), Hint: "remove one of the two entries"})
		}
		return
	}
	s.found = append(s.found, at)
}

// rootItself adds the root when it is a plugin as well. One that is none has
// nothing to configure but the plugins.
func (s *survey) rootItself(files tree) {
	if slices.ContainsFunc(s.found, func(at site) bool { return at.path == "." }) {
		return
	}
	switch {
	case files.exists(ManifestFile):
		s.found = append(s.found, site{path: ".", real: ".", at: diag.Position{File: ManifestFile}})
		return
	case s.config.Find("bundles") != nil:
		s.found = append(s.found, site{path: ".", real: ".", at: s.config.Position("bundles")})
		return
	}
	for _, b := range defaultBundles() {
		if files.isFile(b.Entry) {
			s.found = append(s.found, site{path: ".", real: ".", at: diag.Position{File: b.Entry}})
			return
		}
	}
	for _, key := range []string{"prebuild", "plugin", "metadata", "package"} {
		if s.config.Find(key) != nil {
			s.usage.Add(diag.Diagnostic{Code: "invalid-config", Position: s.config.KeyPosition(key), Message: key + " is set, but the root of this repository is no plugin itself",
				Hint: "move it into the " + ConfigFile + " of the plugin that it is for"})
		}
	}
}

// unlisted looks for plugins beside those that are named.
func (s *survey) unlisted(files tree) {
	var parents []string
	for _, at := range s.found {
		if parent := path.Dir(at.path); at.path != "." && parent != "." && !slices.Contains(parents, parent) {
			parents = append(parents, parent)
		}
	}
	for _, parent := range parents {
		for _, folder := range files.folders(escapeGlob(parent) + "/*") {
			if files.leaves(folder) || !files.exists(path.Join(folder, ManifestFile)) {
				continue
			}
			real := files.real(folder)
			named := slices.ContainsFunc(s.found, func(at site) bool { return at.real == real })
			if !named && !s.isExcluded(folder) {
				s.notes.Add(diag.Diagnostic{Code: "plugin-unlisted", Level: diag.Warning, Position: diag.Position{File: path.Join(folder, ManifestFile)},
					Message: "is a plugin that neither the catalog lists nor plugins in " + ConfigFile + " names, so nothing is done for it",
					Hint:    `list it in ` + CatalogFile + `, name it under plugins, or leave it out there with "!` + folder + `"`})
			}
		}
	}
}

// isExcluded reports whether the configuration leaves a folder out.
func (s *survey) isExcluded(folder string) bool {
	return slices.ContainsFunc(s.exclude, func(glob string) bool { return doublestar.MatchUnvalidated(glob, folder) })
}

// folders lists what a glob matches, in order, without the folders that hold
// others' files. It may hold files too, which are no plugins.
func (t tree) folders(glob string) []string {
	found, err := Glob(t.root.FS(), ".", glob, nil)
	if err != nil {
		return nil
	}
	return found
}

// isPlugin reports whether a folder says of itself that it is a plugin.
func (t tree) isPlugin(folder string) bool {
	marks := []string{ManifestFile, ConfigFile}
	for _, b := range defaultBundles() {
		marks = append(marks, b.Entry)
	}
	return slices.ContainsFunc(marks, func(file string) bool { return t.isFile(path.Join(folder, file)) })
}

// leaves reports whether a path is a link out of the root.
func (t tree) leaves(p string) bool {
	_, err := t.root.Stat(p)
	return err != nil && leavesRoot(err)
}

func escapeGlob(p string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(p)
}

// covering returns the innermost plugin below the root that holds a folder, or
// nil.
func (s *survey) covering(folder string) *site {
	var best *site
	for i := range s.found {
		at := &s.found[i]
		inside := s.folder(at) == folder || below(folder, s.folder(at))
		if at.real != "." && inside && (best == nil || len(at.real) > len(best.real)) {
			best = at
		}
	}
	return best
}

func (s *survey) folder(at *site) string { return filepath.Join(s.root, filepath.FromSlash(at.real)) }

func (s *survey) place(at *site) *Place {
	return &Place{Root: s.root, Path: at.path, Catalog: s.catalog != nil && s.catalog.Problem == nil, Entry: at.entry}
}
