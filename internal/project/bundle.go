package project

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"omcbuild/internal/diag"
)

// bundleResolver resolves the fields of one bundle.
type bundleResolver struct {
	*resolver
	index string
	out   *Bundle
}

// at returns the keys of one of the bundle's fields.
func (r bundleResolver) at(field ...string) []string {
	return append([]string{"bundles", r.index}, field...)
}

func (r *resolver) bundle(index int, raw bundleConfig, target string) Bundle {
	out := Bundle{
		Name: raw.Name, Kind: raw.Kind, External: raw.External, Loader: raw.Loader, Env: raw.Env, MayFail: raw.MayFail, Args: raw.Args, Accept: raw.Accept, Target: target,
		Budget: Budget{Initialize: time.Duration(raw.Budget.InitializeMs) * time.Millisecond},
	}
	b := bundleResolver{resolver: r, index: strconv.Itoa(index), out: &out}
	if r.doc.Find(b.at()...) != nil {
		doc := r.doc
		out.where = func(field string) diag.Position { return doc.Position(b.at(field)...) }
	}
	if out.Kind == "" {
		out.Kind = MCP
	}
	out.Entry, _ = r.file(raw.Entry, b.at("entry")...)
	b.outfile(raw.Outfile)
	b.register(raw.Register)
	b.header(raw.Header)
	b.front(raw.Front)
	b.registry(raw.Registry)
	b.families(raw.Families)
	b.define(raw.Define)
	b.budget(raw.Budget.Bytes)
	b.mayFail()
	out.Assets = r.globs(raw.Assets, b.at("assets")...)
	for _, field := range []string{"name", "kind", "entry", "outfile", "register", "external", "header", "front", "registry", "families", "define", "loader", "env", "mayFail", "args", "accept"} {
		r.origin("default", b.at(field)...)
	}
	r.origin("default", b.at("budget", "bytes")...)
	r.origin("default", b.at("budget", "initializeMs")...)
	return out
}

func (r bundleResolver) outfile(written string) {
	clean, ok := r.path(written, r.at("outfile")...)
	r.out.Outfile = clean
	if !ok {
		return
	}
	if info, err := r.files.root.Stat(clean); err == nil && !info.Mode().IsRegular() {
		r.misuse("is "+clean+", which is not a regular file", "name a file that omcbuild may replace", r.at("outfile")...)
	}
	if path.Ext(clean) == ".js" && r.moduleType(path.Dir(clean)) == "module" {
		r.misuse("ends in .js, but its package.json has type module, so Node would not read it as CommonJS", "end it in .cjs", r.at("outfile")...)
	}
	if r.out.Kind == MCP {
		r.out.LockFile = lockFile(clean)
	}
}

// moduleType is the type field of the package.json that governs a folder.
func (r bundleResolver) moduleType(folder string) string {
	for ; folder != "."; folder = path.Dir(folder) {
		if doc := r.files.document(path.Join(folder, PackageFile), Strict); doc != nil {
			return doc.String("type")
		}
	}
	return r.project.Package.Type
}

func (r bundleResolver) register(written *bool) {
	switch {
	case r.out.Kind != MCP:
		if written != nil && *written {
			r.misuse("is true, but only a bundle of kind mcp can be registered", "remove it, or set kind to mcp", r.at("register")...)
		}
	case written != nil:
		r.out.Register = *written
	default:
		r.out.Register = r.out.Name != teamName
	}
}

func (r bundleResolver) header(written string) {
	switch written {
	case "":
		r.out.Header = HeaderNodePath
		return
	case HeaderNodePath, HeaderNone:
		r.out.Header = written
		return
	}
	clean, ok := r.file(written, r.at("header")...)
	r.out.Header = clean
	if !ok {
		return
	}
	data, problem := r.files.read(clean)
	if problem != nil {
		r.bad.Add(*problem)
		return
	}
	r.out.HeaderSource = string(data)
}

func (r bundleResolver) front(written json.RawMessage) {
	var on bool
	var front struct {
		Env []string `json:"env"`
	}
	switch {
	case written == nil:
		return
	case json.Unmarshal(written, &on) == nil:
		r.out.Front.Enabled = on
	case json.Unmarshal(written, &front) == nil:
		r.out.Front = Front{Enabled: true, Env: front.Env}
	}
	if r.out.Front.Enabled && r.out.Kind != MCP {
		r.misuse("is set, but only a bundle of kind mcp has answers to record", "remove it, or set kind to mcp", r.at("front")...)
	}
}

// optional reads a value that is a string, false for none, or absent.
func (r bundleResolver) optional(written json.RawMessage, field string) (value string, set bool) {
	var on bool
	switch {
	case written == nil:
		return "", false
	case json.Unmarshal(written, &value) == nil:
		return value, true
	case json.Unmarshal(written, &on) == nil && on:
		r.misuse("is true", "name the files, or write false for none", r.at(field)...)
	}
	return "", true
}

