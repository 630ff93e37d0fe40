package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// Two texts differ in their first different line, also if one continues the other, and
// equal texts do not.
func TestDifference(t *testing.T) {
	for _, c := range []struct {
		a, b     string
		line     int
		ofA, ofB string
	}{
		{"", "", 0, "", ""},
		{"a\nb\n", "a\nb\n", 0, "", ""},
		{"a\nb", "a\nc", 2, "b", "c"},
		{"a", "a\n", 2, "(the end)", ""},
		{"a\n(the end)", "a", 2, "(the end)", "(the end)"},
	} {
		if line, ofA, ofB := difference(c.a, c.b); line != c.line || ofA != c.ofA || ofB != c.ofB {
			t.Errorf("%q and %q: line %d, %q, %q", c.a, c.b, line, ofA, ofB)
		}
	}
}

// reported counts the errors of a test.
type reported struct {
	testing.TB
	errors int
}

func (r *reported) Errorf(string, ...any) { r.errors++ }

// A file that differs is an error and stays as it is; with -update it is written, with
// its folder.
func TestCompare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "text")
	defer func(before bool) { *update = before }(*update)
	r := &reported{TB: t}
	*update = true
	Compare(r, path, "a\nb\n")
	*update = false
	Compare(r, path, "a\nb\n")
	if r.errors != 0 {
		t.Errorf("%d errors of what was just written", r.errors)
	}
	Compare(r, path, "a\nc\n")
	if text, err := os.ReadFile(path); r.errors != 1 || err != nil || string(text) != "a\nb\n" {
		t.Errorf("%d errors, and the file has %q (%v)", r.errors, text, err)
	}
}
