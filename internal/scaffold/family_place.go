package scaffold

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
	"omcbuild/internal/project"
)

// typesFile is what the template's families are written with, beside them.
const typesFile = "types.ts"

// place finds the folder and the file name that the configuration gives to
// families: the first folder where NAME-tools.ts, or NAME with the ending that the
// pattern asks for, is one. A folder with the template's types comes first.
func (f *family) place() error {
	pattern := f.bundle.Families
	if pattern == "" {
		return f.noPlace("families is not set, so it is not known where families are", "set families, for example src/tools/**/*-tools.ts")
	}
	files, err := f.project.FamilyFiles(f.bundle)
	if err != nil {
		return err
	}
	f.files = files
	base, _ := doublestar.SplitPattern(pattern)
	folders := []string{base}
	for _, file := range files {
		if folder := path.Dir(file); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	if i := slices.IndexFunc(folders, f.hasTypes); i > 0 {
		folders = slices.Insert(folders, 0, folders[i])
	}
	for _, folder := range folders {
		for _, stem := range []string{f.name + "-tools", f.name + ending(pattern)} {
			if matched, _ := doublestar.Match(pattern, path.Join(folder, stem+".ts")); matched {
				f.folder, f.stem = folder, stem
				return nil
			}
		}
	}
	return f.noPlace("families is "+pattern+", which a file called "+f.name+"-tools.ts is not part of", "widen the pattern, or write the family by hand")
}

func (f *family) hasTypes(folder string) bool {
	data, _ := f.project.ReadFile(path.Join(folder, typesFile))
	return data != nil
}

// ending returns what follows the last star of a pattern, without the extension.
func ending(pattern string) string {
	base := path.Base(pattern)
	return strings.TrimSuffix(base[strings.LastIndexByte(base, '*')+1:], ".ts")
}

func (f *family) noPlace(message, hint string) error {
	return diag.Misuse(diag.Diagnostic{Code: "family-place", Position: f.bundle.Where("families"), Message: message, Hint: hint})
}

// shape is what the types beside the families ask of a family file.
type shape struct {
	zod     string // what zod is imported as
	context bool   // handlers are given a second argument, with the signal of the call
}

// readTypes looks whether the project has what a family file is written with:
// defineTool and ok, of a tool with schema, annotations and handler.
func (f *family) readTypes() error {
	file := path.Join(f.folder, typesFile)
	data, problem := f.project.ReadFile(file)
	switch {
	case problem != nil:
		return diag.Fail(*problem)
	case data == nil:
		return noTypes(file, "is not there; new families are written with the defineTool and ok that it exports")
	}
	scan, ok := jsscan.Scan(strings.TrimPrefix(string(data), "\ufeff"))
	if !ok {
		return noTypes(file, "cannot be read as TypeScript")
	}
	exported := exportsOf(scan)
	for _, name := range []string{"defineTool", "ok"} {
		if !exported[name] {
			return noTypes(file, "does not export "+name+", which new families are written with")
		}
	}
	words := map[string]bool{}
	for i := range scan.Tokens {
		if scan.Kind(i) == jsscan.Ident {
			words[scan.Source(i)] = true
		} else if text, ok := scan.Literal(i); ok && (text == "zod" || text == "zod/v4") {
			f.shape.zod = text
		}
	}
	for _, name := range []string{"schema", "annotations", "handler"} {
		if !words[name] {
			return noTypes(file, "has no "+name+", which a tool of a new family has")
		}
	}
	if f.shape.zod == "" {
		return noTypes(file, "does not import zod, with which new families describe their parameters")
	}
	if f.shape.context = secondParameter(scan); f.shape.context && !words["AbortSignal"] {
		return noTypes(file, "gives handlers a second argument that is not the signal of the call")
	}
	return nil
}

func noTypes(file, message string) *diag.Failure {
	return diag.Fail(diag.Diagnostic{Code: "family-types", Position: diag.Position{File: file}, Message: message,
		Hint: "nothing was changed; take " + typesFile + " from a plugin that omcbuild init makes, or write the family by hand"})
}

// exportsOf lists the functions, constants and lists of names that a file exports.
func exportsOf(f *jsscan.File) map[string]bool {
	out := map[string]bool{}
	for i := range f.Tokens {
		switch {
		case f.Tokens[i].Parens != 0 || !f.Is(i, "export"):
		case f.Is(i+1, "function"), f.Is(i+1, "const"):
			out[f.Source(i+2)] = true
		case f.Is(i+1, "async") && f.Is(i+2, "function"):
			out[f.Source(i+3)] = true
		case f.Is(i+1, "{"):
			for j := i + 2; j < len(f.Tokens) && !f.Is(j, "}"); j++ {
				if f.Is(j+1, ",") || f.Is(j+1, "}") {
					out[f.Source(j)] = true
				}
			}
		}
	}
	return out
}

// secondParameter reports whether the handler of a tool is declared with more than
// one parameter.
func secondParameter(f *jsscan.File) bool {
	for i := range f.Tokens {
		open := i + 1
		if f.Is(open, ":") {
			open++
		}
		if !f.Is(i, "handler") || !f.Is(open, "(") {
			continue
		}
		depth := 0 // of angle brackets
		for j := open + 1; j < len(f.Tokens) && f.Tokens[j].Parens > f.Tokens[open].Parens; j++ {
			switch {
			case f.Is(j, "<"):
				depth++
			case f.Is(j, ">"):
				depth--
			case f.Is(j, ",") && depth == 0 && f.Tokens[j].Parens == f.Tokens[open].Parens+1 && !f.Is(j+1, ")"):
				return true
			}
		}
	}
	return false
}

// hasVitest looks for the package.json that governs the family's folder, and
// whether it names vitest.
func (f *family) hasVitest() (manifest string, named bool) {
	for folder := f.folder; ; folder = path.Dir(folder) {
		file := path.Join(folder, project.PackageFile)
		if data, problem := f.project.ReadFile(file); problem == nil && data != nil {
			if manifest == "" {
				manifest = file
			}
			var form struct {
				Dependencies    map[string]any `json:"dependencies"`
				DevDependencies map[string]any `json:"devDependencies"`
			}
			if json.Unmarshal(data, &form) == nil {
				_, used := form.Dependencies["vitest"]
				_, usedToBuild := form.DevDependencies["vitest"]
				if used || usedToBuild {
					return file, true
				}
			}
		}
		if folder == "." {
			return manifest, false
		}
	}
}
