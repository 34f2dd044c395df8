//go:build unix

package watch

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLimitsOfTheSystem are told by their names: what the system says of them is that the
// disk is full. The work goes on by polling.
func TestLimitsOfTheSystem(t *testing.T) {
	limits := map[string]struct {
		open func() (notifier, error)
		want []string
	}{
		"of folders":   {deaf{refuse: fmt.Errorf("adding: %w", syscall.ENOSPC)}.open, []string{"limit of watched folders", "the disk is not full", "fs.inotify.max_user_watches="}},
		"of notifiers": {refuse(syscall.EMFILE), []string{"limit of programs that watch", "fs.inotify.max_user_instances="}},
	}
	for name, limit := range limits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := watchProject(t, sources(), Options{looks: 10 * time.Millisecond}, func(p *project) { p.open = limit.open })
			p.write("src/main.ts", "saved")
			p.sees("src/main.ts", "saved")
			p.mu.Lock()
			defer p.mu.Unlock()
			for _, want := range limit.want {
				if len(p.said) != 1 || !strings.Contains(p.said[0].Message+"\n"+p.said[0].Hint, want) {
					t.Errorf("said %v, want %q", p.said, want)
				}
			}
		})
	}
}
