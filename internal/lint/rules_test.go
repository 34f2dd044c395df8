package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestRulesAreDescribed(t *testing.T) {
	form := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	for _, rule := range Rules() {
		if !form.MatchString(rule.Code) || seen[rule.Code] {
			t.Errorf("code %q is not of the form, or used twice", rule.Code)
		}
		seen[rule.Code] = true
		if rule.Meaning == "" || strings.ContainsAny(strings.ReplaceAll(rule.Meaning, "#!", ""), "\n!") || strings.HasSuffix(rule.Meaning, ".") || rule.Subject == "" {
			t.Errorf("%s: meaning %q", rule.Code, rule.Meaning)
		}
		page := rule.Page
		if known := slices.ContainsFunc(Groups(), func(g GroupPage) bool { return g.Group == page.Group }); rule.Subject == OfPlugin && (!known || page.Why == "" || page.Wrong == "" || page.Do == "") {
			t.Errorf("%s: the page lacks something: %+v", rule.Code, page)
		}
	}
	if len(seen) < 80 {
		t.Errorf("%d rules", len(seen))
	}
}

// TestEveryRuleIsSeenToWork looks for the code of each rule in what the tests
// expect.
func TestEveryRuleIsSeenToWork(t *testing.T) {
	var expected strings.Builder
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, tests...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if strings.HasSuffix(file, ".txtar") {
			_, text, _ = strings.Cut(text, "-- findings --")
		}
		expected.WriteString(text)
	}
	for _, rule := range Rules() {
		if !strings.Contains(expected.String(), rule.Level.String()+" "+rule.Code) && !strings.Contains(expected.String(), `"`+rule.Code+`"`) {
			t.Errorf("no test expects %s", rule.Code)
		}
	}
}
