package inspect

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
	"omcbuild/internal/project"
)

// build is one call of a bundler or compiler.
type build struct {
	tool     string
	from     diag.Position
	folder   string // where it runs
	pkg      *pkg
	outputs  []output
	external []setting
	define   []setting
	loader   []setting
	targets  []setting // versions of Node
	reach    reach
	agreed   bool // two calls under conditions make the same
}

// output is one file that a build makes, and the source it begins with.
type output struct {
	entry, file     string // relative to the root; file is "" where the build leaves it to convention
	entryAt, fileAt diag.Position
}

// setting is one value for the configuration. Name is the key in define and
// loader.
type setting struct {
	name, value string
	at          diag.Position
}

// option is one option of a bundler under esbuild's name for it.
type option struct {
	name  string
	value value
}

// sourceExtensions are those of files that a bundle can begin with.
var sourceExtensions = []string{".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"}

// stem is a path without the extension of a script.
func stem(file string) string {
	if ext := path.Ext(file); slices.Contains(sourceExtensions, ext) {
		return strings.TrimSuffix(file, ext)
	}
	return file
}

// newBuild makes a build of its options. What cannot be taken over is noted.
func (p *plan) newBuild(tool string, step step, options []option) *build {
	b := &build{tool: tool, from: step.at, folder: step.folder, pkg: step.pkg}
	outputs := layout{plan: p, build: b, folder: step.folder}
	for _, o := range options {
		if !outputs.take(o) {
			p.option(b, o)
		}
	}
	b.outputs = outputs.files()
	return b
}

// option takes over one option that says nothing about files.
func (p *plan) option(b *build, o option) {
	what := b.tool + ": " + o.name
	v := o.value
	if v.kind == absent || v.kind == boolean && v.text == "false" || slices.Contains(settled, o.name) {
		return
	}
	if why, ok := noCounterpart[o.name]; ok {
		p.repo.leave(what, v.at, why)
		return
	}
	if v.kind == unknown {
		p.repo.leave(what, v.at, v.why)
		return
	}
	switch o.name {
	case "external":
		p.external(b, v)
	case "define":
		p.define(b, v)
	case "env":
		p.environment(b, v)
	case "loader":
		p.loader(b, v)
	case "banner":
		p.banner(b, v)
	case "platform":
		if v.text == "browser" {
			p.repo.leave(what+" browser", v.at, "a server runs in Node; this build is for something else")
		}
	case "target":
		for _, item := range v.items() {
			for _, name := range strings.Split(item.text, ",") {
				if item.kind == text && strings.HasPrefix(name, "node") && name != "node" {
					b.targets = append(b.targets, setting{value: name, at: item.at})
				}
			}
		}
	case "packages":
		if v.text == "external" {
			p.repo.leave(what+" external", v.at, "an installed plugin has no node_modules, so packages are bundled; what has to stay outside goes into external")
		}
	case "tsconfig":
		if v.text != "" && path.Base(v.text) != "tsconfig.json" {
			p.repo.leave(what+" "+v.text, v.at, "only the tsconfig.json that governs a source is read")
		}
	case "...":
		p.repo.leave(b.tool+": options spread into the call", v.at, v.why)
	default:
		p.repo.leave(what, v.at, "omcbuild has no such setting")
	}
}

// settled are the options that need no counterpart, because every bundle has
// what they ask for, or because they only say how the tool itself behaves.
var settled = []string{
	"bundle", "color", "logLevel", "logLimit", "logOverride", "write", "metafile", "allowOverwrite", "charset", "legalComments",
	"treeShaking", "treeshake", "watch", "clean", "silent", "shims", "format", "noExternal", "sourcesContent", "report",
	"skipNodeModulesBundle", "removeNodeProtocol", "cjsInterop", "name", "config", "unbundle", "fixedExtension", "throw",
	"ignoreAnnotations", "analyze", "serve", "fixImport", "publint", "attw", "unused", "deps", "failOnWarn",
}

const (
	noSetting = "omcbuild has no such setting"
	noPlugins = "plugins of a bundler are not run; make what they make before the build, with prebuild"
	smaller   = "it is a flag: omcbuild build --minify"
	mapped    = "it is a flag: omcbuild build --sourcemap"
	functions = "it is a function, and nothing of the configuration is run"
)

// noCounterpart says why an option is left, and what to do.
var noCounterpart = map[string]string{
	"minify": smaller, "minifyWhitespace": smaller, "minifyIdentifiers": smaller, "minifySyntax": smaller, "terserOptions": smaller,
	"sourcemap": mapped, "sourceRoot": mapped,
	"plugins": noPlugins, "esbuildPlugins": noPlugins,
	"tsconfigRaw":    "write it into tsconfig.json, which is followed",
	"mainFields":     "packages are read by module, then by main",
	"inject":         "files are not injected; import it in the entry",
	"alias":          "write it as paths in tsconfig.json, which are followed",
	"dts":            "a bundle needs no type declarations",
	"splitting":      "a bundle is one file",
	"footer":         noSetting,
	"esbuildOptions": functions, "onSuccess": "it runs after the bundler; omcbuild runs nothing afterwards", "hooks": functions, "inputOptions": functions, "outputOptions": functions,
	"compile":    "it makes a program for one system; omcbuild makes a file that Node starts on all",
	"bytecode":   "it is for Bun only; omcbuild makes a file for Node",
	"publicDir":  "copying is not taken over; name the files under assets",
	"copy":       "copying is not taken over; name the files under assets",
	"assetNames": noSetting, "chunkNames": noSetting,
}

