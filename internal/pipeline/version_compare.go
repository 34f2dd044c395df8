package pipeline

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/report"
	"omcbuild/internal/schemadiff"
	"omcbuild/internal/surface"
	"omcbuild/internal/versioning"
)

// sinceStep finds what changed since the last release and which part of the version
// that asks for.
func sinceStep(ctx context.Context, r *run) error {
	v := r.raising
	auto := v.options.Wish.Part == versioning.Auto
	last, err := r.lastRelease(ctx)
	if err != nil {
		return err
	}
	if last == nil {
		if auto {
			return v.unreleased()
		}
		v.reasons = []string{"no earlier release is tagged here, so nothing was compared"}
		return nil
	}
	v.last = last
	if v.changes, err = r.since(ctx, last.Name); err != nil {
		return err
	}
	if err := r.demand(ctx); err != nil {
		return err
	}
	if len(v.unrecorded) > 0 {
		message := "what " + strings.Join(v.unrecorded, ", ") + " offered in " + last.Name + " is not recorded, since there is no lock file in it"
		if auto {
			return diag.Fail(diag.Diagnostic{Code: "version-unrecorded", Message: message, Hint: "name the part, for example omcbuild version minor; from the next release on it is known"})
		}
		v.reasons = append(v.reasons, message)
	}
	if auto {
		return r.decideAuto(ctx)
	}
	if last.Version.LessThan(v.next) && !versioning.Enough(v.next, last.Version, v.demanded) {
		v.found.Add(diag.Diagnostic{Code: "version-low", Level: diag.Warning, Message: fmt.Sprintf("%s is less than the changes since %s ask for: %s, which is %s", v.next, last.Name, v.demanded, versioning.Next(last.Version, v.demanded)),
			Hint: "omcbuild diff " + last.Name + " lists the changes; omcbuild version auto takes what they ask for"})
	}
	return nil
}

// lastRelease returns the tag to compare with, or nil. A tag that names no plugin counts
// when this plugin had that version then; in a repository of one plugin such a tag counts
// all the same when there is no better one.
func (r *run) lastRelease(ctx context.Context) (*versioning.Tag, error) {
	const tried = 20
	v := r.raising
	if v.tree == nil {
		return nil, nil
	}
	releases := versioning.Releases(v.tags, v.next, v.next != nil && v.next.Prerelease() != "")
	for i, tag := range releases {
		if tag.Own {
			return &releases[i], nil
		}
		if i == tried {
			break
		}
		data, err := v.tree.show(ctx, "refs/tags/"+tag.Name, v.file)
		if err != nil {
			return nil, err
		}
		if project.Parse(v.file, data, project.Strict).String("version") == tag.Version.String() {
			return &releases[i], nil
		}
	}
	if len(releases) > 0 && r.project.Within == nil {
		return &releases[0], nil
	}
	return nil, nil
}

// unreleased says that there is nothing for auto to go by.
func (v *raising) unreleased() error {
	hint := "name the part or the version, for example omcbuild version minor, and tag it with --tag"
	if v.current != nil {
		hint = fmt.Sprintf("for the first release omcbuild version --tag tags %s as it is; omcbuild version minor raises it first", v.old)
	}
	if v.tree.shallow {
		hint = "this clone is shallow: git fetch --unshallow --tags; or name the part, for example omcbuild version minor"
	}
	return diag.Fail(diag.Diagnostic{Code: "version-untagged", Message: "auto compares with the last release, and no tag here is one of " + v.name + ": neither " + versioning.TagName(v.name, "X.Y.Z") + " nor vX.Y.Z", Hint: hint})
}

// since compares what the servers offer with what they offered at a tag.
func (r *run) since(ctx context.Context, tag string) (changes []Change, err error) {
	v, ref := r.raising, "refs/tags/"+tag
	then, err := v.tree.registered(ctx, ref)
	if err != nil {
		return nil, err
	}
	for _, it := range r.items {
		if !it.mcp() {
			continue
		}
		now, known := r.offered(it)
		if !known {
			continue
		}
		old, found, err := r.offeredThen(ctx, ref, it, then[it.bundle.Name])
		if err != nil {
			return nil, err
		}
		if _, started := then[it.bundle.Name]; started && !found {
			v.unrecorded = append(v.unrecorded, it.bundle.Name)
			continue
		}
		if !found { // a server that is new offered nothing
			old = surface.Surface{ServerName: now.ServerName, ServerVersion: now.ServerVersion, Protocols: now.Protocols}
		}
		for _, c := range schemadiff.Compare(old, now) {
			changes = append(changes, Change{Bundle: it.bundle.Name, Change: c})
		}
	}
	gone, err := r.gone(ctx, ref, then)
	return append(changes, gone...), err
}

// offered is what a server lists, or where it did not run what its lock file records.
func (r *run) offered(it *item) (surface.Surface, bool) {
	if it.probe != nil {
		return it.probe.Surface, true
	}
	lock, err := surface.ReadLock(r.project.Root, it.bundle.LockFile)
	return lock.Surface(), err == nil
}

// offeredThen is what a server listed at a tag, by the lock file that it has now, or had
// then.
func (r *run) offeredThen(ctx context.Context, ref string, it *item, file string) (surface.Surface, bool, error) {
	for _, name := range slices.Compact([]string{it.bundle.LockFile, lockBeside(file)}) {
		if name == "" {
			continue
		}
		data, err := r.raising.tree.show(ctx, ref, name)
		if err != nil {
			return surface.Surface{}, false, err
		}
		if data == nil {
			continue
		}
		lock, err := surface.ParseLock(strings.TrimPrefix(ref, "refs/tags/")+":"+name, data)
		return lock.Surface(), true, err
	}
	return surface.Surface{}, false, nil
}

