package release

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/project"
)

// verdict says whether a file may be in a package.
type verdict int

const (
	fits     verdict = iota
	leftOut          // nobody needs it, or it does harm; the package goes without
	isSecret         // whoever put it there did not want that
)

// Why files are left out, as it is told.
const (
	whySecret   = "is a file of secrets"
	whyModules  = "belongs to installed packages"
	whyLockfile = "makes the client install packages for every user"
	whyNpm      = "configures npm for its author"
	whyVersions = "is for version control"
	whyLeft     = "was left behind by a program"
	whyMap      = "is a source map"
	whySource   = "is a source that is compiled"
	whyTest     = "is a test"
	whyPack     = "is a package that was made before"
	whyIgnored  = "is ignored by git"

	whyIgnoredPart = "is ignored by git, though it lies among the plugin's parts"
)

var (
	lockfile    = lazyregexp.New(`^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?)$`)
	versionFile = lazyregexp.New(`^(?:\.git|\.hg|\.svn|\.bzr|CVS|\.git(?:ignore|attributes|modules|keep|hub|lab|lab-ci\.yml)|\.hgignore|\.npmignore|\.mcpbignore|\.dockerignore)$`)
	editorFile  = lazyregexp.New(`^(?:.*~|\.#.*|#.*#|\..*\.sw[a-p]|\.idea|\.vscode|\.eslintcache|\.(?:mypy|pytest|ruff)_cache|\.tox|.*\.tsbuildinfo)$`)
	sourceMap   = lazyregexp.New(`\.(?:[cm]?js|css|[cm]?ts)\.map$`)
	typeScript  = lazyregexp.New(`\.[cm]?tsx?$`)
	testFile    = lazyregexp.New(`(?:^|/)__(?:tests|mocks|snapshots|fixtures)__/|[._](?:test|spec)\.[cm]?[jt]sx?$|(?:^|/)test_[^/]*\.py$|_test\.(?:py|go)$|(?:^|/)conftest\.py$`)
)

// judge says whether a file may be in a package, and why not. Every part of its path
// counts. Sources that are compiled, and tests, are for judgeProgram.
func judge(file string, maps bool) (verdict, string) {
	base := path.Base(file)
	for part := range strings.SplitSeq(file, "/") {
		switch {
		case part == "node_modules", part == "bower_components", part == ".venv", part == "venv", part == "site-packages":
			return leftOut, whyModules
		case versionFile.MatchString(part):
			return leftOut, whyVersions
		case part == ".ssh", part == ".aws", part == ".gnupg":
			return isSecret, whySecret
		}
	}
	switch {
	case project.HoldsSecrets(base):
		return isSecret, whySecret
	case base == ".npmrc", base == ".yarnrc", base == ".yarnrc.yml":
		return leftOut, whyNpm
	case lockfile.MatchString(base):
		return leftOut, whyLockfile
	case project.IsLeftBehind(file), slices.ContainsFunc(strings.Split(file, "/"), editorFile.MatchString):
		return leftOut, whyLeft
	case sourceMap.MatchString(base) && !maps:
		return leftOut, whyMap
	}
	return fits, ""
}

// judgeProgram says the same of a file that lies among programs.
func judgeProgram(file string, maps bool) (verdict, string) {
	if v, why := judge(file, maps); v != fits {
		return v, why
	}
	switch {
	case testFile.MatchString(file):
		return leftOut, whyTest
	case typeScript.MatchString(file), path.Base(file) == "tsconfig.json":
		return leftOut, whySource
	}
	return fits, ""
}

var (
	aboutFile   = lazyregexp.New(`(?i)^(?:readme|notices?|third[-_]?party[-_]?(?:notices?|licen[cs]es?)|changelog|changes|history|privacy)(?:[-_.][a-z-]+)*?(?:\.(?:md|markdown|txt|rst))?$`)
	licenceFile = lazyregexp.New(`(?i)^(?:licen[cs]es?|copying|unlicen[cs]e)(?:[-_.][a-z0-9.-]+)?$`)
	codeFile    = lazyregexp.New(`(?i)\.(?:[cm]?[jt]sx?|json|py|sh|ya?ml|toml|html|png|svg)$`)
)

// describes reports whether a file at the root tells users about the plugin: what it
// does, what changed, on which terms.
func describes(name string) bool {
	return (aboutFile.MatchString(name) || licenceFile.MatchString(name)) && !codeFile.MatchString(name)
}
