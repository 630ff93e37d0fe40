// Package fault injects faults into a program under test, as the world does: it kills
// it at a system call, or lets the call fail.
//
// [Trace] runs a command and asks about each of its system calls that has to do with
// files below a folder, in their order: whether it goes on, dies before the call, or is
// told that the call failed. Since a program that computes the same makes the same
// calls, a campaign can visit every one of them, where kills at random moments visit
// those that take long.
package fault

import "syscall"

// Call is a system call that has to do with a file below the folder.
type Call struct {
	Number  int    // from 1
	Name    string // as in "renameat"
	Path    string // of the file
	Changes bool   // whether it can change what is on the disk
}

// Verdict is what becomes of a call.
type Verdict struct {
	Kill bool          // the program dies before it
	Fail syscall.Errno // the program is told this error, and nothing is done; 0 for none
}
