package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"omcbuild/internal/diag"
	"omcbuild/internal/lint"
	"omcbuild/internal/process"
	"omcbuild/internal/schemadiff"
	"omcbuild/internal/surface"
)

// launchStep runs the servers of the plugin whose entries do not name a bundle: a
// launcher in front of one, a program in the arguments, or somebody else's file. Each
// is started by the command of its entry, in a copy of the plugin as users get it.
func launchStep(ctx context.Context, r *run) error {
	servers, err := lint.StartedServers(r.bundlesInput())
	if err != nil {
		return err
	}
	servers = slices.DeleteFunc(servers, func(s lint.Server) bool { return s.Direct })
	if len(servers) == 0 {
		return nil
	}
	files, err := r.shipped(ctx)
	if err != nil && !errors.Is(err, errShippedTooMuch) {
		return err
	}
	found := make([]diag.List, len(servers))
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, s := range servers {
		if why := unlaunched(s, files); why != "" {
			found[i].Add(notLaunched(s, why))
			continue
		}
		group.Go(func() (err error) {
			defer r.machine.slot()()
			found[i], err = r.launch(ctx, s, files, "")
			return err
		})
	}
	err = group.Wait()
	for _, list := range found {
		r.diagnostics.Add(list...)
	}
	return err
}

// unlaunched says why a server is not run, or "".
func unlaunched(s lint.Server, files map[string][]byte) string {
	_, shipped := files[s.File]
	switch {
	case s.Command != "node":
		return "it is started by " + s.Command + ", and only what node starts is run"
	case s.File == "" && !s.Eval:
		return "node is given no file of the plugin"
	case files == nil:
		return errShippedTooMuch.Error()
	case !s.Eval && !shipped:
		return s.File + " is not among the files that users get"
	}
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		if s.Options[name] == nil {
			return "the user's option " + name + " has no default"
		}
	}
	return ""
}

func notLaunched(s lint.Server, why string) diag.Diagnostic {
	return diag.Diagnostic{Code: "not-proven", Level: diag.Warning, Position: s.Place,
		Message: fmt.Sprintf("server %s was not proven: %s", s.Key, why),
		Hint:    "start it as node with a file of the plugin, or try the plugin in the client"}
}

// launch runs one server, by a program or by node when that is "", and says what is
// wrong with it under its name. What it lists is to be what its bundle lists.
func (r *run) launch(ctx context.Context, s lint.Server, files map[string][]byte, program string) (diag.List, error) {
	own := &item{}
	if i := slices.IndexFunc(r.items, func(it *item) bool { return it.bundle.Outfile == s.Bundle }); i >= 0 {
		own = r.items[i]
	}
	o := r.launchOptions(s, own, files)
	if o.Launch.Program = program; filepath.IsAbs(program) {
		o.Path = filepath.Dir(program) + string(filepath.ListSeparator) + "/usr/bin:/bin"
	}
	probe, err := surface.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	launched := &item{bundle: own.bundle, probe: probe}
	list := launched.accepted(launched.excuse(probe))
	if own.probe != nil { // what the bundle does by itself is reported already
		list = slices.DeleteFunc(slices.Clone(list), func(d diag.Diagnostic) bool {
			return slices.ContainsFunc(own.probe.Diagnostics, func(known diag.Diagnostic) bool { return known.Code == d.Code && known.Tool == d.Tool })
		})
	}
	if probe.Listed() {
		more, err := r.compareWithBundle(own, probe)
		if err != nil {
			return nil, err
		}
		list.Add(more...)
	}
	if r.packaged {
		list.Add(r.packedFindings(s, probe)...)
	}
	_, shipped := files[s.Bundle]
	shipped = shipped || r.packaged
	for i := range list {
		if s.Bundle != "" && !shipped && !probe.Listed() {
			list[i].Hint = "commit " + s.Bundle + ", which the server starts and users do not get"
		}
		list[i].Message = "server " + s.Key + " " + list[i].Message
		if list[i].Line == 0 || s.Eval {
			list[i].Position = s.Place
		}
	}
	return list, nil
}

