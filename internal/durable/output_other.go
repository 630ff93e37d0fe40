//go:build !unix

package durable

import (
	"io/fs"
	"os"
)

// openThrough opens what is no regular file.
func openThrough(path string) (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) }

// ownFile knows no folder of the process's own open files here.
func ownFile(string, string) func() (*os.File, error) { return nil }

// cannotSync takes a flush of what is no regular file for one that there need not be.
func cannotSync(error) bool { return true }

// keepOwner returns the mode of the other file; owners are the folder's here.
func keepOwner(_ *os.File, like fs.FileInfo) fs.FileMode { return like.Mode().Perm() }
