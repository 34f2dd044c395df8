package main

// groups are all rows and all limits, in the order of the page.
func groups() []group {
	return []group{
		{name: "bundling", take: takeBundling, rows: bundlingRows()},
		{name: "building", take: takeBuilding, rows: []row{
			{what: "no front, a change in a handler", of: "plain, handler", than: "esbuild script", limit: atMost(1.2)},
			{what: "no front, a change beside the tools", of: "plain, top", than: "esbuild script", limit: atMost(1.2)},
			{what: "front, a change in a handler", of: "front, handler", than: "esbuild script", limit: atMost(1.2)},
			{what: "front, a change beside the tools", of: "front, top", than: "esbuild script", limit: atMost(1.2)},
			{what: "front, `--no-verify`, a change in a handler", of: "unverified", than: "esbuild script"},
		}},
		{name: "types", take: takeTypechecking, rows: []row{
			{what: "`omcbuild build --typecheck` after a change", of: "omcbuild build --typecheck", than: "tsc 5 and esbuild script", limit: atMost(0.1)},
			{what: "the same, against a tsc 5 that keeps what it knows", of: "omcbuild build --typecheck", than: "tsc 5 --incremental and esbuild script"},
		}},
		{name: "watch", take: takeWatching, rows: watchRows(), grid: grid{
			subjects: []string{"omcbuild", "esbuild", "bun", "rolldown", "tsdown", "tsup"}, columns: watchColumns(),
		}},
		{name: "verified", take: takeVerifying, rows: []row{
			{what: "plain save to a verified server", of: "plain save", limit: atMost(400)},
			{what: "atomic save to a verified server", of: "atomic save", limit: atMost(400)},
		}},
		{name: "start", take: takeStarting, rows: []row{
			{what: "`t`, to the answers to initialize and tools/list", of: "t", than: "empty Node loop", limit: atMost(1.15)},
			{what: "the same, against the published server", of: "t", than: "reference", limit: atMost(0.3)},
			{what: "the same, against the published server without its header", of: "t", than: "reference without its header"},
			{what: "`t` loaded at once, `OMCBUILD_FRONT=0`", of: "t, loaded at once", than: "empty Node loop"},
		}},
		{name: "call", take: takeCalling, rows: []row{
			{what: "first call, 500 ms after the list", of: "call after 500 ms", than: "loaded at once, call after 500 ms", limit: atMost(1.2)},
			{what: "first call, 100 ms after the list", of: "call after 100 ms", than: "loaded at once, call after 100 ms"},
			{what: "start, list and first call together", of: "list and call", than: "loaded at once, list and call", limit: atMost(1)},
			{what: "the same where no compiled code is kept yet", of: "list and call, no code kept", than: "loaded at once, list and call"},
		}},
		{name: "header", take: takeHeader, rows: []row{
			{what: "initialize without a front, npm absent", of: "npm absent", than: "no header", limit: atMost(1.15)},
			{what: "initialize without a front, npm present", of: "npm present", than: "no header", limit: atMost(1.15)},
			{what: "initialize without a front, npm takes 5 s", of: "npm takes 5 s", than: "no header", limit: atMost(1.15)},
		}},
		{name: "sizes", take: takeSizes, rows: []row{
			{what: "a server of 50 tools, `--minify`", of: "50 tools", than: "50 tools, esbuild", unit: size, limit: atMost(0.6)},
			{what: "`t`", of: "t", than: "t, esbuild", unit: size},
			{what: "`t`, `--minify`", of: "t, minified", than: "t, esbuild minified", unit: size},
			{what: "`tools/list` of `t`, all its tools", of: "list of t", than: "list of the reference", unit: size, limit: atMost(1)},
		}},
		{name: "search", take: takeSearching, rows: []row{
			{what: "session_search in 250 MB, no line matches", of: "no line matches", limit: atMost(1500)},
			{what: "session_search in 250 MB, every line matches", of: "every line matches", limit: atMost(2000)},
		}},
	}
}

func bundlingRows() []row {
	rows := []row{{what: "omcbuild's bundler, one process", of: "omcbuild's bundler", than: "esbuild", limit: atMost(1.05)}}
	for _, name := range []string{"bun", "rolldown", "tsdown", "tsup", "esbuild script"} {
		rows = append(rows, row{what: name, of: name, than: "esbuild"})
	}
	return append(rows,
		row{what: "`omcbuild build --no-verify`, nothing changed", of: "unchanged", than: "esbuild", limit: atMost(0.25)},
		row{what: "`omcbuild build`, nothing changed", of: "unchanged, verified", limit: atMost(3000)},
		row{what: "`omcbuild --version`", of: "version", limit: atMost(15)})
}

func watchRows() []row {
	return []row{
		{what: "plain save to the whole new file", of: "omcbuild plain", than: "esbuild plain", limit: atMost(0.5)},
		{what: "plain save", of: "omcbuild plain", than: "bun plain", limit: atMost(0.9)},
		{what: "atomic save to the whole new file", of: "omcbuild atomic", than: "esbuild atomic", limit: atMost(0.5)},
		{what: "atomic save", of: "omcbuild atomic", than: "bun atomic", limit: atMost(0.9)},
		{what: "the slowest of all saves", of: "omcbuild all", stat: largest, limit: atMost(200)},
		{what: "saves during which a half file could be read", of: "omcbuild half", stat: total, unit: count, limit: atMost(0)},
		{what: "saves lost", of: "omcbuild lost", stat: total, unit: count, limit: atMost(0)},
		{what: "saves lost while a build ran", of: "omcbuild busy", stat: total, unit: count, limit: atMost(0)},
		{what: "processor time while nothing happens", of: "omcbuild idle", unit: msPerSecond, limit: atMost(1)},
	}
}

// watchColumns are the figures of a watcher, for all watchers side by side.
func watchColumns() []column {
	return []column{
		{title: "plain save", name: "plain"},
		{title: "atomic save", name: "atomic"},
		{title: "slowest", name: "all", stat: largest},
		{title: "half files", name: "half", stat: total, unit: count},
		{title: "lost", name: "lost", stat: total, unit: count},
		{title: "lost during a build", name: "busy", stat: total, unit: count},
		{title: "idle", name: "idle", unit: msPerSecond},
	}
}
