// Command realclient takes a packaged plugin through the real client: validation, a
// catalog, installation, the connection to its servers, and removal. It runs as
// `make client`, prints what the client said, and fails when anything is not as
// expected, or when there is no client.
//
//	go run ./internal/realclient -client /opt/claude dist/acorn
//
// The client gets a home of its own, in a folder that is removed at the end, and only
// such commands as need no account and call no model.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"omcbuild/internal/process"
	"omcbuild/internal/surface"
)

func main() {
	client := flag.String("client", "", "`FILE` of the client; claude in PATH when empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *client, flag.Args(), os.Getenv("PATH"), os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, client string, folders []string, path string, out io.Writer) error {
	if len(folders) != 1 {
		return errors.New("name the folder that omcbuild package --format dir has made")
	}
	plugin, err := filepath.Abs(folders[0])
	if err != nil {
		return err
	}
	if client == "" {
		if client, err = process.LookPath("claude", path); err != nil {
			return errors.New("there is no claude in PATH; install the client, or name it: make client CLAUDE=FILE")
		}
	}
	if client, err = filepath.Abs(client); err != nil {
		return err
	}
	if info, err := os.Stat(client); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("there is no client at %s", client)
	}
	node, err := process.LookPath("node", path)
	if err != nil {
		return errors.New("there is no node in PATH, which the servers need")
	}
	id, err := read(plugin)
	if err != nil {
		return err
	}
	temporary, err := surface.NewTemporary("", surface.OfPackage)
	if err != nil {
		return err
	}
	defer temporary.Remove()
	s := &session{client: client, plugin: plugin, identity: id, out: out, home: filepath.Join(temporary.Path, "home"), project: filepath.Join(temporary.Path, "project")}
	for _, folder := range []string{s.home, s.project} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return err
		}
	}
	s.env = environment(s.home, filepath.Dir(node))
	return s.all(ctx)
}

// environment is all that the client gets.
func environment(home, nodes string) []string {
	env := []string{
		"HOME=" + home, "USERPROFILE=" + home, "PATH=" + nodes + string(filepath.ListSeparator) + "/usr/local/bin:/usr/bin:/bin",
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}
	if runtime.GOOS == "windows" {
		env = append(env, "SystemRoot="+os.Getenv("SystemRoot"))
	}
	return env
}
