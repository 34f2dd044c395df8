package process

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// family finds and signals what a program has started.
type family struct {
	marker string // the environment entry all of them inherit
	pid    int    // the program itself; also its group and session
	since  uint64 // when it started, in clock ticks since boot

	mu       sync.Mutex
	known    map[int]uint64 // every member seen so far, and when it started
	sessions map[int]bool   // and the sessions they were in
}

func newFamily(marker string) *family {
	return &family{marker: marker, known: map[int]uint64{}, sessions: map[int]bool{}}
}

// prepareSystem has the system end the program when omcbuild itself is killed.
// It reaches the program only; its children notice by their closed input.
func (f *family) prepareSystem(attr *syscall.SysProcAttr) { attr.Pdeathsig = unix.SIGTERM }

func (f *family) attach(p *os.Process) {
	f.pid = p.Pid
	if s, ok := readStat(p.Pid); ok {
		f.since = s.start
	}
}

// waitUntilDead waits for the program without collecting it, so that its number
// stays taken. It reports whether that worked.
func (f *family) waitUntilDead() bool {
	for {
		err := unix.Waitid(unix.P_PID, f.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}

// members returns the living processes of the family except the program itself.
// Who was a member once remains one, even when its last tie is cut: a process may
// be on its way out, or have lost the parent by which it was found.
func (f *family) members() []Member {
	table := f.younger()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recognise(table)
	var out []Member
	for pid, start := range f.known {
		s, ok := table[pid]
		if ok && s.start == start && pid != f.pid && s.state != 'Z' && s.state != 'X' {
			out = append(out, Member{PID: pid, Command: commandLine(pid, s.name)})
		}
	}
	return out
}

// recognise adds to the known members those who bear one of the signs.
func (f *family) recognise(table map[int]stat) {
	f.known[f.pid] = f.since
	s, ok := table[f.pid]
	f.sessions[f.pid] = !ok || s.start == f.since // else the number is somebody else's by now
	for pid := range table {
		if f.hasMarker(pid) {
			f.admit(pid, table)
		}
	}
	for grown := true; grown; {
		grown = false
		for pid, s := range table {
			if parent, ok := table[s.parent]; f.sessions[s.session] || ok && f.known[s.parent] == parent.start {
				grown = f.admit(pid, table) || grown
			}
		}
	}
}

// admit makes a process a member and reports whether it was none before.
func (f *family) admit(pid int, table map[int]stat) bool {
	s := table[pid]
	if start, ok := f.known[pid]; ok && start == s.start {
		return false
	}
	f.known[pid], f.sessions[s.session] = s.start, true
	return true
}

// younger returns the processes that started no earlier than the program.
func (f *family) younger() map[int]stat {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	table := map[int]stat{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, ok := readStat(pid); ok && s.start >= f.since {
			table[pid] = s
		}
	}
	return table
}

func (f *family) hasMarker(pid int) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false // of another user, or gone
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if string(entry) == f.marker {
			return true
		}
	}
	return false
}

// end signals one process, if its number still belongs to the family.
func (f *family) end(m Member, kill bool) {
	p, err := os.FindProcess(m.PID) // holds on to the process, not to its number
	if err != nil {
		return
	}
	defer func() { _ = p.Release() }()
	f.mu.Lock()
	start := f.known[m.PID]
	f.mu.Unlock()
	if s, ok := readStat(m.PID); ok && s.start == start {
		_ = p.Signal(signalFor(kill)) // fails when it is gone already, or not ours to end
	}
}

// stat is the part of /proc/PID/stat that tells families apart.
type stat struct {
	name            string
	state           byte
	parent, session int
	start           uint64 // in clock ticks since boot
}

func readStat(pid int) (stat, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	return parseStat(string(data))
}

// parseStat reads a line "pid (name) state ppid pgrp session … starttime …". The
// name may hold blanks and brackets, so the last bracket ends it.
func parseStat(line string) (stat, bool) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return stat{}, false
	}
	fields := strings.Fields(line[end+1:])
	if len(fields) < 20 || len(fields[0]) != 1 {
		return stat{}, false
	}
	s := stat{name: line[open+1 : end], state: fields[0][0]}
	var errs [3]error
	s.parent, errs[0] = strconv.Atoi(fields[1])
	s.session, errs[1] = strconv.Atoi(fields[3])
	s.start, errs[2] = strconv.ParseUint(fields[19], 10, 64)
	if errors.Join(errs[:]...) != nil {
		return stat{}, false
	}
	return s, true
}

func commandLine(pid int, name string) string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil || len(data) == 0 {
		return cut(name)
	}
	return cut(strings.TrimSpace(string(bytes.ReplaceAll(data, []byte{0}, []byte{' '}))))
}
