package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lint"
	"omcbuild/internal/process"
	"omcbuild/internal/project"
	"omcbuild/internal/release"
	"omcbuild/internal/surface"
)

// launchPackedStep starts the servers of an unpacked plugin that are not started as
// node with a file, by whatever program they name, and says which are not started.
func launchPackedStep(ctx context.Context, r *run) error {
	in := r.bundlesInput()
	remote, err := lint.RemoteServers(in)
	if err != nil {
		return err
	}
	for _, s := range remote {
		r.diagnostics.Add(diag.Diagnostic{Code: "not-contacted", Level: diag.Note, Position: s.Place,
			Message: fmt.Sprintf("server %s is reached over the network (%s) and was not contacted", s.Key, s.Command), Hint: "try it in the client"})
	}
	bundles, err := lint.NamedBundles(in)
	if err != nil {
		return err
	}
	for _, s := range bundles {
		d := notLaunched(s, "it is an archive in the archive")
		d.Hint = "run omcbuild verify --package on it"
		r.diagnostics.Add(d)
	}
	servers, err := lint.StartedServers(in)
	if err != nil {
		return err
	}
	servers = slices.DeleteFunc(servers, func(s lint.Server) bool { return slices.Contains(r.direct, s.Key) })
	more, list := r.serverOfMCPB(servers)
	r.diagnostics.Add(list...)
	for _, s := range append(servers, more...) {
		program, why := r.programOf(s)
		if why != "" {
			d := notLaunched(s, why)
			d.Hint = "try the plugin in the client where that is installed"
			r.diagnostics.Add(d)
			continue
		}
		list, err := r.launchPacked(ctx, s, program)
		if err != nil {
			return err
		}
		r.diagnostics.Add(list...)
	}
	for _, it := range r.items {
		if it.probe != nil {
			r.diagnostics.Add(written(it.probe, "server "+it.bundle.Name+" ", diag.Position{File: it.bundle.Outfile})...)
		}
	}
	return nil
}

