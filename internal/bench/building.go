package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// edited is the source that changes between builds: a family of tools, which is
// what people edit.
const edited = "src/tools/notepad-tools.ts"

// changing is a copy of the repository whose source is another at every build.
type changing struct {
	folder string
	source *source
	tokens tokens
}

func (l *lab) changing(name string) (*changing, error) {
	folder, err := l.rivalsCopy(name)
	if err != nil {
		return nil, err
	}
	source, err := openSource(folder, edited)
	return &changing{folder: folder, source: source}, err
}

// after times a program that runs after one more change, and looks whether the
// change has reached its output.
func (c *changing) after(run func(context.Context) (time.Duration, error), out string) func(context.Context) (time.Duration, error) {
	return func(ctx context.Context) (time.Duration, error) {
		token := c.tokens.next()
		if err := c.source.save(token); err != nil {
			return 0, err
		}
		took, err := run(ctx)
		if err != nil {
			return 0, err
		}
		text, err := os.ReadFile(filepath.Join(c.folder, out))
		if err == nil && !strings.Contains(string(text), token) {
			err = fmt.Errorf("%s is not built from the changed source", out)
		}
		return took, err
	}
}

// takeBuilding times omcbuild build after a change, with all that it does, and a
// script that only bundles. The change is within the handler of a tool, or beside the
// tools, where it may concern what they are.
func takeBuilding(ctx context.Context, l *lab, need wanted) (figures, error) {
	c, err := l.changing("changing")
	if err != nil {
		return nil, err
	}
	beside, err := l.changing("changing-beside")
	if err == nil {
		err = c.source.within("handler")
	}
	if err != nil {
		return nil, err
	}
	return inTurn(ctx, l.rounds, need,
		subject{name: "omcbuild build", once: c.after(l.run(c.folder, l.omcbuild, "build"), outfile)},
		subject{name: "omcbuild build, tools", once: beside.after(l.run(beside.folder, l.omcbuild, "build"), outfile)},
		subject{name: "omcbuild build --no-verify", once: c.after(l.run(c.folder, l.omcbuild, "build", "--no-verify"), outfile)},
		subject{name: "esbuild script", absent: l.rivals.missing(), once: c.after(l.script(c.folder), "out/script.cjs")})
}

// script runs the script that bundles with esbuild's JavaScript API.
func (l *lab) script(folder string) func(context.Context) (time.Duration, error) {
	return l.run(folder, l.node, l.rivals.script("bundle.mjs"), entry, "out/script.cjs")
}

// typecheckRounds is few, because the other side takes long.
const typecheckRounds = 2

// takeTypechecking times a build with a type check after a change, and what it
// stands for: TypeScript 5, then the script.
func takeTypechecking(ctx context.Context, l *lab, need wanted) (figures, error) {
	c, err := l.changing("typed")
	if err != nil {
		return nil, err
	}
	check, bundle := l.run(c.folder, l.node, l.rivals.file("typescript/bin/tsc"), "--noEmit", "--project", "src"), l.script(c.folder)
	both := func(ctx context.Context) (time.Duration, error) {
		checked, err := check(ctx)
		if err != nil {
			return 0, err
		}
		bundled, err := bundle(ctx)
		return checked + bundled, err
	}
	return inTurn(ctx, min(l.rounds, typecheckRounds), need,
		subject{name: "omcbuild build --typecheck", once: c.after(l.run(c.folder, l.omcbuild, "build", "--typecheck"), outfile)},
		subject{name: "tsc 5 and esbuild script", absent: l.rivals.missing(), once: c.after(both, "out/script.cjs")})
}
