// Package golden compares what a test makes with a file that was looked at and kept. The
// flag -update of a test that uses it writes the files again:
//
//	go test ./report -run TestGolden -update
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files again")

// Compare fails the test if got differs from the contents of a file. The error shows the
// first line in which they differ.
func Compare(t testing.TB, path, got string) {
	t.Helper()
	if line, a, b := difference(got, string(Read(t, path, []byte(got)))); line > 0 {
		t.Errorf("%s:%d differs; look at the whole, and run with -update if it is right: got\n%s\nwant\n%s",
			path, line, a, b)
	}
}

// Read returns the contents of a file. With -update it first writes got to the file.
func Read(t testing.TB, path string, got []byte) []byte {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// difference returns the number of the first line in which two texts differ, counted from
// 1, and that line of each; 0 if they are equal.
func difference(a, b string) (line int, ofA, ofB string) {
	linesA, linesB := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(linesA), len(linesB)) {
		ofA, ofB = "(the end)", "(the end)"
		if i < len(linesA) {
			ofA = linesA[i]
		}
		if i < len(linesB) {
			ofB = linesB[i]
		}
		if ofA != ofB || i >= min(len(linesA), len(linesB)) {
			return i + 1, ofA, ofB
		}
	}
	return 0, "", ""
}
