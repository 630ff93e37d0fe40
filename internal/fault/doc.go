// Package fault injects realistic faults into a program under test: it kills the program
// at a system call, or makes the call fail.
//
// [Trace] runs a command and asks, for each system call on a file below a folder, in
// order, whether the call continues, the program dies before it, or the call fails. A
// deterministic program always makes the same calls; a campaign can therefore test each
// one of them, whereas kills at random times mostly hit the slow calls.
package fault

import "syscall"

// Call is a system call on a file below the folder.
type Call struct {
	Number  int    // from 1
	Name    string // such as "renameat"
	Path    string // path of the file
	Changes bool   // whether the call can change the disk
}

// Verdict decides the outcome of a call.
type Verdict struct {
	Kill bool          // kill the program before the call
	Fail syscall.Errno // skip the call and return this error to the program; 0: do not skip it
}
