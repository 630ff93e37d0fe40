package main

import (
	"os"
	"testing"
)

// TestNoTerminal holds that files and pipes are never drawn on or coloured.
func TestNoTerminal(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, ok := terminal(newOutput(f)); ok || wantsColour(f) {
		t.Error("a file is taken for a terminal")
	}
}
