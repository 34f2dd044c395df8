package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"omcbuild/bundler"
	"omcbuild/internal/process"
	"omcbuild/internal/stdio"
)

const initializeParams = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`

// header times the start of the server, from the start of the process to the
// answer to initialize: without a header, and with ours where npm is present,
// absent, and slow.
func (l *lab) header(ctx context.Context) ([]measure, error) {
	node, err := process.LookPath("node", l.path)
	if err != nil {
		return nil, err
	}
	bare, err := l.server(ctx, "bare.cjs", bundler.HeaderNone)
	if err != nil {
		return nil, err
	}
	ours, err := l.server(ctx, "ours.cjs", bundler.HeaderNodePath)
	if err != nil {
		return nil, err
	}
	slow, err := l.slowNpm()
	if err != nil {
		return nil, err
	}
	start := func(file, path string) func(context.Context) (time.Duration, error) {
		return func(ctx context.Context) (time.Duration, error) { return l.start(ctx, node, file, path) }
	}
	results, err := l.rounds(ctx,
		subject{"no header", start(bare, "/nowhere")},
		subject{"npm absent", start(ours, "/nowhere")},
		subject{"npm present", start(ours, l.path)},
		subject{"npm takes 5 s", start(ours, slow)})
	if err != nil {
		return nil, err
	}
	var rows []measure
	for _, r := range results[1:] {
		rows = append(rows, measure{name: "initialize of `t`, " + r.name, limit: 1.15, timed: r, base: results[0]})
	}
	return rows, nil
}

// server builds the repository's server into a file of the lab.
func (l *lab) server(ctx context.Context, name string, header bundler.Header) (string, error) {
	built, err := bundler.Build(ctx, serverOptions(l.root, header))
	if err != nil {
		return "", err
	}
	path := filepath.Join(l.work, name)
	return path, os.WriteFile(path, built.Outputs[0].Contents, 0o600)
}

// slowNpm returns a PATH whose npm takes five seconds.
func (l *lab) slowNpm() (string, error) {
	dir := filepath.Join(l.work, "slow")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	return dir + string(filepath.ListSeparator) + l.path, os.WriteFile(filepath.Join(dir, "npm"), []byte("#!/bin/sh\nsleep 5\n"), 0o700)
}

// start starts a server and returns the time to its first answer.
func (l *lab) start(ctx context.Context, node, file, path string) (time.Duration, error) {
	client, err := stdio.Start(ctx, process.Command{Path: node, Args: []string{file}, Dir: l.work, Env: []string{"PATH=" + path, "HOME=" + l.work}}, stdio.Options{})
	if err != nil {
		return 0, err
	}
	defer client.Close(5 * time.Second)
	if _, err := client.Call(ctx, json.RawMessage("1"), "initialize", json.RawMessage(initializeParams)); err != nil {
		return 0, err
	}
	return time.Since(client.Started()), nil
}
