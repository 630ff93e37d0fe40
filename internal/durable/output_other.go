//go:build !unix

package durable

import (
	"io/fs"
	"os"
)

// openThrough opens a file that is not regular.
func openThrough(path string) (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) }

// ownFile returns nil: this system has no folder of the process's open files.
func ownFile(string, string) func() (*os.File, error) { return nil }

// cannotSync ignores all errors of flushing a file that is not regular.
func cannotSync(error) bool { return true }

// keepOwner returns the mode of the other file. The owner comes from the folder on this
// system.
func keepOwner(_ *os.File, like fs.FileInfo) fs.FileMode { return like.Mode().Perm() }
