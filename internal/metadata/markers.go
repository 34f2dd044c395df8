package metadata

import (
	"bytes"
	"fmt"
	"strconv"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// markers brings the texts that omcbuild.jsonc names into step.
type markers struct {
	desk  *desk
	facts Facts
}

// fill works on the markers of the files that are wanted.
func (m markers) fill(wanted func(file string) bool) {
	for _, marker := range m.desk.project.Config.Markers {
		if wanted(marker.File) {
			m.one(marker)
		}
	}
}

func (m markers) one(marker project.Marker) {
	s := m.desk.sheet(marker.File)
	s.kept = true
	if s.unusual {
		return
	}
	report := func(level diag.Level, message, hint string) {
		m.desk.add("marker", level, marker.At, message, hint)
	}
	if s.now == nil {
		report(diag.Error, fmt.Sprintf("the marker's file %s does not exist", marker.File), "create the file, or remove the marker")
		return
	}
	values, missing := m.values(marker.Pattern)
	text, matches := replace(marker.Pattern, s.now, values)
	if missing != "" && matches > 0 {
		report(diag.Warning, fmt.Sprintf("%s is left as it is: %s", marker.File, missing), "build with verification once, which records what the servers list")
		return
	}
	switch {
	case matches == 0:
		report(diag.Error, fmt.Sprintf("the pattern %q matches nothing in %s", marker.Pattern.Text, marker.File), "correct the pattern or the file, or remove the marker")
	case !stable(marker.Pattern, text, values):
		report(diag.Error, fmt.Sprintf("the pattern %q does not recognise its own result in %s", marker.Pattern.Text, marker.File), "add literal text around the placeholders")
	case !bytes.Equal(text, s.now):
		s.now = text
		s.note("marker " + strconv.Quote(marker.Pattern.Text))
	}
}

func stable(p project.Pattern, text []byte, values []string) bool {
	again, _ := replace(p, text, values)
	return bytes.Equal(again, text)
}

// values returns the text for each placeholder of a pattern, in order, or, with
// no values, what is not known.
func (m markers) values(pattern project.Pattern) (values []string, missing string) {
	p := m.desk.project
	counts, err := p.Counts()
	if err != nil {
		return nil, "the plugin's folders cannot be read"
	}
	for _, part := range pattern.Parts {
		switch part.Field {
		case "":
			continue
		case project.Version:
			values = append(values, p.Package.Version)
		case project.Name:
			values = append(values, p.Config.Plugin.Name)
		case project.Tools:
			count, unknown := m.tools(part.Bundle)
			if unknown != "" {
				return nil, "the number of tools of " + unknown + " is not known"
			}
			values = append(values, strconv.Itoa(count))
		case project.Skills:
			values = append(values, strconv.Itoa(counts.Skills))
		case project.Commands:
			values = append(values, strconv.Itoa(counts.Commands))
		case project.Agents:
			values = append(values, strconv.Itoa(counts.Agents))
		}
	}
	return values, ""
}

// tools returns the number of tools of one server or of all, or the name of
// one whose number is not known.
func (m markers) tools(bundle string) (count int, unknown string) {
	for _, b := range m.desk.project.Bundles {
		if b.Kind != project.MCP || bundle != "" && bundle != b.Name {
			continue
		}
		n, known := m.facts.Tools[b.Name]
		if !known {
			return 0, b.Name
		}
		count += n
	}
	return count, ""
}
