package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	_ "embed"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/registry"
	"omcbuild/internal/surface"
)

//go:embed family/tools.ts.tmpl
var familyText string

//go:embed family/tools.test.ts.tmpl
var familyTestText string

// FamilyOptions say which family of tools a plugin gets.
type FamilyOptions struct {
	Name   string // lower-case words joined by hyphens
	Bundle string // the server's name in the configuration; needed when several have a registry
}

// FamilyPlan is what has to be written for a new family. Nothing is written yet.
type FamilyPlan struct {
	Name     string         // as in FamilyOptions
	Bundle   string         // the server that gets it
	Tool     string         // the name of its first tool
	FullName string         // the same as the model sees it
	Room     int            // characters that a name in this family may be longer
	Changes  []FamilyChange // the new files, then the registry
	Warnings diag.List
}

// FamilyChange is one file to write.
type FamilyChange struct {
	Path   string // relative to the project, slash separated
	Before []byte // nil when the file is created
	After  []byte
	What   string // in words: "created", "import and ...helloTools added"
}

// family is a family of tools on its way to being planned.
type family struct {
	project *project.Project
	bundle  project.Bundle
	name    string
	tool    string
	export  string
	files   []string // the family files that are there
	folder  string   // where the new one goes
	stem    string   // its name without the extension
	shape   shape    // what the types beside it ask for
}

// PlanFamily works out a family file, its test and the registry with two more
// lines. What is there already, and what the files are to look like, is learned
// from the project. The error is a *diag.Failure: of class Usage for a name or a
// bundle that cannot be, of class Failed when something is in the way.
func PlanFamily(p *project.Project, o FamilyOptions) (*FamilyPlan, error) {
	f := &family{project: p, name: o.Name, tool: toolOf(o.Name), export: exportOf(o.Name)}
	if err := f.choose(o.Bundle); err != nil {
		return nil, err
	}
	plan := &FamilyPlan{Name: f.name, Bundle: f.bundle.Name, Tool: f.tool}
	plan.FullName = surface.FullName(surface.ToolPrefix(p.Config.Plugin.Name, f.bundle.Name), f.tool)
	plan.Room = surface.NameLimit - len(plan.FullName)
	if err := checkFamilyName(f.name, plan); err != nil {
		return nil, err
	}
	for _, step := range []func() error{f.place, f.absent, f.unlisted, f.readTypes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	edit, before, err := f.register()
	if err != nil {
		return nil, err
	}
	if err := f.write(plan, edit); err != nil {
		return nil, err
	}
	plan.Changes = append(plan.Changes, FamilyChange{
		Path: f.bundle.Registry, Before: before, After: []byte(edit.Text), What: "import and " + edit.Spread + " added",
	})
	return plan, nil
}

func (f *family) file() string { return path.Join(f.folder, f.stem+".ts") }
func (f *family) test() string { return path.Join(f.folder, f.stem+".test.ts") }

// absent makes sure that nothing is where the new files go.
func (f *family) absent() error {
	for _, file := range []string{f.file(), f.test()} {
		data, problem := f.project.ReadFile(file)
		if problem != nil {
			return diag.Fail(*problem)
		}
		if data != nil || f.project.IsLink(file) {
			return inPlace(file, "is there already", "choose another name; nothing was changed")
		}
	}
	return nil
}

// unlisted makes sure that the server, as it was last built, has no tool of this
// name.
func (f *family) unlisted() error {
	lock, err := surface.ReadLock(f.project.Root, f.bundle.LockFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	for _, tool := range lock.Tools {
		if strings.EqualFold(tool.Name, f.tool) {
			return inPlace(f.bundle.LockFile, "lists a tool "+tool.Name+" already", "choose another name; if that tool is gone from the sources, omcbuild build --update records it")
		}
	}
	return nil
}

func inPlace(file, message, hint string) *diag.Failure {
	return diag.Fail(diag.Diagnostic{Code: "family-exists", Position: diag.Position{File: file}, Message: message, Hint: hint})
}

// register returns the registry with the family in it, and as it was.
func (f *family) register() (*registry.Edit, []byte, error) {
	file := f.bundle.Registry
	if f.project.IsLink(file) {
		return nil, nil, diag.Fail(diag.Diagnostic{Code: "linked-file", Position: diag.Position{File: file},
			Message: "the registry is a symbolic link, which is not written through", Hint: "replace the link with the file itself"})
	}
	before, problem := f.project.ReadFile(file)
	if problem != nil {
		return nil, nil, diag.Fail(*problem)
	}
	if info, err := os.Stat(filepath.Join(f.project.Root, filepath.FromSlash(file))); err == nil && info.Mode().Perm()&0o222 == 0 {
		return nil, nil, diag.Fail(diag.Diagnostic{Code: "unwritable-output", Position: diag.Position{File: file},
			Message: "the registry is read-only", Hint: "nothing was changed; make it writable, if it is not generated, and run the command again"})
	}
	edit, err := registry.Add(file, string(before), registry.Family{Export: f.export, File: f.file(), Neighbours: f.files})
	return edit, before, err
}

// write adds the family file and its test to a plan, in the style of the registry.
func (f *family) write(plan *FamilyPlan, edit *registry.Edit) error {
	texts := []struct{ file, text string }{{f.file(), familyText}}
	if manifest, ok := f.hasVitest(); ok {
		texts = append(texts, struct{ file, text string }{f.test(), familyTestText})
	} else {
		plan.Warnings.Add(diag.Diagnostic{Code: "family-untested", Level: diag.Warning, Position: diag.Position{File: manifest},
			Message: "vitest is not among the dependencies, so there is no test of " + f.tool, Hint: "install vitest first, or write a test for the runner you have"})
	}
	values := map[string]any{
		"Name": f.name, "Tool": f.tool, "Export": f.export, "Stem": f.stem,
		"Suffix": edit.Style.Suffix, "Zod": f.shape.zod, "Context": f.shape.context,
	}
	for _, each := range texts {
		t, err := template.New(each.file).Option("missingkey=error").Parse(each.text)
		if err != nil {
			return fmt.Errorf("family template: parsing %s: %w", each.file, err)
		}
		var out bytes.Buffer
		if err := t.Execute(&out, values); err != nil {
			return fmt.Errorf("family template: filling in %s: %w", each.file, err)
		}
		plan.Changes = append(plan.Changes, FamilyChange{Path: each.file, After: []byte(edit.Style.Dress(out.String())), What: "created"})
	}
	return nil
}
