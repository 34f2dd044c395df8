package release_test

import (
	"testing"

	"omcbuild/internal/release"
)

func TestCheckImportsFindsWhatIsNotThere(t *testing.T) {
	var p release.Payload
	for path, text := range map[string]string{
		"hooks/a.mjs": `#!/usr/bin/env node
import fs from "node:fs";
import { join } from 'path';
import chalk from "chalk"; // import "comment"
import "./lib/b.mjs";
import "./lib/none.mjs";
export * from "../data/table";
const late = await import("@scope/name/part");
try { require("optional"); } catch {}
console.log('from "text"', obj.require("x"), await import("./" + name), import("https://example.org/x.js"));
`,
		"hooks/lib/b.mjs":    `import "../a.mjs";`,
		"hooks/c.cjs":        `const x = require("./d"), y = require("left-out"), z = require("./none");`,
		"hooks/d/index.js":   ``,
		"data/table.json":    `{}`,
		"bridge/server.cjs":  `require("native")`,
		"hooks/broken.mjs":   `import "x"; {{{`,
		"hooks/not-a-script": `import "x";`,
	} {
		if err := p.Add(release.File{Path: path, Contents: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, d := range p.CheckImports(func(file string) bool { return file != "bridge/server.cjs" }) {
		got = append(got, d.String())
	}
	equal(t, "findings", got,
		"hooks/a.mjs:4:19: imports chalk, which is not in the package and is not installed with it",
		"hooks/a.mjs:6:8: imports ./lib/none.mjs, which is not in the package",
		"hooks/a.mjs:8:27: imports @scope/name/part, which is not in the package and is not installed with it",
		"hooks/c.cjs:1:39: imports left-out, which is not in the package and is not installed with it",
		"hooks/c.cjs:1:64: imports ./none, which is not in the package")
}
