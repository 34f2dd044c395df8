//go:build unix

package process

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// mustBeGone fails the test when a process still runs. A zombie that nobody has
// collected does not run.
func mustBeGone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatalf("not a process number: %q", pid)
	}
	if errors.Is(unix.Kill(n, 0), unix.ESRCH) {
		return
	}
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return
	}
	if _, rest, _ := strings.Cut(string(data), ") "); !strings.HasPrefix(rest, "Z") {
		t.Errorf("process %s still runs: %s", pid, data)
	}
}

func TestStopSteps(t *testing.T) {
	tests := []struct {
		name, script string
		grace        time.Duration
		want         Step
		status       string
	}{
		{"ends with its input", "echo ready; cat >/dev/null", time.Minute, StdinClosed, "exit code 0"},
		{"ends with a code of its own", "echo ready; cat >/dev/null; exit 7", time.Minute, StdinClosed, "exit code 7"},
		{"ignores the end of input", "echo ready; while :; do sleep 1; done", 0, Terminated, "killed by SIGTERM"},
		{"ignores SIGTERM too", "trap '' TERM; echo ready; while :; do sleep 1; done", 0, Killed, "killed by SIGKILL"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, out := start(t, t.Context(), shell(t, test.script))
			line(t, out)
			ending := p.Stop(test.grace)
			if ending.Step != test.want || ending.Status.String() != test.status {
				t.Errorf("step %d, %s; want %d, %s", ending.Step, ending.Status, test.want, test.status)
			}
			if len(ending.Left)+len(ending.Remaining) > 0 {
				t.Errorf("left %v, remaining %v", ending.Left, ending.Remaining)
			}
			if ending.Exit <= 0 {
				t.Errorf("time from the end of input to the exit = %v", ending.Exit)
			}
			mustBeGone(t, strconv.Itoa(p.PID()))
			if again := p.Stop(0); again.Step != ending.Step {
				t.Errorf("second Stop says %v", again)
			}
		})
	}
}

func TestStopOfAnEndedProgram(t *testing.T) {
	p, _ := start(t, t.Context(), shell(t, "exit 5"))
	<-p.Exited()
	ending := p.Stop(time.Minute)
	if ending.Step != AlreadyEnded || ending.Status.Code != 5 || ending.Exit != 0 {
		t.Errorf("%+v", ending)
	}
}

func TestStopEndsAProgramThatForksWithoutEnd(t *testing.T) {
	p, out := start(t, t.Context(), shell(t, `trap "" TERM; echo ready; while :; do sleep 1000 & sleep 0.01; done`))
	line(t, out)
	if ending := p.Stop(0); len(ending.Remaining) > 0 {
		t.Errorf("remaining = %v", ending.Remaining)
	}
}

func TestStopEndsAReaderThatWaits(t *testing.T) {
	p, _ := start(t, t.Context(), shell(t, "echo text; exec 2>&-; sleep 1000"))
	read := make(chan string)
	go func() {
		text, _ := bufio.NewReader(p.Stderr()).ReadString('\n')
		read <- text
	}()
	<-read // stderr was closed by the program itself
	p.Stop(0)
}
