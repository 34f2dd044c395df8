package process

import (
	"fmt"
	"os"
	"time"
)

// ExitStatus says how a program ended.
type ExitStatus struct {
	Code       int           // exit code; -1 when a signal ended it
	Signal     string        // name of that signal, for example "SIGKILL"; empty otherwise
	PeakMemory int64         // largest resident size of the program itself in bytes; 0 where it is not told
	CPU        time.Duration // processor time of the program itself, user and system
}

// Success reports whether the program ended with exit code 0.
func (s ExitStatus) Success() bool { return s.Code == 0 && s.Signal == "" }

// String reads "exit code 3" or "killed by SIGKILL".
func (s ExitStatus) String() string {
	if s.Signal != "" {
		return "killed by " + s.Signal
	}
	return fmt.Sprintf("exit code %d", s.Code)
}

func statusOf(state *os.ProcessState) ExitStatus {
	if state == nil {
		return ExitStatus{Code: -1}
	}
	return ExitStatus{
		Code:       state.ExitCode(),
		Signal:     signalOf(state),
		PeakMemory: peakMemory(state),
		CPU:        state.UserTime() + state.SystemTime(),
	}
}
