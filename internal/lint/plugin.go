package lint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// PluginInput is what CheckPlugin looks at.
type PluginInput struct {
	// Root is the absolute folder of the plugin, the one that holds .claude-plugin.
	// All files are read from there; links that leave it are not followed.
	Root string
	// Bundles are the files that are MCP servers, relative to Root. With none given,
	// every bridge/*.cjs counts.
	Bundles []string
	// Commands are the programs that servers and hooks may be started with, beside
	// node and files of the plugin.
	Commands []string
	// Git is what version control knows about the files; nil when Root is in no work
	// tree. See ReadGit.
	Git *Git
}

// Names of the files that make a plugin.
const (
	manifestFile = ".claude-plugin/plugin.json"
	catalogFile  = ".claude-plugin/marketplace.json"
	mcpFile      = ".mcp.json"
	hooksFile    = "hooks/hooks.json"
	packageFile  = "package.json"
)

// CheckPlugin applies the plugin rules. A folder that has neither a manifest, a
// catalog nor servers is no plugin and gives no findings.
func CheckPlugin(in PluginInput) diag.List {
	root, err := os.OpenRoot(in.Root)
	if err != nil {
		return diag.List{{Code: "plugin-unreadable", Message: "the plugin's folder cannot be read", Position: diag.Position{File: filepath.Base(in.Root)}, Hint: "name an existing folder"}}
	}
	defer root.Close()
	p := &plugin{PluginInput: in, root: root}
	p.manifest, p.catalog, p.mcp = p.read(manifestFile), p.read(catalogFile), p.read(mcpFile)
	p.hooks, p.pkg = p.read(hooksFile), p.read(packageFile)
	if p.manifest == nil && p.catalog == nil && p.mcp == nil {
		return nil
	}
	p.files = p.walk()
	p.readServers()
	p.readHooks()
	return apply(p, "", pluginRules())
}

func pluginRules() []rule[*plugin] {
	return []rule[*plugin]{
		manifestJSON(), manifestMark(), manifestLink(), mcpElsewhere(),
		pluginName(), pluginNameReserved(), pluginNameStyle(),
		versionMismatch(), versionForm(), versionMissing(), versionBuild(),
		componentPath(), skillFile(), catalogSource(), catalogName(),
		serversMissing(), serverShape(), serverKey(), serverTwice(),
		commandShell(), commandLauncher(), commandForeign(),
		placeholderDefault(), placeholderUnknown(), placeholderUnexpanded(), userConfigUndeclared(),
		pathAbsolute(), pathRelative(), pathParent(),
		fileMissing(), fileOutside(), fileCase(), fileNotRunnable(), fileIgnored(), fileUntracked(),
		hooksForm(), hookEvent(), hookHandler(), hookMatcher(), hookOwnTool(), hookUnquoted(), hookUserConfig(), hookTwice(),
		secretInConfig(), secretLiteral(),
		lockfileBeside(), shippedSecret(), shippedModules(), shippedLink(), shippedDangling(), shippedClash(), shippedName(), shippedJunk(), rootClaudeMD(),
	}
}

// plugin is a plugin folder with its manifests read. A document is nil when the
// file is not there.
type plugin struct {
	PluginInput
	root                               *os.Root
	manifest, catalog, mcp, hooks, pkg *project.Document
	more                               []*project.Document // files of servers and hooks that the manifest names
	files                              tree
	servers                            []server
	handlers                           []handler
	launches                           []launch // of servers and hooks
}

// documents returns the documents that exist, in order.
func (p *plugin) documents() []*project.Document {
	var out []*project.Document
	for _, d := range append([]*project.Document{p.manifest, p.catalog, p.mcp, p.hooks, p.pkg}, p.more...) {
		if d != nil {
			out = append(out, d)
		}
	}
	return out
}

// read reads a JSON file of the plugin, or returns nil when there is none. A file
// that cannot be read is a document with a problem.
func (p *plugin) read(file string) *project.Document {
	handle, err := p.root.Open(filepath.FromSlash(file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unreadable := func(message, hint string) *project.Document {
		return &project.Document{Path: file, Problem: &diag.Diagnostic{Message: message, Hint: hint, Position: diag.Position{File: file}}}
	}
	if err != nil {
		return unreadable("the file cannot be read from inside the plugin", "make it a readable file, not a link to elsewhere")
	}
	defer handle.Close()
	if info, err := handle.Stat(); err != nil || !info.Mode().IsRegular() {
		return unreadable("is no regular file", "make it a file")
	}
	data, err := io.ReadAll(io.LimitReader(handle, project.MaxFile+1))
	switch {
	case err != nil:
		return unreadable("the file cannot be read to its end", "check the disk")
	case len(data) > project.MaxFile:
		return unreadable(fmt.Sprintf("is larger than %d MB", project.MaxFile>>20), "manifests are a few kilobytes; check what wrote it")
	}
	return project.Parse(file, data, project.Strict)
}

// exists reports whether a path inside the plugin leads to something inside it.
func (p *plugin) exists(file string) bool {
	_, err := p.root.Stat(filepath.FromSlash(path.Clean(file)))
	return err == nil
}

// name returns the plugin's name, from the manifest.
func (p *plugin) name() string { return p.manifest.String("name") }
