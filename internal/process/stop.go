package process

import "time"

// How long the steps of Stop after the first may take.
const (
	termGrace   = 1 * time.Second        // from SIGTERM to SIGKILL
	settleGrace = 400 * time.Millisecond // for the rest of the family to follow the program
	killGrace   = 3 * time.Second        // for the system to carry out SIGKILL
)

// Step is the last thing that Stop had to do before the program ended.
type Step int

const (
	// AlreadyEnded means that the program had ended before Stop was called.
	AlreadyEnded Step = iota
	// StdinClosed means that the program ended when its input did, as it should.
	StdinClosed
	// Terminated means that the program ended after SIGTERM.
	Terminated
	// Killed means that the program had to be killed.
	Killed
)

// Member is a process of the family of a started program.
type Member struct {
	PID     int
	Command string // its name or command line, cut at 200 bytes; empty when unknown
}

// Ending is the account of how a program was brought to its end.
type Ending struct {
	Status ExitStatus
	Step   Step
	// Exit is the time from closing standard input to the end of the program; 0
	// when it had ended before.
	Exit time.Duration
	// Left are the processes of its family that still ran when the program itself
	// had ended of its own accord and its family had had time to follow. They
	// were then ended too.
	Left []Member
	// Remaining are processes that could not be ended: they belong to another
	// user now, or hang in the system.
	Remaining []Member
}

// Stop ends the program and its family and reports how that went. It closes
// standard input, waits up to grace for the program to end, sends SIGTERM, waits
// a second, and kills. Later calls wait for the first and return the same.
// What the program has written can still be read from Stdout and Stderr.
func (p *Process) Stop(grace time.Duration) Ending {
	p.stopOnce.Do(func() {
		p.endProgram(grace)
		p.endFamily()
		p.forget()
		p.pipes.expire()
		p.family.release()
	})
	return p.ending
}

// Kill kills the program and its family without asking, and returns when they
// are gone. Stop is still to be called.
func (p *Process) Kill() {
	p.killed.Store(true)
	p.signal(true)
	p.waitExited(killGrace)
	p.sweep(true, killGrace)
}

func (p *Process) endProgram(grace time.Duration) {
	already := p.waitExited(0)
	closed := time.Now()
	p.pipes.stdin.Close()
	switch {
	case already:
		p.ending.Step = AlreadyEnded
	case p.waitExited(grace):
		p.ending.Step = StdinClosed
	case p.ask() && p.waitExited(termGrace):
		p.ending.Step = Terminated
	default:
		p.ending.Step = Killed
		p.signal(true)
	}
	if p.killed.Load() {
		p.ending.Step = Killed
	}
	if !p.waitExited(killGrace) {
		p.ending.Status = ExitStatus{Code: -1}
		p.ending.Remaining = []Member{{PID: p.PID(), Command: cut(p.cmd.Path)}}
		return
	}
	p.ending.Status = p.status
	if !already {
		p.ending.Exit = max(0, p.ended.Sub(closed))
	}
}

// ask sends SIGTERM to the group.
func (p *Process) ask() bool {
	p.signal(false)
	return true
}

// endFamily gives the rest of the family a moment to follow the program, and
// then ends those who did not.
func (p *Process) endFamily() {
	left := p.await(settleGrace)
	if p.ending.Step == AlreadyEnded || p.ending.Step == StdinClosed {
		p.ending.Left = left
	}
	if len(left) == 0 {
		return
	}
	p.sweep(false, termGrace)
	p.ending.Remaining = append(p.ending.Remaining, p.sweep(true, killGrace)...)
}

// waitExited waits up to d for the program itself and reports whether it ended.
func (p *Process) waitExited(d time.Duration) bool {
	select {
	case <-p.exited:
		return true
	default:
	}
	if d <= 0 {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// signal asks the whole group to end, or kills it, while the program itself has
// not been collected.
func (p *Process) signal(kill bool) {
	p.reap.Lock()
	defer p.reap.Unlock()
	if !p.reaped {
		p.family.signalGroup(kill)
	}
}

// sweep asks every process of the family to end, or kills it, until none is left
// or d has passed. It returns those that are left.
func (p *Process) sweep(kill bool, d time.Duration) []Member {
	deadline := time.Now().Add(d)
	asked := map[int]bool{}
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		members := p.family.members()
		for _, m := range members {
			if kill || !asked[m.PID] {
				p.family.end(m, kill)
				asked[m.PID] = true
			}
		}
		if len(members) == 0 || time.Now().After(deadline) {
			return members
		}
		time.Sleep(pause)
	}
}

// await waits up to d for the family to be gone and returns those that are left.
func (p *Process) await(d time.Duration) []Member {
	deadline := time.Now().Add(d)
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		members := p.family.members()
		if len(members) == 0 || time.Now().After(deadline) {
			return members
		}
		time.Sleep(pause)
	}
}

// cut shortens a command line for messages.
func cut(s string) string {
	if len(s) > 200 {
		return s[:200]
	}
	return s
}
