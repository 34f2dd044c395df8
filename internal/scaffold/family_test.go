package scaffold_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/scaffold"
)

const types = `import type * as z from "zod";
export interface ToolDefinition<S extends z.ZodObject> {
  name: string; schema: S; annotations: object;
  handler(args: z.output<S>): Promise<object>;
}
export const defineTool = <S extends z.ZodObject>(tool: ToolDefinition<S>) => tool;
const done = (text: string) => ({ content: [{ type: "text", text }] });
export { done as ok };
`

// garden is a project with one family, whose files cases change.
func garden(t *testing.T, families string, changes map[string]string) *project.Project {
	t.Helper()
	files := map[string]string{
		"package.json":             `{ "name": "garden", "version": "1.0.0", "description": "Herbs." }`,
		"src/package.json":         `{ "devDependencies": { "vitest": "4.1.12" } }`,
		"omcbuild.jsonc":           `{ "bundles": [{ "name": "t", "entry": "src/index.ts", "outfile": "bridge/t.cjs", "registry": "src/registry.ts", "families": "` + families + `" }] }`,
		"src/index.ts":             "",
		"src/registry.ts":          "import { sageTools } from './tools/sage-tools'\n\nexport const allTools = [\n\t...sageTools,\n]\n",
		"src/tools/sage-tools.ts":  "export const sageTools = [];",
		"src/tools/deep/a.tool.ts": "export const a = [];",
		"src/tools/types.ts":       types,
	}
	for file, text := range changes {
		files[file] = text
	}
	root := t.TempDir()
	for file, text := range files {
		path := filepath.Join(root, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFamilyIsWrittenAsTheRegistryIs(t *testing.T) {
	p := garden(t, "src/tools/**/*-tools.ts", nil)
	plan, err := scaffold.PlanFamily(p, scaffold.FamilyOptions{Name: "bay-leaf"})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Tool != "bay_leaf_greet" || plan.FullName != "mcp__plugin_garden_t__bay_leaf_greet" || plan.Room != 64-len(plan.FullName) {
		t.Errorf("got %+v", plan)
	}
	want := map[string][]string{
		"src/tools/bay-leaf-tools.ts":      {"import { defineTool, ok } from './types'\n", "\n\tname: z.string()", "\nexport const bayLeafTools = [greet]\n", "\n\t\treturn ok("},
		"src/tools/bay-leaf-tools.test.ts": {"import { greet } from './bay-leaf-tools'\n", "handler(args))"},
		"src/registry.ts":                  {"import { bayLeafTools } from './tools/bay-leaf-tools'\nimport { sageTools }", "\t...sageTools,\n\t...bayLeafTools,\n]"},
	}
	for _, change := range plan.Changes {
		text := string(change.After)
		for _, part := range want[change.Path] {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q:\n%s", change.Path, part, text)
			}
		}
		if strings.Contains(text, `"`) || strings.Contains(text, ";\n") || strings.Contains(text, "\n  ") {
			t.Errorf("%s has another style:\n%s", change.Path, text)
		}
		delete(want, change.Path)
	}
	if len(want) > 0 || len(plan.Warnings) > 0 {
		t.Errorf("not planned: %v; warnings: %v", want, plan.Warnings)
	}
}

func TestFamilyGoesWhereFamiliesAre(t *testing.T) {
	for families, want := range map[string]string{
		"src/tools/*-tools.ts":               "src/tools/mint-tools.ts",
		"src/**/*-tools.ts":                  "src/tools/mint-tools.ts", // the folder with the types
		"src/*/*.ts":                         "src/tools/mint-tools.ts",
		"src/tools/**/*.ts":                  "src/tools/mint-tools.ts",
		"src/tools/{sage,mint}-*.ts":         "src/tools/mint-tools.ts",
		"src/tools/**/*.tool.ts":             "src/tools/mint.tool.ts",
		"src/tools/sage-tools.ts":            "",
		"src/tools/*/*.tool.ts":              "family-types", // only below deep, which has no types
		"{src/tools/sage*,src/tools/mint*}*": "src/tools/mint-tools.ts",
	} {
		plan, err := scaffold.PlanFamily(garden(t, families, nil), scaffold.FamilyOptions{Name: "mint"})
		switch {
		case want == "" && code(err) != "family-place", want == "family-types" && code(err) != want:
			t.Errorf("%s: got %v", families, err)
		case strings.HasSuffix(want, ".ts") && (err != nil || plan.Changes[0].Path != want):
			t.Errorf("%s: got %v, %v", families, plan, err)
		}
	}
}

func code(err error) string {
	var failure *diag.Failure
	if errors.As(err, &failure) && len(failure.Diagnostics) > 0 {
		return failure.Diagnostics[0].Code
	}
	return ""
}

func TestFamilyNeedsTheTypesOfTheTemplate(t *testing.T) {
	for says, text := range map[string]string{
		"":                               types,
		"does not export defineTool":     strings.Replace(types, "defineTool =", "makeTool =", 1),
		"does not export ok":             strings.Replace(types, "done as ok", "done", 1),
		"has no schema":                  strings.ReplaceAll(types, "schema:", "inputs:"),
		"has no handler":                 strings.ReplaceAll(types, "handler(", "run("),
		"does not import zod":            strings.ReplaceAll(types, `"zod"`, `"other"`),
		"second argument that is not":    strings.ReplaceAll(types, "args: z.output<S>", "args: z.output<S>, extra: unknown"),
		"cannot be read as TypeScript":   types + "}",
		"is not there":                   "",
		"handler may have a comma in <>": strings.ReplaceAll(types, "args: z.output<S>", "args: Record<string, S>"),
	} {
		p := garden(t, "src/tools/*-tools.ts", map[string]string{"src/tools/types.ts": text})
		if text == "" {
			if err := os.Remove(filepath.Join(p.Root, "src/tools/types.ts")); err != nil {
				t.Fatal(err)
			}
		}
		_, err := scaffold.PlanFamily(p, scaffold.FamilyOptions{Name: "mint"})
		switch {
		case says == "" || strings.Contains(says, "<>"):
			if err != nil {
				t.Errorf("%s: %v", says, err)
			}
		case code(err) != "family-types" || !strings.Contains(err.Error(), says):
			t.Errorf("%s: got %v", says, err)
		}
	}
}

func TestFamilyStaysInside(t *testing.T) {
	p := garden(t, "src/tools/*-tools.ts", nil)
	outside := t.TempDir()
	if err := os.Symlink(filepath.Join(outside, "x.ts"), filepath.Join(p.Root, "src/tools/mint-tools.test.ts")); err != nil {
		t.Fatal(err)
	}
	if _, err := scaffold.PlanFamily(p, scaffold.FamilyOptions{Name: "mint"}); code(err) != "outside-root" && code(err) != "family-exists" {
		t.Errorf("a link in the place of the test: got %v", err)
	}
	// The folder is replaced by a link after the project was read.
	if err := os.Rename(filepath.Join(p.Root, "src/tools"), filepath.Join(outside, "tools")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "tools"), filepath.Join(p.Root, "src/tools")); err != nil {
		t.Fatal(err)
	}
	if plan, err := scaffold.PlanFamily(p, scaffold.FamilyOptions{Name: "basil"}); err == nil {
		t.Errorf("a folder that leads out: got %v", plan.Changes)
	}
}
