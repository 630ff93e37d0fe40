package fault

import "syscall"

// skipCall lets a thread that enters a call leave it at once, without a call.
func skipCall(id int) error {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(id, &regs); err != nil {
		return err
	}
	regs.Orig_rax = ^uint64(0)
	return syscall.PtraceSetRegs(id, &regs)
}

// setResult makes the call that a thread leaves one that failed.
func setResult(id int, errno syscall.Errno) error {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(id, &regs); err != nil {
		return err
	}
	regs.Rax = -uint64(errno)
	return syscall.PtraceSetRegs(id, &regs)
}
