package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"omcbuild/internal/lazyregexp"
)

// edited is the source that changes between builds: a family of tools, which is
// what people edit.
const edited = "src/tools/notepad-tools.ts"

// spot is where in a source a change is made.
type spot string

const (
	inHandler spot = "handler" // within the function that a tool calls
	atTop     spot = "top"     // beside the tools, where it may concern what they are
)

// changing is a copy of the repository whose source is another at every build.
type changing struct {
	folder string
	source *source
	tokens tokens
}

// changing makes a copy that is changed at a place. What is compared has a copy
// each, so that nobody finds what another has just done.
func (l *lab) changing(name string, at spot) (*changing, error) {
	folder, err := l.rivalsCopy(name)
	if err != nil {
		return nil, err
	}
	source, err := openSource(folder, edited)
	if err == nil && at == inHandler {
		err = source.within(string(inHandler))
	}
	return &changing{folder: folder, source: source}, err
}

// after times a program that runs after one more change, and looks whether the
// change has reached its output.
func (c *changing) after(run measure, out string) measure {
	return func(ctx context.Context) (cost, error) {
		token := c.tokens.next()
		if err := c.source.save(token); err != nil {
			return cost{}, err
		}
		took, err := run(ctx)
		if err != nil {
			return cost{}, err
		}
		text, err := os.ReadFile(filepath.Join(c.folder, filepath.FromSlash(out)))
		if err == nil && !strings.Contains(string(text), token) {
			err = fmt.Errorf("%s is not built from the changed source", out)
		}
		return took, err
	}
}

// frontSetting is the line of the configuration that asks for a front.
var frontSetting = lazyregexp.New(`(?m)^\s*"front":.*\n`)

// withoutFront takes the front out of the configuration of a copy.
func withoutFront(folder string) error {
	path := filepath.Join(folder, "omcbuild.jsonc")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := frontSetting.FindAllString(string(text), -1)
	if len(lines) != 1 {
		return fmt.Errorf("%s does not have one line for a front", path)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(text), lines[0], "", 1)), 0o644)
}

// takeBuilding times omcbuild build after a change, with all that it does, and a
// script that only bundles.
func takeBuilding(ctx context.Context, l *lab, want wanted) (figures, error) {
	var subjects []subject
	for _, s := range []struct {
		name  string
		at    spot
		plain bool // without a front
		args  []string
	}{
		{"front, handler", inHandler, false, []string{"build"}},
		{"front, top", atTop, false, []string{"build"}},
		{"plain, handler", inHandler, true, []string{"build"}},
		{"plain, top", atTop, true, []string{"build"}},
		{"unverified", inHandler, false, []string{"build", "--no-verify"}},
	} {
		if !want.needs(s.name) {
			continue
		}
		c, err := l.changing("changing-"+strings.ReplaceAll(s.name, ", ", "-"), s.at)
		if err == nil && s.plain {
			err = withoutFront(c.folder)
		}
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, subject{name: s.name, once: c.after(l.run(c.folder, l.omcbuild, s.args...), outfile)})
	}
	c, err := l.changing("changing-script", inHandler)
	if err != nil {
		return nil, err
	}
	subjects = append(subjects, subject{name: "esbuild script", absent: l.rivals.missing(), once: c.after(l.script(c.folder), "out/script.cjs")})
	return inTurn(ctx, l.rounds, want, subjects...)
}

// script runs the script that bundles with esbuild's JavaScript API, which has a
// process of esbuild work for it.
func (l *lab) script(folder string) measure {
	return l.run(folder, l.node, l.rivals.script("bundle.mjs"), entry, "out/script.cjs").withoutCPU()
}

// typecheckRounds is few, because the other side takes long.
const typecheckRounds = 3

// takeTypechecking times a build with a type check after a change, and what it
// stands for: TypeScript 5, then the script; also a TypeScript 5 that keeps what it
// knows, as the native compiler does.
func takeTypechecking(ctx context.Context, l *lab, want wanted) (figures, error) {
	c, err := l.changing("typed", atTop)
	if err != nil {
		return nil, err
	}
	other, err := l.changing("typed-by-tsc", atTop)
	if err != nil {
		return nil, err
	}
	check := func(args ...string) measure {
		args = append([]string{l.rivals.file("typescript/bin/tsc"), "--noEmit", "--project", "src"}, args...)
		both := inSequence(l.run(other.folder, l.node, args...), l.script(other.folder))
		return other.after(both, "out/script.cjs")
	}
	kept := filepath.Join(l.work, "kept.tsbuildinfo")
	return inTurn(ctx, min(l.rounds, typecheckRounds), want,
		subject{name: "omcbuild build --typecheck", once: c.after(l.run(c.folder, l.omcbuild, "build", "--typecheck"), outfile)},
		subject{name: "tsc 5 and esbuild script", absent: l.rivals.missing(), once: check()},
		subject{name: "tsc 5 --incremental and esbuild script", absent: l.rivals.missing(), once: check("--incremental", "--tsBuildInfoFile", kept)})
}

// inSequence runs one after the other.
func inSequence(first, second measure) measure {
	return func(ctx context.Context) (cost, error) {
		a, err := first(ctx)
		if err != nil {
			return cost{}, err
		}
		b, err := second(ctx)
		return a.plus(b), err
	}
}
