package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// setUpScript gives each script a copy of testdata/plugin, a complete small
// plugin, as its working directory, and a home and cache of its own.
func setUpScript(env *testscript.Env) error {
	plugin := filepath.Join(env.WorkDir, "plugin")
	source, err := filepath.Abs(filepath.Join("testdata", "plugin"))
	if err != nil {
		return err
	}
	if err := os.CopyFS(plugin, os.DirFS(source)); err != nil {
		return err
	}
	for _, dir := range []string{"home", "cache"} {
		path := filepath.Join(env.WorkDir, dir)
		if err := os.Mkdir(path, 0o755); err != nil {
			return err
		}
	}
	env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("PLUGIN", source)
	env.Cd = plugin
	return nil
}

// scriptCommands are what scripts can do beyond the commands of testscript:
//
//	json [!] PATH [VALUE]      the last standard output has (not) VALUE at PATH, for example errors.0.code
//	replace FILE OLD NEW       replace text that occurs once; \n is a line end
//	remember FILE              note content, mode and time stamp of a file
//	untouched FILE             fail when any of the three differs from what was noted
//	packages DIR               make a link to the packages in src/node_modules of this repository
//	exits CODE COMMAND ARG...  run a command and expect this exit code
//	plugin FOLDER NAME         lay the small plugin in another folder, under another name
//	steady FILE                write the last standard output to a file, without its times and sizes
func scriptCommands() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	return map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"json":    scriptJSON,
		"replace": scriptReplace,
		"remember": func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Setenv(noteName(args), fingerprint(ts, args[0]))
		},
		"untouched": scriptUntouched,
		"exits":     scriptExits,
		"packages":  scriptPackages,
		"plugin":    scriptPlugin,
		"steady":    scriptSteady,
	}
}

func scriptExits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s\n%s", code, args[0], ts.ReadFile("stderr"))
	}
}

func scriptPackages(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: packages DIR")
	}
	modules, err := filepath.Abs("../../src/node_modules")
	ts.Check(err)
	if _, err := os.Stat(modules); err != nil {
		ts.Fatalf("src/node_modules is missing; run make build")
	}
	ts.Check(os.Symlink(modules, filepath.Join(ts.MkAbs(args[0]), "node_modules")))
}

func scriptPlugin(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: plugin FOLDER NAME")
	}
	folder := ts.MkAbs(args[0])
	ts.Check(os.CopyFS(folder, os.DirFS(ts.Getenv("PLUGIN"))))
	for _, file := range []string{"package.json", "src/mcp/standalone-server.ts", "docs/GUIDE.md", "omcbuild.jsonc", ".claude-plugin/plugin.json"} {
		path := filepath.Join(folder, filepath.FromSlash(file))
		content, err := os.ReadFile(path)
		ts.Check(err)
		ts.Check(os.WriteFile(path, []byte(strings.ReplaceAll(string(content), "acorn", args[1])), 0o644))
	}
}

var figures = regexp.MustCompile(`\d+(?:\.\d+)? (ms|s|kB|B)\b|("(?:durationMs|initializeMs|listMs|bytes|gzipBytes)": )\d+`)

func scriptSteady(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: steady FILE")
	}
	text := figures.ReplaceAllStringFunc(ts.ReadFile("stdout"), func(found string) string {
		if name, _, ok := strings.Cut(found, ": "); ok {
			return name + ": 0"
		}
		return "N " + found[strings.LastIndexByte(found, ' ')+1:]
	})
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

func noteName(args []string) string {
	return "NOTE_" + strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(args[0])
}

func fingerprint(ts *testscript.TestScript, file string) string {
	path := ts.MkAbs(file)
	info, err := os.Lstat(path)
	ts.Check(err)
	content, err := os.ReadFile(path)
	ts.Check(err)
	return fmt.Sprintf("%v %v %q", info.Mode(), info.ModTime().UnixNano(), content)
}

func scriptUntouched(ts *testscript.TestScript, _ bool, args []string) {
	if was, is := ts.Getenv(noteName(args)), fingerprint(ts, args[0]); was != is {
		ts.Fatalf("%s was touched", args[0])
	}
}

func scriptReplace(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	path := ts.MkAbs(args[0])
	content, err := os.ReadFile(path)
	ts.Check(err)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], `\n`, "\n")
	}
	if strings.Count(string(content), args[1]) != 1 {
		ts.Fatalf("%s: %q does not occur once", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, []byte(strings.Replace(string(content), args[1], args[2], 1)), 0o644))
}

func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 {
		ts.Fatalf("usage: json PATH [VALUE]")
	}
	var document any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &document); err != nil {
		ts.Fatalf("standard output is not one JSON document: %v", err)
	}
	value, found := lookUp(document, strings.Split(args[0], "."))
	got := fmt.Sprint(value)
	if number, isNumber := value.(float64); isNumber {
		got = strconv.FormatFloat(number, 'f', -1, 64)
	}
	holds := found && (len(args) == 1 || got == args[1])
	if holds == neg {
		ts.Fatalf("%s is %q (found: %v)", args[0], got, found)
	}
}

// lookUp walks into objects by name and arrays by index; "len" is the length.
func lookUp(value any, path []string) (any, bool) {
	if len(path) == 0 {
		return value, true
	}
	switch v := value.(type) {
	case map[string]any:
		next, ok := v[path[0]]
		if !ok {
			return nil, false
		}
		return lookUp(next, path[1:])
	case []any:
		if path[0] == "len" {
			return float64(len(v)), true
		}
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(v) {
			return nil, false
		}
		return lookUp(v[i], path[1:])
	}
	return nil, false
}