// fetching are programs that get what they start from the network.
func fetching() []string {
	return []string{"npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "uvx", "uv", "pipx", "docker", "podman"}
}

// programOf finds what a server is started by: "" for node, an absolute path, or a file
// of the plugin after its variable. Otherwise it says why the server is not started.
func (r *run) programOf(s lint.Server) (program, why string) {
	if why := undecided(s); why != "" {
		return "", why
	}
	file, own := strings.CutPrefix(s.Command, "${CLAUDE_PLUGIN_ROOT}/")
	name := strings.TrimSuffix(s.Command, ".exe")
	switch {
	case s.Command == "node" && s.File == "" && !s.Eval:
		return "", "node is given no file of the plugin"
	case s.Command == "node":
		if !s.Eval && !r.there(s.File) {
			return "", s.File + " is not in the package"
		}
		return "", ""
	case own:
		if !r.there(file) {
			return "", file + " is not in the package"
		}
		return s.Command, ""
	case strings.ContainsAny(s.Command, `/\`):
		return "", "its command is a path of one machine, " + s.Command
	case slices.Contains(fetching(), strings.TrimSuffix(name, ".cmd")):
		return "", s.Command + " gets what it starts from the network"
	}
	found, err := process.LookPath(s.Command, r.machine.Path)
	if err != nil {
		return "", "there is no " + s.Command + " on this machine"
	}
	return found, ""
}

// there reports whether a path leads to a file of the unpacked plugin, in which there are
// no links.
func (r *run) there(file string) bool {
	local := filepath.FromSlash(file)
	info, err := os.Stat(filepath.Join(r.project.Root, local))
	return err == nil && info.Mode().IsRegular() && filepath.IsLocal(local)
}

// launchPacked starts one server by its program.
func (r *run) launchPacked(ctx context.Context, s lint.Server, program string) (diag.List, error) {
	list, err := r.launch(ctx, s, nil, program)
	var start *surface.StartError
	if errors.As(err, &start) {
		return diag.List{{Code: "not-started", Position: s.Place, Message: "server " + s.Key + " cannot be started: " + plain(start.Err), Hint: "begin the file with #!, give it its executable bit, or start node with it"}}, nil
	}
	return list, err
}

// written says what a server left in the plugin's folder, which an update replaces and
// which may be read-only.
// It also says when no tool could be called.
func written(probe *surface.Probe, server string, at diag.Position) (list diag.List) {
	if probe.Listed() && len(probe.Surface.Tools) > 0 && len(probe.Calls) == 0 {
		list.Add(diag.Diagnostic{Code: "nothing-called", Level: diag.Note, Position: at,
			Message: server + "has no tool that says it changes nothing and needs no arguments, so none was called",
			Hint:    "name one with --call"})
	}
	var names []string
	for _, c := range probe.Conversations {
		for _, name := range c.Written {
			if !strings.Contains(name, "__pycache__") && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return list
	}
	slices.Sort(names)
	more := ""
	if len(names) > 1 {
		more = fmt.Sprintf(" and %d more", len(names)-1)
	}
	list.Add(diag.Diagnostic{Code: "plugin-written", Level: diag.Warning, Position: at,
		Message: server + "writes into the plugin's folder: " + names[0] + more + "; an update replaces the folder, and it may be read-only",
		Hint:    "write below ${CLAUDE_PLUGIN_DATA}, which stays"})
	return list
}

// packedFindings are about what a server of a package listed that is no bundle's, and
// about what it did. From then on the server is reported as one that ran.
func (r *run) packedFindings(s lint.Server, probe *surface.Probe) (list diag.List) {
	it := &item{bundle: project.Bundle{Name: s.Key, Kind: project.MCP, Outfile: s.Command, LockFile: surface.LockPath(s.File)}, probe: probe}
	if s.File != "" {
		it.bundle.Outfile = s.File
	}
	r.launched = append(r.launched, it)
	if probe.Listed() && s.Bundle == "" {
		list.Add(lint.CheckSurface(lint.SurfaceInput{
			File: it.bundle.Outfile, Plugin: r.project.Config.Plugin.Name, Key: s.Key, Version: r.project.Package.Version, Surface: probe.Surface,
		})...)
	}
	list.Add(written(probe, "", s.Place)...)
	return list
}

// serverOfMCPB is the server that the manifest of an .mcpb file starts, unless one of
// those of the plugin is started alike.
func (r *run) serverOfMCPB(known []lint.Server) ([]lint.Server, diag.List) {
	data, problem := r.project.ReadFile(release.MCPBFile)
	if data == nil || problem != nil {
		return nil, nil
	}
	at := diag.Position{File: release.MCPBFile}
	l, fault := release.ReadMCPB(data)
	if fault != "" {
		return nil, diag.List{{Code: "mcpb-manifest", Position: at, Message: fault, Hint: "write server.entry_point and server.mcp_config as the format of .mcpb files has them"}}
	}
	if l == nil {
		return nil, nil
	}
	if !r.there(l.EntryPoint) {
		return nil, diag.List{{Code: "mcpb-manifest", Position: at, Message: "server.entry_point: " + l.EntryPoint + " is not in the package", Hint: "pack the file, or correct its name"}}
	}
	s := lint.Server{Key: l.Name, Command: l.Command, Args: l.Args, Env: l.Env, Options: l.Options, Place: at}
	if file, own := strings.CutPrefix(first(l.Args), "${CLAUDE_PLUGIN_ROOT}/"); own && l.Command == "node" {
		s.File = file
	}
	alike := func(o lint.Server) bool {
		return o.Command == s.Command && slices.Equal(o.Args, s.Args) && slices.Equal(o.Env, s.Env)
	}
	started, err := lint.StartedServers(r.bundlesInput())
	if err != nil || slices.ContainsFunc(append(started, known...), alike) {
		return nil, nil
	}
	return []lint.Server{s}, nil
}

func first(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}
