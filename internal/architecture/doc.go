// Package architecture holds no code, only the tests that keep the shape of
// the repository: which package may import which, who owns which dependency,
// what only a program may do, how long files and functions are, and that the
// documents name what is really there.
//
// A new package is added to the layers in imports_test.go. When a test here
// fails, the code moves, or the table changes in the same commit with its
// reason; docs/architecture.md tells the same story in words.
package architecture
