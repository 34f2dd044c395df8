package bundler

import (
	"strings"
	"testing"
)

// allClues looks for one clue after the other.
func allClues(text string) (found clues) {
	for _, c := range clueTexts {
		if strings.Contains(text, c.text) {
			found |= c.kind
		}
	}
	return found
}

func TestCluesAreFoundAnywhere(t *testing.T) {
	finder := newClueFinder()
	for _, c := range clueTexts {
		if len(c.rare) != clueStep+2 || !strings.Contains(c.text, c.rare) {
			t.Errorf("%q is no four bytes of %q", c.rare, c.text)
		}
		for before := range 20 {
			for after := range 20 {
				text := strings.Repeat("x", before) + c.text + strings.Repeat("y", after)
				if got := finder.in(text); got != allClues(text) {
					t.Fatalf("%q: found %b, want %b", text, got, allClues(text))
				}
				if cut := text[:before+len(c.text)-1]; finder.in(cut) != allClues(cut) {
					t.Fatalf("%q: found %b, want %b", cut, finder.in(cut), allClues(cut))
				}
			}
		}
	}
}

func TestDiagnose(t *testing.T) {
	b := &build{clues: newClueFinder()}
	for text, want := range map[string][2]symptoms{ // in a source, in a package
		"":                             {},
		"console.log(1)":               {},
		"require.main === module":      {{program: true}, {}},
		"import.meta.main":             {{program: true, place: true, runtime: true}, {program: true, place: true}},
		"import { z } from 'zod'":      {{zod: true}, {zod: true}},
		"import * as z from 'zod'":     {},
		"typeof exports":               {{module: true}, {module: true}},
		"createRequire(x)":             {{require: true, runtime: true}, {require: true}},
		"module.require('a')":          {{require: true, runtime: true}, {}},
		"join(__filename, '..')":       {{place: true, runtime: true}, {}},
		"join(__dirname, 'a')":         {{place: true, runtime: true}, {place: true}},
		"Bun.file('a')":                {{runtime: true}, {}},
		"Deno.env":                     {{runtime: true}, {}},
		"fs.readFileSync('a.txt')":     {{runtime: true}, {}},
		"import(`./a/${b}.js`)":        {{pattern: true}, {}},
		"import('./a/' + b)":           {{pattern: true}, {}},
		"import('./a.js')":             {},
		"(function(f){factory(require": {{umd: true}, {umd: true}},
	} {
		for i, path := range []string{"/p/src/a.ts", "/p/node_modules/a/a.js"} {
			if got := b.diagnose(path, text); got != want[i] {
				t.Errorf("%s in %s: got %+v, want %+v", text, path, got, want[i])
			}
		}
	}
}

func FuzzClues(f *testing.F) {
	for _, c := range clueTexts {
		f.Add("a "+c.text+" b", c.rare)
	}
	finder := newClueFinder()
	f.Fuzz(func(t *testing.T, text, more string) {
		for _, text := range []string{text, more + text, text + more} {
			if got := finder.in(text); got != allClues(text) {
				t.Errorf("%q: found %b, want %b", text, got, allClues(text))
			}
		}
	})
}
