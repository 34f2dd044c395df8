package process

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The test binary plays omcbuild, and is killed while it holds a process.
func TestHeldEndsWithItsOwner(t *testing.T) {
	if os.Getenv("PLAY_THE_HOLDER") != "" {
		c, _ := mirrored(t)
		h, err := Hold(t.Context(), c, 0, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		<-h.booted
		os.Stdout.WriteString("holds " + strconv.Itoa(h.process.PID()) + "\n")
		<-h.process.exited
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	owner, err := Start(t.Context(), Command{Path: self, Args: []string{"-test.run=^" + t.Name() + "$"}, Dir: t.TempDir(), Env: []string{"PLAY_THE_HOLDER=1", "PATH=" + os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Stop(0)
	pid, out := 0, bufio.NewReader(owner.Stdout())
	for pid == 0 {
		if text, found := strings.CutPrefix(line(t, out), "holds "); found {
			pid, _ = strconv.Atoi(text)
		}
	}
	held, err := unix.PidfdOpen(pid, 0) // readable once it has ended
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(held)
	if err := unix.Kill(owner.PID(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ended := []unix.PollFd{{Fd: int32(held), Events: unix.POLLIN}}
	if n, err := unix.Poll(ended, 30_000); n != 1 {
		t.Errorf("the held process still runs: %v", err)
	}
}
