package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"omcbuild/bundler"
	"omcbuild/internal/process"
)

const (
	entry   = "src/mcp/standalone-server.ts"
	outfile = "bridge/mcp-server.cjs"
)

// serverOptions are those of the repository's own server.
func serverOptions(root string, header bundler.Header) bundler.Options {
	return bundler.Options{
		Root: root, Entry: entry, Outfile: outfile, Header: header, External: []string{"@ast-grep/napi"},
		Define: map[string]string{"__PLUGIN_VERSION__": `"0.0.0"`}, ToolVersion: "bench",
	}
}

// bundleOnce is what a one-shot build does, without the rest of omcbuild.
func bundleOnce(root, out string) error {
	debug.SetGCPercent(-1)
	result, err := bundler.Build(context.Background(), serverOptions(root, bundler.HeaderNodePath))
	if err != nil {
		return err
	}
	return os.WriteFile(out, result.Outputs[0].Contents, 0o600)
}

// bundling compares our bundler, as a program of its own, with esbuild's
// native command on the same entry. Both are built from the same module.
func (l *lab) bundling(ctx context.Context) ([]measure, error) {
	ours, native, err := l.compile(ctx)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(l.work, "native.cjs")
	results, err := l.rounds(ctx,
		subject{"bundler", func(ctx context.Context) (time.Duration, error) {
			return l.command(ctx, ours, "-bundle", l.root, "-out", filepath.Join(l.work, "ours-once.cjs"))
		}},
		subject{"esbuild command", func(ctx context.Context) (time.Duration, error) {
			return l.command(ctx, native, entry, "--bundle", "--platform=node", "--format=cjs", "--target=node20", "--main-fields=module,main",
				"--external:@ast-grep/napi", "--log-level=error", `--define:__PLUGIN_VERSION__="0.0.0"`, "--outfile="+out)
		}})
	if err != nil {
		return nil, err
	}
	return []measure{{name: "bundling the server", limit: 1.1, timed: results[0], base: results[1]}}, nil
}

// compile builds this program and esbuild's command.
func (l *lab) compile(ctx context.Context) (ours, native string, err error) {
	compiler, err := process.LookPath("go", l.path)
	if err != nil {
		return "", "", err
	}
	ours, native = filepath.Join(l.work, "bench"), filepath.Join(l.work, "esbuild")
	if _, err = l.command(ctx, compiler, "build", "-o", ours, "./internal/bench"); err != nil {
		return "", "", err
	}
	_, err = l.command(ctx, compiler, "build", "-o", native, "github.com/evanw/esbuild/cmd/esbuild")
	return ours, native, err
}

// commands times omcbuild where nothing is to be done.
func (l *lab) commands(ctx context.Context) ([]measure, error) {
	omcbuild := filepath.Join(l.root, "bin", "omcbuild")
	results, err := l.rounds(ctx,
		subject{"unchanged", func(ctx context.Context) (time.Duration, error) {
			return l.command(ctx, omcbuild, "build", "--no-verify")
		}},
		subject{"version", func(ctx context.Context) (time.Duration, error) { return l.command(ctx, omcbuild, "--version") }},
		subject{"build", func(ctx context.Context) (time.Duration, error) { return l.command(ctx, omcbuild, "build") }})
	if err != nil {
		return nil, err
	}
	return []measure{
		{name: "omcbuild build --no-verify, nothing changed", limitTime: 60 * time.Millisecond, timed: results[0]},
		{name: "omcbuild --version", limitTime: 20 * time.Millisecond, timed: results[1]},
		{name: "omcbuild build with verification, nothing changed", limitTime: 3 * time.Second, timed: results[2]},
	}, nil
}
