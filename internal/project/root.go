package project

import (
	"os"
	"path"
	"path/filepath"

	"omcbuild/internal/diag"
)

// Files that say where a plugin's root is, and its other well-known files.
const (
	ConfigFile   = "omcbuild.jsonc"
	PackageFile  = "package.json"
	ManifestFile = ".claude-plugin/plugin.json"
	CatalogFile  = ".claude-plugin/marketplace.json"
	ServersFile  = ".mcp.json"

	misnamedConfig = "omcbuild.json"
)

// findRoot returns the root of the plugin that a folder belongs to: the nearest
// folder upwards with omcbuild.jsonc, else with a plugin manifest, else with
// package.json. It looks no further than the top of the git repository.
func findRoot(start string) (string, error) {
	candidates := upwards(start)
	for _, mark := range []string{ConfigFile, ManifestFile, PackageFile} {
		for _, folder := range candidates {
			if _, err := os.Lstat(filepath.Join(folder, filepath.FromSlash(mark))); err == nil {
				return folder, nil
			}
		}
	}
	return "", diag.Misuse(diag.Diagnostic{
		Code:    "no-project",
		Message: "no plugin found in " + start + " or above it: there is no " + ConfigFile + ", " + ManifestFile + " or " + PackageFile,
		Hint:    "change to a plugin's folder, or name it with -C DIR",
	})
}

// ConfigAbove returns the configuration above a folder that is in force in it, relative
// to the folder, or "". That of a repository of several plugins is in force in none of
// their folders.
func ConfigAbove(dir string) string {
	for i, folder := range upwards(dir) {
		switch {
		case lookAround(folder) != nil:
			return ""
		case i > 0 && marked(folder, ConfigFile):
			return path.Join(way(dir, folder), ConfigFile)
		}
	}
	return ""
}

// upwards lists dir and the folders above it, up to the first that is the top
// of a git repository.
func upwards(dir string) []string {
	var out []string
	for {
		out = append(out, dir)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return out
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return out
		}
		dir = parent
	}
}

func mustBeFolder(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &os.PathError{Op: "open", Path: path, Err: errNoFolder}
	}
	return err
}
