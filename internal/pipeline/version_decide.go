package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/versioning"
)

// repositoryStep finds the work tree and the tags of releases in it.
func repositoryStep(ctx context.Context, r *run) (err error) {
	v := r.raising
	if v.tree, v.noTree, err = r.machine.workTree(ctx, r.project.Root); err != nil {
		return err
	}
	if v.tree == nil {
		if v.options.Tag || v.options.Wish.Part == versioning.Auto {
			return diag.Fail(diag.Diagnostic{Code: "no-repository", Message: v.noTree, Hint: "auto and --tag need a git repository, which git init begins; omcbuild version patch needs none"})
		}
		return nil
	}
	v.tags, err = v.tree.releases(ctx, v.name)
	return err
}

// releases lists the tags that stand for releases of a plugin.
func (t *workTree) releases(ctx context.Context, plugin string) ([]versioning.Tag, error) {
	list := func(more ...string) ([]string, error) {
		text, _, err := t.ask(ctx, append([]string{"for-each-ref", "--format=%(refname:strip=2)%00"}, append(more, "refs/tags")...)...)
		var names []string
		for _, name := range zeroed(text) {
			names = append(names, strings.Trim(name, "\n"))
		}
		return names, err
	}
	all, err := list()
	if err != nil {
		return nil, err
	}
	merged, err := list("--merged=HEAD") // none before the first commit
	var tags []versioning.Tag
	for _, name := range all {
		if tag, ok := versioning.ParseTag(plugin, name); ok {
			tag.Merged = slices.Contains(merged, name)
			tags = append(tags, tag)
		}
	}
	return tags, err
}

// cleanStep refuses to tag what is not committed: anywhere in the work tree, since a
// bundle may take in files from outside the plugin's folder.
func cleanStep(ctx context.Context, r *run) error {
	files, err := r.raising.tree.status(ctx)
	if err != nil || len(files) == 0 {
		return err
	}
	return diag.Fail(diag.Diagnostic{Code: "version-dirty", Message: "a tag is of what is committed, and " + someFiles(files) + " not", Hint: "commit or stash them first; git status shows them all"})
}

// someFiles names a few files, and says how many are left, with the verb that follows.
func someFiles(files []string) string {
	const most = 5
	verb := " are"
	if len(files) == 1 {
		verb = " is"
	}
	if more := len(files) - most; more > 0 {
		return fmt.Sprintf("%s and %d more%s", strings.Join(files[:most], ", "), more, verb)
	}
	return strings.Join(files, ", ") + verb
}

// decideStep works out the next version, unless the difference decides it.
func decideStep(ctx context.Context, r *run) error {
	v, wish := r.raising, r.raising.options.Wish
	switch {
	case v.old == "":
		return r.noVersion()
	case wish.Version != nil:
		v.next, v.part = wish.Version, versioning.None
		if v.current != nil {
			v.part = versioning.Raised(v.current, v.next)
		}
	case v.current == nil:
		return r.noVersion()
	case wish.Part != versioning.Auto:
		v.next, v.part = versioning.Next(v.current, wish.Part), wish.Part
	default:
		return nil
	}
	if v.current != nil && !v.next.GreaterThan(v.current) {
		return v.backwards()
	}
	return r.free(ctx)
}

// noVersion says that there is no version to raise a part of.
func (r *run) noVersion() error {
	v := r.raising
	at := r.project.Package.Document
	if v.file == project.ManifestFile {
		at = r.project.Manifest
	}
	d := diag.Diagnostic{Code: "plugin-version", Position: at.Position("version"), Message: fmt.Sprintf("the version %q is not a semantic version, so no part of it can be raised", v.old), Hint: "name the next one, for example omcbuild version 0.1.0"}
	if v.old == "" {
		d.Message, d.File = "there is no version to raise", v.file
		d.Hint = fmt.Sprintf(`add "version": %q`, "0.1.0")
		if wish := v.options.Wish.Version; wish != nil {
			d.Hint = fmt.Sprintf(`add "version": %q`, wish.String())
		}
	}
	return diag.Fail(d)
}

func (v *raising) backwards() error {
	d := diag.Diagnostic{Code: "version-order", Message: fmt.Sprintf("%s is below %s, which %s says; clients that have that one would get no update", v.next, v.old, v.file), Hint: "name a higher one, or omcbuild version patch"}
	if v.next.Equal(v.current) {
		d.Message, d.Hint = fmt.Sprintf("the version is %s already, in %s", v.old, v.file), "omcbuild build brings everything else into step with it, and omcbuild version --tag tags it"
	}
	return diag.Misuse(d)
}

// free makes sure that the next version has not been released with other files.
func (r *run) free(ctx context.Context) error {
	v := r.raising
	if v.tree == nil {
		return nil
	}
	names := []string{versioning.TagName(v.name, v.next.String())}
	if r.project.Within == nil && !slices.ContainsFunc(v.tags, func(t versioning.Tag) bool { return t.Own }) {
		names = append(names, "v"+v.next.String(), v.next.String())
	}
	for _, tag := range v.tags {
		if !slices.Contains(names, tag.Name) {
			continue
		}
		commit, _, err := v.tree.ask(ctx, "rev-parse", "--short", "refs/tags/"+tag.Name+"^{commit}")
		if err != nil {
			return err
		}
		return diag.Fail(diag.Diagnostic{Code: "version-released", Message: fmt.Sprintf("%s was released already: the tag %s is commit %s, and its files are not those here", v.next, tag.Name, strings.TrimSpace(commit)),
			Hint: "clients that have it would not update; omcbuild version " + v.unused(v.next) + " takes one that is free; or go on from that commit"})
	}
	return nil
}

// unused is the next version after one that no tag has.
func (v *raising) unused(after *semver.Version) string {
	next := versioning.Next(after, versioning.Patch)
	for slices.ContainsFunc(v.tags, func(t versioning.Tag) bool { return t.Version.Equal(next) }) {
		next = versioning.Next(next, versioning.Patch)
	}
	return next.String()
}
