package pipeline

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/Masterminds/semver/v3"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/versioning"
)

// commitStep commits what the new version changed. Everything was committed before, so
// that is what is not now: also what the plugin's own program for sources made.
func commitStep(ctx context.Context, r *run) error {
	v := r.raising
	files, err := v.tree.status(ctx)
	if err != nil {
		return err
	}
	own := r.ownFiles(files)
	if len(own) == 0 {
		return nil
	}
	message := versioning.TagMessage(v.name, v.next.String())
	input := strings.Join(own, "\x00")
	complaint, err := v.tree.change(ctx, input, "--literal-pathspecs", "add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul")
	if err == nil && complaint == "" {
		complaint, err = v.tree.change(ctx, "", "commit", "--quiet", "--message", message)
	}
	if err != nil {
		return err
	}
	if complaint != "" {
		return diag.Fail(diag.Diagnostic{Code: "version-commit", Message: "the files have the version " + v.next.String() + ", and git does not commit them: " + complaint,
			Hint: "commit them yourself, then run omcbuild version --tag; or take them back with git restore --staged --worktree ."})
	}
	left, err := v.tree.status(ctx)
	if err == nil && len(left) > 0 {
		err = diag.Fail(diag.Diagnostic{Code: "version-dirty", Message: "the version " + v.next.String() + " is committed and not tagged, because " + someFiles(left) + " not committed", Hint: "commit what a hook or another program changed, then run omcbuild version --tag"})
	}
	return err
}

// ownFiles are those in the plugin's folder, and the catalog that lists it.
func (r *run) ownFiles(files []string) (own []string) {
	prefix, catalog := r.raising.tree.prefix, ""
	if noCatalog(r.raising.built) == "" {
		if rel, err := filepath.Rel(r.project.Root, r.project.Within.Root); err == nil {
			catalog = path.Join(prefix, filepath.ToSlash(rel), project.CatalogFile)
		}
	}
	for _, file := range files {
		if strings.HasPrefix(file, prefix) || file == catalog {
			own = append(own, file)
		}
	}
	return own
}

// tagStep makes the tag that the client expects, on the last commit.
func tagStep(ctx context.Context, r *run) error {
	v := r.raising
	version := v.old
	if v.next != nil {
		version = v.next.String()
	} else if v.current == nil || v.current.Metadata() != "" {
		return r.untaggable()
	}
	released := v.next
	if released == nil {
		released = v.current
	}
	name := versioning.TagName(v.name, version)
	commit, ok, err := v.tree.ask(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err == nil && !ok {
		err = diag.Fail(diag.Diagnostic{Code: "version-dirty", Message: "there is no commit yet, so there is nothing to tag", Hint: "commit the plugin first"})
	}
	if err != nil {
		return err
	}
	v.tag = name
	if v.options.DryRun {
		return nil
	}
	v.commit = strings.TrimSpace(commit)
	if there, err := r.tagged(ctx, name, released); err != nil || there {
		if err != nil {
			v.tag, v.commit = "", ""
		}
		return err
	}
	complaint, err := v.tree.change(ctx, "", "tag", "--annotate", "--message", versioning.TagMessage(v.name, version), name, v.commit)
	if err == nil && complaint != "" {
		err = diag.Fail(diag.Diagnostic{Code: "version-tag", Message: "git does not make the tag " + name + ": " + complaint, Hint: "mend what it says, then run omcbuild version --tag"})
	}
	if err != nil {
		v.tag, v.commit = "", ""
		return err
	}
	if v.next == nil {
		v.found.Add(r.unmentioned(name)...)
	}
	return nil
}

// unmentioned finds a changelog that does not say what is in the version that was
// tagged. A plugin need not have one.
func (r *run) unmentioned(tag string) (list diag.List) {
	v := r.raising
	if !v.options.Changelog {
		return nil
	}
	file, err := r.changelogFile()
	if err != nil {
		return nil // a link, which raising the version refuses
	}
	if text, problem := r.project.ReadFile(file); text != nil && problem == nil && !versioning.HasSection(text, v.old) {
		list.Add(diag.Diagnostic{Code: "changelog-without", Level: diag.Warning, Position: diag.Position{File: file}, Message: "has no section of " + v.old + ", which is tagged now",
			Hint: "write the section and commit it; before anything is pushed, git tag --delete " + tag + " and omcbuild version --tag take it into the release"})
	}
	return list
}

// untaggable says that the client would refuse the version, or mistake it.
func (r *run) untaggable() error {
	return diag.Fail(diag.Diagnostic{Code: "plugin-version", Position: diag.Position{File: r.raising.file}, Message: fmt.Sprintf("the version %q cannot be tagged: it is no semantic version, or has build metadata", r.raising.old), Hint: "set one first, for example omcbuild version 0.1.0"})
}

// tagged reports whether the tag is there and has the plugin's files as they are in the
// last commit. Another tag of the name is an error.
func (r *run) tagged(ctx context.Context, name string, version *semver.Version) (bool, error) {
	v := r.raising
	theirs, found, err := v.tree.ask(ctx, "rev-parse", "--verify", "--quiet", "refs/tags/"+name+":"+v.tree.prefix)
	if err != nil {
		return false, err
	}
	if !found {
		if _, found, err = v.tree.ask(ctx, "rev-parse", "--verify", "--quiet", "refs/tags/"+name); err != nil || !found {
			return false, err
		}
	}
	ours, _, err := v.tree.ask(ctx, "rev-parse", "--verify", "--quiet", "HEAD:"+v.tree.prefix)
	if err != nil {
		return false, err
	}
	commit, _, err := v.tree.ask(ctx, "rev-parse", "--verify", "--quiet", "refs/tags/"+name+"^{commit}")
	if err != nil {
		return false, err
	}
	commit = strings.TrimSpace(commit)
	if theirs == ours {
		v.commit, v.kept = commit, true
		v.found.Add(diag.Diagnostic{Code: "version-released", Level: diag.Note, Message: "the tag " + name + " is there already, with these files", Hint: "git push origin " + name + " publishes it"})
		return true, nil
	}
	return false, diag.Fail(diag.Diagnostic{Code: "version-released", Message: fmt.Sprintf("the tag %s is there already, and commit %.7s that it is of has other files", name, commit),
		Hint: "omcbuild version " + v.unused(version) + " --tag raises the version; a tag that users may have should not be moved"})
}
