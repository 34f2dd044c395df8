//go:build unix && !linux

package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// family is the process group of a program.
type family struct {
	marker string
	pid    int
}

func newFamily(marker string) *family { return &family{marker: marker} }

func (f *family) prepareSystem(*syscall.SysProcAttr) {}

func (f *family) attach(p *os.Process) { f.pid = p.Pid }

// waitUntilDead cannot wait without collecting here.
func (f *family) waitUntilDead() bool { return false }

// members tells only whether anybody is in the group: one nameless member stands
// for all. The program itself counts until it has been collected.
func (f *family) members() []Member {
	if unix.Kill(-f.pid, 0) == unix.ESRCH {
		return nil
	}
	return []Member{{PID: f.pid}}
}

func (f *family) end(_ Member, kill bool) { f.signalGroup(kill) }
