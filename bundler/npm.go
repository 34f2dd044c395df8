package bundler

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/lazyregexp"
)

// npmPackage is what a build wants to know about an installed package.
type npmPackage struct {
	dir     string // absolute
	version string
	native  string // why it cannot be bundled, "" when it can
	effects bool   // it says which of its modules have side effects

	unusable bool // its package.json would stop or end the program that reads it
}

// packages finds installed packages the way Node does and remembers them.
type packages struct {
	mu    sync.Mutex
	byDir map[string]*npmPackage    // by folder; nil when there is none
	found map[[2]string]*npmPackage // by importing folder and name
}

// find returns the package of that name that a module in a folder would get, or
// nil.
func (p *packages) find(from, name string) *npmPackage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.search(from, name)
}

func (p *packages) search(from, name string) *npmPackage {
	key := [2]string{from, name}
	if found, known := p.found[key]; known {
		return found
	}
	var found *npmPackage
	if filepath.Base(from) != "node_modules" {
		found = p.read(filepath.Join(from, "node_modules", filepath.FromSlash(name)))
	}
	if parent := filepath.Dir(from); found == nil && parent != from {
		found = p.search(parent, name)
	}
	p.found[key] = found
	return found
}

// read looks at the package in a folder.
func (p *packages) read(dir string) *npmPackage {
	if known, ok := p.byDir[dir]; ok {
		return known
	}
	var found *npmPackage
	text, err := readRegular(filepath.Join(dir, "package.json"))
	switch {
	case err == nil && !isTooDeep(text, api.LoaderJSON):
		found = describePackage(dir, text)
	case err == nil, errors.Is(err, errIrregular), errors.Is(err, errTooLarge):
		found = &npmPackage{dir: dir, unusable: true}
	}
	p.byDir[dir] = found
	return found
}

// manifest is the part of a package.json that tells native packages.
type manifest struct {
	Name         string          `json:"name"`
	Version      string          `json:"version"`
	Main         any             `json:"main"`
	Type         string          `json:"type"`
	Gypfile      bool            `json:"gypfile"`
	Binary       json.RawMessage `json:"binary"`
	Napi         json.RawMessage `json:"napi"`
	Scripts      map[string]any  `json:"scripts"`
	Dependencies map[string]any  `json:"dependencies"`
	Optional     map[string]any  `json:"optionalDependencies"`
	Peer         map[string]any  `json:"peerDependencies"`
	Development  map[string]any  `json:"devDependencies"`
	Workspaces   json.RawMessage `json:"workspaces"`
	SideEffects  json.RawMessage `json:"sideEffects"`
	PeerMeta     map[string]struct {
		Optional bool `json:"optional"`
	} `json:"peerDependenciesMeta"`
}

// binaryLoaders are packages that find and load another's compiled code.
var binaryLoaders = []string{"node-gyp-build", "bindings", "node-pre-gyp", "@mapbox/node-pre-gyp", "prebuild-install", "node-gyp-build-optional-packages"}

// platformName matches names of packages that exist for one platform.
var platformName = lazyregexp.New(`(?:^|[-/@._])(?:darwin|linux|linuxmusl|win32|windows|freebsd|android)[-_.](?:x64|64|ia32|32|arm|arm64|aarch64|x86_64|riscv64|ppc64|s390x|universal)`)

// nativeWords are the texts without which a package.json tells of no native code.
var nativeWords = [][]byte{[]byte("gyp"), []byte("bindings"), []byte("prebuild"), []byte(`"binary"`), []byte(`"napi"`), []byte("optionalDependencies"), []byte(".node\"")}

// describePackage reads a package.json; most tell of nothing native and are not
// parsed.
func describePackage(dir string, text []byte) *npmPackage {
	p := &npmPackage{dir: dir, effects: bytes.Contains(text, []byte(`"sideEffects"`))}
	if m := versionPattern.FindSubmatch(text); m != nil {
		p.version = string(m[1])
	}
	for _, word := range nativeWords {
		if bytes.Contains(text, word) {
			var m manifest
			if json.Unmarshal(text, &m) == nil {
				p.version = m.Version
				p.native = m.native(dir)
			}
			return p
		}
	}
	switch {
	case exists(dir, "binding.gyp"):
		p.native = "it is compiled with binding.gyp"
	case exists(dir, "prebuilds"):
		p.native = "it ships compiled addons"
	}
	return p
}

var versionPattern = lazyregexp.New(`"version"\s*:\s*"([^"]+)"`)

// native says why a package cannot be bundled, or "".
func (m *manifest) native(dir string) string {
	main, _ := m.Main.(string)
	switch {
	case m.Gypfile || exists(dir, "binding.gyp"):
		return "it is compiled with binding.gyp"
	case strings.HasSuffix(main, ".node"):
		return "its main file is a compiled addon"
	case exists(dir, "prebuilds"), len(m.Binary) > 0 && (bytes.Contains(m.Binary, []byte("napi_versions")) || bytes.Contains(m.Binary, []byte("module_name"))):
		return "it ships compiled addons"
	}
	if len(m.Napi) > 0 && !bytes.Equal(m.Napi, []byte("null")) {
		return "it is built with napi-rs"
	}
	for _, loader := range binaryLoaders {
		if _, uses := m.Dependencies[loader]; uses {
			return "it loads a compiled addon with " + loader
		}
	}
	for _, name := range sortedKeys(m.Optional) {
		if platformName.MatchString(name) && related(m.Name, name) {
			return "its code for each platform is a package of its own, such as " + name
		}
	}
	return ""
}

// related reports whether a platform's package belongs to the package: same scope,
// or the one's name within the other's.
func related(name, platform string) bool {
	scope, base, scoped := strings.Cut(name, "/")
	if !scoped {
		scope, base = "@"+name, name
	}
	return strings.HasPrefix(platform, scope+"/") || strings.Contains(platform, base)
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// readManifest reads the package.json in a folder, nil when there is none.
func readManifest(dir string) *manifest {
	text, err := readRegular(filepath.Join(dir, "package.json"))
	if err != nil {
		return nil
	}
	var m manifest
	if json.Unmarshal(text, &m) != nil {
		return nil
	}
	return &m
}
