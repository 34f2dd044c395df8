package bundler

import (
	"bytes"
	"encoding/json"
	"path"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// tsconfig is the part of a tsconfig.json that this package reads itself; esbuild
// reads the rest.
type tsconfig struct {
	Extends         json.RawMessage `json:"extends"` // a text or a list of them
	CompilerOptions struct {
		EmitDecoratorMetadata *bool `json:"emitDecoratorMetadata"`
	} `json:"compilerOptions"`
}

// readConfig reads a tsconfig.json, which may have comments and a byte order mark.
func readConfig(file string) (config tsconfig, bases []string, ok bool) {
	text, err := readRegular(file)
	if err != nil {
		return config, nil, false
	}
	plain, err := hujson.Standardize(append(bytes.TrimPrefix(text, byteOrderMark), '\n'))
	if err != nil || json.Unmarshal(plain, &config) != nil {
		return config, nil, false
	}
	if len(config.Extends) > 0 && json.Unmarshal(config.Extends, &bases) != nil {
		bases = make([]string, 1)
		_ = json.Unmarshal(config.Extends, &bases[0])
	}
	return config, bases, true
}

// maxConfigs is how deep configurations may extend each other.
const maxConfigs = 16

// extends adds the files that a tsconfig builds on.
func (b *build) extends(file string, add func(name string), depth int) {
	config, bases, ok := readConfig(file)
	if !ok || depth > maxConfigs {
		return
	}
	if wanted := config.CompilerOptions.EmitDecoratorMetadata; wanted != nil && *wanted {
		b.metadata = true
	}
	for _, base := range bases {
		for _, candidate := range b.extended(filepath.Dir(file), base) {
			add(b.rel(candidate))
			b.extends(candidate, add, depth+1)
		}
	}
}

// extended lists the files that "extends" may mean, relative or in a package.
func (b *build) extended(dir, base string) []string {
	if !strings.HasPrefix(base, ".") && !filepath.IsAbs(base) {
		b.packages.mu.Lock()
		p := b.packages.search(dir, packageName(base))
		b.packages.mu.Unlock()
		if p == nil {
			return nil
		}
		dir, base = p.dir, "."+strings.TrimPrefix(base, packageName(base))
	}
	file := filepath.Join(dir, filepath.FromSlash(base))
	if filepath.IsAbs(base) {
		file = filepath.FromSlash(base)
	}
	if strings.HasSuffix(file, ".json") {
		return []string{file}
	}
	return []string{file + ".json", filepath.Join(file, "tsconfig.json")}
}

// emitsMetadata returns what a tsconfig says of emitDecoratorMetadata, itself or by
// what it extends, of which the last counts; nil when it says nothing.
func (b *build) emitsMetadata(file string, depth int) *bool {
	config, bases, ok := readConfig(file)
	said := config.CompilerOptions.EmitDecoratorMetadata
	if !ok || depth > maxConfigs || said != nil {
		return said
	}
	for _, base := range bases {
		for _, candidate := range b.extended(filepath.Dir(file), base) {
			if found := b.emitsMetadata(candidate, depth+1); found != nil {
				said = found
			}
		}
	}
	return said
}

// checkDecorators refuses decorators that ask for the types of what they stand on: a
// bundler reads one file at a time and knows no types.
func (b *build) checkDecorators(g *graph) (list diag.List) {
	if !b.metadata {
		return nil
	}
	for _, name := range g.names {
		file := b.sources.get(filepath.Join(b.o.Root, filepath.FromSlash(name)))
		typescript := strings.HasSuffix(name, "ts") || strings.HasSuffix(name, ".tsx")
		if file == nil || g.kept[name] == 0 || !typescript || strings.Contains(name, "node_modules/") || !strings.Contains(file.text, "@") {
			continue
		}
		config := b.configOf(name)
		if config == "" {
			continue
		}
		if wanted := b.emitsMetadata(filepath.Join(b.o.Root, filepath.FromSlash(config)), 0); wanted == nil || !*wanted {
			continue
		}
		if offset := decorator(file.text); offset >= 0 {
			list.Add(diag.Diagnostic{Code: "decorator-metadata", Position: b.at(filepath.Join(b.o.Root, filepath.FromSlash(name)), file.text, offset),
				Message: "decorators get no types, which emitDecoratorMetadata in " + config + " asks for",
				Hint:    "compile with tsc and make its output the entry, or name the types in the code and turn emitDecoratorMetadata off"})
		}
	}
	return list
}

// configOf returns the tsconfig.json that is in force for an input, or "".
func (b *build) configOf(name string) string {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if exists(b.o.Root, filepath.FromSlash(path.Join(dir, "tsconfig.json"))) {
			return path.Join(dir, "tsconfig.json")
		}
		if dir == "." || dir == "/" || path.Base(dir) == ".." {
			return ""
		}
	}
}

// decorator returns the offset of the first decorator in a source, or -1.
func decorator(text string) int {
	f, ok := jsscan.Scan(text)
	if !ok {
		return -1
	}
	for i, t := range f.Tokens {
		if f.Kind(i) == jsscan.Ident && strings.HasPrefix(f.Source(i), "@") {
			return t.Start
		}
	}
	return -1
}

// configsAbove lists the places above the root, nearest first, at which esbuild looks
// for a tsconfig.json because the entry has none at its side or above it in the
// project, up to the first that is there.
func (b *build) configsAbove() (names []string) {
	if b.o.Entry == "" {
		return nil
	}
	for dir := range ownFolders(b.o.Entry) {
		if exists(filepath.Join(b.o.Root, filepath.FromSlash(dir)), "tsconfig.json") {
			return nil
		}
	}
	for dir := b.o.Root; dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		names = append(names, b.rel(filepath.Join(dir, "tsconfig.json")))
		if exists(dir, "tsconfig.json") {
			break
		}
	}
	return names
}

// checkConfig says when a tsconfig.json above the project is honoured, as in a
// workspace it should be. One from outside the repository makes other bytes on other
// machines.
func (b *build) checkConfig() (list diag.List) {
	names := b.configsAbove()
	if len(names) == 0 || !exists(b.o.Root, filepath.FromSlash(names[len(names)-1])) {
		return nil
	}
	name := names[len(names)-1]
	d := diag.Diagnostic{Code: "tsconfig-above", Level: diag.Note, Position: diag.Position{File: name},
		Message: "lies above the plugin and says how it is compiled"}
	for dir := b.o.Root; dir != filepath.Join(b.o.Root, filepath.FromSlash(path.Dir(name))); dir = filepath.Dir(dir) {
		if exists(dir, ".git") {
			d.Level = diag.Warning
			d.Message = "lies outside the repository and says how the plugin is compiled, which is another way where it is missing"
			d.Hint = "put a tsconfig.json into the plugin; {} is enough"
		}
	}
	list.Add(d)
	return list
}
