package project_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/project"
)

// BenchmarkLoad is part of every command, also of those that change nothing.
func BenchmarkLoad(b *testing.B) {
	archive, err := txtar.ParseFile("testdata/load/full.txtar")
	if err != nil {
		b.Fatal(err)
	}
	root, _ := unpack(b, archive)
	for b.Loop() {
		if _, err := project.Load(root); err != nil {
			b.Fatal(err)
		}
	}
}
