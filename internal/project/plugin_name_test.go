package project_test

import (
	"testing"

	"omcbuild/internal/project"
)

func TestCheckPluginName(t *testing.T) {
	for name, want := range map[string]project.NameFault{
		"acorn": project.NameFine, "my-plugin": project.NameFine, "a1-2b": project.NameFine, "claudette": project.NameFine, "my-claude": project.NameFine,
		"":         project.NameMissing,
		"my plug":  project.NameSpaces,
		"a\tb":     project.NameSpaces,
		"a\u00a0b": project.NameSpaces,
		"a/b":      project.NamePath, "@s/x": project.NamePath, `a\b`: project.NamePath, "a..b": project.NamePath,
		"é": project.NameNotASCII, "claude-é": project.NameNotASCII,
		"claude": project.NameReserved, "anthropics-x": project.NameReserved, "cc-plugin-x": project.NameReserved, "cc-plugin": project.NameFine, "my-claude-official": project.NameReserved, "official-clock": project.NameFine, "claude-x": project.NameReserved, "Anthropic-X": project.NameReserved,
		"MyPlugin": project.NameStyle, "my_plugin": project.NameStyle, "-a": project.NameStyle, "a-": project.NameStyle, "a--b": project.NameStyle, "a.b": project.NameStyle, "a\x00b": project.NameStyle,
	} {
		if got := project.CheckPluginName(name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}
