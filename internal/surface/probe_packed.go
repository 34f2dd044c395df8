package surface

import (
	"encoding/json"
	"io/fs"
	"os"
	"slices"

	"omcbuild/internal/stdio"
)

// StartError says that a program that is not node could not be started.
type StartError struct{ Err error }

func (e *StartError) Error() string { return e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }

// mostTried is how many tools are called until one answers.
const mostTried = 3

// mostShown is how many bytes are kept of an answer that nobody asked for.
const mostShown = 80

// callReadOnly calls a tool that changes nothing and needs no arguments. What is wrong
// with one does not count when another answers: it may need what an empty project has not.
func (t *talk) callReadOnly() {
	before := len(t.found)
	for _, tool := range harmless(t.Surface.Tools) {
		if t.failure != nil {
			return
		}
		t.call(Call{Name: tool})
		if n := len(t.Calls); n > 0 && !t.Calls[n-1].IsError {
			t.found = t.found[:before]
			t.Calls[n-1].Text = stdio.Visible([]byte(t.Calls[n-1].Text), mostShown)
			return
		}
	}
	t.found = t.found[:min(len(t.found), before+1)]
}

// harmless are the first tools that say they change nothing, and require no arguments.
func harmless(tools []Tool) (names []string) {
	for _, tool := range tools {
		var schema struct{ Required []string }
		var hints struct{ ReadOnlyHint, DestructiveHint, OpenWorldHint *bool }
		if json.Unmarshal(tool.InputSchema, &schema) != nil || json.Unmarshal(tool.Annotations, &hints) != nil || len(names) == mostTried {
			continue
		}
		is := func(hint *bool) bool { return hint != nil && *hint }
		if tool.Name != "" && is(hints.ReadOnlyHint) && !is(hints.DestructiveHint) && !is(hints.OpenWorldHint) && len(schema.Required) == 0 {
			names = append(names, tool.Name)
		}
	}
	return names
}

// written lists the files in the plugin's folder that are not as they were copied, as far
// as their names and sizes show.
func (f *folder) written(o *ProbeOptions) (files []string) {
	own := os.DirFS(o.Tree)
	_ = fs.WalkDir(os.DirFS(f.path("plugin")), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || len(files) > mostNames {
			return nil //nolint:nilerr // what cannot be read is not reported
		}
		was, missing := fs.Stat(own, name)
		now, err := e.Info()
		changed := missing != nil || err == nil && was.Size() != now.Size()
		if _, extra := o.Extra[name]; changed && !extra && (name != o.FileName || o.Bundle == nil) {
			files = append(files, name)
		}
		return nil
	})
	slices.Sort(files)
	return files
}
