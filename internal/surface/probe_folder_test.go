package surface

import (
	"os"
	"slices"
	"testing"
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
