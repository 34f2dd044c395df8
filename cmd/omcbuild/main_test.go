package main

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// update rewrites golden files instead of comparing with them.
var update = flag.Bool("update", false, "rewrite golden files and generated pages")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"omcbuild": main})
}

// TestScripts runs testdata/script/*.txtar: each is the specification of one
// behaviour of the command, readable as documentation.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup:               setUpScript,
		Cmds:                scriptCommands(),
	})
}
