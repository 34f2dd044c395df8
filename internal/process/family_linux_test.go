package process

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Families that try to outlive their program. Each script prints the number of
// the process that stays.
var families = []struct{ name, script string }{
	{"child in the same group", "sleep 1000 & echo $!; cat >/dev/null"},
	{"child that ignores SIGTERM", `sh -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & cat >/dev/null`},
	{"child in a session of its own", `setsid sh -c 'echo $$; exec sleep 1000' & cat >/dev/null`},
	{"grandchild whose parent has gone", `setsid sh -c 'sleep 1000 & echo $!' & cat >/dev/null`},
	{"child without the pipes", `setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1 </dev/null' & cat >/dev/null`},
	{"child with an environment of its own", `env -i /bin/sh -c 'echo $$; exec sleep 1000' & cat >/dev/null`},
	{"child of a marked child with an environment of its own", `setsid sh -c 'env -i /bin/sh -c "echo \$\$; exec sleep 1000" & exec sleep 1000' & cat >/dev/null`},
}

func TestStopFindsTheFamily(t *testing.T) {
	for _, test := range families {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, out := start(t, t.Context(), shell(t, test.script))
			pid := line(t, out)
			ending := p.Stop(time.Minute)
			if ending.Step != StdinClosed {
				t.Errorf("step = %d, want the program to end with its input", ending.Step)
			}
			if !contains(ending.Left, pid) {
				t.Errorf("left = %v, want process %s among them", ending.Left, pid)
			}
			if len(ending.Remaining) > 0 {
				t.Errorf("remaining = %v", ending.Remaining)
			}
			mustBeGone(t, pid)
		})
	}
}

func TestCancelEndsTheFamily(t *testing.T) {
	for _, test := range families {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			p, out := start(t, ctx, shell(t, test.script))
			pid := line(t, out)
			cancel()
			<-p.Exited()
			ending := p.Stop(time.Minute)
			if ending.Step != Killed || ending.Status.Signal != "SIGKILL" {
				t.Errorf("step %d, %s; want it killed", ending.Step, ending.Status)
			}
			mustBeGone(t, pid)
		})
	}
}

// A program that ignores the end of its input does not outlive an omcbuild that
// was killed. The test binary plays omcbuild.
func TestProgramEndsWithItsOwner(t *testing.T) {
	if os.Getenv("PLAY_THE_OWNER") != "" {
		p, out := start(t, t.Context(), shell(t, "echo $$; exec sleep 1000"))
		os.Stdout.WriteString("started " + line(t, out) + "\n")
		<-p.Exited()
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	owner, out := start(t, t.Context(), Command{Path: self, Args: []string{"-test.run=^" + t.Name() + "$"}, Dir: t.TempDir(), Env: []string{"PLAY_THE_OWNER=1"}})
	pid := ""
	for pid == "" {
		if text, found := strings.CutPrefix(line(t, out), "started "); found {
			pid = text
		}
	}
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	program, err := unix.PidfdOpen(n, 0) // readable once the program has ended
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(program)
	if err := unix.Kill(owner.PID(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ended := []unix.PollFd{{Fd: int32(program), Events: unix.POLLIN}}
	if n, err := unix.Poll(ended, 30_000); n != 1 {
		t.Errorf("the program still runs: %v", err)
	}
}

func TestStopLeavesOthersAlone(t *testing.T) {
	other, out := start(t, t.Context(), shell(t, "sleep 1000 & echo $!; cat >/dev/null"))
	pid := line(t, out)
	p, _ := start(t, t.Context(), shell(t, "cat >/dev/null"))
	if ending := p.Stop(time.Minute); len(ending.Left) > 0 {
		t.Errorf("left = %v", ending.Left)
	}
	n, _ := strconv.Atoi(pid)
	if unix.Kill(n, 0) != nil || unix.Kill(other.PID(), 0) != nil {
		t.Error("another program's family was ended")
	}
}

func contains(members []Member, pid string) bool {
	for _, m := range members {
		if strconv.Itoa(m.PID) == pid {
			return true
		}
	}
	return false
}

func TestParseStat(t *testing.T) {
	const rest = " 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 391085 2560000 314"
	tests := []struct {
		name, line string
		want       stat
		ok         bool
	}{
		{"plain", "7 (sh) S 1 7 7" + rest, stat{"sh", 'S', 1, 7, 391085}, true},
		{"name with brackets and blanks", "7 (a) R 9 (b) Z 1 6 5" + rest, stat{"a) R 9 (b", 'Z', 1, 5, 391085}, true},
		{"too short", "7 (sh) S 1 7 7", stat{}, false},
		{"not a number", "7 (sh) S x 7 7" + rest, stat{}, false},
		{"no name", "7 sh S 1 7 7" + rest, stat{}, false},
		{"empty", "", stat{}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := parseStat(test.line); ok != test.ok || got != test.want {
				t.Errorf("got %+v, %v; want %+v, %v", got, ok, test.want, test.ok)
			}
		})
	}
}

func TestReadStatOfThisProcess(t *testing.T) {
	s, ok := readStat(os.Getpid())
	if !ok || s.parent != os.Getppid() || s.start == 0 {
		t.Errorf("%+v, %v; want parent %d", s, ok, os.Getppid())
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("7 (sh) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 391085 2560000 314")
	f.Add("7 (a) b) (")
	f.Fuzz(func(t *testing.T, line string) {
		if s, ok := parseStat(line); !ok && s != (stat{}) {
			t.Errorf("half a result: %+v", s)
		}
	})
}
