package lint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

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
	// Unregistered are more such files, which no entry has to start.
	Unregistered []string
	// Products are the files of all bundles, relative to Root; none when nothing
	// is bundled.
	Products []string
	// Tools are the names of the tools that each server lists, by the server's key, as
	// far as they are known.
	Tools map[string][]string
	// Commands are the programs that servers and hooks may be started with, beside
	// node and files of the plugin.
	Commands []string
	// Git is what version control knows about the files; nil when Root is in no work
	// tree. See ReadGit.
	Git *Git
	// Planned are files that are about to be written, by path; they count as there,
	// instead of what is on disk.
	Planned map[string]Planned
	// WithoutCatalog leaves the catalog out, when it is not known yet what it will
	// say.
	WithoutCatalog bool
	// ForListing counts what a directory of plugins objects to one level higher.
	ForListing bool
}

// Planned is a file that is about to be written.
type Planned struct {
	Contents []byte
	Mode     fs.FileMode // 0 is that of an ordinary file
}

// Names of the files that make a plugin.
const (
	manifestFile = ".claude-plugin/plugin.json"
	catalogFile  = ".claude-plugin/marketplace.json"
	mcpFile      = ".mcp.json"
	hooksFile    = "hooks/hooks.json"
	packageFile  = "package.json"
)

// CheckPlugin applies the plugin rules. A folder that has neither a manifest, in
// its place or beside it, a catalog nor servers is no plugin and gives no findings.
func CheckPlugin(in PluginInput) diag.List {
	return checkPlugin(in, true, pluginRules())
}

// CheckPlanned applies the rules that find errors in what a build knows and is
// about to write. It asks for no more than the files that are named, so that it
// takes a few milliseconds; what is shipped beside them, and other plugins of the
// catalog, are for CheckPlugin.
func CheckPlanned(in PluginInput) diag.List {
	rules := slices.DeleteFunc(pluginRules(), func(r rule[*plugin]) bool {
		return r.level != diag.Error || r.page.Group == Shipped || r.code == "catalog-plugin"
	})
	return checkPlugin(in, false, rules)
}

// checkPlugin applies rules to a plugin. Only when it is to walk the folder does
// it know all of the files.
func checkPlugin(in PluginInput, walk bool, rules []rule[*plugin]) diag.List {
	root, err := os.OpenRoot(in.Root)
	if err != nil {
		return diag.List{{Code: "plugin-unreadable", Message: "the plugin's folder cannot be read", Position: diag.Position{File: filepath.Base(in.Root)}, Hint: "name an existing folder"}}
	}
	defer root.Close()
	p := &plugin{PluginInput: in, root: root}
	p.manifest, p.mcp = p.read(manifestFile), p.read(mcpFile)
	if !in.WithoutCatalog {
		p.catalog = p.read(catalogFile)
	}
	p.hooks, p.pkg = p.read(hooksFile), p.read(packageFile)
	if p.manifest == nil && p.catalog == nil && p.mcp == nil && p.read("plugin.json").String("name") == "" {
		return nil
	}
	p.lsp, p.settings = p.read(lspFile), p.read("settings.json")
	p.readParts()
	for _, file := range p.named("lspServers") {
		if doc := p.read(file); doc != nil && file != lspFile && path.Ext(file) == ".json" {
			p.lspMore = append(p.lspMore, doc)
		}
	}
	if walk {
		p.files = p.walk()
	}
	p.readServers()
	p.readHooks()
	for i := range rules {
		if in.ForListing && rules[i].raised && rules[i].level > diag.Error {
			rules[i].level--
		}
	}
	return apply(p, "", rules)
}