func (p *plan) external(b *build, v value) {
	for _, item := range v.items() {
		name := item.text
		switch {
		case item.kind != text:
			p.repo.leave(b.tool+": external", item.at, orWhy(item, "it is no package name"))
		case strings.HasPrefix(name, "node:") || slices.Contains(nodeModules, strings.SplitN(name, "/", 2)[0]):
		case strings.HasPrefix(name, "bun:") || name == "bun":
			p.repo.leave(b.tool+": external "+name, item.at, "Node has no such module")
		case strings.HasPrefix(name, "@modelcontextprotocol/") || packageOf(name) == "zod":
			p.repo.leave(b.tool+": external "+name, item.at, "every server needs it at its start, and an installed plugin has no node_modules; it is bundled")
		case strings.HasPrefix(name, ".") || !packagePattern.MatchString(packageOf(name)):
			p.repo.leave(b.tool+": external "+name, item.at, "only whole packages can stay outside; native files are found without being named")
		default:
			b.external = append(b.external, setting{value: packageOf(name), at: item.at})
		}
	}
}

// packageOf returns the package of a module path such as @a/b/c.js or a/*.
func packageOf(module string) string {
	parts := strings.SplitN(module, "/", 3)
	if strings.HasPrefix(module, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// define takes over names to replace. The version and the name of package.json
// stay references to it.
func (p *plan) define(b *build, v value) {
	for _, m := range v.members {
		what := b.tool + ": define " + m.key
		text, ok := m.value.text, m.value.kind == text
		if m.value.kind == boolean || m.value.kind == number {
			ok = true
		}
		switch expression, fits := p.expression(b, m.value, text); {
		case ok && m.value.version && expression != "$version":
			p.repo.leave(what, m.value.at, "it holds a version, which would stay as it is today; only the version of the plugin alone is followed, as $version: join it with the rest in the code")
		case !ok:
			p.repo.leave(what, m.value.at, orWhy(m.value, "it is no text"))
		case looksSecret(m.key, text):
			p.repo.leave(what, m.value.at, "it looks like a secret, which must not be in a bundle")
		case !definePattern.MatchString(m.key):
			p.repo.leave(what, m.value.at, "only names joined by dots can be replaced")
		case !fits:
			p.repo.leave(what, m.value.at, "its value is neither JSON nor an identifier")
		default:
			b.define = append(b.define, setting{m.key, expression, m.value.at})
		}
	}
}

// expression returns the value of a define as the configuration takes it.
func (p *plan) expression(b *build, v value, text string) (string, bool) {
	for _, known := range []struct {
		made        bool
		text, value string
	}{{v.version, p.root.version, "$version"}, {v.name, p.root.name, "$name"}} {
		if known.made && known.text != "" && b.pkg == p.root && (text == quoted(known.text) || text == "'"+known.text+"'") {
			return known.value, true
		}
	}
	if strings.HasPrefix(text, "'") && strings.HasSuffix(text, "'") && len(text) > 1 && !strings.ContainsAny(text, `"\`) {
		text = quoted(strings.Trim(text, "'"))
	}
	return text, definePattern.MatchString(text) || jsonText(text)
}

// environment is tsup's env: variables whose values are put into the sources.
func (p *plan) environment(b *build, v value) {
	out := value{kind: object, at: v.at}
	for _, m := range v.members {
		if raw, ok := m.value.json(); ok {
			m.value.kind, m.value.text = text, raw
		}
		out.members = append(out.members, member{"process.env." + m.key, m.value})
	}
	p.define(b, out)
}

func (p *plan) loader(b *build, v value) {
	for _, m := range v.members {
		switch {
		case m.value.kind != text:
			p.repo.leave(b.tool+": loader "+m.key, m.value.at, orWhy(m.value, "it is no text"))
		case !loaderPattern.MatchString(m.key) || !slices.Contains(loaders, m.value.text):
			p.repo.leave(b.tool+": loader "+m.key, m.value.at, "omcbuild knows no loader "+clip(m.value.text))
		case m.key == ".node":
		default:
			b.loader = append(b.loader, setting{m.key, m.value.text, m.value.at})
		}
	}
}

// banner leaves out what every bundle has: the shebang, and what gives a
// module require and __dirname.
func (p *plan) banner(b *build, v value) {
	if v.kind == object {
		v = v.get("js")
	}
	if v.kind == list && len(v.list) > 0 { // of tsup's function, evaluated
		v = v.list[0]
	}
	if v.kind != text {
		if v.kind != absent {
			p.repo.leave(b.tool+": banner", v.at, orWhy(v, "it is no text"))
		}
		return
	}
	code := strings.TrimSpace(v.text)
	if strings.HasPrefix(code, "#!") {
		_, code, _ = strings.Cut(code, "\n")
	}
	code = strings.TrimSpace(code)
	scanned, ok := jsscan.Scan(code)
	switch plain := strings.Trim(code, "'\";"); {
	case code == "", plain == "use strict", strings.Contains(code, "createRequire"):
		return
	case ok && len(scanned.Tokens) == 0:
		p.repo.leave(b.tool+": banner", v.at, "it is a comment; a bundle begins with what header names")
		return
	}
	p.repo.leave(b.tool+": banner", v.at, "put its code into a file, and name that under header")
}

func orWhy(v value, otherwise string) string {
	if v.kind == unknown && v.why != "" {
		return v.why
	}
	return otherwise
}

// moduleType is the type that the package.json above a file declares.
func (p *plan) moduleType(file string) string {
	for folder := path.Dir(file); ; folder = path.Dir(folder) {
		name := path.Join(folder, project.PackageFile)
		if p.repo.isFile(name) {
			if doc := p.repo.document(name, project.Strict); doc != nil {
				return doc.String("type")
			}
			return ""
		}
		if folder == "." {
			return ""
		}
	}
}
