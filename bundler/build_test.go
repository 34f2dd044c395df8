package bundler_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"omcbuild/bundler"
)

func TestFirst(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "main.ts"), []byte("export const x: number = 1; console.log(import.meta.url, import.meta.dirname, import.meta.resolve('fs'), x, typeof import.meta)\n"), 0o644)
	r, err := bundler.Build(context.Background(), bundler.Options{Root: dir, Entry: "main.ts", Outfile: "out/a.cjs"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", r.Outputs[0].Contents)
	out := filepath.Join(t.TempDir(), "a.cjs")
	os.WriteFile(out, r.Outputs[0].Contents, 0o755)
	o, err := exec.Command(out).CombinedOutput()
	t.Logf("%s %v", o, err)
}
