package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// family is a job object: every process that a member starts is a member too, and
// all of them end when the last handle to the job is closed, also when omcbuild
// itself is killed.
type family struct {
	marker  string
	program *os.Process
	job     windows.Handle // 0 when there is none
}

func newFamily(marker string) *family { return &family{marker: marker} }

// prepare gives the program a process group of its own, and a batch file its interpreter,
// which the system has in its own folder, whatever PATH and ComSpec say.
func (f *family) prepare(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	if !isBatch(cmd.Path) {
		return nil
	}
	folder, err := windows.GetSystemDirectory()
	if err != nil {
		return err
	}
	line, err := batchLine(cmd.Path, cmd.Args[1:])
	cmd.Path, cmd.SysProcAttr.CmdLine = filepath.Join(folder, "cmd.exe"), line
	return err
}

// attach puts the program into a new job. Should the system refuse, the program
// runs without one and only itself can be ended.
func (f *family) attach(p *os.Process) {
	f.program = p
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = p.WithHandle(func(handle uintptr) {
			err = windows.AssignProcessToJobObject(job, windows.Handle(handle))
		})
	}
	if err != nil {
		windows.CloseHandle(job)
		return
	}
	f.job = job
}

func (f *family) waitUntilDead() bool { return false }

// signalGroup ends the job. There is no polite way for a program without a
// console, so asking and killing are the same. Both calls fail only when nobody
// is there any more.
func (f *family) signalGroup(bool) {
	if f.job == 0 {
		_ = f.program.Kill()
		return
	}
	_ = windows.TerminateJobObject(f.job, 1)
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	totalUser, totalKernel, periodUser, periodKernel int64
	pageFaults, processes, active, terminated        uint32
}

// members tells only whether anybody is in the job.
func (f *family) members() []Member {
	if f.job == 0 {
		return nil
	}
	var a accounting
	const basicAccounting = 1 // JobObjectBasicAccountingInformation
	err := windows.QueryInformationJobObject(f.job, basicAccounting, uintptr(unsafe.Pointer(&a)), uint32(unsafe.Sizeof(a)), nil)
	if err != nil || a.active == 0 {
		return nil
	}
	return make([]Member, a.active)
}

func (f *family) end(Member, bool) { f.signalGroup(true) }

func (f *family) release() {
	if f.job != 0 {
		windows.CloseHandle(f.job)
		f.job = 0
	}
}

func signalOf(*os.ProcessState) string { return "" }

func peakMemory(*os.ProcessState) int64 { return 0 }
