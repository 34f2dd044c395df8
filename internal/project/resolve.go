package project

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
)

// resolver turns the configuration as written into effective values. It
// collects everything that is wrong instead of stopping at the first.
type resolver struct {
	project *Project
	files   tree
	doc     *Document // the configuration, nil when there is none
	bad     diag.List

	found map[string]foundFiles // by glob: files of families
}

// foundFiles is what a glob finds, or why it cannot be followed.
type foundFiles struct {
	files []string
	err   error
}

func (r *resolver) resolve(raw config) {
	r.plugin(raw.Plugin)
	r.project.Config.Document = r.doc
	r.project.Config.Prebuild = raw.Prebuild
	r.project.Config.Plugins = raw.Plugins
	r.origin("default", "prebuild")
	r.origin("default", "plugins")
	r.project.Config.Include = r.globs(raw.Package.Include, "package", "include")
	r.project.Config.Exclude = r.globs(raw.Package.Exclude, "package", "exclude")
	r.notices(raw.Package.Notices)
	target := r.target()
	written := raw.Bundles
	if raw.Bundles == nil {
		written = r.existingDefaults()
	}
	for i, b := range written {
		r.project.Bundles = append(r.project.Bundles, r.bundle(i, b, target))
	}
	if raw.Plugin.Name == "" && (r.project.Within != nil || len(r.project.Bundles) == 0) {
		r.nameByManifest()
	}
	r.distinct()
	r.markers(raw.Metadata.Markers)
}

// misuse notes something wrong with the value under keys.
func (r *resolver) misuse(message, hint string, keys ...string) {
	at := diag.Position{}
	if r.doc != nil {
		at = r.doc.Position(keys...)
	}
	r.bad.Add(diag.Diagnostic{Code: "invalid-config", Position: at, Message: where(keys) + " " + message, Hint: hint})
}

// origin records where the value under keys came from: the configuration if it
// is set there, else what is given.
func (r *resolver) origin(otherwise string, keys ...string) {
	if r.doc.Find(keys...) != nil {
		otherwise = short(r.doc.Position(keys...))
	}
	r.project.origins[where(keys)] = otherwise
}

// existingDefaults are the default bundles whose entries are there. A plugin may
// have none; a folder that is no plugin may not.
func (r *resolver) existingDefaults() []bundleConfig {
	var out []bundleConfig
	var sought []string
	for _, b := range defaultBundles() {
		sought = append(sought, b.Entry)
		if r.files.exists(b.Entry) {
			out = append(out, b)
		}
	}
	if out == nil && r.project.Within == nil {
		r.noBundles(sought)
	}
	return out
}

func (r *resolver) docPath() string {
	if r.doc == nil {
		return ""
	}
	return r.doc.Path
}

// target is the lowest Node that package.json promises to run on.
func (r *resolver) target() string {
	engine := strings.TrimSpace(r.project.Package.NodeEngine)
	r.project.origins["target"] = "default"
	if engine == "" || engine == "*" {
		return defaultTarget
	}
	at := r.project.Package.Document.Position("engines", "node")
	target, err := nodeTarget(engine)
	if err != nil {
		r.project.Diagnostics.Add(diag.Diagnostic{
			Code: "engines-node", Level: diag.Warning, Position: at,
			Message: fmt.Sprintf("engines.node %s %s; bundles are built for %s", quote(engine), err, defaultTarget),
			Hint:    `write a semver range, for example ">=20"`,
		})
		return defaultTarget
	}
	r.project.origins["target"] = short(at)
	return target
}

// plugin resolves where the other parts of the plugin are.
func (r *resolver) plugin(raw pluginConfig) {
	to := &r.project.Config.Plugin
	to.Name = raw.Name
	r.origin("default", "plugin", "name")
	if to.Name == "" {
		to.Name = unscoped(r.project.Package.Name)
		if to.Name != "" {
			r.origin(short(r.project.Package.Document.Position("name")), "plugin", "name")
		}
	}
	to.Skills = r.part(raw.Skills, "skills", "skills")
	to.Commands = r.part(raw.Commands, "commands", "commands")
	to.Agents = r.part(raw.Agents, "agents", "agents")
	to.Hooks = r.part(raw.Hooks, "hooks/hooks.json", "hooks")
}

