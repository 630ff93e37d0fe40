package token

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/internal/limit"
)

// parsed reads a word over some tokens, whose first three are the example of errors.
func parsed(text string, size int, names []string) ([]int32, error) {
	return Names(names).Parse(text, size, func() []int32 { return []int32{0, 1, 2} })
}

// Words are written by number, by name unless that is a number, or as samples are
// printed.
func TestParse(t *testing.T) {
	swapped := []string{"1", "0", "heads", "two words"}
	for text, want := range map[string][]int32{
		"": nil, " ": nil, "0,1,2": {0, 1, 2}, " 0, 1 ": {0, 1}, "0 1\t1\n": {0, 1, 1}, "7": {7}, "-1": {-1},
		"heads,1,0": {2, 1, 0}, "heads 0": {2, 0}, "two words,2": {3, 2},
	} {
		if got, err := parsed(text, 4, swapped); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	_, err := parsed("a,d", 3, []string{"a", "b", "c"})
	const want = `"d" at position 2 is not a token; write tokens as 0,1,2 or by their names, as a,b,c`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for _, near := range []string{"Heads", "haeds"} {
		_, err := parsed("tails,"+near, 2, []string{"tails", "heads"})
		if err == nil || err.Error() != `"`+near+`" at position 2 is not a token; did you mean "heads"?` {
			t.Errorf("%s: %v", near, err)
		}
	}
	if _, err := parsed("4294967296", 3, nil); err == nil {
		t.Error("a number that is too large")
	}
}

// Words are printed by names where all names can be read back, and are then read as they
// were.
func TestFormat(t *testing.T) {
	word := []int32{1, 0, 2, 1}
	for want, names := range map[string][]string{
		"heads tails BOS heads": {"tails", "heads", "BOS"},
		"heads tails 2 heads":   {"tails", "heads"}, // a model with more tokens than its process
	} {
		got := Names(names).Format(word, " ")
		if again, err := parsed(got, 3, names); got != want || err != nil || !slices.Equal(again, word) {
			t.Errorf("%v: %q, read as %v, %v", names, got, again, err)
		}
	}
	for _, names := range [][]string{
		nil,
		{"0", "1", "2"},
		{"BOS", "0", "1"},
		{"a", "two words", "b"},
		{"a", "b", "c,d"},
		{"a", "a", "b"},
		{"@a", "b", "c"},
		{"a", "b", "-"},
		{"a", "b", "\x1b[2J"},
		{"a", "b", "\xff"},
		{"a", "b", ""},
	} {
		if got := Names(names).Format(word, " "); got != "1 0 2 1" {
			t.Errorf("%q: %q", names, got)
		}
	}
}

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

// The likeliest levels are the fewest that hold a share, in runs of neighbours, each of
// which stands for its values to the middle between levels.
func TestLikeliestLevels(t *testing.T) {
	for _, c := range []struct {
		p     []float64
		share float64
		want  [][2]int
	}{
		{[]float64{0, 0.5, 0.5, 0}, 0.9, [][2]int{{1, 2}}},
		{[]float64{0, 0.5, 0.5, 0}, 0.5, [][2]int{{1, 1}}},
		{[]float64{0.45, 0.1, 0, 0.45}, 0.9, [][2]int{{0, 0}, {3, 3}}},
		{[]float64{0.4, 0.2, 0, 0.4}, 0.9, [][2]int{{0, 1}, {3, 3}}},
		{[]float64{0, 0, 1 - 1e-15, 0}, 1, [][2]int{{2, 2}}},
		{[]float64{0.25, 0.25, 0.25, 0.25}, 0.75, [][2]int{{0, 2}}},
	} {
		if got := Likeliest(c.p, c.share); !slices.Equal(got, c.want) {
			t.Errorf("%v at %g: %v, want %v", c.p, c.share, got, c.want)
		}
	}
	levels := []float64{-1, 0, 2, 5}
	for _, c := range []struct {
		run    [2]int
		lo, hi float64
	}{{[2]int{0, 0}, -1.5, -0.5}, {[2]int{1, 2}, -0.5, 3.5}, {[2]int{3, 3}, 3.5, 6.5}} {
		if lo, hi := Interval(levels, c.run); lo != c.lo || hi != c.hi {
			t.Errorf("%v: %g to %g, want %g to %g", c.run, lo, hi, c.lo, c.hi)
		}
	}
}
