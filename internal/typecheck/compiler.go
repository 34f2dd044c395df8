package typecheck

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"omcbuild/internal/process"
)

// command starts the compiler of a package typescript: the native program when the
// package has one for this machine, else its script in node.
func (o Options) command(folder string) process.Command {
	if native := nativeCompiler(folder, runtime.GOOS, runtime.GOARCH); native != "" {
		return process.Command{Path: native, Env: seldomCollecting(o.Env)}
	}
	return process.Command{Path: o.Node, Args: []string{filepath.Join(folder, "bin", "tsc")}, Env: o.Env}
}

// seldomCollecting lets a compiler written in Go collect garbage less often: a check
// takes a fifth to a third less work then, and no more memory while there is little to check.
func seldomCollecting(env []string) []string {
	for _, name := range []string{"GOGC=", "GOMEMLIMIT="} {
		if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name) }) {
			return env // somebody knows better
		}
	}
	return append(slices.Clone(env), "GOGC=400")
}

// nativeCompiler returns the program that the script of the package in folder would
// start, or "" when that is for the script to say: before version 7, on a system
// without one, and in an installation of another form.
func nativeCompiler(folder, system, processor string) string {
	whole, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return ""
	}
	own := readPackage(whole)
	if own.Name != "typescript" || own.Version == "" || !isFile(filepath.Join(whole, "lib", "getExePath.js")) {
		return ""
	}
	name := "typescript-" + nodePlatform(system) + "-" + nodeArchitecture(processor)
	program := "tsc"
	if system == "windows" {
		program += ".exe"
	}
	for dir := whole; ; dir = filepath.Dir(dir) { // as node looks for a package
		candidate := filepath.Join(dir, "node_modules", "@typescript", name)
		if filepath.Base(dir) != "node_modules" && isFile(filepath.Join(candidate, "package.json")) {
			file := filepath.Join(candidate, "lib", program)
			if readPackage(candidate).Version != own.Version || !isExecutable(system, file) {
				return ""
			}
			return file
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// nodePlatform is what node calls a system.
func nodePlatform(system string) string {
	if system == "windows" {
		return "win32"
	}
	return system
}

// nodeArchitecture is what node calls a processor.
func nodeArchitecture(processor string) string {
	switch processor {
	case "amd64":
		return "x64"
	case "386":
		return "ia32"
	}
	return processor
}

// isExecutable reports whether a file is there and may be run. Windows has no such bit.
func isExecutable(system, path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (system == "windows" || info.Mode()&0o111 != 0)
}

// packageNames is what is read of a package.json.
type packageNames struct{ Name, Version string }

// maxPackage is the largest package.json that is read, in bytes.
const maxPackage = 1 << 20

func readPackage(folder string) (p packageNames) {
	name := filepath.Join(folder, "package.json")
	if !isFile(name) { // opening a pipe may take forever
		return packageNames{}
	}
	file, err := os.Open(name)
	if err != nil {
		return packageNames{}
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxPackage))
	if err != nil || json.Unmarshal(text, &p) != nil {
		return packageNames{}
	}
	return p
}
