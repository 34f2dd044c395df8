package scaffold

import (
	"fmt"
	"regexp"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/project"
	"omcbuild/internal/registry"
	"omcbuild/internal/surface"
)

// familyVerb ends the name of a new family's first tool.
const familyVerb = "greet"

var familyPattern = lazyregexp.New(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// toolOf returns the name of a family's first tool: project-memory gives
// project_memory_greet.
func toolOf(family string) string {
	return strings.ReplaceAll(family, "-", "_") + "_" + familyVerb
}

// exportOf returns the name of a family's array: project-memory gives
// projectMemoryTools.
func exportOf(family string) string {
	var out strings.Builder
	for i, word := range strings.Split(family, "-") {
		if i > 0 && word != "" {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		out.WriteString(word)
	}
	return out.String() + "Tools"
}

// checkFamilyName refuses a name that cannot be in a file name, an identifier and
// the name of a tool. The plan has what the model would see.
func checkFamilyName(name string, plan *FamilyPlan) error {
	d := diag.Diagnostic{Code: "family-name", Message: fmt.Sprintf("the family's name %q ", short(name)), Hint: "use lower-case letters, digits and hyphens, and begin with a letter"}
	near := strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(name), "-"), "-")
	switch bare := strings.TrimSuffix(name, "-tools"); {
	case name == "":
		d.Message += "is empty"
	case !familyPattern.MatchString(name):
		d.Message += "is not in lower-case words joined by hyphens"
		if familyPattern.MatchString(near) && len(near) <= surface.NameLimit {
			d.Hint += ", for example " + near
		}
	case bare != name:
		d.Message += "ends in -tools, which is added to every family"
		d.Hint = "call it " + bare
	case exportOf(name) == registry.Name:
		d.Message += "is reserved: its array would be called " + registry.Name + ", as all tools together are"
		d.Hint = "choose another name"
	case plan.Room < 0:
		d.Message = fmt.Sprintf("the tool would be called %s, which has %d characters, %d is the limit", plan.FullName, len(plan.FullName), surface.NameLimit)
		d.Hint = "shorten the server's key or the plugin's name"
		if most := len(name) + plan.Room; most > 0 {
			d.Hint = fmt.Sprintf("choose a name of at most %d characters, or shorten the server's key or the plugin's name", most)
		}
	default:
		return nil
	}
	return diag.Misuse(d)
}

// short cuts a text that may be of any length.
func short(text string) string {
	if runes := []rune(text); len(runes) > surface.NameLimit {
		return string(runes[:surface.NameLimit]) + "…"
	}
	return text
}

// choose finds the server that gets the family: the one that is named, or the
// only one with a registry.
func (f *family) choose(name string) error {
	var able []project.Bundle
	var names []string
	for _, b := range f.project.Bundles {
		if b.Registry != "" {
			able, names = append(able, b), append(names, b.Name)
		}
		if b.Name == name && b.Registry == "" {
			return noBundle(b, "the bundle "+b.Name+" has no registry", "name the file that exports "+registry.Name+" as registry in "+project.ConfigFile)
		}
	}
	for _, b := range able {
		if b.Name == name || name == "" && len(able) == 1 {
			f.bundle = b
			return nil
		}
	}
	switch {
	case len(able) == 0:
		return noBundle(project.Bundle{}, "no bundle has a registry to add a family to", "name the file that exports "+registry.Name+" as registry in "+project.ConfigFile)
	case name == "":
		return noBundle(project.Bundle{}, "several bundles have a registry: "+strings.Join(names, ", "), "say which with --bundle NAME")
	}
	return noBundle(project.Bundle{}, fmt.Sprintf("there is no bundle %q", short(name)), "the bundles with a registry are "+strings.Join(names, ", "))
}

func noBundle(b project.Bundle, message, hint string) *diag.Failure {
	return diag.Misuse(diag.Diagnostic{Code: "family-bundle", Position: b.Where("registry"), Message: message, Hint: hint})
}