// lockBeside is the lock file of a bundle.
func lockBeside(file string) string {
	if file == "" {
		return ""
	}
	return strings.TrimSuffix(file, path.Ext(file)) + ".tools.json"
}

// registered are the servers that the plugin started at a commit, and the file of each
// that is one of the plugin, or "".
func (t *workTree) registered(ctx context.Context, ref string) (map[string]string, error) {
	files := map[string]string{}
	for _, file := range []string{project.ServersFile, project.ManifestFile} {
		data, err := t.show(ctx, ref, file)
		if err != nil {
			return nil, err
		}
		doc := project.Parse(file, data, project.Strict)
		var servers map[string]struct {
			Args []string `json:"args"`
		}
		if doc.Decode(&servers, "mcpServers") != nil && file == project.ServersFile {
			_ = doc.Decode(&servers) // a file of another form started nothing that is known
		}
		for name, server := range servers {
			files[name] = ""
			for _, arg := range server.Args {
				if own, found := strings.CutPrefix(arg, "${CLAUDE_PLUGIN_ROOT}/"); found {
					files[name] = own
					break
				}
			}
		}
	}
	return files, nil
}

// started reports whether the plugin has a server of that name.
func (r *run) started(name string) bool {
	_, bundled := r.project.Bundle(name)
	return bundled || r.project.MCP.Find("mcpServers", name) != nil || r.project.MCP.Find(name) != nil || r.project.Manifest.Find("mcpServers", name) != nil
}

// gone finds what users had by name and have no more: servers, and the plugin under its
// old name.
func (r *run) gone(ctx context.Context, ref string, then map[string]string) (changes []Change, err error) {
	manifest, err := r.raising.tree.show(ctx, ref, project.ManifestFile)
	if err != nil {
		return nil, err
	}
	if old := project.Parse(project.ManifestFile, manifest, project.Strict).String("name"); old != "" && old != r.raising.name {
		changes = append(changes, Change{Change: schemadiff.Change{Path: "plugin.name", Kind: "plugin-name", Level: schemadiff.Breaking,
			Message: fmt.Sprintf("the plugin is now named %s (was %s), and so are its tools: breaking", r.raising.name, old)}})
	}
	for _, name := range sortedKeys(then) {
		if r.started(name) || then[name] == "" {
			continue
		}
		data, err := r.raising.tree.show(ctx, ref, lockBeside(then[name]))
		if err != nil {
			return nil, err
		}
		lock, err := surface.ParseLock(name, data)
		if err != nil || len(lock.Tools) == 0 {
			continue
		}
		changes = append(changes, Change{Bundle: name, Change: schemadiff.Change{Path: "server", Kind: "server-removed", Level: schemadiff.Breaking,
			Message: fmt.Sprintf("server %s was removed, with %s: breaking", name, report.Count(len(lock.Tools), "tool"))}})
	}
	return changes, nil
}

// demand works out which part of the version the changes ask for, and says why.
func (r *run) demand(ctx context.Context) error {
	const most = 5
	v := r.raising
	var changes []schemadiff.Change
	for _, c := range v.changes {
		changes = append(changes, c.Change)
	}
	v.demanded = versioning.Part(schemadiff.Bump(changes, v.last.Version.String()))
	worst := schemadiff.Worst(changes)
	if v.demanded == versioning.None {
		changed, err := v.tree.changed(ctx, v.last.Name)
		if err != nil {
			return err
		}
		v.reasons = []string{"nothing changed since " + v.last.Name}
		if changed {
			v.demanded, v.reasons = versioning.Patch, []string{"no tool changed since " + v.last.Name + ", and files did"}
		}
		return nil
	}
	for _, c := range changes {
		if c.Level == worst && c.Kind != "server-version" {
			v.reasons = append(v.reasons, c.Message)
		}
	}
	if more := len(v.reasons) - most; more > 0 {
		v.reasons = append(v.reasons[:most], fmt.Sprintf("and %s more at that level", report.Count(more, "change")))
	}
	if worst == schemadiff.Breaking && v.demanded != versioning.Major {
		v.reasons = append(v.reasons, "below 1.0.0 a breaking change raises the minor version")
	}
	return nil
}

// changed reports whether any file of the plugin is not as at a tag.
func (t *workTree) changed(ctx context.Context, tag string) (bool, error) {
	_, same, err := t.ask(ctx, "diff", "--quiet", "--no-ext-diff", "--no-textconv", "refs/tags/"+tag, "--", ".")
	if err != nil || !same {
		return true, err
	}
	others, _, err := t.ask(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	return others != "", err
}

// decideAuto takes the version that the changes ask for.
func (r *run) decideAuto(ctx context.Context) error {
	v := r.raising
	if v.demanded == versioning.None {
		return diag.Fail(diag.Diagnostic{Code: "version-unchanged", Message: "nothing changed since " + v.last.Name + ", so there is nothing to release", Hint: "omcbuild version patch raises the version all the same"})
	}
	if v.current == nil {
		return r.noVersion()
	}
	v.next, v.part = versioning.NextAuto(v.current, v.last.Version, v.demanded), v.demanded
	if v.next == nil {
		return diag.Fail(diag.Diagnostic{Code: "version-raised", Message: fmt.Sprintf("%s says %s already, which is not tagged, and which is enough: the changes since %s ask for %s", v.file, v.old, v.last.Name, v.demanded),
			Hint: "omcbuild version --tag tags it; omcbuild version " + string(v.demanded) + " raises it once more"})
	}
	return r.free(ctx)
}
