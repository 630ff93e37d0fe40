package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFill(t *testing.T) {
	const text = `Prose that is filled anew, whose lines
are of any length.

name     what it says, which is long
         and goes on
  command --flag value --another value

short`
	const want = `Prose that is filled
anew, whose lines are of
any length.

name     what it says,
         which is long
         and goes on
  command --flag value
  --another value

short`
	if got := Fill(text, 24); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := Fill(text, 120); got != text {
		t.Errorf("where there is room:\n%s", got)
	}
}

// No word is lost or broken, and a line is longer only where a word is.
func TestFillKeepsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-zé-]{1,12}( |  |\n|\n\n|\n  )){0,40}`).Draw(t, "text")
		width := rapid.IntRange(1, 60).Draw(t, "width")
		filled := Fill(text, width)
		if a, b := strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(filled), " "); a != b {
			t.Fatalf("%q became %q", a, b)
		}
		for _, line := range strings.Split(filled, "\n") {
			if utf8.RuneCountInString(strings.TrimRight(line, " ")) > max(width, 12+width/2) {
				t.Fatalf("%q is longer than %d", line, width)
			}
		}
	})
}
