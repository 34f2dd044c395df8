package bundler

import (
	"encoding/json"
	"path"
	"strings"

	"omcbuild/internal/diag"
)

// Locate translates a place in a bundle into the one in the sources that it comes
// from. It takes the bundle's source map and its path, as Output has them; a place
// without a column stands for the first code of its line. The result is false for what
// no source is behind, such as the header.
func Locate(sourceMap []byte, outfile string, place diag.Position) (diag.Position, bool) {
	var m struct {
		Sources  []string `json:"sources"`
		Mappings string   `json:"mappings"`
	}
	if json.Unmarshal(sourceMap, &m) != nil || place.Line < 1 {
		return diag.Position{}, false
	}
	var s segment
	number := 0
	for line := range strings.SplitSeq(m.Mappings, ";") {
		number++
		s.generated = 0
		found, ok := s, false
		for text := range strings.SplitSeq(line, ",") {
			if !s.step(text) {
				continue
			}
			if number == place.Line && (!ok || s.generated < place.Column) {
				found, ok = s, true
			}
		}
		if number < place.Line {
			continue
		}
		if !ok || found.source < 0 || found.source >= len(m.Sources) {
			return diag.Position{}, false
		}
		file := path.Join(path.Dir(outfile), m.Sources[found.source])
		return diag.Position{File: file, Line: found.line + 1, Column: found.column + 1}, isFile(file) && !strings.Contains(file, ":")
	}
	return diag.Position{}, false
}

// segment is one entry of a source map: where code of the bundle begins, and the place
// in the sources. All count from 0.
type segment struct{ generated, source, line, column int }

// step moves to the next segment, which is written as differences from the one before.
// It reports false for one that names no source.
func (s *segment) step(text string) bool {
	var fields [5]int
	n := 0
	for text != "" && n < len(fields) {
		var ok bool
		if fields[n], text, ok = quantity(text); !ok {
			return false
		}
		n++
	}
	s.generated += fields[0]
	if n < 4 {
		return false
	}
	s.source, s.line, s.column = s.source+fields[1], s.line+fields[2], s.column+fields[3]
	return true
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// quantity reads a number: six bits a letter, the lowest five of value and the sixth
// for more; the sign is the lowest bit of the whole.
func quantity(text string) (value int, rest string, ok bool) {
	for shift := 0; text != "" && shift < 32; shift += 5 {
		digit := strings.IndexByte(base64Digits, text[0])
		if text = text[1:]; digit < 0 {
			return 0, text, false
		}
		value |= digit & 31 << shift
		if digit < 32 {
			if value&1 != 0 {
				return -(value >> 1), text, true
			}
			return value >> 1, text, true
		}
	}
	return 0, text, false
}
