package pipeline

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lint"
	"omcbuild/internal/project"
	"omcbuild/internal/release"
)

func itoa(i int) string { return strconv.Itoa(i) }

// identity is what the manifest says, and package.json where the manifest says nothing.
func (r *run) identity() release.Identity {
	var manifest struct {
		DisplayName      string         `json:"displayName"`
		Author           project.Person `json:"author"`
		Keywords         []string       `json:"keywords"`
		SupportURL       string         `json:"supportUrl"`
		PrivacyPolicyURL string         `json:"privacyPolicyUrl"`
	}
	m, pkg := r.project.Manifest, r.project.Package
	if m != nil && m.Problem == nil {
		_ = m.Decode(&manifest) // fields of a wrong type were reported
	}
	id := release.Identity{
		Name: cmp.Or(m.String("name"), r.project.Config.Plugin.Name), DisplayName: manifest.DisplayName,
		Version: cmp.Or(m.String("version"), pkg.Version), Description: cmp.Or(m.String("description"), pkg.Description),
		Author: manifest.Author, License: cmp.Or(m.String("license"), pkg.License), Homepage: cmp.Or(m.String("homepage"), pkg.Homepage),
		Repository: m.String("repository"), Support: manifest.SupportURL, Privacy: manifest.PrivacyPolicyURL, Keywords: manifest.Keywords,
		NodeEngine: pkg.NodeEngine,
	}
	if id.Author.Name == "" {
		id.Author = pkg.Author
	}
	for _, icon := range []string{path.Clean(m.String("icon")), ".claude-plugin/icon.png"} {
		if r.packing.payload == nil {
			break
		}
		if _, there := r.packing.payload.File(icon); there && id.Icon == "" {
			id.Icon = icon
		}
	}
	return id
}

// packedServers are the servers that node starts from a file of the package.
func (r *run) packedServers() ([]release.Server, error) {
	servers, err := lint.StartedServers(r.pluginInput())
	if err != nil {
		return nil, err
	}
	var options map[string]json.RawMessage
	if r.project.Manifest.Find("userConfig") != nil {
		_ = r.project.Manifest.Decode(&options, "userConfig") // its form was checked
	}
	var packed []release.Server
	for _, s := range servers {
		if _, there := r.packing.payload.File(s.File); s.Command != "node" || s.Eval || !there {
			continue
		}
		packed = append(packed, release.Server{Key: s.Key, File: s.File, Args: s.Args, Env: s.Env, Place: s.Place, Options: options, Tools: r.packedTools(s)})
	}
	return packed, nil
}

// packedTools are the tools that a server lists, with the first paragraph of what they
// say of themselves.
func (r *run) packedTools(s lint.Server) (tools []release.ServerTool) {
	i := slices.IndexFunc(r.items, func(it *item) bool { return it.bundle.Outfile == s.Bundle })
	if i < 0 || r.items[i].probe == nil {
		return nil
	}
	for _, t := range r.items[i].probe.Surface.Tools {
		tool := release.ServerTool{Name: t.Name}
		if t.Description != nil {
			tool.Description, _, _ = strings.Cut(strings.TrimSpace(*t.Description), "\n\n")
		}
		tools = append(tools, tool)
	}
	return tools
}

// noServer says that there is nothing for an .mcpb file to start.
func noServer() diag.Diagnostic {
	return diag.Diagnostic{Code: "mcpb-server", Position: diag.Position{File: project.ServersFile}, Message: "has no server that node starts from a file of the plugin, and an .mcpb file is one such server", Hint: "leave mcpb out of --format"}
}
