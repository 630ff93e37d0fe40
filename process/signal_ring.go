package process

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"

	"foretell/internal/portable"
)

// Ring is a process whose sequences are windows of one recording of N tokens that is
// joined end to start: a window begins at any of its N offsets with the same probability
// and continues at the first token after the last. So it is stationary.
//
// Its optimal predictor has memorised the recording. It holds the offsets that agree with
// the tokens seen, all equally likely, and predicts what follows them. The floors sum to
// ln N (unless the recording repeats itself): after a few tokens one offset remains, and
// every later token is certain. The entropy rate is 0. Floors and ceilings therefore say
// what can be gained by memorising this recording; they bound no prediction of another
// recording of the same signal.
type Ring struct {
	name   string
	tokens []string
	levels []float64 // [token]: the signal's value; nil where tokens are no levels
	record []int32   // [offset]
	order  []int32   // offsets in the order of the windows that begin at them
	rank   []int32   // [offset]: that of its window; equal where windows are the same without end
}

var _ Process = (*Ring)(nil)

// newRing makes the ring of a recording of N ≥ 1 tokens. It keeps record.
func newRing(name string, tokens []string, record []int32) *Ring {
	r := &Ring{name: name, tokens: tokens, record: record}
	r.sort()
	return r
}

// sort orders the offsets by the windows of 1, 2, 4, … tokens that begin at them, each
// from the ranks of its halves (Manber and Myers 1993, on a ring), until all windows
// differ or are as long as the recording.
func (r *Ring) sort() {
	n := len(r.record)
	r.order, r.rank = make([]int32, n), slices.Clone(r.record)
	for i := range r.order {
		r.order[i] = int32(i)
	}
	length, next := 0, make([]int32, n) // windows of this many tokens are ranked
	for {
		second := func(i int32) int32 { return r.rank[(int(i)+length)%n] }
		compare := func(i, j int32) int {
			return cmp.Or(cmp.Compare(r.rank[i], r.rank[j]), cmp.Compare(second(i), second(j)))
		}
		slices.SortFunc(r.order, func(i, j int32) int { return cmp.Or(compare(i, j), cmp.Compare(i, j)) })
		same := false
		next[r.order[0]] = 0
		for k := 1; k < n; k++ {
			before, i := r.order[k-1], r.order[k]
			next[i] = int32(k)
			if compare(before, i) == 0 {
				next[i], same = next[before], true
			}
		}
		r.rank, next = next, r.rank
		if length = max(1, 2*length); length >= n || !same {
			return
		}
	}
}

// Name returns the name of the process in the catalogue.
func (r *Ring) Name() string { return r.name }

// Alphabet returns the number of tokens.
func (r *Ring) Alphabet() int { return len(r.tokens) }

// Tokens returns a copy of the tokens' names.
func (r *Ring) Tokens() []string { return slices.Clone(r.tokens) }

// Record returns a copy of the recording, of N tokens.
func (r *Ring) Record() []int32 { return slices.Clone(r.record) }

// Levels returns a copy of the values of the signal that was recorded, by token.
func (r *Ring) Levels() []float64 { return slices.Clone(r.levels) }

// ExcessEntropy returns the sum of the floors, in nats: the logarithm of the number of
// offsets, where those whose windows are the same without end count as one.
func (r *Ring) ExcessEntropy() float64 {
	different := 0
	for k, i := range r.order {
		if int(r.rank[i]) == k {
			different++
		}
	}
	return portable.Log(float64(different))
}

// Sample fills dst with the window at an offset that one value of src chooses.
func (r *Ring) Sample(dst []int32, src rand.Source) {
	offset, _ := bits.Mul64(src.Uint64(), uint64(len(r.record)))
	for t := range dst {
		dst[t] = r.token(int(offset), t)
	}
}

// token returns the token of the window at an offset after t others.
func (r *Ring) token(offset, t int) int32 { return r.record[(offset+t)%len(r.record)] }

// Predictor returns the predictor that holds the offsets which agree with the tokens
// seen. They are a range of the order, so that a token costs a few binary searches.
func (r *Ring) Predictor() Predictor { return &ringPredictor{r, 0, len(r.order), 0} }

type ringPredictor struct {
	r        *Ring
	from, to int // the offsets left, order[from:to]
	seen     int // tokens
}

