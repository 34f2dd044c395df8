package surface

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFill(t *testing.T) {
	known := map[string]string{"CLAUDE_PLUGIN_ROOT": "/p", "EMPTY": "", "user_config.a-b": "option", "INNER": "inner"}
	for text, want := range map[string]string{
		"${CLAUDE_PLUGIN_ROOT}/a ${CLAUDE_PLUGIN_ROOT}/b": "/p/a /p/b",
		"${EMPTY}|${EMPTY:-text}":                         "|",
		"${UNSET}|${UNSET:-}|${UNSET:-a b}":               "${UNSET}||a b",
		"${user_config.a-b}":                              "option",
		"$INNER ${UNSET-x} ~":                             "$INNER ${UNSET-x} ~",
		"${UNSET:-${INNER}}":                              "${INNER}",
	} {
		if got := fill([]string{text}, known); got[0] != want {
			t.Errorf("%s gives %s, want %s", text, got[0], want)
		}
	}
}

func TestFolderOfALaunch(t *testing.T) {
	o := ProbeOptions{
		FileName: "start.mjs", Node: "/opt/node/bin/node", TempDir: t.TempDir(), Env: []string{"A=1"},
		Extra: map[string][]byte{"start.mjs": []byte("start")},
		Launch: &Launch{
			Args: []string{"--no-warnings", "${CLAUDE_PLUGIN_ROOT}/start.mjs", "${user_config.city}"}, Env: []string{"B=${A}", "C=${CLAUDE_PROJECT_DIR}"},
			Values: map[string]string{"user_config.city": "Bern"},
		},
	}
	f, err := newFolder(&o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Remove()
	if got, err := os.ReadFile(f.path("plugin/start.mjs")); err != nil || string(got) != "start" {
		t.Errorf("start.mjs: %q, %v", got, err)
	}
	command := f.command(&o)
	if want := []string{"--no-warnings", f.path("plugin/start.mjs"), "Bern"}; !slices.Equal(command.Args, want) {
		t.Errorf("arguments %q, want %q", command.Args, want)
	}
	if got, want := command.Env[len(command.Env)-3:], []string{"A=1", "B=1", "C=" + f.path("project")}; !slices.Equal(got, want) {
		t.Errorf("environment ends with %q, want %q", got, want)
	}
}

// Notes that are longer than what is read of them say so.
func TestSightsAreNotCutOffInSilence(t *testing.T) {
	o := ProbeOptions{FileName: "a.cjs", TempDir: t.TempDir()}
	f, err := newFolder(&o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Remove()
	if _, err := f.elsewhereFile(&o); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	note := func(what string, at time.Time) string {
		return fmt.Sprintf("{\"kind\":\"variable\",\"what\":%q,\"at\":%d}\n", what, at.UnixMilli())
	}
	several := func(n int, at time.Time) (notes string) {
		for i := range n {
			notes += note(fmt.Sprint(i), at)
		}
		return notes
	}
	for _, test := range []struct {
		notes   string
		seen    int
		tooMuch bool
	}{
		{"", 0, false},
		{note("A", now) + note("B", now.Add(time.Hour)), 1, false},
		{several(mostSights, now) + several(9, now.Add(time.Hour)), mostSights, false},
		{several(mostSights+1, now), mostSights + 1, true},
		{note(strings.Repeat("a", mostNotes), now) + note("B", now), 1, true},
	} {
		if err := os.WriteFile(f.path("elsewhere/elsewhere.jsonl"), []byte(test.notes), 0o600); err != nil {
			t.Fatal(err)
		}
		seen := f.sights(now)
		tooMuch := slices.ContainsFunc(seen, func(s Sight) bool { return s.Kind == SawTooMuch })
		if len(seen) != test.seen || tooMuch != test.tooMuch {
			t.Errorf("%d bytes of notes: %d sights, too much is %v", len(test.notes), len(seen), tooMuch)
		}
	}
}
