package metadata

import (
	"strings"

	"omcbuild/internal/lazyregexp"
)

var (
	hostShorthand = lazyregexp.New(`^(?:(github|gitlab|bitbucket):)?([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)$`)
	gistShorthand = lazyregexp.New(`^gist:([A-Za-z0-9]+)$`)
	scpAddress    = lazyregexp.New(`^(?:[A-Za-z0-9_.-]+@)?([A-Za-z0-9.-]+\.[A-Za-z]{2,}):([^/:][^:]*)$`)
	gitTransport  = lazyregexp.New(`^(?:git\+)?(?:https|ssh|git)://(?:[^/@]*@)?([^/]+)/(.+)$`)
)

// webAddress turns a repository as npm writes it into the address a browser
// opens: shorthands, git+https, ssh and git addresses become https, a closing
// .git is dropped, and so are credentials. Anything else stays as it is.
func webAddress(repository string) string {
	text := strings.TrimSpace(repository)
	host, path := "", ""
	if m := hostShorthand.FindStringSubmatch(text); m != nil {
		host, path = shorthandHost(m[1]), m[2]
	} else if m := gistShorthand.FindStringSubmatch(text); m != nil {
		host, path = "gist.github.com", m[1]
	} else if m := gitTransport.FindStringSubmatch(text); m != nil {
		host, path = m[1], m[2]
	} else if m := scpAddress.FindStringSubmatch(text); m != nil {
		host, path = m[1], m[2]
	} else {
		return strings.TrimSuffix(strings.TrimPrefix(text, "git+"), ".git")
	}
	if strings.HasPrefix(text, "ssh://") || strings.HasPrefix(text, "git+ssh://") || strings.HasPrefix(text, "git://") {
		host, _, _ = strings.Cut(host, ":") // a port of another protocol
	}
	return "https://" + host + "/" + strings.TrimSuffix(strings.TrimSuffix(path, "/"), ".git")
}

func shorthandHost(name string) string {
	switch name {
	case "gitlab":
		return "gitlab.com"
	case "bitbucket":
		return "bitbucket.org"
	}
	return "github.com"
}
