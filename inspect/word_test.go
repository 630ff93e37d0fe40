package inspect

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/limit"
)

// A word is read from a file or from stdin as it is from a command line; lines end a
// token, too.
func TestReadWord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "word")
	for text, want := range map[string]string{
		"":                         "",
		"0,1,2\n":                  "0,1,2",
		"0, 1,\n2\n\n":             "0, 1,2",
		"0 1\t1\r\n2\n":            "0 1\t1 2",
		"\ufefftwo words,\r\nb\n":  "two words,b",
		"heads\ntails\nheads\n":    "heads tails heads",
		"  0,1  \n   \n  2,0,  \n": "0,1,2,0",
		"-":                        "-",
		"@other":                   "@other",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadWord("@"+file, nil); got != want || err != nil {
			t.Errorf("a file of %q: %q, %v; want %q", text, got, err, want)
		}
		if got, err := ReadWord("-", strings.NewReader(text)); got != want || err != nil {
			t.Errorf("standard input of %q: %q, %v; want %q", text, got, err, want)
		}
	}
	if got, err := ReadWord("0,1", nil); got != "0,1" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// What has no end is not read to it, and what is no word is not shown whole.
func TestReadWordIsBounded(t *testing.T) {
	var unread *limit.Error
	_, err := ReadWord("-", endless{})
	if want := "standard input holds more than that; a word has at most 16.8 MB"; !errors.As(err, &unread) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = ParseWord(strings.Repeat("x", 1<<20), nil)
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("%d bytes of error", len(err.Error()))
	}
}

// endless is a reader without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