func pluginRules() []rule[*plugin] {
	patterns := sync.OnceValue(secretPatterns)
	return []rule[*plugin]{
		manifestJSON(), manifestMark(), manifestLink(), mcpElsewhere(), manifestType(), manifestKey(), manifestIgnored(), manifestIncomplete(), pluginDisabled(),
		pluginName(), pluginNameReserved(), pluginNameStyle(),
		versionMismatch(), versionForm(), versionMissing(), versionBuild(), versionTagged(),
		userConfigForm(), userConfigDefault(), userConfigUndeclared(), dependencyForm(), dependencyKey(), channelServer(), networkHost(),
		catalogForm(), catalogSource(), catalogTwice(), catalogPlugin(), catalogName(), catalogReserved(), catalogIgnored(), catalogIncomplete(),
		componentPath(), partsElsewhere(), skillFile(), frontmatterType(), frontmatterMissing(), frontmatterInvalid(), partDescription(), skillName(), partTwice(),
		partKey(), agentValue(), partOwnTool(), partToolMissing(), readmeToolMissing(), partMissing(), partText(), partReturns(), settingsKey(),
		serversMissing(), serversForm(), serversEmpty(), serversFlat(), serverShape(), serverName(), serverTimeout(), urlCleartext(), lspServer(), serverKey(), serverTwice(),
		commandShell(), commandLauncher(), commandForeign(), commandWrapper(),
		placeholderDefault(), placeholderUnknown(), placeholderUnexpanded(), placeholderUnset(),
		pathAbsolute(), pathRelative(), pathParent(),
		fileMissing(), fileOutside(), fileCase(), fileNotRunnable(), fileIgnored(), fileUntracked(), fileSuperseded(),
		hooksForm(), hookEvent(), hookHandler(), hookMatcher(), hookOwnTool(), hookPath(), hookUnquoted(), hookUserConfig(), hookTimeout(), commandDownload(), hookTwice(),
		secretInConfig(patterns), secretLiteral(patterns),
		lockfileBeside(), shippedSecret(), shippedModules(), shippedLink(), shippedDangling(), shippedClash(), shippedName(), shippedJunk(), shippedLarge(), shippedDeep(), shippedBinary(), binNotRunnable(), rootClaudeMD(),
		readmeMissing(), readmeShort(), readmeInstall(), licenseMissing(), iconMissing(), iconInvalid(), listingURL(), privacyMissing(), identifierASCII(), filesMany(),
	}
}

// plugin is a plugin folder with its manifests read. A document is nil when the
// file is not there.
type plugin struct {
	PluginInput
	root                               *os.Root
	manifest, catalog, mcp, hooks, pkg *project.Document
	lsp, settings                      *project.Document
	more                               []*project.Document // files of servers and hooks that the manifest names
	lspMore                            []*project.Document // the same of language servers
	parts                              []part
	values                             map[string]any // of the manifest, once somebody asked
	listed                             []entry        // of the catalog
	files                              tree
	servers                            []server
	handlers                           []handler
	groups                             []handler // without fields, one for each matcher
	launches                           []launch  // of servers and hooks
}

// documents returns the documents that exist, in order.
func (p *plugin) documents() []*project.Document {
	var out []*project.Document
	for _, d := range append([]*project.Document{p.manifest, p.catalog, p.mcp, p.hooks, p.pkg, p.lsp, p.settings}, slices.Concat(p.more, p.lspMore)...) {
		if d != nil {
			out = append(out, d)
		}
	}
	return out
}

// read reads a JSON file of the plugin, or returns nil when there is none. A file
// that cannot be read is a document with a problem.
func (p *plugin) read(file string) *project.Document {
	if planned, ok := p.Planned[file]; ok {
		return project.Parse(file, planned.Contents, project.Strict)
	}
	handle, err := project.OpenRegular(p.root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unreadable := func(message, hint string) *project.Document {
		return &project.Document{Path: file, Problem: &diag.Diagnostic{Message: message, Hint: hint, Position: diag.Position{File: file}}}
	}
	if project.IsIrregular(err) {
		return unreadable("is no regular file", "make it a file")
	}
	if err != nil {
		return unreadable("the file cannot be read from inside the plugin", "make it a readable file, not a link to elsewhere")
	}
	defer handle.Close()
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
	info, _ := p.stat(path.Clean(file))
	return info != nil
}

// stated returns what the manifest says, by field.
func (p *plugin) stated() map[string]any {
	if p.values == nil && p.manifest != nil {
		p.values = members(p.manifest)
	}
	return p.values
}

// name returns the plugin's name, from the manifest.
func (p *plugin) name() string { return p.manifest.String("name") }
