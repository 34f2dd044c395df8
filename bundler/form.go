package bundler

import (
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
)

// Imports may say in which form they want a file:
//
//	import page from "./page.xyz" with { type: "text" };   of the standard and of Bun
//	import code from "./example.ts?raw";                   of Vite

// dataLoader returns how a file is given to an import that says so.
func dataLoader(args api.OnLoadArgs) (loader api.Loader, says bool) {
	switch {
	case args.With["type"] == "text", args.Suffix == "?raw":
		return api.LoaderText, true
	case args.With["type"] == "bytes":
		return api.LoaderBinary, true
	case args.Suffix == "?inline" && filepath.Ext(args.Path) == ".css":
		return api.LoaderText, true
	case args.Suffix == "?inline":
		return api.LoaderDataURL, true
	}
	return api.LoaderNone, false
}

// foreignForm are the forms that only a development server can give.
const foreignForm = `\?(url|worker|sharedworker|init)\b`

// refuseForm reports an import of such a form.
func (b *build) refuseForm(args api.OnResolveArgs) (result api.OnResolveResult, err error) {
	defer b.contain(&err)
	name, form, _ := strings.Cut(args.Path, "?")
	hint := "write new URL(" + quote(name) + ", import.meta.url).href; the file is then copied beside the bundle"
	if strings.Contains(form, "worker") {
		hint = "write new Worker(new URL(" + quote(name) + ", import.meta.url)), with Worker of node:worker_threads"
	}
	message := api.Message{Text: "?" + form + " has a meaning in Vite only", Detail: finding{code: "vite-only", hint: hint}}
	if inPackage(args.Importer) {
		return api.OnResolveResult{}, nil
	}
	return api.OnResolveResult{Errors: []api.Message{message}}, nil
}

// conditionsOnly is how esbuild begins to say that a package gives a path out to
// requires, or to imports, alone.
const conditionsOnly = "None of the conditions"

// explainConditions says what to do about an import that a package answers only when
// it is asked in another way; "" when that is not the matter.
func explainConditions(d *diag.Diagnostic, name string) string {
	if !strings.Contains(d.Hint, conditionsOnly) {
		return ""
	}
	if strings.Contains(d.Hint, `("require")`) {
		return name + " gives that path out to require alone; load it with createRequire(import.meta.url)"
	}
	if strings.Contains(d.Hint, `("import")`) {
		return name + " gives that path out to import alone; load it with import"
	}
	return "the package gives that path out under other conditions alone, not in Node; import another"
}

// foreignName says what a name means that is none of npm's and none of Node's; "" for
// all others.
func foreignName(spec string) string {
	scheme, rest, _ := strings.Cut(spec, ":")
	switch scheme {
	case "npm":
		return "npm: is how Deno names packages; install " + packageName(rest) + " and leave npm: out"
	case "jsr":
		return "jsr: is how Deno names packages; install it with npx jsr add " + packageName(rest) + " and leave jsr: out"
	case "http", "https":
		return "Node imports nothing from the network; put the file into the project, or import a package"
	case "cloudflare", "workerd":
		return "it exists only in Cloudflare's runtime; use a module of Node's"
	}
	return ""
}

// plugAndPlayHint is for projects whose packages Yarn keeps in archives.
const plugAndPlayHint = "the project's packages are installed for Yarn's Plug'n'Play; set nodeLinker: node-modules in .yarnrc.yml and run yarn install"

// plugAndPlay reports whether the project's packages are installed so.
func (b *build) plugAndPlay() bool {
	for dir := b.o.Root; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if exists(dir, ".pnp.cjs") {
			return true
		}
	}
	return false
}