// nameByManifest names one of several plugins, and one without bundles, as the
// client does, by its manifest, when package.json does not lead: there is nothing to bundle and it says no
// version. Without a manifest the entry in the catalog names it.
func (r *resolver) nameByManifest() {
	to := &r.project.Config.Plugin
	leads := len(r.project.Bundles) > 0 || r.project.Package.Version != ""
	if name := r.project.Manifest.String("name"); name != "" && (!leads || to.Name == "") {
		to.Name = name
		r.origin(short(r.project.Manifest.Position("name")), "plugin", "name")
	}
	if to.Name == "" && r.project.Within != nil && r.project.Within.Entry != "" {
		to.Name = r.project.Within.Entry
		r.origin("the catalog", "plugin", "name")
	}
}

// part resolves one part of the plugin. What is named must exist, what is
// assumed need not.
func (r *resolver) part(written, otherwise, key string) string {
	r.origin("default", "plugin", key)
	if written == "" {
		return otherwise
	}
	clean, ok := r.path(written, "plugin", key)
	if ok && clean != otherwise && !r.files.exists(clean) {
		r.misuse("names "+clean+", which does not exist", "create it, or remove the key", "plugin", key)
	}
	return clean
}

func unscoped(name string) string {
	if strings.HasPrefix(name, "@") {
		if _, rest, ok := strings.Cut(name, "/"); ok {
			return rest
		}
	}
	return name
}

// path checks a configured path and cleans it.
func (r *resolver) path(written string, keys ...string) (string, bool) {
	clean, err := cleanPath(written)
	if err == nil {
		err = r.files.contained(clean)
	}
	if err != nil {
		r.misuse("is "+quote(written)+", which "+err.Error(), "name a path below the folder of "+ConfigFile+", for example src/server.ts", keys...)
		return written, false
	}
	return clean, true
}

// file checks a configured path of a file that must be there.
func (r *resolver) file(written string, keys ...string) (string, bool) {
	clean, ok := r.path(written, keys...)
	if ok && !r.files.isFile(clean) {
		problem := "which does not exist"
		if r.files.exists(clean) {
			problem = "which is not a regular file"
		}
		r.misuse("is "+clean+", "+problem, "create the file, or correct the path", keys...)
		ok = false
	}
	return clean, ok
}

func (r *resolver) globs(written []string, keys ...string) []string {
	r.origin("default", keys...)
	var out []string
	for i, glob := range written {
		clean, err := cleanGlob(glob)
		if err != nil {
			r.misuse("is "+quote(glob)+", which "+err.Error(), "write a glob below the project, for example src/**/*.wasm", append(slices.Clone(keys), strconv.Itoa(i))...)
		}
		out = append(out, clean)
	}
	return out
}

// notices resolves the files with texts of licences.
func (r *resolver) notices(written map[string]string) {
	r.origin("default", "package", "notices")
	files := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(written)) {
		files[name], _ = r.file(written[name], "package", "notices", name)
	}
	r.project.Config.Notices = files
}

// markers resolves the texts to keep in step. Whether they are found is for
// the package metadata to say.
func (r *resolver) markers(raw []markerConfig) {
	for i, m := range raw {
		keys := []string{"metadata", "markers", strconv.Itoa(i)}
		r.origin("default", keys...)
		file, _ := r.path(m.File, append(slices.Clone(keys), "file")...)
		at := append(slices.Clone(keys), "pattern")
		pattern, err := ParsePattern(m.Pattern)
		if err != nil {
			r.misuse(err.Error(), `write it like "version {version} with {tools} tools"`, at...)
			continue
		}
		for _, part := range pattern.Parts {
			if b, known := r.project.Bundle(part.Bundle); part.Bundle != "" && (!known || b.Kind != MCP) {
				r.misuse("names "+quote(part.Bundle)+", which is no bundle of kind mcp", "name a bundle of this configuration", at...)
			}
		}
		r.project.Config.Markers = append(r.project.Config.Markers, Marker{File: file, Pattern: pattern, At: r.doc.Position(at...)})
	}
}

// lockFile is the name of the lock file beside an outfile.
func lockFile(outfile string) string {
	return strings.TrimSuffix(outfile, path.Ext(outfile)) + ".tools.json"
}