// launchOptions say how to run a server as its entry says. Values of the command line
// win over those of the entry.
func (r *run) launchOptions(s lint.Server, own *item, files map[string][]byte) surface.ProbeOptions {
	o := surface.ProbeOptions{
		FileName: s.File, Extra: files, Node: r.machine.Node, TempDir: r.machine.Temp, Env: r.environment(own),
		Launch: r.launchOf(s),
	}
	if r.packaged {
		o.Tree, o.CallReadOnly = r.project.Root, true
		if o.FileName == "" {
			o.FileName = "[" + s.Command + "]"
		}
	}
	if s.Eval {
		o.FileName = "[eval]" // as node calls it
	}
	return o
}

// launchOf is the entry of a server whose options all have a value.
func (r *run) launchOf(s lint.Server) *surface.Launch {
	launch := &surface.Launch{Args: s.Args, Values: map[string]string{}}
	for name, value := range s.Options {
		launch.Values["user_config."+name] = *value
	}
	for _, variable := range s.Env {
		name, _, _ := strings.Cut(variable, "=")
		if _, given := r.env[name]; !given {
			launch.Env = append(launch.Env, variable)
		}
	}
	return launch
}

// compareWithBundle holds what a launcher lists against what its bundle lists, or the
// lock file has when the bundle could not be run.
func (r *run) compareWithBundle(own *item, probe *surface.Probe) (list diag.List, err error) {
	if own.bundle.Outfile == "" {
		return nil, nil
	}
	var expected surface.Surface
	if own.probe != nil {
		expected = own.probe.Surface
	} else {
		lock, err := surface.ReadLock(r.project.Root, own.bundle.LockFile)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, err
		}
		expected = lock.Surface()
	}
	for _, c := range schemadiff.Compare(expected, probe.Surface) {
		list.Add(diag.Diagnostic{Code: "surface-" + string(c.Level), Tool: c.Tool,
			Message: fmt.Sprintf("lists other tools than %s: %s", own.bundle.Outfile, c.Message),
			Hint:    "start the bundle directly; what stands before it changes what it offers"})
	}
	return list, nil
}

// Limits on the copy of a plugin that is made for each run of a launcher.
const (
	shippedBytes = 128 << 20
	shippedFiles = 5000
)

var errShippedTooMuch = fmt.Errorf("the plugin has more than %d files or %d MB, which are not copied for a run", shippedFiles, shippedBytes>>20)

// shipped reads the files that users get, by path: those that git tracks, or all but
// installed packages where git knows none. Links out of the plugin, and what cannot be
// read, are left out.
func (r *run) shipped(ctx context.Context) (map[string][]byte, error) {
	root, err := os.OpenRoot(r.project.Root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	names, err := r.shippedNames(ctx, root)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	var total int64
	for _, name := range names {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		info, err := root.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if total += info.Size(); total > shippedBytes {
			return nil, errShippedTooMuch
		}
		if contents, err := readUpTo(root, name, info.Size()); err == nil {
			files[name] = contents
		}
	}
	return files, nil
}

// shippedNames are the slash separated paths of the files that users get.
func (r *run) shippedNames(ctx context.Context, root *os.Root) (names []string, err error) {
	if git, err := process.LookPath("git", r.machine.Path); err == nil {
		known, err := lint.ReadGit(ctx, git, r.project.Root)
		if err != nil {
			return nil, err
		}
		if known != nil && len(known.Tracked) > shippedFiles {
			return nil, errShippedTooMuch
		}
		if known != nil && len(known.Tracked) > 0 {
			return known.Tracked, nil
		}
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, problem error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case problem != nil && e != nil && e.IsDir():
			return fs.SkipDir
		case problem != nil:
			return fs.SkipAll
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git"):
			return fs.SkipDir
		case !e.Type().IsRegular() && e.Type()&fs.ModeSymlink == 0:
			return nil
		case len(names) == shippedFiles:
			return errShippedTooMuch
		}
		names = append(names, name)
		return nil
	})
	return names, err
}
