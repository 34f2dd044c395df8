package project_test

import (
	"strings"
	"testing"

	"omcbuild/internal/project"
)

func TestParsePatternCutsTheText(t *testing.T) {
	pattern, err := project.ParsePattern("v{version} of {name}, {tools:t} tools {}")
	if err != nil {
		t.Fatal(err)
	}
	want := []project.Part{
		{Literal: "v"}, {Field: project.Version}, {Literal: " of "}, {Field: project.Name}, {Literal: ", "},
		{Field: project.Tools, Bundle: "t"}, {Literal: " tools {}"},
	}
	if len(pattern.Parts) != len(want) {
		t.Fatalf("got %+v", pattern.Parts)
	}
	for i := range want {
		if pattern.Parts[i] != want[i] {
			t.Errorf("part %d is %+v, want %+v", i, pattern.Parts[i], want[i])
		}
	}
}

func FuzzParsePattern(f *testing.F) {
	for _, seed := range []string{"v{version}", "{tools:a} x {name}", "{{version}}x", "{x", "a{tools:}b", "{version}{name}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pattern, err := project.ParsePattern(text)
		if err != nil {
			return
		}
		var again strings.Builder
		for _, part := range pattern.Parts {
			switch {
			case part.Field == "":
				again.WriteString(part.Literal)
			case part.Bundle != "":
				again.WriteString("{" + string(part.Field) + ":" + part.Bundle + "}")
			default:
				again.WriteString("{" + string(part.Field) + "}")
			}
		}
		if again.String() != text {
			t.Errorf("%q was cut into %q", text, again.String())
		}
	})
}
