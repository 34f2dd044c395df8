// Package lazyregexp holds regular expressions for package variables, each compiled when
// it is first used.
//
// omcbuild has about a hundred of them and a run of it needs a handful; compiling all
// of them took a fifth of the time in which a command starts. That every expression can
// be compiled is proved by a test (internal/architecture), as it would be otherwise by
// the start of the program.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression of package regexp. Its methods are those of
// regexp.Regexp with the same names; several goroutines may call them.
type Regexp struct {
	expression string
	once       sync.Once
	compiled   *regexp.Regexp
}

// New returns a regular expression that is not compiled yet. The first use panics
// when it is wrong.
func New(expression string) *Regexp { return &Regexp{expression: expression} }

func (r *Regexp) use() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.expression) })
	return r.compiled
}

// Match is that of regexp.Regexp.
func (r *Regexp) Match(b []byte) bool { return r.use().Match(b) }

// MatchString is that of regexp.Regexp.
func (r *Regexp) MatchString(s string) bool { return r.use().MatchString(s) }

// FindString is that of regexp.Regexp.
func (r *Regexp) FindString(s string) string { return r.use().FindString(s) }

// FindStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.use().FindStringSubmatch(s) }

// FindStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatchIndex(s string) []int { return r.use().FindStringSubmatchIndex(s) }

// FindSubmatch is that of regexp.Regexp.
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.use().FindSubmatch(b) }

// FindAllString is that of regexp.Regexp.
func (r *Regexp) FindAllString(s string, n int) []string { return r.use().FindAllString(s, n) }

// FindAllStringIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int { return r.use().FindAllStringIndex(s, n) }

// FindAllStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.use().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.use().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is that of regexp.Regexp.
func (r *Regexp) ReplaceAllString(s, by string) string { return r.use().ReplaceAllString(s, by) }

// ReplaceAllStringFunc is that of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return r.use().ReplaceAllStringFunc(s, by)
}

// FindAllSubmatch is that of regexp.Regexp.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte { return r.use().FindAllSubmatch(b, n) }
