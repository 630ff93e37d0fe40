//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package durable

import (
	"errors"
	"sync"
)

var noted sync.Once

// Lock is not supported on this system: it succeeds without protection, and calls note
// once, with a line that says so and names the folder.
func Lock(dir string, note func(text string)) (unlock func(), err error) {
	noted.Do(func() { note(unprotected(dir, errors.ErrUnsupported)) })
	return func() {}, nil
}
