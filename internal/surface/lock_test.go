package surface

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/diag"
)

func clockSurface() Surface {
	return Surface{
		ServerName: "clock", ServerVersion: "1.2.0", Protocols: []string{"2025-11-25", "2026-07-28"},
		Instructions: "not recorded",
		Tools: []Tool{
			ParseTool(json.RawMessage(`{"name":"now","title":"Now","description":"Returns the time <in a zone> & its offset.",` +
				`"inputSchema":{"type":"object","properties":{"zone":{"type":"string"},"at":{"type":"integer"}},"required":[]},` +
				`"annotations":{"readOnlyHint":true}}`)),
			ParseTool(json.RawMessage(`{"name":"alarm","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{}}}`)),
		},
	}
}

const clockLock = `{
  "server": {
    "name": "clock",
    "version": "1.2.0"
  },
  "protocol": [
    "2025-11-25",
    "2026-07-28"
  ],
  "tools": [
    {
      "name": "now",
      "description": "Returns the time <in a zone> & its offset.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "zone": {
            "type": "string"
          },
          "at": {
            "type": "integer"
          }
        },
        "required": []
      },
      "annotations": {
        "readOnlyHint": true
      }
    },
    {
      "name": "alarm",
      "inputSchema": {
        "type": "object"
      },
      "outputSchema": {
        "type": "object",
        "properties": {}
      }
    }
  ]
}
`

func TestEncodeLockWritesTheAgreedText(t *testing.T) {
	got, err := EncodeLock(NewLock(clockSurface()))
	if err != nil || string(got) != clockLock {
		t.Fatalf("error %v, got\n%s", err, got)
	}
	empty, err := EncodeLock(Lock{})
	want := "{\n  \"server\": {\n    \"name\": \"\",\n    \"version\": \"\"\n  },\n  \"protocol\": [],\n  \"tools\": []\n}\n"
	if err != nil || string(empty) != want {
		t.Errorf("error %v, empty lock:\n%s", err, empty)
	}
}

func TestEncodeLockNamesTheToolThatIsNoJSON(t *testing.T) {
	_, err := EncodeLock(Lock{Tools: []LockTool{{Name: "now", InputSchema: json.RawMessage(`{`)}}})
	if err == nil || !strings.Contains(err.Error(), `"now": inputSchema`) {
		t.Errorf("got %v", err)
	}
}

func TestLockSurvivesTheWayToDiskAndBack(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "clock.tools.json"), []byte(clockLock), 0o600); err != nil {
		t.Fatal(err)
	}
	lock, err := ReadLock(root, "clock.tools.json")
	if err != nil {
		t.Fatal(err)
	}
	if !lock.Equal(NewLock(clockSurface())) || !lock.Equal(NewLock(lock.Surface())) {
		t.Errorf("the lock changed on its way: %+v", lock)
	}
	s := lock.Surface()
	if s.ServerName != "clock" || len(s.Tools) != 2 || s.Tools[1].Description != nil || *s.Tools[0].Description == "" || len(s.Tools[0].Raw) == 0 {
		t.Errorf("surface = %+v", s)
	}
}

func TestLockEqualLooksAtMeaningNotLayout(t *testing.T) {
	lock := NewLock(clockSurface())
	crlf, err := ParseLock("f", []byte(strings.ReplaceAll(clockLock, "\n", "\r\n")))
	if err != nil || !crlf.Equal(lock) {
		t.Errorf("line ends must not matter: %v", err)
	}
	for name, change := range map[string]func(*Lock){
		"version":      func(l *Lock) { l.Server.Version = "2.0.0" },
		"protocol":     func(l *Lock) { l.Protocol = l.Protocol[:1] },
		"tool order":   func(l *Lock) { l.Tools[0], l.Tools[1] = l.Tools[1], l.Tools[0] },
		"schema order": func(l *Lock) { l.Tools[0].InputSchema = json.RawMessage(`{"required":[],"type":"object"}`) },
		"broken":       func(l *Lock) { l.Tools[0].InputSchema = json.RawMessage(`{`) },
	} {
		other := NewLock(clockSurface())
		change(&other)
		if lock.Equal(other) || other.Equal(lock) {
			t.Errorf("a change of %s must be seen", name)
		}
	}
}

func TestParseLockNamesFilePositionAndRemedy(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "x.tools.json:1:1: not a tool lock: is empty"},
		{"cut off", "{\n  \"server\": {", "x.tools.json:2:14: not a tool lock: ends in the middle of a value"},
		{"syntax", "{\n  \"server\": {\"name\" 1}}", "x.tools.json:2:21: not a tool lock: invalid character '1' after object key"},
		{"wrong type", "{\n\"server\":{\"name\":\"a\",\"version\":3}}", `x.tools.json:2:32: not a tool lock: member "server.version" is a number and must be another type`},
		{"unknown member", `{"server":{"name":"a","version":"1"},"protocols":[]}`, `not a tool lock: unknown field "protocols"`},
		{"missing member", `{"server":{"name":"a","version":"1"},"tools":[]}`, `x.tools.json:1:1: not a tool lock: member "protocol" is missing`},
		{"two records", clockLock + clockLock, "x.tools.json:42:1: not a tool lock: text after the end of the record"},
		{"an array", "[]", "not a tool lock"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseLock("x.tools.json", []byte(test.text))
			var failure *diag.Failure
			if !errors.As(err, &failure) || failure.Class != diag.Failed || failure.Diagnostics[0].Hint == "" {
				t.Fatalf("error %#v", err)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
		})
	}
}

func TestReadLockTellsMissingFromUnreadable(t *testing.T) {
	root := t.TempDir()
	if _, err := ReadLock(root, "none.tools.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if err := os.Mkdir(filepath.Join(root, "dir.tools.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside.json")
	if err := os.WriteFile(outside, []byte(clockLock), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, "link.tools.json")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"dir.tools.json", "link.tools.json", "../x.tools.json"} {
		_, err := ReadLock(root, file)
		var failure *diag.Failure
		if !errors.As(err, &failure) || failure.Diagnostics[0].File != file || strings.Contains(err.Error(), root) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestLockPath(t *testing.T) {
	for in, want := range map[string]string{
		"bridge/mcp-server.cjs": "bridge/mcp-server.tools.json",
		"a.b/server":            "a.b/server.tools.json",
		"server.min.js":         "server.min.tools.json",
		"bridge/.hidden":        "bridge/.hidden.tools.json",
	} {
		if got := LockPath(in); got != want {
			t.Errorf("LockPath(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzParseLock(f *testing.F) {
	f.Add([]byte(clockLock))
	f.Add([]byte(`{"server":{},"protocol":[null],"tools":[{"name":"a","inputSchema":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		lock, err := ParseLock("f", data)
		if err != nil {
			return
		}
		text, err := EncodeLock(lock)
		if err != nil {
			t.Fatalf("a lock that was read cannot be written: %v", err)
		}
		again, err := ParseLock("f", text)
		if err != nil || !again.Equal(lock) {
			t.Fatalf("%v: %s", err, text)
		}
	})
}
