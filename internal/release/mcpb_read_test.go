package release_test

import (
	"reflect"
	"strings"
	"testing"

	"omcbuild/internal/release"
)

func TestReadMCPBFindsHowTheServerIsStarted(t *testing.T) {
	l, fault := release.ReadMCPB([]byte(`{"manifest_version": "0.3", "name": "oaks", "server": {"type": "node", "entry_point": "./server/s.cjs",
		"mcp_config": {"command": "node", "args": ["${__dirname}${/}server/s.cjs", "${user_config.kind}"], "env": {"B": "${user_config.key}", "A": "1"}}},
		"user_config": {"kind": {"type": "number", "default": 3}, "key": {"type": "string", "required": true}, "unused": {"required": true}}}`))
	kind := "3"
	want := &release.Launched{
		Name: "oaks", EntryPoint: "server/s.cjs", Command: "node", Args: []string{"${CLAUDE_PLUGIN_ROOT}/server/s.cjs", "${user_config.kind}"},
		Env: []string{"A=1", "B=${user_config.key}"}, Options: map[string]*string{"kind": &kind, "key": nil},
	}
	if fault != "" || !reflect.DeepEqual(l, want) {
		t.Errorf("got %+v, %q", l, fault)
	}
}

func TestReadMCPBSaysWhatKeepsAHostFromStartingIt(t *testing.T) {
	for manifest, want := range map[string]string{
		`{"manifest_version": "0.3", "server": {"mcp_config": {"command": "node"}}}`:                      "server.entry_point is missing",
		`{"manifest_version": "0.3", "server": {"entry_point": "a.cjs"}}`:                                 "server.mcp_config.command is missing",
		`{"dxt_version": "0.1", "server": {"entry_point": "a.cjs", "mcp_config": {"command": ["node"]}}}`: "is not a manifest that hosts read",
	} {
		if _, fault := release.ReadMCPB([]byte(manifest)); !strings.HasPrefix(fault, want) {
			t.Errorf("%s: %q, want %q", manifest, fault, want)
		}
	}
	for _, other := range []string{`{"name": "a web application", "icons": []}`, `[]`, `no JSON`} {
		if l, fault := release.ReadMCPB([]byte(other)); l != nil || fault != "" {
			t.Errorf("%s: %+v, %q", other, l, fault)
		}
	}
}

func FuzzReadMCPB(f *testing.F) {
	f.Add([]byte(`{"manifest_version": "0.3", "server": {"entry_point": "a.cjs", "mcp_config": {"command": "node", "args": ["${user_config.x}"]}}, "user_config": {"x": {"default": [1]}}}`))
	f.Fuzz(func(t *testing.T, manifest []byte) {
		if l, fault := release.ReadMCPB(manifest); l != nil && (fault != "" || l.Command == "" || l.EntryPoint == "") {
			t.Errorf("%+v, %q", l, fault)
		}
	})
}
