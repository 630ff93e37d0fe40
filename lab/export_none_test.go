//go:build !pages

package lab

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A program without the engine says so, and writes nothing.
func TestNoEngine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pages")
	if _, err := Export(dir, ""); !errors.Is(err, ErrNoEngine) {
		t.Errorf("Export returns %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is there")
	}
}
