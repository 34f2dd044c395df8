//go:build unix

package bundler_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"omcbuild/bundler"
)

// A program that reads the file "data" beside itself.
func readsData(t *testing.T) (root string, o bundler.Options) {
	t.Helper()
	root = t.TempDir()
	write(t, filepath.Join(root, "src", "main.ts"), `import fs from "node:fs"; console.log(fs.readFileSync(new URL("./data", import.meta.url)).length);`)
	return root, bundler.Options{Root: root, Entry: "src/main.ts", Outfile: "out.cjs"}
}

func TestAssetsKeepTheirExecutableBit(t *testing.T) {
	root, o := readsData(t)
	write(t, filepath.Join(root, "src", "data"), "#!/bin/sh\n")
	result := build(t, o)
	if out := result.Outputs[1]; out.Mode != 0o755 || out.Path != "out.assets/src/data" {
		t.Errorf("got %v", describeOutputs(result.Outputs))
	}
}

// Neither a pipe, which would never end, nor a file of 100 MB is read.
func TestAssetsAreBounded(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"no file that can be copied": func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"64 MB": func(path string) error {
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return err
			}
			return os.Truncate(path, 100<<20)
		},
	} {
		root, o := readsData(t)
		if err := make(filepath.Join(root, "src", "data")); err != nil {
			t.Fatal(err)
		}
		if _, err := bundler.Build(context.Background(), o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// What lies beside the bundle already is not copied elsewhere.
func TestAssetsBesideTheBundleStay(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "src", "main.ts"), `import fs from "node:fs"; console.log(fs.readFileSync(new URL("../bridge/tool.py", import.meta.url), "utf8"));`)
	write(t, filepath.Join(root, "bridge", "tool.py"), "print()")
	result := build(t, bundler.Options{Root: root, Entry: "src/main.ts", Outfile: "bridge/server.cjs"})
	if got := runAlone(t, result.Outputs); got != "print()\n" || result.Outputs[1].Path != "bridge/tool.py" {
		t.Errorf("got %q, %s", got, describeOutputs(result.Outputs))
	}
}

// What esbuild itself waits for does not keep a build that is no longer wanted.
func TestBuildEndsWithItsContext(t *testing.T) {
	root, o := readsData(t)
	write(t, filepath.Join(root, "src", "main.ts"), `import { tool } from "./lib/tool.js"; console.log(tool);`)
	write(t, filepath.Join(root, "src", "lib", "tool.ts"), "export const tool = 1;")
	pipe := filepath.Join(root, "src", "lib", "tsconfig.json")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error, 1)
	go func() {
		_, err := bundler.Build(ctx, o)
		failed <- err
	}()
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // opens when esbuild reads
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	_ = writer.Close()
}
