package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
	"omcbuild/internal/project"
)

const (
	npmTimeout = time.Minute
	npmOutput  = 16 << 20 // bytes of the list of files
)

// withoutNpm says why it is not asked what npm would publish.
func withoutNpm(r *run) string {
	doc := r.project.Package.Document
	switch {
	case doc == nil:
		return "no package.json"
	case isPrivate(doc):
		return "package.json is private"
	case doc.Find("files") == nil && doc.Find("publishConfig") == nil:
		return "package.json has neither files nor publishConfig"
	}
	return ""
}

func isPrivate(doc *project.Document) bool {
	var private bool
	return doc.Find("private") != nil && doc.Decode(&private, "private") == nil && private
}

// npmStep compares what npm would publish with the package, as far as the plugin's
// servers are concerned: a catalog may offer the plugin by its npm package too.
func npmStep(ctx context.Context, r *run) error {
	unchecked := diag.Diagnostic{Code: "npm-unchecked", Level: diag.Note, Position: r.project.Package.Document.Position("files"), Hint: "install npm, or run npm pack --dry-run yourself"}
	published, reason := []string(nil), "there is no npm"
	if npm, missing := process.LookPath("npm", r.machine.Path); missing == nil {
		var err error
		if published, reason, err = r.npmFiles(ctx, npm); err != nil {
			return err
		}
	}
	if reason != "" {
		unchecked.Message = "what npm would publish was not compared with the package: " + reason
		r.diagnostics.Add(unchecked)
		return nil
	}
	for _, file := range r.serverFiles() {
		if !slices.Contains(published, file) {
			r.diagnostics.Add(diag.Diagnostic{Code: "npm-without", Level: diag.Warning, Position: diag.Position{File: file},
				Message: "npm would publish the package without it, and a plugin installed from npm does not work", Hint: "add it to files in package.json, and take it out of .npmignore"})
		}
	}
	return nil
}

// serverFiles are the files without which the plugin's servers do not start.
func (r *run) serverFiles() (files []string) {
	for _, file := range []string{project.ManifestFile, project.ServersFile} {
		if _, there := r.packing.payload.File(file); there {
			files = append(files, file)
		}
	}
	for _, it := range r.items {
		for _, output := range it.outputs {
			files = append(files, output.Path)
		}
	}
	for _, n := range r.packing.named {
		if _, there := r.packing.payload.File(n.Path); there && !n.Part {
			files = append(files, n.Path)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// npmFiles asks npm which files it would publish, without running a script of the
// package. reason says why it did not answer.
func (r *run) npmFiles(ctx context.Context, npm string) (files []string, reason string, err error) {
	limited, cancel := context.WithTimeout(ctx, npmTimeout)
	defer cancel()
	result, err := process.Run(limited, process.Command{
		Path: npm, Args: []string{"pack", "--dry-run", "--json", "--ignore-scripts", "--offline", "--loglevel=error"}, Dir: r.project.Root,
		Env: []string{"PATH=" + filepath.Dir(npm) + string(os.PathListSeparator) + r.machine.Path, "HOME=" + r.machine.Home, "NO_UPDATE_NOTIFIER=1"},
	}, npmOutput)
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Sprintf("npm did not answer within %v", npmTimeout), nil
	case err != nil:
		return nil, "npm cannot be started: " + plain(err), nil
	case !result.Status.Success():
		first, _, _ := strings.Cut(strings.TrimSpace(string(result.Stderr)), "\n")
		return nil, "npm pack fails: " + strings.TrimPrefix(first, "npm error "), nil
	}
	var packs []struct{ Files []struct{ Path string } }
	if json.Unmarshal(result.Stdout, &packs) != nil || len(packs) != 1 {
		return nil, "npm pack printed no list of files", nil
	}
	for _, f := range packs[0].Files {
		files = append(files, f.Path)
	}
	return files, "", nil
}
