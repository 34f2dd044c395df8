//go:build unix

package bundler_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"omcbuild/bundler"
)

// Wherever a named pipe lies, which would never end, or a device, a build says so.
func TestPipesAreNotWaitedFor(t *testing.T) {
	for _, place := range []string{
		"src/main.ts", "src/tool.ts", "src/package.json", "package.json", "tsconfig.json", "src/jsconfig.json", "base.json",
		"node_modules/used/package.json", "node_modules/used/main.js", "node_modules/base/tsconfig.json", "src/data.json",
		// These are found after a while.
		"src/lib/package.json", "src/lib/tsconfig.json", "node_modules/other/lib/package.json",
	} {
		for kind, make := range map[string]func(path string) error{
			"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o644) },
			"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		} {
			if kind == "device" && (strings.Contains(place, "/lib/") || place == "src/main.ts") {
				continue // a link out of the project, which is refused as such
			}
			t.Run(kind+" "+place, func(t *testing.T) {
				t.Parallel()
				root := t.TempDir()
				for name, text := range map[string]string{
					"src/main.ts": `import { tool } from "./tool.js"; import { lib } from "./lib/lib.js"; import used from "used"; import other from "other"; import data from "./data.json";` + "\n" +
						"console.log(tool, lib, used, other, data);",
					"src/tool.ts": "export const tool = 1;", "src/lib/lib.ts": "export const lib = 1;", "src/data.json": "{}",
					"package.json": "{}", "tsconfig.json": `{ "extends": ["./base.json", "base/tsconfig.json"] }`, "base.json": "{}",
					"node_modules/base/package.json": "{}", "node_modules/base/tsconfig.json": "{}",
					"node_modules/used/package.json": `{ "main": "main.js" }`, "node_modules/used/main.js": "module.exports = 1;",
					"node_modules/other/package.json": `{ "main": "lib/main.js" }`, "node_modules/other/lib/main.js": "module.exports = 1;",
				} {
					if name != place {
						write(t, filepath.Join(root, filepath.FromSlash(name)), text)
					}
				}
				if err := make(filepath.Join(root, filepath.FromSlash(place))); err != nil {
					t.Fatal(err)
				}
				_, err := bundler.Build(context.Background(), bundler.Options{Root: root, Entry: "src/main.ts", Outfile: "out.cjs"})
				if err == nil || !strings.HasSuffix(err.Error(), ": the file cannot be read: it is no regular file") {
					t.Fatalf("got %v", err)
				}
				if kind == "pipe" && !strings.Contains(err.Error(), place) {
					t.Errorf("says another place: %v", err)
				}
			})
		}
	}
}
