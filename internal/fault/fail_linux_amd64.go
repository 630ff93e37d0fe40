package fault

import "syscall"

// skipCall makes a thread that enters a system call skip it.
func skipCall(id int) error {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(id, &regs); err != nil {
		return err
	}
	regs.Orig_rax = ^uint64(0)
	return syscall.PtraceSetRegs(id, &regs)
}

// setResult sets the error of the system call that a thread is leaving.
func setResult(id int, errno syscall.Errno) error {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(id, &regs); err != nil {
		return err
	}
	regs.Rax = -uint64(errno)
	return syscall.PtraceSetRegs(id, &regs)
}
