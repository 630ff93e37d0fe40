package main

import (
	"strings"
	"testing"
)

// An archive has the licences of Go, of foretell, of modules and of the libraries of the
// front end.
func TestLicences(t *testing.T) {
	t.Chdir("../..")
	f, err := licences(target{"windows", "arm64"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Go, LICENSE\n", "foretell, LICENSE\n", "github.com/spf13/cobra v", "gonum.org/v1/gonum v", "preact\n"} {
		if !strings.Contains(string(f.data), want) {
			t.Errorf("%s lacks %q", f.name, want)
		}
	}
}
