package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"

	"omcbuild/bundler"
)

// serverOptions are those of the repository's own server.
func serverOptions(root string, header bundler.Header) bundler.Options {
	return bundler.Options{
		Root: root, Entry: entry, Outfile: outfile, Header: header,
		Define: map[string]string{"__PLUGIN_VERSION__": version}, ToolVersion: "bench",
	}
}

// bundleOnce is what a one-shot build does, without the rest of omcbuild.
func bundleOnce(root, out string) error {
	debug.SetGCPercent(-1)
	bundler.LargeStacks()
	result, err := bundler.Build(context.Background(), serverOptions(root, bundler.HeaderNodePath))
	if err != nil {
		return err
	}
	return os.WriteFile(out, result.Outputs[0].Contents, 0o600)
}

// takeBundling times one bundling of the server's entry by everybody, and
// omcbuild's command where nothing is to be done. All of it runs in one copy that
// nobody changes.
func takeBundling(ctx context.Context, l *lab, want wanted) (figures, error) {
	copied, err := l.rivalsCopy("quiet")
	if err != nil {
		return nil, err
	}
	subjects := []subject{
		{name: "omcbuild's bundler", once: l.run(copied, l.self, "-bundle", copied, "-out", filepath.Join(l.work, "own.cjs"))},
		{name: "esbuild script", absent: l.rivals.missing(), once: l.script(copied)},
	}
	for _, t := range l.tools() {
		once := l.run(copied, t.path, t.args...)
		if t.helped {
			once = once.withoutCPU()
		}
		subjects = append(subjects, subject{name: t.name, absent: t.absent, once: once})
	}
	subjects = append(subjects,
		subject{name: "unchanged", once: l.run(copied, l.omcbuild, "build", "--no-verify")},
		subject{name: "unchanged, verified", once: l.run(copied, l.omcbuild, "build")},
		subject{name: "version", once: l.run(copied, l.omcbuild, "--version")})
	return inTurn(ctx, l.rounds, want, subjects...)
}
