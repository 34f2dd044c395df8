package analysis

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"omcbuild/internal/lazyregexp"
)

// lockfiles are the lockfiles of npm and pnpm that packages were installed by.
type lockfiles struct {
	root, above string // absolute; above is looked in last
	read        map[string]map[string]locked
}

// locked is what a lockfile says of one package.
type locked struct{ version, integrity string }

const maxLockfile = 64 << 20 // bytes

// strong matches the digests of a lockfile that are worth naming.
var strong = lazyregexp.New(`^sha(?:512|384|256)-[A-Za-z0-9+/]+=*$`)

// integrity returns the digest of the archive that a material was installed from.
func (l *lockfiles) integrity(m *Material) string {
	for _, folder := range m.Folders {
		full := native(l.root, folder)
		for dir := filepath.Dir(full); ; dir = filepath.Dir(dir) {
			if inside, err := filepath.Rel(dir, full); err == nil {
				for _, entry := range []locked{l.at(dir, "package-lock.json")[filepath.ToSlash(inside)], l.at(dir, "pnpm-lock.yaml")[m.Key()]} {
					if entry.version == m.Version && strong.MatchString(entry.integrity) {
						return entry.integrity
					}
				}
			}
			if dir == l.above || dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return ""
}

// at reads a lockfile once. One that is missing or broken has nothing.
func (l *lockfiles) at(dir, name string) map[string]locked {
	file := filepath.Join(dir, name)
	known, seen := l.read[file]
	if seen {
		return known
	}
	if text, err := readFileUpTo(file, maxLockfile); err == nil {
		if name == "package-lock.json" {
			known = readNpmLock(text)
		} else {
			known = readPnpmLock(text)
		}
	}
	l.read[file] = known
	return known
}

// readNpmLock reads the packages of a lockfile of npm, by their folders.
func readNpmLock(text []byte) map[string]locked {
	var lock struct {
		Packages map[string]struct{ Version, Integrity string }
	}
	if json.Unmarshal(text, &lock) != nil {
		return nil
	}
	known := map[string]locked{}
	for folder, p := range lock.Packages {
		known[folder] = locked{p.Version, p.Integrity}
	}
	return known
}

// readPnpmLock reads the packages of a lockfile of pnpm, by name and version.
func readPnpmLock(text []byte) map[string]locked {
	var lock struct {
		Packages map[string]struct {
			Resolution struct{ Integrity string }
		}
	}
	if yaml.Unmarshal(text, &lock) != nil {
		return nil
	}
	known := map[string]locked{}
	for key, p := range lock.Packages {
		key, _, _ = strings.Cut(strings.TrimPrefix(key, "/"), "(")
		_, version, _ := cutLast(key, "@")
		known[key] = locked{version, p.Resolution.Integrity}
	}
	return known
}

// readFileUpTo reads a plain file that is not larger than a limit.
func readFileUpTo(file string, limit int64) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > limit:
		return nil, fs.ErrInvalid
	}
	return os.ReadFile(file)
}
