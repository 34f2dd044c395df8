package schemadiff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/surface"
)

// TestCompareSurfaces runs the stories in testdata: two lock files and the
// changes between them, with their kinds and hints.
func TestCompareSurfaces(t *testing.T) {
	stories, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, story := range stories {
		t.Run(filepath.Base(story), func(t *testing.T) {
			archive, err := txtar.ParseFile(story)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{}
			for _, file := range archive.Files {
				files[file.Name] = file.Data
			}
			changes := Compare(readSurface(t, files["old.json"]), readSurface(t, files["new.json"]))
			var got strings.Builder
			for _, change := range changes {
				fmt.Fprintf(&got, "%s [%s] %s\n", change.Message, change.Kind, change.Path)
				if change.Hint != "" {
					fmt.Fprintf(&got, "  hint: %s\n", change.Hint)
				}
			}
			fmt.Fprintf(&got, "bump: %s\n", Bump(changes, "1.4.0"))
			if want := string(files["changes"]); got.String() != want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want)
			}
		})
	}
}

func readSurface(t *testing.T, data []byte) surface.Surface {
	t.Helper()
	lock, err := surface.ParseLock("lock", data)
	if err != nil {
		t.Fatal(err)
	}
	return lock.Surface()
}

func TestBumpKnowsTheCurrentVersion(t *testing.T) {
	of := func(levels ...Level) (changes []Change) {
		for _, level := range levels {
			changes = append(changes, Change{Kind: "x", Level: level})
		}
		return changes
	}
	for _, test := range []struct {
		changes []Change
		current string
		want    string
	}{
		{nil, "1.0.0", "none"},
		{of(Text), "1.0.0", "patch"},
		{of(Text, Feature, Text), "1.0.0", "minor"},
		{of(Text, Breaking, Feature), "1.0.0", "major"},
		{of(Breaking), "0.3.1", "minor"},
		{of(Feature), "0.3.1", "minor"},
		{of(Text), "0.3.1", "patch"},
		{of(Breaking), "unknown", "major"},
		{[]Change{{Kind: kindServerVersion, Level: Text}}, "1.0.0", "none"},
	} {
		before := fmt.Sprint(test.changes)
		if got := Bump(test.changes, test.current); got != test.want {
			t.Errorf("Bump(%v, %s) = %s, want %s", test.changes, test.current, got, test.want)
		}
		if fmt.Sprint(test.changes) != before {
			t.Error("Bump must leave its argument alone")
		}
	}
}

func TestAnnotations(t *testing.T) {
	at := func(annotations string) surface.Surface {
		member := ""
		if annotations != "" {
			member = `,"annotations":` + annotations
		}
		return surface.Surface{Tools: []surface.Tool{surface.ParseTool(json.RawMessage(`{"name":"t"` + member + `}`))}}
	}
	for _, test := range []struct{ name, old, updated, want string }{
		{"read-only lost", `{"readOnlyHint":true}`, `{"readOnlyHint":false}`, "t: readOnlyHint is now false (was true): breaking"},
		{"read-only dropped", `{"readOnlyHint":true}`, ``, "t: readOnlyHint is now absent (was true): breaking"},
		{"read-only gained", ``, `{"readOnlyHint":true}`, "t: readOnlyHint is now true (was absent): feature"},
		{"read-only denied aloud", ``, `{"readOnlyHint":false}`, "t: readOnlyHint is now false (was absent): text"},
		{"destructive gained", `{"destructiveHint":false}`, `{"destructiveHint":true}`, "t: destructiveHint is now true (was false): breaking"},
		{"destructive by silence", `{"destructiveHint":false}`, `{}`, "t: destructiveHint is now absent (was false): breaking"},
		{"destructive said", `{}`, `{"destructiveHint":true}`, "t: destructiveHint is now true (was absent): breaking"},
		{"destructive lost", `{"destructiveHint":true}`, `{"destructiveHint":false}`, "t: destructiveHint is now false (was true): feature"},
		{"destructive unsaid", `{"destructiveHint":true}`, `{}`, "t: destructiveHint is now absent (was true): text"},
		{"another hint", `{"openWorldHint":true}`, `{"openWorldHint":false}`, "t: openWorldHint is now false (was true): text"},
		{"a title", `{"title":"A"}`, `{"title":"B"}`, `t: title is now "B" (was "A"): text`},
		{"order", `{"readOnlyHint":true,"title":"A"}`, `{"title":"A","readOnlyHint":true}`, "t: annotations are written differently: text"},
		{"not an object", `[]`, `{}`, "t: annotations are written differently: text"},
	} {
		t.Run(test.name, func(t *testing.T) {
			changes := Compare(at(test.old), at(test.updated))
			if len(changes) != 1 || changes[0].Message != test.want {
				t.Errorf("got %+v, want %s", changes, test.want)
			}
		})
	}
}

func TestChangesAsJSON(t *testing.T) {
	changes := Compare(toolSurface("inputSchema", object(`"a":{}`, ``)), toolSurface("inputSchema", object(`"a":{"title":"A"},"b":{}`, `"a"`)))
	text, err := json.Marshal(changes[0])
	want := `{"tool":"t","path":"inputSchema.a","kind":"property-required","level":"breaking","message":"t: a is now required (was optional): breaking"}`
	if err != nil || string(text) != want {
		t.Errorf("%v, got %s", err, text)
	}
	if Worst(nil) != "" || Worst(changes) != Breaking {
		t.Error("Worst")
	}
}

func FuzzCompare(f *testing.F) {
	f.Add([]byte(`{"name":"a","inputSchema":{"$ref":"#"}}`), []byte(`{"name":"a","inputSchema":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}`))
	f.Add([]byte(`{"name":"a","inputSchema":{"items":[{}],"minimum":1e400,"enum":[1,{"a":[null]}]}}`), []byte(`{"name":"a","inputSchema":{"allOf":[{"$ref":"#/allOf/0"}]}}`))
	f.Add([]byte(`{"name":"a","outputSchema":false,"annotations":[]}`), []byte(`{"name":"a","outputSchema":{"oneOf":[{"const":1},{"const":2}]},"annotations":{"readOnlyHint":null}}`))
	f.Add([]byte(`{"name":"a","inputSchema":{"properties":{"x":{"type":"number","exclusiveMinimum":true}},"required":["x"]}}`), []byte(`{"inputSchema":7}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if !json.Valid(a) || !json.Valid(b) {
			return
		}
		old := surface.Surface{Tools: []surface.Tool{surface.ParseTool(a)}}
		updated := surface.Surface{Tools: []surface.Tool{surface.ParseTool(b)}}
		changes := Compare(old, updated)
		same := surface.NewLock(old).Equal(surface.NewLock(updated))
		if same != (len(changes) == 0) {
			t.Fatalf("locks equal: %v, changes: %+v", same, changes)
		}
		if again := Compare(old, updated); !reflect.DeepEqual(changes, again) {
			t.Fatalf("not the same twice: %+v and %+v", changes, again)
		}
		if self := Compare(old, old); len(self) != 0 {
			t.Fatalf("differs from itself: %+v", self)
		}
		if bytes.Equal(a, b) && len(changes) != 0 {
			t.Fatal("equal bytes differ")
		}
	})
}
