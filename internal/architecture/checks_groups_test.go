package architecture

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/diag"
	"omcbuild/internal/lint"
)

// The rules of a plugin have a page for each group, which is made of what stands
// beside the rules and of what they print for the stories of their tests.
func TestGroupPagesSayWhatTheRulesSay(t *testing.T) {
	printed := findings(t)
	for _, group := range lint.Groups() {
		page := "docs/checks/" + string(group.Group) + ".md"
		wanted := groupPage(group, printed)
		full := filepath.Join(root, filepath.FromSlash(page))
		data, err := os.ReadFile(full)
		if err == nil && string(data) == wanted {
			continue
		}
		if !*update {
			t.Errorf("%s does not say what the rules say; run go test ./internal/architecture -update", page)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(wanted), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func groupPage(group lint.GroupPage, printed map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n    omcbuild verify --plugin\n\n%s\n\n[All checks](../checks.md)\n", group.Title, group.Intro)
	for _, r := range lint.Rules() {
		if r.Page.Group != group.Group {
			continue
		}
		level := r.Level.String()
		if r.Raised {
			level += map[diag.Level]string{diag.Warning: "; an error with `--profile directory`", diag.Note: "; a warning with `--profile directory`"}[r.Level]
		}
		fmt.Fprintf(&b, "\n## `%s`\n\n%s. %s.\n\n%s\n\n%s\n", r.Code, sentence(level), sentence(r.Meaning), r.Page.Why, indented(r.Page.Wrong))
		fmt.Fprintf(&b, "%s", r.Page.Do)
		if r.Page.Client != "" {
			fmt.Fprintf(&b, " The client's own code: %s.", r.Page.Client)
		}
		b.WriteString("\n")
		if text := printed[r.Code]; text != "" {
			fmt.Fprintf(&b, "\n%s", indented(text))
		}
	}
	return b.String()
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

// findings returns, for each code, the first finding in the stories of
// internal/lint as the command prints it.
func findings(t *testing.T) map[string]string {
	t.Helper()
	stories, err := filepath.Glob(filepath.Join(root, "internal/lint/testdata/plugin/*.txtar"))
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	printed := map[string]string{}
	for _, story := range stories {
		archive, err := txtar.ParseFile(story)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name != "findings" {
				continue
			}
			lines := strings.Split(string(file.Data), "\n")
			for i, line := range lines {
				head, message, _ := strings.Cut(line, ": ")
				level, code, found := strings.Cut(head, " ")
				if !found || strings.HasPrefix(line, " ") {
					continue
				}
				text := fmt.Sprintf("%s: %s [%s]\n", level, message, code)
				if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    ") {
					text += "  " + strings.TrimSpace(lines[i+1]) + "\n"
				}
				printed[code] = cmp.Or(printed[code], text)
			}
		}
	}
	return printed
}
