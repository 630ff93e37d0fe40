package text

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

type verdict string

type fraction struct{ a, b int }

func (f fraction) String() string { return fmt.Sprintf("%d\n%d", f.a, f.b) }

// Texts of any type are escaped where they are printed; numbers and the format are not.
func TestSprintf(t *testing.T) {
	got := Sprintf("%s\t%-8s|%d %.1f %v %v\n%s", "a\nb", verdict("c\x1b"), 3, 0.5, fraction{1, 2}, true,
		errors.Join(errors.New("d\r"), errors.New("e")))
	if want := "a\\nb\tc\\x1b   |3 0.5 1\\n2 true\nd\\r; e"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	var out strings.Builder
	if Fprintf(&out, "%s\n", "x\x07"); out.String() != "x\\x07\n" {
		t.Errorf("%q", out.String())
	}
}

// Joined errors stand side by side; line breaks of anybody are shown.
func TestError(t *testing.T) {
	two := errors.Join(errors.New("a"), errors.New("b"))
	for want, err := range map[string]error{
		"a; b":                        two,
		"c: a; b; d":                  fmt.Errorf("c: %w; d", two),
		"a; b; c: a; b, a; b":         errors.Join(two, fmt.Errorf("c: %w, %w", two, two)),
		`open x\ny: no such file`:     fmt.Errorf("open x\ny: %w", errors.New("no such file")),
		`usage: \x1b[2J\u202e; b\r\n`: fmt.Errorf("%w", errors.Join(errors.New("usage: \x1b[2J\u202e"), errors.New("b\r\n"))),
		`a\nb`:                        errors.New("a\nb"),
	} {
		if got := Error(err, nil); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// A long argument is cut wherever it is repeated.
func TestLongArguments(t *testing.T) {
	long := strings.Repeat("a b ", 60)
	want := Cut(long, 200)
	for _, arg := range []string{long, "--out=" + long} {
		got := Error(fmt.Errorf("--out: %s is a folder; give a file", long), []string{"walk", arg})
		if got != "--out: "+want+" is a folder; give a file" {
			t.Error(got)
		}
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"runs/a-b_1.2": "runs/a-b_1.2", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "~": "'~'",
		"a\nb": `$'a\x0ab'`, "it's\x1b\\": `$'it\'s\x1b\\'`, "\u202ex": `$'\xe2\x80\xaex'`, "é x": "'é x'", "\xff": `$'\xff'`,
	} {
		if got := ShellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
