package scaffold

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/surface"
	plugintemplate "omcbuild/plugin-template"
)

const (
	firstVersion = "0.1.0"
	usualKey     = "t"
	usualLicense = "MIT"
	longestText  = 300 // characters of a description or an author
	leastRoom    = 20  // characters a tool's name needs: a family, an underscore and a verb
)

// values checks the options and fills in what was left out.
func (o InitOptions) values() (plugintemplate.Values, error) {
	name := cmp.Or(o.Name, filepath.Base(o.Dir))
	v := plugintemplate.Values{
		Name: name, Version: firstVersion, License: cmp.Or(o.License, usualLicense), Key: cmp.Or(o.Key, usualKey),
		Description: cmp.Or(o.Description, "A tool server and a skill for Claude Code."),
	}
	author := project.ParsePerson(cmp.Or(o.Author, name+" contributors"))
	v.Author = plugintemplate.Person{Name: author.Name, Email: author.Email, URL: author.URL}
	for _, check := range []*diag.Diagnostic{
		nameProblem(name, o.Name == ""), keyProblem(v.Key), roomProblem(v),
		textProblem("description", v.Description), textProblem("author", o.Author), authorProblem(author), licenseProblem(v.License),
	} {
		if check != nil {
			return v, diag.Misuse(*check)
		}
	}
	return v, nil
}

func nameProblem(name string, fromFolder bool) *diag.Diagnostic {
	fault := project.CheckPluginName(name)
	why := map[project.NameFault]string{
		project.NameMissing: "is empty", project.NameSpaces: "has spaces", project.NamePath: "looks like a path",
		project.NameNotASCII: "has characters outside ASCII", project.NameReserved: "begins with a word that is reserved for the client's vendor",
		project.NameStyle: "is not in lower-case letters, digits and hyphens",
	}[fault]
	if slices.Contains([]string{"org", "org-provisioned", "unknown"}, name) {
		why = "would be that of its catalog too, and the client keeps it for itself"
	}
	if isDevice(name) {
		why = "is that of a device on Windows, where no folder can have it"
	}
	if why == "" {
		return nil
	}
	d := &diag.Diagnostic{Code: "plugin-name", Message: fmt.Sprintf("the plugin's name %q %s", short(name), why), Hint: "use lower-case letters, digits and hyphens"}
	near := kebab(name)
	if near != name && len(near) <= surface.NameLimit && fault != project.NameNotASCII && project.CheckPluginName(near) == project.NameFine {
		d.Hint += ", for example --name " + near
	} else if fromFolder {
		d.Hint += "; --name gives a name other than the folder's"
	}
	return d
}

// isDevice reports whether Windows takes the name of a file or folder for that of
// a device, whatever the extension.
func isDevice(name string) bool {
	return regexp.MustCompile(`(?i)^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$`).MatchString(name)
}

// kebab returns the ASCII letters and digits of a name as words joined by hyphens.
func kebab(name string) string {
	words := regexp.MustCompile(`([a-z0-9])([A-Z])`).ReplaceAllString(name, "$1-$2")
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(words), "-"), "-")
}

func keyProblem(key string) *diag.Diagnostic {
	if regexp.MustCompile(`^[a-z0-9]+([_-][a-z0-9]+)*$`).MatchString(key) {
		return nil
	}
	return &diag.Diagnostic{Code: "server-key", Message: fmt.Sprintf("the server's key %q is not in lower-case letters and digits", short(key)), Hint: "one letter is best: it stands in the name of every tool"}
}

// roomProblem looks at the limit on the names of tools, which the plugin's
// name and the server's key take their part of.
func roomProblem(v plugintemplate.Values) *diag.Diagnostic {
	prefix := surface.ToolPrefix(v.Name, v.Key)
	room := surface.NameLimit - utf8.RuneCountInString(prefix)
	if room >= leastRoom {
		return nil
	}
	return &diag.Diagnostic{
		Code:    "tool-name-room",
		Message: fmt.Sprintf("tools would be called %s and a name of at most %d characters; %d are needed at least, and %d is the limit for both", short(prefix), max(room, 0), leastRoom, surface.NameLimit),
		Hint:    fmt.Sprintf("shorten the plugin's name or the server's key, together by %d or more", leastRoom-room),
	}
}

func textProblem(what, text string) *diag.Diagnostic {
	d := &diag.Diagnostic{Code: "init-text", Hint: "write one line of plain text"}
	switch {
	case !utf8.ValidString(text):
		d.Message = "the " + what + " is not in UTF-8"
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }):
		d.Message = "the " + what + " has a line end or another character that cannot be seen"
	case utf8.RuneCountInString(text) > longestText:
		d.Message = fmt.Sprintf("the %s has %d characters, %d is the limit", what, utf8.RuneCountInString(text), longestText)
	case text != "" && strings.TrimSpace(text) == "":
		d.Message = "the " + what + " is blank"
	default:
		return nil
	}
	return d
}

func authorProblem(author project.Person) *diag.Diagnostic {
	d := &diag.Diagnostic{Code: "init-text", Hint: `write it as "Name <mail> (address)"; mail and address may be left out`}
	address, err := url.Parse(author.URL)
	switch {
	case author.Name == "":
		d.Message = "the author has no name"
	case strings.ContainsAny(author.Name+author.Email, "<>()"), author.Email != "" && !strings.Contains(author.Email, "@"):
		d.Message = "the author cannot be taken apart into name, mail and address"
	case author.URL != "" && (err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http"):
		d.Message = fmt.Sprintf("the author's address %q is not one of the web", short(author.URL))
		d.Hint += "; an address begins with https://"
	default:
		return nil
	}
	return d
}

func licenseProblem(license string) *diag.Diagnostic {
	known := plugintemplate.Licenses()
	if slices.Contains(known, license) {
		return nil
	}
	return &diag.Diagnostic{Code: "init-license", Message: fmt.Sprintf("there is no text of the licence %q here", short(license)), Hint: "choose one of " + strings.Join(known, ", ") + ", or replace LICENSE and the license in package.json later and run omcbuild sync"}
}