func (p *ringPredictor) Next(dst []float64) {
	if len(dst) != p.r.Alphabet() {
		panic(fmt.Sprintf("process: Next into %d entries, %s has %d tokens", len(dst), p.r.name, p.r.Alphabet()))
	}
	clear(dst)
	for from := p.from; from < p.to; {
		token, to := p.r.group(from, p.to, p.seen)
		dst[token] = float64(to-from) / float64(p.to-p.from)
		from = to
	}
}

// group returns the first token, after t others, of the windows at order[from:to],
// which agree in those others, and where in the order the windows with that token end.
func (r *Ring) group(from, to, t int) (token int32, end int) {
	token = r.token(int(r.order[from]), t)
	return token, from + sort.Search(to-from, func(k int) bool { return r.token(int(r.order[from+k]), t) > token })
}

func (p *ringPredictor) Observe(token int) error {
	if err := checkToken(p.r, token, p.seen+1); err != nil {
		return err
	}
	for from := p.from; from < p.to; {
		found, to := p.r.group(from, p.to, p.seen)
		if int(found) == token {
			p.from, p.to, p.seen = from, to, p.seen+1
			return nil
		}
		from = to
	}
	return impossible(p.r.name, p.r.tokens[token], p.seen+1)
}

func (p *ringPredictor) Reset() { p.from, p.to, p.seen = 0, len(p.r.order), 0 }

// Floor returns the least cross-entropy at each of the positions 1 … positions: the
// entropy of a window's next token, given those before it. It has an error of about
// 1e-12. It is an error when positions is less than 1 or ctx ends.
func (r *Ring) Floor(ctx context.Context, positions int) (Floor, error) {
	if err := checkPositions(r.name, "floor", positions); err != nil {
		return Floor{}, err
	}
	byPosition, err := r.byPosition(ctx, positions, portable.Entropy)
	if err != nil {
		return Floor{}, err
	}
	return Floor{ByPosition: byPosition, Chance: byPosition[0]}, nil
}

// Ceiling returns the greatest accuracy at each of the positions 1 … positions, with
// the error of Floor.
func (r *Ring) Ceiling(ctx context.Context, positions int) (Ceiling, error) {
	if err := checkPositions(r.name, "ceiling", positions); err != nil {
		return Ceiling{}, err
	}
	byPosition, err := r.byPosition(ctx, positions, slices.Max[[]float64])
	return Ceiling{ByPosition: byPosition}, err
}

// byPosition returns the mean of a function of the next token's distribution (the
// probabilities of those that can come) over the windows, at each position. It is an
// error when ctx ends.
func (r *Ring) byPosition(ctx context.Context, positions int, value func(next []float64) float64) ([]float64, error) {
	certain := value([]float64{1})
	means := make([]float64, positions)
	classes := [][2]int{{0, len(r.order)}} // windows that agree so far, as ranges of the order
	for t := range means {
		var split [][2]int
		var next []float64
		rest := len(r.order) // windows whose next token is certain from here on
		for _, class := range classes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			from, to := class[0], class[1]
			if r.rank[r.order[from]] == r.rank[r.order[to-1]] {
				continue // one window, or the same ones without end
			}
			rest -= to - from
			next = next[:0]
			for at := from; at < to; {
				_, end := r.group(at, to, t)
				next = append(next, float64(end-at)/float64(to-from))
				split = append(split, [2]int{at, end})
				at = end
			}
			means[t] += float64(float64(to-from) / float64(len(r.order)) * value(next))
		}
		means[t] += float64(float64(rest) / float64(len(r.order)) * certain)
		classes = split
	}
	return means, nil
}

// EntropyRate returns 0, which is exact, and what rounding is allowed elsewhere.
func (r *Ring) EntropyRate(context.Context) (rate, halfWidth float64, err error) {
	return 0, rounding, nil
}

// Limits returns the entropy rate and the excess entropy, both to rounding.
func (r *Ring) Limits(context.Context) (Limits, error) {
	return Limits{EntropyRateError: rounding, ExcessEntropy: r.ExcessEntropy(), ExcessEntropyError: rounding}, nil
}

// Presentation returns an error: what the observer holds is no belief over states.
func (r *Ring) Presentation(context.Context) (*Presentation, error) {
	return nil, fmt.Errorf("%s: no hidden states; "+
		"the observer holds the offsets of the recording that agree with the tokens", r.name)
}
