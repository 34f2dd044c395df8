package lint

import (
	"maps"
	"testing"
)

func TestExecutablesAreThoseOfTheIndex(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"bin/run", "bin/tab\tname", "plain.txt"} {
		write(t, root, name, "")
	}
	repository(t, root, []string{"."})
	gitDo(t, root, "update-index", "--chmod=+x", "bin/run", "bin/tab\tname")
	found, err := Executables(t.Context(), gitProgram(t), root)
	if err != nil || !maps.Equal(found, map[string]bool{"bin/run": true, "bin/tab\tname": true}) {
		t.Errorf("%v, %v", found, err)
	}
}
