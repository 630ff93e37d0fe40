package fault

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Trace runs a command until it ends, and calls the function decide for each of the
// command's system calls on a file below dir, which must be absolute. It returns the
// command's wait status. The command's files must be nil or of type *os.File, because
// nothing is copied. The error wraps [errors.ErrUnsupported] if this system does not
// allow tracing.
func Trace(cmd *exec.Cmd, dir string, decide func(Call) Verdict) (syscall.WaitStatus, error) {
	runtime.LockOSThread() // only the thread that starts a process may trace it
	defer runtime.UnlockOSThread()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Ptrace = true
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	t := tracer{pid: cmd.Process.Pid, dir: dir, decide: decide, threads: map[int]*thread{}}
	status, err := t.run()
	_ = cmd.Process.Release()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EIO) {
		err = fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return status, err
}

type tracer struct {
	pid     int
	dir     string
	decide  func(Call) Verdict
	calls   int
	threads map[int]*thread
}

// thread is a thread of the traced program.
type thread struct {
	fail syscall.Errno // error that the current call shall return; 0 if it is not skipped
}

// syscallInfo is Linux's struct ptrace_syscall_info, up to the arguments of a call.
type syscallInfo struct {
	op   uint8
	_    [7]byte
	_, _ uint64
	nr   uint64
	args [6]uint64
	_    [16]byte
}

// Kinds of stops in syscallInfo.op.
const opEntry, opExit = 1, 2

const (
	getSyscallInfo = 0x420e // PTRACE_GET_SYSCALL_INFO
	ownThread      = 0x20000000
	syscallStop    = syscall.SIGTRAP | 0x80
)

// run follows all threads until the program ends.
func (t *tracer) run() (syscall.WaitStatus, error) {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(t.pid, &status, syscall.WALL|ownThread, nil); err != nil {
		return status, err
	}
	const options = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | unix.PTRACE_O_EXITKILL
	err := syscall.PtraceSetOptions(t.pid, options)
	if err == nil {
		err = syscall.PtraceSyscall(t.pid, 0)
	}
	for err == nil {
		var id int
		if id, err = syscall.Wait4(-1, &status, syscall.WALL|ownThread, nil); err != nil {
			break
		}
		if status.Exited() || status.Signaled() {
			if id == t.pid {
				return status, nil
			}
			continue
		}
		err = t.stopped(id, status)
	}
	_ = syscall.Kill(t.pid, syscall.SIGKILL)
	_, _ = syscall.Wait4(t.pid, nil, syscall.WALL, nil)
	return status, err
}

// stopped handles a thread that has stopped, and resumes it.
func (t *tracer) stopped(id int, status syscall.WaitStatus) error {
	deliver := 0
	switch signal := status.StopSignal(); {
	case signal == syscallStop:
		if err := t.atCall(id); err != nil {
			return gone(err)
		}
	case t.threads[id] == nil: // a new thread starts with an additional stop
	case signal != syscall.SIGTRAP:
		deliver = int(signal)
	}
	if t.threads[id] == nil {
		t.threads[id] = &thread{}
	}
	return gone(syscall.PtraceSyscall(id, deliver))
}

// gone returns err, or nil if err only says that the thread has ended in the meantime.
func gone(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// atCall handles a thread that enters or leaves a system call.
func (t *tracer) atCall(id int) error {
	var info syscallInfo
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(id),
		unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return errno
	}
	own := t.threads[id]
	if own == nil {
		own = &thread{}
		t.threads[id] = own
	}
	if info.op == opExit && own.fail != 0 {
		errno, own.fail = own.fail, 0
		return setResult(id, errno)
	}
	if info.op != opEntry {
		return nil
	}
	call, concerns := t.describe(id, info)
	if !concerns {
		return nil
	}
	t.calls++
	call.Number = t.calls
	verdict := t.decide(call)
	switch {
	case verdict.Kill:
		return syscall.Kill(t.pid, syscall.SIGKILL)
	case verdict.Fail != 0:
		own.fail = verdict.Fail
		return skipCall(id)
	}
	return nil
}

// calls describes the file system calls that Go programs make, by number: the call's
// name, how to find the path, and whether the call changes the disk. An open call also
// changes the disk if its flags say so.
var calls = map[uint64]struct {
	name    string
	at      func(t *tracer, id int, args [6]uint64) string
	changes bool
}{
	unix.SYS_OPENAT:     {"openat", byName, false},
	unix.SYS_MKDIRAT:    {"mkdirat", byName, true},
	unix.SYS_UNLINKAT:   {"unlinkat", byName, true},
	callRenameat:        {"renameat", byName, true},
	unix.SYS_RENAMEAT2:  {"renameat2", byName, true},
	unix.SYS_LINKAT:     {"linkat", byName, true},
	unix.SYS_FTRUNCATE:  {"ftruncate", byNumber, true},
	unix.SYS_WRITE:      {"write", byNumber, true},
	unix.SYS_PWRITE64:   {"pwrite64", byNumber, true},
	unix.SYS_FSYNC:      {"fsync", byNumber, true},
	unix.SYS_FDATASYNC:  {"fdatasync", byNumber, true},
	unix.SYS_READ:       {"read", byNumber, false},
	unix.SYS_PREAD64:    {"pread64", byNumber, false},
	unix.SYS_GETDENTS64: {"getdents64", byNumber, false},
	unix.SYS_FLOCK:      {"flock", byNumber, false},
}

// describe returns a call, and reports whether it is on a file below the folder.
func (t *tracer) describe(id int, info syscallInfo) (Call, bool) {
	known, ok := calls[info.nr]
	if !ok {
		return Call{}, false
	}
	path := known.at(t, id, info.args)
	if path != t.dir && !strings.HasPrefix(path, t.dir+"/") {
		return Call{}, false
	}
	changes := known.changes || info.nr == unix.SYS_OPENAT && info.args[2]&(unix.O_CREAT|unix.O_TRUNC) != 0
	return Call{Name: known.name, Path: path, Changes: changes}, true
}

// byNumber returns the path of the open file whose descriptor is a call's first argument.
func byNumber(_ *tracer, id int, args [6]uint64) string { return openFile(id, args[0]) }

func openFile(id int, number uint64) string {
	path, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(id), "fd", strconv.Itoa(int(int32(number)))))
	return path // empty if the descriptor is not open
}

// byName returns the path in a call's second argument. It is relative to the folder whose
// descriptor is the first argument.
func byName(t *tracer, id int, args [6]uint64) string {
	name := t.text(id, uintptr(args[1]))
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(openFile(id, args[0]), name)
}

// text reads a zero-terminated string from the program's memory.
func (t *tracer) text(id int, at uintptr) string {
	var text []byte
	for word := make([]byte, 64); len(text) < unix.PathMax; {
		n, err := syscall.PtracePeekData(id, at+uintptr(len(text)), word)
		if end := bytes.IndexByte(word[:n], 0); end >= 0 {
			return string(append(text, word[:end]...))
		}
		if text = append(text, word[:n]...); err != nil {
			break
		}
	}
	return string(text)
}