func (r bundleResolver) registry(written json.RawMessage) {
	value, set := r.optional(written, "registry")
	switch {
	case value != "":
		r.out.Registry, _ = r.file(value, r.at("registry")...)
	case !set && r.out.Entry == standaloneEntry && r.files.isFile(defaultRegistry):
		r.out.Registry = defaultRegistry
	}
}

func (r bundleResolver) families(written json.RawMessage) {
	value, set := r.optional(written, "families")
	if !set && r.out.Entry == standaloneEntry {
		if found, _ := r.familyFiles(defaultFamilies); len(found) > 0 {
			r.out.Families = defaultFamilies
		}
	}
	if value == "" {
		return
	}
	clean, err := cleanGlob(value)
	if err != nil {
		r.misuse("is "+quote(value)+", which "+err.Error(), "write a glob below the project, for example "+defaultFamilies, r.at("families")...)
		return
	}
	r.out.Families = clean
	found, err := r.familyFiles(clean)
	switch {
	case errors.Is(err, errTooWide):
		r.misuse("is "+clean+", which "+err.Error(), "write a glob that begins with a folder, for example "+defaultFamilies, r.at("families")...)
	case err == nil && len(found) == 0:
		r.misuse("is "+clean+", which matches no file", "correct the glob, or write false for none", r.at("families")...)
	}
}

func (r bundleResolver) define(written map[string]string) {
	if len(written) == 0 {
		return
	}
	r.out.Define = make(map[string]string, len(written))
	for name, value := range written {
		expanded, err := expandDefine(value, r.project.Package)
		if err != nil {
			r.misuse(err.Error(), `use "$version", a JSON value or an identifier`, r.at("define", name)...)
		}
		r.out.Define[name] = expanded
	}
}

func (r bundleResolver) budget(written json.RawMessage) {
	if written == nil {
		return
	}
	bytes, err := parseSize(strings.Trim(string(written), `"`))
	if err != nil {
		r.misuse("is "+string(written)+", which "+err.Error(), `write for example "1.3MB"`, r.at("budget", "bytes")...)
	}
	r.out.Budget.Bytes = bytes
}

func (r bundleResolver) mayFail() {
	if r.out.MayFail != "" && r.out.Kind != MCP {
		r.misuse("is set, but only a bundle of kind mcp is started", "remove it, or set kind to mcp", r.at("mayFail")...)
	}
}

// distinct refuses bundles that would overwrite each other, their lock files,
// or something that is read.
func (r *resolver) distinct() {
	names, products := map[string]int{}, map[string]int{}
	for i, b := range r.project.Bundles {
		keys := []string{"bundles", strconv.Itoa(i)}
		if first, taken := names[b.Name]; taken {
			r.misuse(quote(b.Name)+" is also the name of bundles["+strconv.Itoa(first)+"]", "give each bundle a name of its own", append(keys, "name")...)
		}
		names[b.Name] = i
		for _, product := range []string{b.Outfile, b.LockFile} {
			if product == "" {
				continue
			}
			// Some file systems fold letter case, so two names that differ only there collide.
			real := strings.ToLower(r.files.real(product))
			if first, taken := products[real]; taken {
				r.misuse("writes "+product+", as bundles["+strconv.Itoa(first)+"] does", "give each bundle a file of its own", append(keys, "outfile")...)
				break
			}
			products[real] = i
		}
	}
	for _, source := range r.sources() {
		if i, taken := products[strings.ToLower(r.files.real(source))]; taken {
			r.misuse("would overwrite "+source+", which is a source", "name another file", "bundles", strconv.Itoa(i), "outfile")
		}
	}
}

// sources lists the files that no bundle may overwrite.
func (r *resolver) sources() []string {
	out := []string{ConfigFile, PackageFile, ManifestFile, CatalogFile, ServersFile, r.project.Config.Plugin.Hooks}
	for _, b := range r.project.Bundles {
		out = append(out, b.Entry, b.Registry)
		if b.Header != HeaderNodePath && b.Header != HeaderNone {
			out = append(out, b.Header)
		}
		if b.Families != "" {
			found, _ := r.familyFiles(b.Families)
			out = append(out, found...)
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(s string) bool { return s == "" })
}

// familyFiles lists what a glob finds. It is asked more than once.
func (r *resolver) familyFiles(glob string) ([]string, error) {
	known, ok := r.found[glob]
	if !ok {
		known.files, known.err = r.files.familyFiles(glob)
		if r.found == nil {
			r.found = map[string]foundFiles{}
		}
		r.found[glob] = known
	}
	return known.files, known.err
}
