package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"omcbuild/internal/lazyregexp"
)

// licence matches the names of files that have to go along with what they are about.
var licence = lazyregexp.New(`(?i)^(?:licen[cs]e|copying|notice|patents)(?:[.-].*)?$`)

// notices returns the licences of all that is in a program, whole: those of Go, whose
// standard library is in every one, and those of the modules that it says it was made of.
func (t *tools) notices(ctx context.Context, program string) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	goRoot, err := t.run(ctx, []string{"GOTOOLCHAIN=" + t.toolchain}, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	folders, err := t.moduleFolders(ctx)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("The program omcbuild holds what is named here, under these licences.\n")
	if err := note(&out, "Go and its standard library", info.GoVersion, strings.TrimSpace(goRoot)); err != nil {
		return nil, err
	}
	slices.SortFunc(info.Deps, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	for _, m := range info.Deps {
		if err := note(&out, m.Path, m.Version, folders[m.Path+"@"+m.Version]); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// note writes the licences of one module, which lies in a folder. A module without one is
// an error: nobody may pass it on.
func note(out *bytes.Buffer, name, version, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("the licence of %s %s: %w", name, version, err)
	}
	found := false
	for _, e := range entries {
		if !e.Type().IsRegular() || !licence.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(out, "\n%s\n%s %s: %s\n\n%s\n", strings.Repeat("-", 80), name, version, e.Name(), bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
	}
	if !found {
		return fmt.Errorf("%s %s has no licence in %s", name, version, folder)
	}
	return nil
}

// moduleFolders returns where the sources of the modules lie, by "path@version".
func (t *tools) moduleFolders(ctx context.Context) (map[string]string, error) {
	text, err := t.run(ctx, nil, "list", "-m", "-json=Path,Version,Dir", "all")
	if err != nil {
		return nil, err
	}
	folders := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var m struct{ Path, Version, Dir string }
		switch err := d.Decode(&m); {
		case errors.Is(err, io.EOF):
			return folders, nil
		case err != nil:
			return nil, err
		}
		folders[m.Path+"@"+m.Version] = m.Dir
	}
}
