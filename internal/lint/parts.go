package lint

import (
	"io"
	"path"
	"slices"
	"strings"

	"omcbuild/internal/project"
)

// Kinds of parts that are Markdown files.
const (
	aSkill   = "skill"
	aCommand = "command"
	anAgent  = "agent"
	aStyle   = "output style"
)

// maxPart is the size in bytes above which a Markdown file is not read.
const maxPart = 1 << 20

// maxParts is how many Markdown files of a plugin are read.
const maxParts = 1000

// part is a Markdown file that the client loads.
type part struct {
	kind string
	file string
	name string // by which the client calls it when the frontmatter gives none
	head frontmatter
}

// called returns the name that the client uses.
func (c part) called() string {
	if name := c.head.text("name"); name != "" {
		return name
	}
	return c.name
}

// readParts collects the Markdown files that are parts of the plugin: those of
// the usual folders, and those that the manifest names.
func (p *plugin) readParts() {
	seen := map[string]bool{}
	add := func(kind, file, name string) {
		if seen[file] || len(p.parts) >= maxParts {
			return
		}
		seen[file] = true
		if text, ok := p.text(file); ok {
			p.parts = append(p.parts, part{kind, file, name, readFrontmatter(text)})
		}
	}
	p.addSkills("skills", add)
	for _, folder := range p.named("skills") {
		if p.exists(path.Join(folder, "SKILL.md")) {
			add(aSkill, path.Join(folder, "SKILL.md"), path.Base(folder))
		} else {
			p.addSkills(folder, add)
		}
	}
	for _, source := range []struct{ kind, field, folder string }{{aCommand, "commands", "commands"}, {anAgent, "agents", "agents"}, {aStyle, "outputStyles", "output-styles"}} {
		named := p.named(source.field)
		if p.manifest.Find(source.field) == nil {
			named = []string{source.folder}
		}
		for _, entry := range named {
			if path.Ext(entry) == ".md" {
				add(source.kind, entry, strings.TrimSuffix(path.Base(entry), ".md"))
				continue
			}
			p.addMarkdown(entry, 0, func(file, name string) { add(source.kind, file, name) })
		}
	}
}

// named returns the paths of a field of the manifest, cleaned.
func (p *plugin) named(field string) (found []string) {
	value := p.stated()[field]
	for _, each := range append(stringsOf(value), textOf(value)) {
		clean := path.Clean(each)
		if each != "" && clean != ".." && !strings.HasPrefix(clean, "../") && !path.IsAbs(clean) {
			found = append(found, clean)
		}
	}
	return found
}

func (p *plugin) addSkills(folder string, add func(kind, file, name string)) {
	names, err := readDir(p, folder)
	if err != nil {
		return
	}
	for _, name := range names {
		file := path.Join(folder, name, "SKILL.md")
		if files, err := readDir(p, path.Join(folder, name)); err == nil && slices.Contains(files, "SKILL.md") {
			add(aSkill, file, name)
		}
	}
}

// addMarkdown adds the Markdown files of a folder and the folders in it.
func (p *plugin) addMarkdown(folder string, depth int, add func(file, name string)) {
	names, err := readDir(p, folder)
	if err != nil || depth > 5 {
		return
	}
	for _, name := range names {
		file := path.Join(folder, name)
		if info, _ := p.stat(file); info != nil && info.IsDir() {
			p.addMarkdown(file, depth+1, add)
		} else if path.Ext(name) == ".md" && !strings.EqualFold(name, "README.md") {
			add(file, strings.TrimSuffix(name, ".md"))
		}
	}
}

// text returns the beginning of a regular file of the plugin.
func (p *plugin) text(file string) ([]byte, bool) {
	handle, err := project.OpenRegular(p.root, file)
	if err != nil {
		return nil, false
	}
	defer handle.Close()
	data, err := io.ReadAll(io.LimitReader(handle, maxPart))
	return data, err == nil
}
