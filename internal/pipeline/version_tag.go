package pipeline

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

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
	if there, err := r.tagged(ctx, name); err != nil || there {
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
	}
	return err
}

// untaggable says that the client would refuse the version, or mistake it.
func (r *run) untaggable() error {
	return diag.Fail(diag.Diagnostic{Code: "plugin-version", Position: diag.Position{File: r.raising.file}, Message: fmt.Sprintf("the version %q cannot be tagged: it is no semantic version, or has build metadata", r.raising.old), Hint: "set one first, for example omcbuild version 0.1.0"})
}

// tagged reports whether the tag is there and has the plugin's files as they are in the
// last commit. Another tag of the name is an error.
func (r *run) tagged(ctx context.Context, name string) (bool, error) {
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
		v.commit = commit
		v.found.Add(diag.Diagnostic{Code: "version-released", Level: diag.Note, Message: "the tag " + name + " is there already, with these files", Hint: "git push origin " + name + " publishes it"})
		return true, nil
	}
	return false, diag.Fail(diag.Diagnostic{Code: "version-released", Message: fmt.Sprintf("the tag %s is there already, and commit %.7s that it is of has other files", name, commit),
		Hint: "raise the version, for example omcbuild version patch --tag; a tag that users may have should not be moved"})
}
