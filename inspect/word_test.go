package inspect

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/internal/limit"
	"foretell/process"
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

// What is no word of a model or of a process is answered by one that is.
func TestWordsThatCanOccur(t *testing.T) {
	coin, err := Open("craft:coin", process.Params{"n_ctx": 8.0})
	if err != nil {
		t.Fatal(err)
	}
	const example = "BOS,tails,heads"
	word, err := coin.ParseWord(example)
	if err != nil || !slices.Equal(word, []int32{2, 0, 1}) {
		t.Errorf("%v, %v", word, err)
	}
	if err := coin.CheckWord(word); err != nil {
		t.Error(err)
	}
	_, noToken := coin.ParseWord("x")
	_, none := coin.ParseWord("")
	_, noName := Subject{Process: coin.Crafted.Process}.ParseWord("x")
	for want, err := range map[string]error{
		`"x" at position 1 is not a token; write tokens as 2,0,1 or by their names, as ` + example:      noToken,
		"0 tokens given; the model takes 1 to 8, such as BOS,tails":                                     none,
		"coin: token 1 at position 1, where token 2, BOS, must stand; one that can occur is " + example: coin.CheckWord([]int32{1}),
		"token 3 at position 1 is outside the alphabet [0, 2]":                                          coin.CheckWord([]int32{3}),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if noName == nil || noName.Error() != noToken.Error() {
		t.Errorf("%v, want %v", noName, noToken)
	}
	for _, entry := range process.Catalogue() {
		p, known := mustFind(t, entry.Name, nil).Process.(process.Process)
		if !known {
			continue
		}
		if _, err := Optimum(p, someWord(p, fewTokens)); err != nil {
			t.Errorf("%s: %v", entry.Name, err)
		}
	}
}
