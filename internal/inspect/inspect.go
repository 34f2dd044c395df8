// Package inspect reads how an existing plugin is built and says it as an
// omcbuild.jsonc.
//
// It follows what people have written down already: the scripts of
// package.json with the command lines of esbuild, tsup, tsdown, bun and ncc in
// them, build scripts and configuration files in JavaScript or TypeScript, and
// the servers of .mcp.json. A build says which source becomes which file; a
// server says which file it starts; together they make a bundle.
//
// Nothing of the repository is run. Scripts are split by a parser of the
// shell's language, JavaScript is read as far as its values are literals,
// constants and a few well-known calls. What is computed, and every option that
// has no counterpart, is not guessed at: it becomes a Left with its place and
// the reason. What was used becomes a Taken.
package inspect

import (
	"context"
	"os"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// Taken is one value of the configuration and the place it was read from.
type Taken struct {
	Key   string `json:"key"`   // for example bundles[0].entry
	Value string `json:"value"` // as JSON
	From  string `json:"from"`  // file:line, or file
}

// Left is something that could not be taken over.
type Left struct {
	What string `json:"what"` // the option, program or server
	From string `json:"from"` // file:line, or file
	Why  string `json:"why"`  // and what to do about it, where that is known
}

// Result is what an inspection found.
type Result struct {
	Root    string   // the folder that was looked at, absolute
	Config  []byte   // the text of omcbuild.jsonc; nil when no bundle could be configured
	Bundles int      // how many it configures
	Taken   []Taken  // in the order of Config
	Left    []Left   // in the order in which they were met
	Plugins []string // folders of other plugins below this one
	Changes []Left   // how the next build changes what starts servers; Why says to what
}

// Here inspects the repository in a folder. It changes nothing. The error is a
// *diag.Failure of class Usage: the folder cannot be used, or has a
// configuration already; or the context's, when it ends before.
func Here(ctx context.Context, dir string) (Result, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Result{}, diag.Misuse(diag.Diagnostic{
			Code: "no-project", Message: "the folder " + dir + " cannot be used: " + reason(err), Hint: "name an existing folder of a plugin",
		}).Because(err)
	}
	defer func() { _ = root.Close() }()
	repo := &repository{root: root, scripts: map[string]*script{}, documents: map[string]*project.Document{}, work: newBudget(ctx)}
	if err := configured(repo); err != nil {
		return Result{}, err
	}
	if above := project.ConfigAbove(dir); above != "" {
		return Result{}, diag.Misuse(diag.Diagnostic{
			Code: "config-exists", Position: diag.Position{File: above}, Message: "the configuration is in force in this folder too, which belongs to the plugin above",
			Hint: "add what is built here to its bundles; to make this folder a plugin of its own, let plugins there, or the catalog, name it first",
		})
	}
	plan := newPlan(repo)
	plan.collect()
	result := plan.settle(dir)
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case repo.work.spent():
		repo.left = append(repo.left, Left{What: "the rest", From: ".", Why: "the repository asks for more work than is done; name the bundles that are missing by hand"})
	}
	result.Root = dir
	result.Left = repo.left
	for _, m := range plan.members {
		result.Plugins = append(result.Plugins, m.folder)
	}
	return result, nil
}

// configured refuses a folder that has a configuration, or nothing to inspect.
func configured(repo *repository) error {
	for _, name := range []string{project.ConfigFile, "omcbuild.json"} {
		if repo.exists(name) {
			return diag.Misuse(diag.Diagnostic{
				Code: "config-exists", Position: diag.Position{File: name}, Message: "the configuration is there already, and is not overwritten",
				Hint: "omcbuild config shows what is in force; to start anew, move the file away, and compare: what an old build said may stand in it alone",
			})
		}
	}
	for _, name := range []string{project.PackageFile, project.ManifestFile, project.ServersFile, project.CatalogFile} {
		if repo.exists(name) {
			return nil
		}
	}
	return diag.Misuse(diag.Diagnostic{
		Code: "no-project", Message: "there is no " + project.PackageFile + ", " + project.ManifestFile + " or " + project.ServersFile + " in this folder",
		Hint: "change to a plugin's folder, or name it with -C DIR",
	})
}
