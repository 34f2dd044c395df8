package inspect

import (
	"context"
	"errors"
)

// maxWork bounds the work of one inspection, in the order of a microsecond
// each. Ordinary repositories need some thousand.
const maxWork = 2_000_000

// What work costs that is more than one step.
const (
	costOfFolder    = 100 // reading a folder
	costOfStatement = 10  // looking back over a statement
	costOfContexts  = 20  // listing what the names around a token are bound to
)

// errSpent says that a repository asks for more work than is done.
var errSpent = errors.New("the repository asks for more work than is done")

// budget is what is left of the work of one inspection. It is shared by all
// that a hostile repository can repeat: folders that globs lead through,
// expressions, and the rounds of loops and functions. It also ends when the
// inspection is no longer wanted.
type budget struct {
	done <-chan struct{}
	left int
}

func newBudget(ctx context.Context) *budget { return &budget{ctx.Done(), maxWork} }

// spend takes steps away. The error says that nothing is left, or that the
// inspection was interrupted.
func (b *budget) spend(steps int) error {
	if b.left -= steps; b.left < 0 {
		return errSpent
	}
	select {
	case <-b.done:
		b.left = -1
		return context.Canceled
	default:
		return nil
	}
}

// spent reports whether work was left undone.
func (b *budget) spent() bool { return b.left < 0 }
