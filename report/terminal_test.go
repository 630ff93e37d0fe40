package report

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"foretell/claim"

	"pgregory.net/rapid"
)

var sequence = regexp.MustCompile("\x1b\\[[0-9]*m")

// TestTableLaws checks for any claims that no line is too wide, that no word is lost, and
// that colour changes nothing else.
func TestTableLaws(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab ζ̂²≤_ *`\x1b\t\u00a0")), 0, 120, -1)
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(60, 160).Draw(t, "width")
		claims := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) claim.Claim {
			return claim.Claim{
				ID:        rapid.StringMatching("[A-Z][0-9]{1,3}\x1b?").Draw(t, "id"),
				Statement: text.Draw(t, "statement"), Obtained: text.Draw(t, "obtained"),
				Verdict: rapid.SampledFrom(claim.Verdicts).Draw(t, "verdict"),
			}
		}), 0, 4).Draw(t, "claims")
		var bare, coloured bytes.Buffer
		if Table(&bare, claims, width, false) != nil || Table(&coloured, claims, width, true) != nil {
			t.Fatal("cannot write")
		}
		if strings.ContainsAny(bare.String(), "\x1b\t") {
			t.Fatal("control characters reach the terminal")
		}
		if got := sequence.ReplaceAllString(coloured.String(), ""); got != bare.String() {
			t.Fatalf("in colour:\n%s\nwithout:\n%s", got, bare.String())
		}
		for _, line := range strings.Split(bare.String(), "\n") {
			if columns(line) > width {
				t.Fatalf("%d columns, want at most %d: %q", columns(line), width, line)
			}
		}
		letters := func(s string) int { return strings.Count(s, "ζ") + strings.Count(s, "²") }
		want := 0
		for _, c := range claims {
			want += letters(c.Statement) + letters(c.Obtained)
		}
		if got := letters(bare.String()); got != want {
			t.Fatalf("%d letters are left of %d", got, want)
		}
	})
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string // lines, separated by bars
	}{
		{"", 5, ""},
		{"one two three", 7, "one two|three"},
		{"one two three", 100, "one two three"},
		{"abcdefghij k", 4, "abcd|efgh|ij k"},
		{"a abcdef", 3, "a|abc|def"},
		{"abcd", 4, "abcd"},
		{"ζ̂ζ̂ζ̂ζ̂", 2, "ζ̂ζ̂|ζ̂ζ̂"},
		{"12\u00a0% of", 4, "12\u00a0%|of"},
	} {
		if got := strings.Join(wrap(c.text, c.n), "|"); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

// full is a terminal that cannot be written to.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no space left")

func TestTableReportsErrors(t *testing.T) {
	if err := Table(full{}, nil, 80, false); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}
