// Package bundler turns the TypeScript or JavaScript of a Node program into one
// CommonJS file that runs from an empty folder.
//
// It is esbuild, asked for a CommonJS bundle, with what real servers need on
// top of it. Build takes Options and returns a Result of plain values: the
// bundle, the files that must lie beside it, what went in, what stayed an
// import, and what is doubtful about it. Nothing is written to disk and nothing
// is printed; a caller renames the outputs into place when it likes them.
//
// The way through the package follows the way of the data:
//
//	options.go    what can be asked for, checked once
//	build.go      Build: the stages in order
//	esbuild.go    the options, plugin and messages of esbuild
//	source.go     every file that goes in is read once here, and repaired, if it
//	              has texts that ask for it (clues.go):
//	              zod imports made lean, requires made visible, reads of
//	              neighbouring files found (zod.go, require.go, place.go, folders.go,
//	              neighbours.go, replaced.go, urls.go, wasm.go, located.go), the question who is the program
//	              answered (program.go)
//	regular.go    what is read at all (nesting.go: how deep it may be; pipes.go: what esbuild
//	              itself waits for)
//	elsewhere.go  what only another way of starting the program provides (meta.go)
//	reveal.go     values that a module keeps to itself, for those who ask
//	form.go       imports that say in which form they want a file; globs.go: imports by
//	              pattern; builtins.go: modules that an older Node has not
//	external.go   what stays outside, and how it is reached
//	npm.go        facts about installed packages: native code, versions (versions.go)
//	graph.go      esbuild's metafile as a graph; load.go: what of it runs at the start
//	late.go       modules that have to be called before their names have values
//	check.go      what makes a finished bundle a broken server (await.go, tsconfig.go)
//	collect.go    what lies beside the bundle; family.go: bundles of programs it starts
//	assemble.go   first line, header, body, source map
//	front.go      what a bundle answers before its server is loaded (front_read.go)
//	anatomy.go    what a bundle is made of, for those who ask
//	stamp.go      up to date by content (record.go, links.go: what is recorded)
//	session.go    one bundle again and again: the changed modules alone are compiled
//	              (modular.go, suits.go, compile.go, printed.go, change.go), and linked with the packages, which are
//	              bundled once (vendor.go); keeper.go: what builds as a whole share; consulted.go: what
//	              had a say in them
//	plain.go      one source without its form, for tools that edit sources
//	header/       the JavaScript that a bundle may start with
//
// One property holds for every bundle: its bytes depend on the contents of the
// project and on the options alone, never on where the project lies, on the
// working directory, or on the machine.
//
// Build allocates much and keeps little. A program that builds once and exits is
// half as slow again with the garbage collector on as with it off, and a twentieth
// slower with small stacks. Turning it off (debug.SetGCPercent(-1)) and calling
// LargeStacks (stacks.go) is the business of such a program, never of this package,
// because a long-lived program must not do it.
package bundler
