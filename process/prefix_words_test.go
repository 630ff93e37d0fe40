package process

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/panics"

	"pgregory.net/rapid"
)

// opaque is a process of which nothing is known but that it is one.
type opaque struct{ Process }

// The table of a process without one of its own: the words of each length have the
// probability one in all, and each row is what the predictor says of its word.
func TestWordsOfAnyProcess(t *testing.T) {
	for _, row := range zoo {
		t.Run(fmt.Sprint(row.name, row.params), func(t *testing.T) {
			p, err := Build(row.name, row.params)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := p.(*HMM); ok {
				return
			}
			const length = 4
			table, err := Words(t.Context(), p, length)
			if err != nil {
				t.Fatal(err)
			}
			if table.Rows() != NumPrefixes(p.Alphabet(), length) || table.Alphabet != p.Alphabet() ||
				table.States != 0 || table.Length != length {
				t.Fatalf("%d words of %d tokens and %d states up to %d",
					table.Rows(), table.Alphabet, table.States, table.Length)
			}
			for position := 1; position <= length; position++ {
				wordsArePredicted(t, p, table, position)
			}
		})
	}
}

func wordsArePredicted(t *testing.T, p Process, table *Prefixes, position int) {
	t.Helper()
	from, to := table.Range(position)
	occurs, total := make([]bool, to-from), 0.0
	eachWord(p, position, func(word []int32, prob float64, next []float64) {
		row := table.Row(word)
		occurs[row-from], total = true, total+table.Prob[row]
		if table.Prob[row] != prob || !slices.Equal(table.NextTokens(row), next) ||
			!slices.Equal(table.Tokens(row), word) {
			t.Errorf("row %d: %v has probability %g and next %v, want %v, %g, %v",
				row, table.Tokens(row), table.Prob[row], table.NextTokens(row), word, prob, next)
		}
		if parent := table.Parent(row); position > 1 && !slices.Equal(table.Tokens(parent), word[:position-1]) {
			t.Errorf("the parent of %v is %v", word, table.Tokens(parent))
		}
		if len(table.Belief(row)) != 0 || len(table.ConstrainedBelief(row)) != 0 {
			t.Errorf("%v has beliefs", word)
		}
	})
	if math.Abs(total-1) > 1e-13 {
		t.Errorf("the words of length %d have probability %.17g", position, total)
	}
	for i, occurs := range occurs {
		if row := from + i; !occurs && (table.Prob[row] != 0 || slices.Max(table.NextTokens(row)) != 0) {
			t.Errorf("%v cannot occur and its row is not zeros", table.Tokens(row))
		}
	}
}

// An HMM that shows only its predictor has the words of the HMM, all or sampled.
func TestWordsOfAnOpaqueHMM(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		length := rapid.IntRange(1, 4).Draw(t, "length")
		want, err := Words(t.Context(), h, length)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Words(t.Context(), opaque{h}, length)
		if err != nil {
			t.Fatal(err)
		}
		sameWords(t, got, want)
		drawn := samples(h, rapid.IntRange(1, 20).Draw(t, "sequences"), length, rapid.Uint64().Draw(t, "seed"))
		want, err = WordsOf(t.Context(), h, drawn, 2)
		if err != nil {
			t.Fatal(err)
		}
		got, err = WordsOf(t.Context(), opaque{h}, drawn, 2)
		if err != nil {
			t.Fatal(err)
		}
		sameWords(t, got, want)
		if got.Sequences != want.Sequences || got.Groups != want.Groups ||
			!slices.Equal(got.draws, want.draws) || !slices.Equal(got.Prob, want.Prob) {
			t.Fatalf("%d sequences in %d groups, drawn %v", got.Sequences, got.Groups, got.draws)
		}
	})
}

func sameWords(t *rapid.T, got, want *Prefixes) {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-14 }
	if !slices.Equal(got.starts, want.starts) || !slices.Equal(got.parents, want.parents) ||
		!slices.Equal(got.last, want.last) {
		t.Fatalf("the rows start at %v, want %v", got.starts, want.starts)
	}
	if !slices.EqualFunc(got.Prob, want.Prob, near) || !slices.Equal(got.Next, want.Next) {
		t.Fatalf("probabilities %v, want %v; next %v, want %v", got.Prob, want.Prob, got.Next, want.Next)
	}
}

