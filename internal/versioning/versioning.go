// Package versioning decides which version of a plugin comes next, and writes down
// what is new in it.
//
//	bump.go       what was asked for, and the version that it gives
//	tags.go       the tags that releases have, and which of them is the last
//	entries.go    a difference of tool surfaces as lines for people
//	changelog.go  a section of CHANGELOG.md, in the style of those that are there
//	files.go      the version in a JSON file, with every other byte as it was
//
// A version is a semantic version without build metadata: clients replace the plus
// sign in the names of their folders, so that two versions share one. A pre-release
// such as 1.3.0-beta.1 comes before 1.3.0, and raising any part of it ends it first:
// its patch and minor version are 1.3.0.
//
// Nothing is read or written here, and git is not asked: the caller gives the names of
// tags, the changes and the files, and gets values back.
package versioning
