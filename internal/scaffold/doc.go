// Package scaffold writes what a plugin begins with, from the files embedded in
// plugin-template: Init a whole new plugin into a folder of its own, and the
// family files a further family of tools into a plugin that exists.
//
// Nothing is overwritten. What would be in the way is found before anything is
// written and named in the error, a *diag.Failure, and what is written appears
// together or not at all.
package scaffold
