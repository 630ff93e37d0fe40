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
	if want := "standard input holds more than that; a sequence has at most 16.8 MB"; !errors.As(err, &unread) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = parsed(strings.Repeat("x", 1<<20), 3, nil)
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
	_, noName := Subject{Process: coin.sampler}.ParseWord("x")
	for want, err := range map[string]error{
		`"x" at position 1 is not a token; write tokens as 2,0,1 or by their names, as ` + example: noToken,
		"0 tokens given; the model takes 1 to 8, such as BOS,tails":                                none,
		"coin: token 1 at position 1: want token 2 (BOS); a possible sequence is " + example:       coin.CheckWord([]int32{1}),
		"token 3 at position 1 is outside the alphabet [0, 2]":                                     coin.CheckWord([]int32{3}),
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

// Tokens that are run together are answered by the same tokens with commas, where each
// character is one.
func TestTokensWithoutSeparators(t *testing.T) {
	letters := []string{"a", "b", "heads"}
	for _, c := range []struct {
		text  string
		size  int
		names []string
		want  string // the word that the error suggests; empty where the text is a word
	}{
		{"012", 3, nil, "0,1,2"},
		{"12", 3, letters, "1,2"},
		{"01", 3, nil, "0,1"}, // not token 1
		{"00", 12, nil, "0,0"},
		{"0,012", 3, nil, "0,1,2"},
		{"abba", 3, letters, "a,b,b,a"},
		{"a0b", 3, letters, "a,0,b"},
		{"21111111111111", 3, nil, "2,1,1,1,1,1,1,1,1,1,1,1,1,1"},
		{"αβ", 2, []string{"α", "β"}, "α,β"},
		{"10", 11, nil, ""},
		{"10", 11, letters, ""},
		{"heads", 3, letters, ""},
		{"31", 3, nil, ""}, // a number outside the alphabet, which is another error
	} {
		word, err := parsed(c.text, c.size, c.names)
		if c.want == "" {
			if err != nil || len(word) != 1 {
				t.Errorf("%s: %v, %v", c.text, word, err)
			}
			continue
		}
		if err == nil || !strings.HasSuffix(err.Error(), "is not a token; did you mean "+c.want+"?") {
			t.Errorf("%s: %v, %v; want %s", c.text, word, err, c.want)
		}
	}
	long := strings.Repeat("01", 1<<19)
	if _, err := parsed(long, 2, nil); err == nil || len(err.Error()) > 300 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%d characters: an error of %d bytes", len(long), len(err.Error()))
	}
}
