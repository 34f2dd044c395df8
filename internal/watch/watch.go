// Package watch does a job again whenever the files that it was done from
// change.
//
// It knows nothing of the job. A Work says what to look at, and has three
// functions: Round, which is done at the start and after every change, Check, which
// follows each round at once, and Rest, which is done when changes pause. They run one
// after the other; but a round does not wait until the check or the rest has ended that
// was given up for it.
//
//	fsnotify ──► events ──┐
//	                      ├──► field: does it matter? ──► batch: has it settled? ──► Round ──► Check ──► Rest
//	stat     ──► memory ──┘
//
// Events come from the folders, not from the files, because editors put a new
// file in the place of the old one. A field says which folders those are and
// what a name in them means. A memory holds how every file looked last; it
// finds what changed where folders were replaced, where the system lost events
// or has none, and is the source of all changes when polling.
//
// What settled is decided by how much changed: a lone save is taken up within
// milliseconds, many files are waited for until they pause, though not forever.
// A round that has begun when more changes arrive is cancelled and begun again
// with all of them, so that no result is made of half a save.
package watch

import (
	"context"
	"time"

	"omcbuild/internal/diag"
)

// Set is what to look at. All paths are absolute.
type Set struct {
	// Files are changes when they are written, appear or disappear. They need not
	// exist.
	Files []string
	// Folders are looked at for files that appear, disappear or are written in them.
	Folders []string
	// Trees are looked at as Folders are, with all folders below them but hidden
	// ones and node_modules.
	Trees []string
	// Own are those of Files that the work writes itself, too. A change of them ends
	// nothing that runs; a round follows it.
	Own []string
	// Products are files that the work writes. That one is another now is taken up when
	// there is nothing else to do, by a round that is given its path: the work itself
	// may have been it.
	Products []string
	// Matters is asked about such files of Folders and Trees as are not in Files,
	// also while a round runs. Nil is yes to all.
	Matters func(path string) bool
}

// Work is what is done.
type Work struct {
	// Watched is asked after every round, check and rest, and says what to look at from
	// then on.
	Watched func() Set
	// Round gets the changed paths, or none when anything may have changed, as at
	// the start. Its context ends when more changes arrive and when all ends; what
	// it was given is then given to the next round too.
	Round func(ctx context.Context, changed []string)
	// Check is done after every round. Its context ends with the next change.
	Check func(ctx context.Context)
	// Rest is done after a round when there is no other for a second. Its context ends
	// with the next change, and then it is done again after the next round.
	Rest func(ctx context.Context)
}

// Options say how to look.
type Options struct {
	// Root is the folder of the project. The folders between it and what is looked at
	// are looked at too, because they can be replaced.
	Root string
	// Poll is the time between two looks at all files, instead of events of the
	// system. 0 is events, as long as there are any.
	Poll time.Duration
	// Say is told what the user should know about the way of looking.
	Say func(diag.Diagnostic)

	looks time.Duration // for tests: between two looks at all files beside the events; 0 is by what they cost
}

// Run does the first round at once, then one after every change, until ctx
// ends. Nothing of it runs any more when it returns.
func Run(ctx context.Context, work Work, o Options) {
	l := newLoop(ctx, work, o, openNotifier)
	defer l.close()
	l.run()
}
