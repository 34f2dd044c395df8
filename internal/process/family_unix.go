//go:build unix

package process

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// prepare makes the program lead a session, and with it a group, of its own. It
// has no terminal then, so it can neither ask there nor be interrupted from it.
func (f *family) prepare(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	f.prepareSystem(cmd.SysProcAttr)
	return nil
}

// signalGroup sends SIGTERM or SIGKILL to the group.
func (f *family) signalGroup(kill bool) {
	_ = unix.Kill(-f.pid, signalFor(kill)) // fails only when nobody is there
}

func (f *family) release() {}

func signalFor(kill bool) syscall.Signal {
	if kill {
		return unix.SIGKILL
	}
	return unix.SIGTERM
}

func signalOf(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	return unix.SignalName(status.Signal())
}

func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) // already bytes there
	}
	return int64(usage.Maxrss) * 1024
}
