package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// listed is a package as go list has it for some system.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Standard        bool
}

// What omcbuild consists of holds together on each system that it is released for: a name
// that a package lacks there is found here and not by the first user. This takes seconds,
// where compiling takes minutes, and what differs between the processors of a system is
// little; make dist compiles for all.
func TestTypesHoldOnEverySystem(t *testing.T) {
	for system, processor := range map[string]string{"linux": "arm64", "darwin": "arm64", "windows": "amd64"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			for _, problem := range faultsOn(t, system, processor, "./cmd/omcbuild") {
				t.Error(problem)
			}
		})
	}
}

// faultsOn checks the types of a package and of all that it imports, without the bodies of
// functions of others.
func faultsOn(t *testing.T, system, processor, pattern string) (faults []error) {
	t.Helper()
	checked := map[string]*types.Package{"unsafe": types.Unsafe}
	tokens := token.NewFileSet()
	for _, p := range dependencies(t, system, processor, pattern) {
		if p.ImportPath == "unsafe" {
			continue
		}
		ours := p.ImportPath == module || strings.HasPrefix(p.ImportPath, module+"/")
		c := types.Config{
			IgnoreFuncBodies: !ours,
			FakeImportC:      true,
			Sizes:            types.SizesFor("gc", processor),
			Importer: importer(func(path string) (*types.Package, error) {
				if mapped := p.ImportMap[path]; mapped != "" {
					path = mapped
				}
				if found := checked[path]; found != nil {
					return found, nil
				}
				return nil, errors.New("not listed: " + path)
			}),
			Error: func(err error) {
				if !p.Standard {
					faults = append(faults, err)
				}
			},
		}
		files := make([]*ast.File, len(p.GoFiles))
		for i, name := range p.GoFiles {
			var err error
			if files[i], err = parser.ParseFile(tokens, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution); err != nil {
				t.Fatal(err)
			}
		}
		checked[p.ImportPath], _ = c.Check(p.ImportPath, tokens, files, nil) // reported by Error
	}
	return faults
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }

// dependencies lists a package and all that it imports, each after what it imports itself.
func dependencies(t *testing.T, system, processor, pattern string) (out []listed) {
	t.Helper()
	command := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Standard", pattern)
	command.Dir = root
	command.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	text, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatal(err)
		}
		out = append(out, p)
	}
}
