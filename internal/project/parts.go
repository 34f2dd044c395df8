package project

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Counts says how many parts of each kind the plugin has.
type Counts struct {
	Skills   int // folders with a SKILL.md, spelled so
	Commands int // .md files
	Agents   int // .md files
}

// Counts counts the plugin's skills, commands and agents as the client finds
// them. Folders that are missing count nothing.
func (p *Project) Counts() (Counts, error) {
	files, err := openTree(p.Root)
	if err != nil {
		return Counts{}, err
	}
	defer files.close()
	in := p.Config.Plugin
	return Counts{
		Skills:   files.count(path.Join(escapeGlob(in.Skills), "*/SKILL.md")),
		Commands: files.count(path.Join(escapeGlob(in.Commands), "*.md")),
		Agents:   files.count(path.Join(escapeGlob(in.Agents), "*.md")),
	}, nil
}

func (t tree) count(glob string) int {
	found, err := t.glob(glob)
	if err != nil {
		return 0
	}
	return len(found)
}

// FamilyFiles lists the files that define a bundle's tools, in order of path.
// Test files and declarations are left out.
func (p *Project) FamilyFiles(b Bundle) ([]string, error) {
	if b.Families == "" {
		return nil, nil
	}
	files, err := openTree(p.Root)
	if err != nil {
		return nil, err
	}
	defer files.close()
	return files.familyFiles(b.Families)
}

func (t tree) familyFiles(glob string) ([]string, error) {
	found, err := t.glob(glob, doublestar.WithNoFollow())
	found = slices.DeleteFunc(found, func(file string) bool {
		base := path.Base(file)
		return strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || strings.HasSuffix(base, ".d.ts")
	})
	return found, err
}
