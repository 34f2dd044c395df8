package lint

// Group is a part of the plugin that rules are about; each has a page in
// docs/checks.
type Group string

// The groups of the rules of a plugin.
const (
	Manifest   Group = "manifest"
	Versions   Group = "versions"
	Catalog    Group = "catalog"
	Servers    Group = "servers"
	Paths      Group = "paths"
	Hooks      Group = "hooks"
	Components Group = "components"
	Shipped    Group = "shipped"
	Listing    Group = "listing"
)

// GroupPage says what a group is about.
type GroupPage struct {
	Group Group
	Title string
	Intro string
}

// Groups returns the groups in the order of the documentation.
func Groups() []GroupPage {
	return []GroupPage{
		{Manifest, "The manifest", "Rules over `.claude-plugin/plugin.json`: its form, the plugin's name, the options of users, what it depends on."},
		{Versions, "Versions", "Rules over the version that the plugin's files state. For the client the version is the name of a folder in its cache: the same text means nothing new."},
		{Catalog, "The catalog", "Rules over `.claude-plugin/marketplace.json`, and over the plugins in folders that it lists."},
		{Servers, "Servers", "Rules over `.mcp.json`, the servers of the manifest, and the language servers: whether an entry starts, and with what."},
		{Paths, "Files and placeholders", "Rules over the files and variables that servers and hooks name. A server runs in the user's project, and its plugin lies in a cache folder with another path on every machine."},
		{Hooks, "Hooks", "Rules over `hooks/hooks.json` and the hooks of the manifest. A hook that never runs says nothing."},
		{Components, "Skills, agents, commands", "Rules over the parts written in Markdown, and over the paths by which the manifest names parts. The client leaves out what it does not understand, mostly in silence."},
		{Shipped, "What is shipped", "Rules over all files that an installation copies: in a git repository what is tracked, otherwise what is there."},
		{Listing, "Ready for a directory", "Rules over what a directory of plugins asks for before it lists one. With `--profile directory` each of them counts one level more: a note is a warning, a warning an error."},
	}
}

// GroupOf returns the group of a rule of plugins by its code, "" when there is no such
// rule.
func GroupOf(code string) Group {
	for _, r := range pluginRules() {
		if r.code == code {
			return r.page.Group
		}
	}
	return ""
}
