package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"omcbuild/internal/lazyregexp"
)

var sizePattern = lazyregexp.New(`^([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([A-Za-z]*)$`)

// parseSize reads a number of bytes: 1300000, "1300000", "1.3MB", "900 KiB".
func parseSize(text string) (int64, error) {
	m := sizePattern.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, errors.New("is not a size such as 1300000, 1.3MB or 900KiB")
	}
	unit, ok := sizeUnit(m[2])
	if !ok {
		return 0, fmt.Errorf("has the unknown unit %q; use B, kB, MB, GB, KiB, MiB or GiB", m[2])
	}
	number, err := strconv.ParseFloat(m[1], 64)
	bytes := math.Round(number * unit)
	if err != nil || bytes < 1 || bytes > 1<<50 {
		return 0, errors.New("is out of range")
	}
	return int64(bytes), nil
}

func sizeUnit(name string) (float64, bool) {
	switch strings.ToLower(name) {
	case "", "b":
		return 1, true
	case "k", "kb":
		return 1e3, true
	case "m", "mb":
		return 1e6, true
	case "g", "gb":
		return 1e9, true
	case "kib":
		return 1 << 10, true
	case "mib":
		return 1 << 20, true
	case "gib":
		return 1 << 30, true
	}
	return 0, false
}

var dottedName = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_$]*(\.[A-Za-z_$][A-Za-z0-9_$]*)*$`)

// expandDefine turns a value of define into a JavaScript expression.
func expandDefine(value string, pkg PackageJSON) (string, error) {
	from := map[string]string{"$version": pkg.Version, "$name": pkg.Name}
	text, known := from[value]
	switch {
	case known && text == "":
		return "", fmt.Errorf("is %s, and package.json has no %s", value, value[1:])
	case known:
		quoted, err := json.Marshal(text)
		return string(quoted), err
	case strings.HasPrefix(value, "$"):
		return "", fmt.Errorf("is %q; only $version and $name are filled in", clip(value, 60))
	case dottedName.MatchString(value), json.Valid([]byte(value)):
		return value, nil
	}
	return "", fmt.Errorf("is %q, which is neither a JSON value nor an identifier; text needs quotes of its own, as in %s", clip(value, 60), `"\"text\""`)
}

var versionInRange = lazyregexp.New(`\d+(?:\.\d+){0,2}`)

// The major versions of Node among which the lowest of a range is looked for.
const (
	oldestNode = 12
	newestNode = 60
)

// nodeTarget returns the lowest major version of Node that a range of
// engines.node admits, as "node20".
func nodeTarget(engine string) (string, error) {
	constraint, err := semver.NewConstraint(engine)
	if err != nil {
		return "", fmt.Errorf("is not a version range")
	}
	// A range is tried on the first and last version of each major and on the
	// versions it mentions, at which it can change.
	var mentioned []*semver.Version
	for _, text := range versionInRange.FindAllString(engine, 50) {
		if v, err := semver.NewVersion(text); err == nil {
			mentioned = append(mentioned, v)
		}
	}
	for major := uint64(oldestNode); major <= newestNode; major++ {
		tries := []*semver.Version{semver.New(major, 0, 0, "", ""), semver.New(major, 9999, 9999, "", "")}
		for _, v := range mentioned {
			if v.Major() == major {
				tries = append(tries, v, semver.New(major, v.Minor(), v.Patch()+1, "", ""))
			}
		}
		for _, v := range tries {
			if constraint.Check(v) {
				return fmt.Sprintf("node%d", major), nil
			}
		}
	}
	return "", errors.New("admits no version of Node")
}
