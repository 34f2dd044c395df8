package inspect

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// emptyPlan is a plan for a folder with nothing in it.
func emptyPlan(t *testing.T) *plan {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return newPlan(&repository{root: root, scripts: map[string]*script{}, documents: map[string]*project.Document{}, work: newBudget(t.Context())})
}

// TestCommands splits scripts. The wanted text has one command a line, words
// between bars; what is more than a plain call begins with "shell".
func TestCommands(t *testing.T) {
	cases := []struct{ line, want string }{
		{`esbuild a.ts --bundle`, "esbuild|a.ts|--bundle"},
		{`a && b && c`, "a\nb\nc"},
		{`a; b`, "a\nb"},
		{`A=1 B="x y" tool --z`, "tool|--z"},
		{`tool "a b" 'c d' e\ f "g\"h" 'i"j'`, `tool|a b|c d|e f|g"h|i"j`},
		{`tool --define:V=\"$npm_package_version\"`, `tool|--define:V="1.2.3"`},
		{`tool "${npm_package_version}"`, `tool|1.2.3`},
		{`tool $OUT/x "${A:-b}"`, "tool|$OUT/x|${A:-b}"},
		{`(cd x && y) && z`, "(\ncd|x\ny\n)\nz"},
		{`false && a`, "shell false && a"},
		{`{ a; b; }`, "a\nb"},
		{`a || b`, "shell a || b"},
		{`a | b`, "shell a | b"},
		{`! a`, "shell ! a"},
		{`a $(b)`, "shell a $(b)"},
		{"a `b`", "shell a `b`"},
		{`a <(b)`, "shell a <(b)"},
		{`if a; then b; fi`, "shell if a; then b; fi"},
		{`for x in a b; do c; done`, "shell for x in a b; do c; done"},
		{`A=1`, "shell A=1"},
		{``, ""},
		{`# comment`, ""},
		{`a "`, "unreadable"},
		{`a && `, "unreadable"},
		{`(((((`, "unreadable"},
		{strings.Repeat("a ", maxScript), "unreadable"},
	}
	for _, c := range cases {
		if got := splitted(c.line); got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", clip(c.line), got, c.want)
		}
	}
}

func splitted(line string) string {
	all, ok := commands(line, "1.2.3")
	if !ok {
		return "unreadable"
	}
	out := make([]string, len(all))
	for i, c := range all {
		if out[i] = strings.Join(c.texts(), "|"); c.shell != "" {
			out[i] = "shell " + c.shell
		}
		switch c.inner {
		case 1:
			out[i] = "("
		case -1:
			out[i] = ")"
		}
	}
	return strings.Join(out, "\n")
}

func FuzzCommands(f *testing.F) {
	for _, seed := range []string{
		`npm run a && cross-env X=1 npx -y esbuild a.ts "--define:V=\"$npm_package_version\"" --outfile='b c.js'`,
		`run-s build:* ; concurrently "a b" 'npm:c'`, `bun build ./a.ts --outdir x -- y`, `tsup --entry.x a.ts --env.A=b -d out`,
		`cd a && cd .. && node --import tsx b.ts`, "a $(b `c`) <<EOF\nx\nEOF", `pnpm --filter @a/b -r run c`, `"`, `\`, `npx`, `bun run`, `ncc build`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		all, ok := commands(line, "1.2.3")
		if !ok {
			return
		}
		for _, c := range all {
			if c.inner == 0 && (c.shell == "") != (len(c.words) > 0) {
				t.Errorf("a command is both or neither: %+v", c)
			}
		}
		p := emptyPlan(t)
		w := walk{plan: p, seen: map[string]bool{}}
		w.line(p.root, ".", setting{"build", line, diag.Position{File: "package.json", Line: 1}}, []string{"build"})
		for _, s := range w.out {
			if len(s.words) == 0 {
				t.Fatal("a step of no words")
			}
			p.run(s)
		}
		for _, l := range p.repo.left {
			if l.Why == "" || l.From == "" {
				t.Errorf("left without a place or a reason: %s", fmt.Sprint(l))
			}
		}
	})
}
