//go:build linux && !amd64

package fault

import (
	"errors"
	"syscall"
)

func skipCall(int) error                 { return errors.ErrUnsupported }
func setResult(int, syscall.Errno) error { return errors.ErrUnsupported }
