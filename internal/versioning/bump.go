package versioning

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"omcbuild/internal/diag"
)

// Part is what of a version is raised.
type Part string

// The parts of a version, and what a difference asks for. None is no part: nothing
// changed, or nothing was asked for.
const (
	None       Part = "none"
	Prerelease Part = "prerelease" // in answers only
	Patch      Part = "patch"
	Minor      Part = "minor"
	Major      Part = "major"
	Auto       Part = "auto" // in wishes only
)

// longest is how many characters of a version surely fit into the name of a folder.
const longest = 128

// Wish is what was asked for: a part to raise, or a version. The zero value is
// neither.
type Wish struct {
	Part    Part
	Version *semver.Version // nil when Part says it
}

// IsZero reports whether nothing was asked for.
func (w Wish) IsZero() bool { return w.Part == "" && w.Version == nil }

// ParseWish reads a word of the command line. The error is a *diag.Failure of class
// Usage that says which word was meant, where that can be told.
func ParseWish(word string) (Wish, error) {
	if slices.Contains([]Part{Patch, Minor, Major, Auto}, Part(word)) {
		return Wish{Part: Part(word)}, nil
	}
	version, err := semver.StrictNewVersion(word)
	switch {
	case err == nil && version.Metadata() != "":
		plain, _ := version.SetMetadata("")
		return Wish{}, misuse(fmt.Sprintf("%s has build metadata, which clients cannot tell from a pre-release", word), "leave out the part that begins with +: omcbuild version "+plain.String())
	case err == nil && len(word) > longest:
		return Wish{}, misuse(fmt.Sprintf("the version has %d characters, and %d surely fit into the name of a folder", len(word), longest), "name a shorter one")
	case err == nil:
		return Wish{Version: version}, nil
	}
	return Wish{}, notUnderstood(word)
}

// notUnderstood says what is wrong with a word that is neither a part nor a version.
func notUnderstood(word string) error {
	if rest := strings.TrimLeft(word, "vV="); rest != word {
		if version, err := semver.StrictNewVersion(rest); err == nil {
			plain, _ := version.SetMetadata("")
			return misuse(fmt.Sprintf("%s is not a semantic version, because of what stands in front of the number; a tag gets its v by itself", word), "omcbuild version "+plain.String())
		}
	}
	message := fmt.Sprintf("%q is neither a part of a version nor a version", word)
	if strings.HasPrefix(word, "pre") {
		return misuse(message, "name the pre-release itself, for example omcbuild version 1.3.0-beta.1")
	}
	if version, err := semver.NewVersion(word); err == nil && len(word) <= longest {
		plain, _ := version.SetMetadata("")
		return misuse(fmt.Sprintf("%s is not a semantic version", word), "write three numbers: omcbuild version "+plain.String())
	}
	return misuse(message, "use patch, minor, major or auto, or a version such as 1.3.0")
}

func misuse(message, hint string) error {
	return diag.Misuse(diag.Diagnostic{Code: "usage", Message: message, Hint: hint})
}

// Next raises one part of a version. A pre-release is ended when that is enough: the
// patch version of 1.3.0-beta.1 is 1.3.0, and so is its minor version, while its major
// version is 2.0.0.
func Next(v *semver.Version, part Part) *semver.Version {
	major, minor, patch := v.Major(), v.Minor(), v.Patch()
	ended := v.Prerelease() != ""
	switch part {
	case Major:
		if !ended || minor != 0 || patch != 0 {
			major++
		}
		minor, patch = 0, 0
	case Minor:
		if !ended || patch != 0 {
			minor++
		}
		patch = 0
	case Patch:
		if !ended {
			patch++
		}
	default:
		return v
	}
	return semver.New(major, minor, patch, "", "")
}

// NextAuto is the version that follows the release last, whose difference with what
// there is now asks for a part, when the files say current. It is nil when current is
// that far above last already: it was raised before, and not released.
func NextAuto(current, last *semver.Version, part Part) *semver.Version {
	wanted := Next(last, part)
	switch {
	case wanted.GreaterThan(current):
		return wanted
	case current.Prerelease() != "":
		return release(current)
	}
	return nil
}

// Enough reports whether a version is as far above the release last as a difference
// that asks for the part demands. A pre-release is as far as the version it leads to.
func Enough(v, last *semver.Version, part Part) bool {
	return !release(v).LessThan(Next(last, part))
}

// release is a version without what makes it a pre-release.
func release(v *semver.Version) *semver.Version {
	return semver.New(v.Major(), v.Minor(), v.Patch(), "", "")
}

// Raised is the first part in which two versions differ.
func Raised(from, to *semver.Version) Part {
	switch {
	case from.Major() != to.Major():
		return Major
	case from.Minor() != to.Minor():
		return Minor
	case from.Patch() != to.Patch():
		return Patch
	case from.Prerelease() != to.Prerelease():
		return Prerelease
	}
	return None
}
