package web_test

import (
	"os"
	"testing"

	"foretell/internal/vendored"
)

// The libraries are those that vendor/README.md lists, byte by byte.
func TestLibrariesAreUnmodified(t *testing.T) {
	if err := vendored.Check(os.DirFS("vendor")); err != nil {
		t.Error(err)
	}
}
