package bundler

import (
	"strings"
	"testing"
)

func TestLeanZod(t *testing.T) {
	cases := []struct{ from, to string }{
		{`import { z } from "zod";`, `import * as z from "zod";`},
		{`import {z} from 'zod'`, `import * as z from 'zod'`},
		{`import z from "zod";`, `import * as z from "zod";`},
		{`import zod from "zod/v4";`, `import * as zod from "zod/v4";`},
		{`import { z as zod } from "zod/v3";`, `import * as zod from "zod/v3";`},
		{`import { default as z } from "zod";`, `import * as z from "zod";`},
		{`import { z } from "zod/mini";`, `import * as z from "zod/mini";`},
		{`import { z } from "zod/v4/mini"`, `import * as z from "zod/v4/mini"`},
		{`import { z, ZodError } from "zod";`, `import * as z from "zod"; import { ZodError } from "zod";`},
		{`import { type ZodType, z, ZodError as E } from "zod";`, `import * as z from "zod"; import { type ZodType, ZodError as E } from "zod";`},
		{`import z, { ZodError } from "zod";`, `import * as z from "zod"; import { ZodError } from "zod";`},
		{`import z, * as all from "zod";`, `import * as z from "zod"; import * as all from "zod";`},
		{"import {\n  z,\n  ZodError,\n} from \"zod\";\nnext", "import * as z from \"zod\"; import { ZodError } from \"zod\"\n\n\n;\nnext"},
		{`import a from "a"; import { z } from "zod"; b`, `import a from "a"; import * as z from "zod"; b`},
		{"import { // which\n z /* this */ } from \"zod\"", "import * as z from \"zod\"\n"},
	}
	for _, c := range cases {
		if !importsZod(c.from) {
			t.Errorf("%s is not looked at", c.from)
		}
		if got := leanSource(c.from); got != c.to {
			t.Errorf("%s\ngot  %s\nwant %s", c.from, got, c.to)
		}
	}
}

func TestLeanZodLeavesAlone(t *testing.T) {
	for _, text := range []string{
		`import * as z from "zod";`,
		`import type { z } from "zod";`,
		`import type z from "zod";`,
		`import { type z } from "zod";`,
		`import { ZodError } from "zod";`,
		`import "zod";`,
		`import z from "zod/mini";`,
		`import { z } from "zodiac";`,
		`import { z } from "zod/v4/core";`,
		`import { z } from "zod" with { type: "json" };`,
		`export { z } from "zod";`,
		`export * from "zod";`,
		`// import { z } from "zod";`,
		`/* import { z } from "zod"; */`,
		"`import { z } from \"zod\";`",
		`const s = 'import { z } from "zod";'`,
		`const { z } = await import("zod");`,
		`const { z } = require("zod");`,
		`o.import; ({ z } = "zod")`,
		`import { "z" as z } from "zod";`,
	} {
		if got := leanSource(text); got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestImportsZod(t *testing.T) {
	for _, text := range []string{`import * as z from "zod";`, "import *\n as z\nfrom 'zod/v4'", `import*as z from"zod"`, `x = "zod"`, `zod`, ""} {
		if importsZod(text) {
			t.Errorf("%s is looked at", text)
		}
	}
}

func FuzzLeanZod(f *testing.F) {
	for _, seed := range []string{`import { z } from "zod"`, "import z, {\n a as b } from 'zod'", `import {`, "import { z, } from `zod`", `import { z as } from "zod"`, `import { , z } from "zod"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := leanSource(text)
		if strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q became %q: other lines", text, got)
		}
		if again := leanSource(got); again != got {
			t.Fatalf("%q became %q and then %q", text, got, again)
		}
	})
}
