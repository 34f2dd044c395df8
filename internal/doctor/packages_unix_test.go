//go:build unix

package doctor_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"omcbuild/internal/doctor"
)

// A pipe in the place of a package.json is not waited for.
func TestAPipeIsNoPackage(t *testing.T) {
	p := machine(t, nil)
	modules := filepath.Join(t.TempDir(), "node_modules")
	script(t, modules, "typescript-language-server/lib/cli.mjs", p.Path, "typescript-language-server")
	install(t, modules, "typescript", "7.0.2")
	manifest := filepath.Join(modules, "typescript", "package.json")
	if err := syscall.Unlink(manifest); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := find(t, doctor.Examine(t.Context(), p), "TypeScript language server"); got.Status != doctor.OK {
		t.Errorf("got %+v", got)
	}
}
