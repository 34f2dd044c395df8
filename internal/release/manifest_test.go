package release_test

import (
	"encoding/json"
	"strings"
	"testing"

	"omcbuild/internal/project"
	"omcbuild/internal/release"
)

func identity() release.Identity {
	return release.Identity{Name: "acorn", Version: "1.2.0", Description: "Greets & counts.", Author: project.Person{Name: "Ada"}}
}

func TestCatalogForOnePlugin(t *testing.T) {
	own := `{"name":"own","owner":{"name":"B"},"plugins":[{"name":"acorn","source":"./"}]}`
	for name, c := range map[string]struct {
		original string
		wanted   bool
		want     string
	}{
		"none": {"", false, ""},
		"made": {"", true, `{
  "name": "acorn",
  "description": "The catalog of acorn.",
  "owner": {
    "name": "Ada"
  },
  "plugins": [
    {
      "name": "acorn",
      "source": "./",
      "version": "1.2.0",
      "description": "Greets & counts."
    }
  ]
}
`},
		"its own":   {own, false, own},
		"of others": {`{"plugins":[{"name":"oak","source":"./"}]}`, false, ""},
		"of several": {`{"name":"trees","$schema":"s","metadata":{"pluginRoot":"./plugins","version":"3"},"plugins":[{"name":"oak","source":"./oak"},{"category":"fun","name":"acorn","source":"./acorn","tags":["a"]}],"owner":{"name":"B"}}`, false, `{
  "$schema": "s",
  "name": "trees",
  "owner": {
    "name": "B"
  },
  "metadata": {
    "version": "3"
  },
  "plugins": [
    {
      "name": "acorn",
      "source": "./",
      "category": "fun",
      "tags": [
        "a"
      ]
    }
  ]
}
`},
		"of one elsewhere": {`{"name":"trees","owner":{},"metadata":{"pluginRoot":"."},"plugins":[{"name":"acorn","source":{"source":"github","repo":"a/b"}}]}`, true, `{
  "name": "trees",
  "owner": {},
  "plugins": [
    {
      "name": "acorn",
      "source": "./"
    }
  ]
}
`},
		"of nonsense": {`{"name":"trees","owner":{"name":"B"},"plugins":3}`, true, `{
  "name": "trees",
  "owner": {
    "name": "B"
  },
  "plugins": [
    {
      "name": "acorn",
      "source": "./",
      "version": "1.2.0",
      "description": "Greets & counts."
    }
  ]
}
`},
	} {
		if got := string(release.CatalogFor([]byte(c.original), identity(), c.wanted)); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c.want)
		}
	}
}

func TestManifestOfAServer(t *testing.T) {
	id := identity()
	id.Repository, id.Privacy, id.NodeEngine, id.Icon = "https://example.org/r", "https://example.org/p", ">=20", ".claude-plugin/icon.png"
	manifest, found := release.MCPBManifest(id, release.Server{
		Key: "t", File: "bridge/s.cjs",
		Args: []string{"${CLAUDE_PLUGIN_ROOT}/bridge/s.cjs", "--project=${CLAUDE_PROJECT_DIR}", "${user_config.folder}"},
		Env:  []string{"API_KEY=${API_KEY}", "MODE=${MODE:-fast}", "PLAIN=1", "EMPTY=${EMPTY:-}"},
		Options: map[string]json.RawMessage{
			"folder": json.RawMessage(`{"type":"directory","title":"Folder","description":"Where","required":true,"only":"client"}`),
			"unused": json.RawMessage(`{"type":"string"}`),
		},
		Tools: []release.ServerTool{{Name: "greet", Description: "Greets."}},
	})
	id.Icon = "icon.svg"
	if other, _ := release.MCPBManifest(id, release.Server{}); strings.Contains(string(other), "icon") {
		t.Errorf("an icon that no host shows: %s", other)
	}
	if len(found) != 1 || found[0].Code != "mcpb-variable" {
		t.Errorf("found %v", found)
	}
	want := `{
  "manifest_version": "0.3",
  "name": "acorn",
  "version": "1.2.0",
  "description": "Greets & counts.",
  "author": {
    "name": "Ada"
  },
  "repository": {
    "type": "git",
    "url": "https://example.org/r"
  },
  "icon": ".claude-plugin/icon.png",
  "server": {
    "type": "node",
    "entry_point": "bridge/s.cjs",
    "mcp_config": {
      "command": "node",
      "args": [
        "${__dirname}/bridge/s.cjs",
        "--project=${CLAUDE_PROJECT_DIR}",
        "${user_config.folder}"
      ],
      "env": {
        "API_KEY": "${user_config.API_KEY}",
        "EMPTY": "${user_config.EMPTY}",
        "MODE": "${user_config.MODE}",
        "PLAIN": "1"
      }
    }
  },
  "tools": [
    {
      "name": "greet",
      "description": "Greets."
    }
  ],
  "privacy_policies": [
    "https://example.org/p"
  ],
  "compatibility": {
    "runtimes": {
      "node": ">=20"
    }
  },
  "user_config": {
    "API_KEY": {
      "type": "string",
      "title": "API_KEY",
      "description": "The variable API_KEY of the server's environment.",
      "required": true,
      "sensitive": true
    },
    "EMPTY": {
      "type": "string",
      "title": "EMPTY",
      "description": "The variable EMPTY of the server's environment.",
      "required": false
    },
    "MODE": {
      "type": "string",
      "title": "MODE",
      "description": "The variable MODE of the server's environment.",
      "required": false,
      "default": "fast"
    },
    "folder": {
      "type": "directory",
      "title": "Folder",
      "description": "Where",
      "required": true
    }
  }
}
`
	if string(manifest) != want {
		t.Errorf("got:\n%s\nwant:\n%s", manifest, want)
	}
}
