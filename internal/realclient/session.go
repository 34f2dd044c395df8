package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"omcbuild/internal/process"
	"omcbuild/internal/stdio"
)

// patience is how long one command of the client may take.
const patience = 2 * time.Minute

// identity is what the client calls the plugin and its parts.
type identity struct {
	name, version, catalog string
	servers                []string // keys
}

// read learns it from the manifests of a packaged folder.
func read(plugin string) (id identity, err error) {
	var manifest struct{ Name, Version string }
	var catalog struct{ Name string }
	var servers struct {
		MCPServers map[string]json.RawMessage `json:"mcpServers"`
	}
	for file, target := range map[string]any{".claude-plugin/plugin.json": &manifest, ".claude-plugin/marketplace.json": &catalog, ".mcp.json": &servers} {
		text, err := os.ReadFile(filepath.Join(plugin, filepath.FromSlash(file)))
		if err == nil {
			err = json.Unmarshal(text, target)
		}
		if err != nil {
			return id, fmt.Errorf("reading %s of the package: %w", file, err)
		}
	}
	return identity{manifest.Name, manifest.Version, catalog.Name, slices.Sorted(maps.Keys(servers.MCPServers))}, nil
}

// session runs commands of the client in one home.
type session struct {
	identity
	client, plugin, home, project string
	env                           []string
	out                           io.Writer
}

// step is a command and what its output has to hold: each of expect in a line, each of
// connected in a line that says so, and nothing of never.
type step struct {
	args                     []string
	expect, connected, never []string
}

// steps are the life of a plugin, in order.
func (s *session) steps() []step {
	full := s.name + "@" + s.catalog
	var servers []string
	for _, key := range s.servers {
		servers = append(servers, "plugin:"+s.name+":"+key+":")
	}
	return []step{
		{args: []string{"--version"}},
		{args: []string{"plugin", "validate", "--strict", s.plugin}, expect: []string{"passed"}},
		{args: []string{"plugin", "marketplace", "add", s.plugin}, expect: []string{s.catalog}},
		{args: []string{"plugin", "install", full}, expect: []string{full}},
		{args: []string{"plugin", "details", full}, expect: []string{s.name, s.version}},
		{args: []string{"mcp", "list"}, connected: servers},
		{args: []string{"plugin", "uninstall", full}, expect: []string{s.name}},
		{args: []string{"mcp", "list"}, never: servers},
		{args: []string{"plugin", "marketplace", "remove", s.catalog}, expect: []string{s.catalog}},
	}
}

// all takes the steps, and stops at the first that is not as expected.
func (s *session) all(ctx context.Context) error {
	for _, step := range s.steps() {
		if err := s.take(ctx, step); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(s.out, "%s %s was validated, installed, connected and removed\n", s.name, s.version)
	return err
}

func (s *session) take(ctx context.Context, step step) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := time.Now()
	result, err := process.Run(limited, process.Command{Path: s.client, Args: step.args, Dir: s.project, Env: s.env}, 0)
	title := "claude " + strings.Join(step.args, " ")
	if err != nil {
		return fmt.Errorf("%s: %w", title, err)
	}
	said := string(result.Stdout) + string(result.Stderr)
	if _, err := fmt.Fprintf(s.out, "$ %s\n", title); err != nil {
		return err
	}
	for line := range strings.Lines(said) {
		if text := stdio.Visible([]byte(strings.TrimRight(line, "\r\n")), 300); text != "" {
			if _, err := fmt.Fprintf(s.out, "  %s\n", text); err != nil {
				return err
			}
		}
	}
	if _, err := fmt.Fprintf(s.out, "  %s after %d ms\n", result.Status, time.Since(began).Milliseconds()); err != nil {
		return err
	}
	return step.judge(title, result.Status.Success(), said)
}

// judge says what is not as expected.
func (s step) judge(title string, succeeded bool, said string) error {
	if !succeeded {
		return fmt.Errorf("%s: the client reports a failure", title)
	}
	for _, text := range s.expect {
		if !strings.Contains(said, text) {
			return fmt.Errorf("%s: does not say %q", title, text)
		}
	}
	for _, server := range s.connected {
		connected := false
		for line := range strings.Lines(said) {
			connected = connected || strings.Contains(line, server) && strings.Contains(line, "Connected")
		}
		if !connected {
			return fmt.Errorf("%s: %s is not connected", title, strings.TrimSuffix(server, ":"))
		}
	}
	for _, text := range s.never {
		if strings.Contains(said, text) {
			return fmt.Errorf("%s: says %q", title, text)
		}
	}
	return nil
}