// The rows of sampled words of a coin are those of all words, weighted by the draws.
func TestWordsOfSamples(t *testing.T) {
	coin, err := NewCoin(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	table, err := WordsOf(t.Context(), coin, [][]int32{{1, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 1, 0}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Words(t.Context(), coin, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		word  []int32
		share float64
		draws []int32
	}{{[]int32{1}, 0.75, []int32{2, 1}}, {[]int32{1, 1, 0}, 0.5, []int32{1, 1}}, {[]int32{0, 1, 1}, 0.25, []int32{0, 1}}} {
		row := table.Row(c.word)
		if table.Prob[row] != c.share || !slices.Equal(table.Draws(row), c.draws) ||
			!slices.Equal(table.NextTokens(row), all.NextTokens(all.Row(c.word))) {
			t.Errorf("%v: share %g, draws %v, next %v",
				c.word, table.Prob[row], table.Draws(row), table.NextTokens(row))
		}
	}
	long := make([]int32, 3000) // a word whose probability no float64 holds, which occurs
	if _, err := WordsOf(t.Context(), coin.WithBOS(), [][]int32{append([]int32{BOS}, long...)}, 1); err != nil {
		t.Error(err)
	}
}

// refusing is a coin whose predictor goes wrong after one token.
type refusing struct {
	Coin
	next    []float64
	refuses bool
}

func (r *refusing) Predictor() Predictor { return &refusingPredictor{r.Coin.Predictor(), r, 0} }

type refusingPredictor struct {
	Predictor
	of   *refusing
	seen int
}

func (p *refusingPredictor) Next(dst []float64) {
	p.Predictor.Next(dst)
	if p.seen > 0 && p.of.next != nil {
		copy(dst, p.of.next)
	}
}

func (p *refusingPredictor) Observe(z int) error {
	if p.seen++; p.seen > 1 && p.of.refuses {
		return errors.New("no more")
	}
	return p.Predictor.Observe(z)
}

func (p *refusingPredictor) Reset() { p.Predictor.Reset(); p.seen = 0 }

func TestWordsRefuses(t *testing.T) {
	coin, err := NewCoin(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	words := func(p Process, length int) error { _, err := Words(t.Context(), p, length); return err }
	of := func(p Process, sequences ...[]int32) error {
		_, err := WordsOf(t.Context(), p, sequences, 1)
		return err
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{words(coin, 0), "coin: prefixes of up to 0 tokens, want a length of at least 1"},
		{words(coin, 24), "coin: there are more than 16777216 prefixes of up to 24 tokens; want a length of at most 23"},
		{words(mustMess3(t, 0.15, 0.6), 1<<30), "mess3: there are more than 16777216 prefixes of up to 1073741824 tokens; want a length of at most 14"},
		{words(&refusing{*coin, []float64{0.5, 0.2}, false}, 2), "coin: the predictor's probabilities sum to 0.7 instead of 1, after the tokens [0]"},
		{words(&refusing{*coin, []float64{1.5, -0.5}, false}, 2), "coin: the predictor gives token 1 the invalid probability -0.5, after the tokens [0]"},
		{words(&refusing{*coin, []float64{math.NaN(), 1}, false}, 2), "coin: the predictor gives token 0 the invalid probability NaN, after the tokens [0]"},
		{words(&refusing{*coin, nil, true}, 2), "coin: the predictor refuses a token to which it gave probability 0.6666666666666666: no more"},
		{of(coin.WithBOS(), []int32{2, 1, 0}, []int32{2, 1, 2}, []int32{2, 1, 2}), "coin: sequence 2 cannot occur: token BOS at position 3 has probability 0 given the earlier tokens"},
		{of(&refusing{*coin, []float64{1, 0}, false}, []int32{0, 1}), "coin: sequence 1 cannot occur: token heads at position 2 has probability 0 given the earlier tokens"},
	} {
		if fmt.Sprint(c.err) != c.want {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
	if r := panics.Text(func() { _ = of(coin, []int32{3}) }); !strings.Contains(r, "coin has no token 3") {
		t.Errorf("got %v", r)
	}
}

// A table takes the bytes that WordsSize says, of an HMM with its beliefs and of any
// other process without.
func TestWordsSize(t *testing.T) {
	h := mustMess3(t, 0.1, 0.7)
	for _, p := range []Process{h, opaque{h}} {
		table, err := Words(t.Context(), p, 5)
		if err != nil {
			t.Fatal(err)
		}
		numbers := len(table.Prob) + len(table.Next) + len(table.Beliefs) + len(table.Constrained)
		if got, want := WordsSize(p, 5), float64(8*numbers+4*(len(table.parents)+len(table.last))); got != want {
			t.Errorf("%s: %v bytes, want %v", p.Name(), got, want)
		}
	}
	if size := WordsSize(h, 1000); size < 1e19 {
		t.Errorf("%v bytes for all words of 1000 tokens", size)
	}
}
