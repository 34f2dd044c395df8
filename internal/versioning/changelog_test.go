package versioning_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/versioning"
)

var update = flag.Bool("update", false, "write what the tests saw as what they want")

// TestChangelogs puts a section into each testdata/changelog/*.txtar. The head is the
// version and the one before; "crlf" in it gives the changelog such line ends. Each line
// of changes is one in JSON. No section before means that there is no changelog.
func TestChangelogs(t *testing.T) {
	cases, err := filepath.Glob("testdata/changelog/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			before, section := parseCase(t, archive)
			got := versioning.WriteChangelog(before, section)
			if again := versioning.WriteChangelog(got.Text, section); string(again.Text) != string(got.Text) || again.Began {
				t.Errorf("a second time it becomes:\n%s", again.Text)
			}
			last := &archive.Files[len(archive.Files)-1]
			text := string(got.Text)
			if strings.Contains(string(archive.Comment), "crlf") {
				if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
					t.Errorf("line ends are mixed: %q", text)
				}
				text = strings.ReplaceAll(text, "\r\n", "\n")
			}
			if !strings.Contains(text, got.Section) {
				t.Errorf("the section is not in the file:\n%s", got.Section)
			}
			switch {
			case last.Name != "want":
				t.Fatal("the last section must be want")
			case *update:
				last.Data = []byte(text)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			case text != string(last.Data):
				t.Errorf("got:\n%s\nwant:\n%s", text, last.Data)
			}
		})
	}
}

func parseCase(t *testing.T, archive *txtar.Archive) (before []byte, section versioning.Section) {
	t.Helper()
	words := strings.Fields(string(archive.Comment))
	section.Version, section.Before = words[0], words[1]
	section.Date = time.Date(2026, time.November, 3, 23, 30, 0, 0, time.UTC)
	section.Same = "Tools and their parameters are as before."
	for _, f := range archive.Files {
		switch f.Name {
		case "before":
			before = f.Data
			if strings.Contains(string(archive.Comment), "crlf") {
				before = []byte(strings.ReplaceAll(string(before), "\n", "\r\n"))
			}
		case "changes":
			for line := range strings.Lines(string(f.Data)) {
				var c versioning.Change
				if err := json.Unmarshal([]byte(line), &c); err != nil {
					t.Fatal(err)
				}
				section.Changes = append(section.Changes, c)
			}
		}
	}
	return before, section
}

// FuzzWriteChangelog holds that no text of a changelog is lost, and that a second time
// nothing changes.
func FuzzWriteChangelog(f *testing.F) {
	cases, err := filepath.Glob("testdata/changelog/*.txtar")
	if err != nil || len(cases) == 0 {
		f.Fatalf("no cases: %v", err)
	}
	for _, file := range cases {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, section := range archive.Files {
			if section.Name == "before" || section.Name == "want" {
				f.Add(string(section.Data), "greet", "name")
			}
		}
	}
	f.Add("## 1.2.0\n```\n## 1.3.0\n", "a`b", "*")
	f.Add("1.2.0\n=====\n- x\n\n\n[unreleased]: a/compare/1.2.0...HEAD", "", "")
	f.Fuzz(func(t *testing.T, before, tool, property string) {
		section := versioning.Section{Version: "1.3.0", Before: "1.2.0", Date: time.Unix(0, 0).UTC(), Same: "As before."}
		var added, lost versioning.Change
		added.Tool, added.Kind, added.Level, added.Message = tool, "tool-added", "feature", tool+": tool is new: feature"
		lost.Tool, lost.Path, lost.Kind, lost.Level, lost.Message = tool, "inputSchema."+property, "property-removed", "breaking", tool+": "+property+" was removed: breaking"
		section.Changes = []versioning.Change{added, lost}
		got := versioning.WriteChangelog([]byte(before), section)
		if again := versioning.WriteChangelog(got.Text, section); string(again.Text) != string(got.Text) {
			t.Errorf("first:\n%q\nagain:\n%q", got.Text, again.Text)
		}
		kept := "\n" + strings.ReplaceAll(string(got.Text), "\r", "")
		for line := range strings.Lines(strings.ReplaceAll(before, "\r", "")) {
			line = strings.TrimSuffix(line, "\n")
			if strings.TrimSpace(line) == "" || strings.Contains(strings.ToLower(line), "unreleased") {
				continue
			}
			at := strings.Index(kept, "\n"+line)
			if at < 0 {
				t.Fatalf("the line %q is lost:\n%s", line, got.Text)
			}
			kept = kept[at+len(line):]
		}
	})
}
