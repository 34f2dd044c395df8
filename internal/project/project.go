// Package project reads a plugin repository and its configuration, once, and
// hands out values that need no further checking.
//
// Load finds the root, reads package.json, omcbuild.jsonc and the plugin's
// manifests, applies the defaults and returns a Project; Open does so too, and
// for a repository of several plugins returns all of them. In a Project: every path in it is
// relative to Root, slash separated and proven to stay inside (symbolic links
// included), every size is bytes, every duration a time.Duration. Whatever is
// wrong with the configuration is reported at once, each finding with file,
// line and column.
//
// Values remember where they came from: Bundle.Where gives the place of a
// bundle's field, Project.Effective lists all values with their origins.
//
// Files are read through os.Root. A plugin is somebody else's folder: a link
// that leaves it, a device, an endless file or bottomless JSON is a message,
// never a read.
package project

import (
	"errors"
	"time"

	"omcbuild/internal/diag"
)

var errNoFolder = errors.New("not a folder")

// Project is a plugin repository, read and checked.
type Project struct {
	Root        string // absolute, free of symbolic links
	Package     PackageJSON
	Config      Config
	Bundles     []Bundle  // in the order of the configuration
	Manifest    *Document // .claude-plugin/plugin.json, or nil
	Catalog     *Document // .claude-plugin/marketplace.json, or nil
	MCP         *Document // .mcp.json, or nil
	Within      *Place    // its place in a repository of several plugins, or nil
	Diagnostics diag.List // warnings found on the way
	origins     map[string]string
	unbundled   *diag.Diagnostic // see NeedsBundles
}

// Config is the effective configuration, bundles aside.
type Config struct {
	Document *Document // omcbuild.jsonc, or nil when there is none
	Plugin   PluginPaths
	Markers  []Marker
	Plugins  []string // globs of the plugins below a root of several, as written
	Prebuild []string // a program that makes sources, and its arguments; none when empty
	Include  []string // package.include: globs
	Exclude  []string // package.exclude: globs

	Notices map[string]string // package.notices: a package, "NAME" or "NAME@VERSION" → the file with the text of its licence
}

// PluginPaths says where the parts of the plugin are.
type PluginPaths struct {
	Name     string // plugin.name, or the package's name without its scope; "" when there is neither. One of several may have it from its manifest or entry
	Skills   string // folder
	Commands string // folder
	Agents   string // folder
	Hooks    string // file
}

// Kind says what a bundle is.
type Kind string

// The kinds of bundles.
const (
	MCP    Kind = "mcp"    // a server with a tool surface
	Script Kind = "script" // run, without a tool surface
	Module Kind = "module" // loaded by others
)

// Bundle is one file to build, with its defaults filled in.
type Bundle struct {
	Name         string
	Kind         Kind
	Entry        string   // source file, exists
	Outfile      string   // product
	Register     bool     // whether the server belongs into .mcp.json
	External     []string // packages that may stay imports
	Header       string   // HeaderNodePath, HeaderNone or the path of a file
	HeaderSource string   // contents of that file
	Front        Front
	Registry     string            // source file that exports allTools; "" for none
	Families     string            // glob of the files that define tools; "" for none
	Define       map[string]string // name → JavaScript expression
	Loader       map[string]string // extension with its dot → loader
	Assets       []string          // globs
	Budget       Budget
	Env          map[string]string // for the run that checks the bundle
	MayFail      string            // why that run may end before there are tools, "" when it may not
	Args         []string          // after the file, when the server is started
	Accept       []string          // codes of findings about the server that do not stop a build
	LockFile     string            // for kind mcp, beside the outfile: NAME.tools.json
	Target       string            // "node20"

	where func(field string) diag.Position
}

// Values of Bundle.Header that are no file.
const (
	HeaderNodePath = "node-path"
	HeaderNone     = "none"
)

// Front says whether recorded answers stand in front of a server.
type Front struct {
	Enabled bool
	Env     []string // variables that switch it off at run time
}

// Budget holds the limits of a bundle; 0 is no limit.
type Budget struct {
	Bytes      int64
	Initialize time.Duration
}

// Where returns the place of a field in the configuration, for example
// "entry"; of the bundle when the field is not set there; and the zero
// position when the bundle is a default.
func (b Bundle) Where(field string) diag.Position {
	if b.where == nil {
		return diag.Position{}
	}
	return b.where(field)
}

// Bundle returns the bundle of that name.
func (p *Project) Bundle(name string) (Bundle, bool) {
	for _, b := range p.Bundles {
		if b.Name == name {
			return b, true
		}
	}
	return Bundle{}, false
}

// Preview reads the plugin in the folder dir itself, which is absolute and free
// of links, as if it had the configuration given. Nothing is written. The errors
// are those of Load.
func Preview(dir string, config []byte) (*Project, error) {
	return loadAs(dir, placeOf(dir), Parse(ConfigFile, config, Relaxed))
}

// placeOf returns the place of a plugin's folder in a repository of several, or nil.
func placeOf(dir string) *Place {
	for _, folder := range upwards(dir) {
		if s := lookAround(folder); s != nil {
			if at := s.covering(dir); at != nil && s.folder(at) == dir {
				return s.place(at)
			}
			return nil
		}
	}
	return nil
}

// loadAt reads the plugin whose root is the folder given; within is its place in
// a repository of several, or nil.
func loadAt(root string, within *Place) (*Project, error) {
	return loadAs(root, within, nil)
}

// loadAs is loadAt with another configuration than the one on disk, when it is
// not nil.
func loadAs(root string, within *Place, config *Document) (*Project, error) {
	files, err := openTree(root)
	if err != nil {
		return nil, diag.Misuse(*unreadable(root, err)).Because(err)
	}
	defer files.close()
	p := &Project{Root: root, Within: within, origins: map[string]string{}}
	if err := p.readPackage(files); err != nil {
		return nil, err
	}
	p.Manifest = files.document(ManifestFile, Strict)
	p.Catalog = files.document(CatalogFile, Strict)
	p.MCP = files.document(ServersFile, Strict)
	if config == nil {
		config = files.document(ConfigFile, Relaxed)
	}
	if err := p.configure(files, config); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Project) readPackage(files tree) error {
	read, bad := ParsePackage(files.document(PackageFile, Strict))
	if bad.HasErrors() {
		return diag.Fail(bad...)
	}
	p.Diagnostics.Add(bad...)
	p.Package = read
	return nil
}

// configure checks the configuration, nil when there is none, and resolves
// every value.
func (p *Project) configure(files tree, doc *Document) error {
	if files.exists(misnamedConfig) {
		hint := "rename it to " + ConfigFile
		if doc != nil {
			hint = "delete it; the configuration is " + ConfigFile
		}
		return diag.Misuse(diag.Diagnostic{
			Code: "misnamed-config", Position: diag.Position{File: misnamedConfig},
			Message: "omcbuild does not read a file of this name", Hint: hint,
		})
	}
	raw := config{}
	if doc != nil {
		if doc.Problem != nil {
			return diag.Misuse(*doc.Problem)
		}
		if bad := validate(doc); len(bad) > 0 {
			return diag.Misuse(bad...)
		}
		if err := doc.Decode(&raw); err != nil {
			return diag.Misuse(diag.Diagnostic{Code: "invalid-config", Position: doc.Position(), Message: err.Error()}).Because(err)
		}
	}
	r := &resolver{project: p, files: files, doc: doc}
	r.resolve(raw)
	if r.bad.HasErrors() {
		sortByPlace(r.bad)
		return diag.Misuse(r.bad...)
	}
	return nil
}
