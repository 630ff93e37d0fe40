package report

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"foretell/claim"

	"pgregory.net/rapid"
)

var sequence = regexp.MustCompile("\x1b\\[[0-9]*m")

// anyClaims draws claims of any texts, with conditions and questions.
func anyClaims(t *rapid.T) []claim.Claim {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab ζ̂²≤_ *`\x1b\t\u00a0")), 0, 120, -1)
	verdict, reason := rapid.SampledFrom(claim.Verdicts), rapid.SampledFrom(append(claim.Reasons, ""))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) claim.Claim {
		c := claim.Claim{
			ID:        rapid.StringMatching("[A-Z][0-9]{1,3}\x1b?").Draw(t, "id"),
			Statement: text.Draw(t, "statement"), Obtained: text.Draw(t, "obtained"), Quote: text.Draw(t, "quote"),
			Verdict: verdict.Draw(t, "verdict"), Reason: reason.Draw(t, "reason"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "conditions") {
			c.Conditions = append(c.Conditions, claim.Condition{
				Name: text.Draw(t, "name"), Verdict: verdict.Draw(t, "verdict"), Obtained: text.Draw(t, "obtained"),
				Converged: rapid.Bool().Draw(t, "converged"), Unconverged: text.Draw(t, "unconverged"),
				Effect: claim.Exactly(text.Draw(t, "what"), "", 1),
			})
		}
		if rapid.Bool().Draw(t, "asked") {
			c.Asked = []claim.Question{{Question: text.Draw(t, "question"), Answer: claim.No, Obtained: text.Draw(t, "obtained")}}
		}
		return c
	}), 0, 4).Draw(t, "claims")
}

// TestTableLaws checks for any claims that no line is too wide, that colour changes
// nothing else, that the table has a line for each claim, and that no word is lost in the
// details.
func TestTableLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(64, 160).Draw(t, "width")
		claims := anyClaims(t)
		written := func(write func(io.Writer, []claim.Claim, int, bool) error) string {
			var bare, coloured bytes.Buffer
			if write(&bare, claims, width, false) != nil || write(&coloured, claims, width, true) != nil {
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
			return bare.String()
		}
		if head, _, _ := strings.Cut(written(Table), "\n\n"); strings.Count(head, "\n") != len(claims) {
			t.Fatalf("%d claims:\n%s", len(claims), head)
		}
		letters := func(s string) int { return strings.Count(s, "ζ") + strings.Count(s, "²") }
		want := 0
		for _, c := range claims {
			want += letters(c.Statement) + letters(c.Obtained) + letters(c.Quote)
			for _, x := range c.Conditions {
				want += letters(x.Name) + letters(x.Obtained) + letters(x.Unconverged) + letters(x.Effect.What)
			}
			for _, q := range c.Asked {
				want += letters(q.Question) + letters(q.Obtained)
			}
		}
		if got := letters(written(Details)); got != want {
			t.Fatalf("%d letters are left of %d", got, want)
		}
	})
}

// In a file or a pipe, each claim is a line with the whole finding and statement.
func TestTableCutsNothingWithoutTerminal(t *testing.T) {
	claims := made().Claims
	claims[3].Obtained = strings.Repeat("a long finding ", 20)
	claims[4].Statement = strings.Repeat("a long statement ", 20)
	var b bytes.Buffer
	if err := Table(&b, claims, 0, false); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if strings.Contains(b.String(), "…") {
		t.Errorf("the table is cut:\n%s", b.String())
	}
	for i, c := range claims {
		line := lines[i+1]
		for _, text := range []string{c.ID, outcome(c), foundText(c) + asOf(c), strings.TrimRight(unmarked(c.Statement), " ")} {
			if !strings.Contains(line, text) {
				t.Errorf("%q is not in %q", text, line)
			}
		}
	}
}

func TestHeldText(t *testing.T) {
	of := func(verdicts ...claim.Verdict) (all []claim.Condition) {
		for _, v := range verdicts {
			all = append(all, claim.Condition{Verdict: v, Converged: v != claim.Open})
		}
		return all
	}
	for want, in := range map[string][]claim.Condition{
		"2 of 2 hold":                  of(claim.Holds, claim.Holds),
		"1 of 3 hold, 1 not converged": of(claim.Holds, claim.Open, claim.Fails),
		"1 of 2 hold, 1 not trained":   append(of(claim.Holds), claim.Condition{}.Judged(claim.NotTrained)),
		"2 of 2 corrected":             of(claim.Corrected, claim.Corrected),
		"1 of 2 hold, 1 corrected":     of(claim.Corrected, claim.Holds),
		"0 of 2 hold":                  of(claim.Differs, claim.Fails),
	} {
		if got := heldText(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"": "", "abcd": "abcd", "abcde": "abc…", "ab de": "ab…", "ζ̂ζ̂ζ̂ζ̂ζ̂": "ζ̂ζ̂ζ̂…"} {
		if got := cut(text, 4); got != want {
			t.Errorf("%q in 4 columns: %q, want %q", text, got, want)
		}
	}
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
	for _, err := range []error{Table(full{}, nil, 80, false), Details(full{}, nil, 80, false)} {
		if !errors.Is(err, errFull) {
			t.Errorf("error %v", err)
		}
	}
}
