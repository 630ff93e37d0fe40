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
// joined end to start: a window begins at each of the N offsets with equal probability,
// and after the last token of the recording it continues with the first. The process is
// therefore stationary.
//
// Its optimal predictor has memorised the recording. It keeps the offsets that agree
// with the tokens seen, all equally likely, and predicts the tokens that follow them.
// The floors sum to ln N (unless the recording repeats itself): after a few tokens one
// offset remains, and every later token is certain. The entropy rate is 0. Floors and
// ceilings therefore measure how much memorising this recording can gain; they do not
// bound the prediction of another recording of the same signal.
type Ring struct {
	name   string
	tokens []string
	levels []float64 // [token]: the signal's value; nil if tokens are not levels
	record []int32   // [offset]: the recorded token
	order  []int32   // offsets, sorted by the windows that begin at them
	rank   []int32   // [offset]: the rank of its window; equal if infinite windows are the same
}

var _ Process = (*Ring)(nil)

// newRing makes the ring of a recording of N ≥ 1 tokens. It does not copy record.
func newRing(name string, tokens []string, record []int32) *Ring {
	r := &Ring{name: name, tokens: tokens, record: record}
	r.sort()
	return r
}

// sort sorts the offsets by the windows of 1, 2, 4, … tokens that begin at them,
// comparing each window by the ranks of its halves (Manber and Myers 1993, on a ring),
// until all windows differ or are as long as the recording.
func (r *Ring) sort() {
	n := len(r.record)
	r.order, r.rank = make([]int32, n), slices.Clone(r.record)
	for i := range r.order {
		r.order[i] = int32(i)
	}
	length, next := 0, make([]int32, n) // the ranks are of windows of this length
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

// Levels returns a copy of the values of the recorded signal, by token.
func (r *Ring) Levels() []float64 { return slices.Clone(r.levels) }

// ExcessEntropy returns the sum of the floors, in nats: the logarithm of the number of
// offsets, where offsets with the same infinite window count as one.
func (r *Ring) ExcessEntropy() float64 {
	different := 0
	for k, i := range r.order {
		if int(r.rank[i]) == k {
			different++
		}
	}
	return portable.Log(float64(different))
}

// Sample fills dst with the window at an offset chosen by one value of src.
func (r *Ring) Sample(dst []int32, src rand.Source) {
	offset, _ := bits.Mul64(src.Uint64(), uint64(len(r.record)))
	for t := range dst {
		dst[t] = r.token(int(offset), t)
	}
}

// token returns token t, counted from 0, of the window at an offset.
func (r *Ring) token(offset, t int) int32 { return r.record[(offset+t)%len(r.record)] }

// Predictor returns the predictor that keeps the offsets that agree with the tokens seen.
// These offsets are a range of Ring.order, so a token costs a few binary searches.
func (r *Ring) Predictor() Predictor { return &ringPredictor{r, 0, len(r.order), 0} }

type ringPredictor struct {
	r        *Ring
	from, to int // the remaining offsets, order[from:to]
	seen     int // number of tokens observed
}

func (p *ringPredictor) Next(dst []float64) {
	if len(dst) != p.r.Alphabet() {
		panic(fmt.Sprintf("process: Next: dst has %d entries, but %s has %d tokens", len(dst), p.r.name, p.r.Alphabet()))
	}
	clear(dst)
	for from := p.from; from < p.to; {
		token, to := p.r.group(from, p.to, p.seen)
		dst[token] = float64(to-from) / float64(p.to-p.from)
		from = to
	}
}

// group returns token t, counted from 0, of the window at order[from], and the end of
// the range of windows with that token. The windows at order[from:to] must agree in
// their first t tokens.
func (r *Ring) group(from, to, t int) (token int32, end int) {
	token = r.token(int(r.order[from]), t)
	end = from + sort.Search(to-from, func(k int) bool { return r.token(int(r.order[from+k]), t) > token })
	return token, end
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
// entropy of a window's next token, given the previous ones. It has an error of about
// 1e-12. It returns an error if positions is less than 1 or ctx ends.
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
// the precision and the errors of Floor.
func (r *Ring) Ceiling(ctx context.Context, positions int) (Ceiling, error) {
	if err := checkPositions(r.name, "ceiling", positions); err != nil {
		return Ceiling{}, err
	}
	byPosition, err := r.byPosition(ctx, positions, slices.Max[[]float64])
	return Ceiling{ByPosition: byPosition}, err
}

// byPosition returns, at each position, the mean over all windows of a function of the
// next token's distribution (its non-zero probabilities). It returns an error if ctx
// ends.
func (r *Ring) byPosition(ctx context.Context, positions int, value func(next []float64) float64) ([]float64, error) {
	certain := value([]float64{1})
	means := make([]float64, positions)
	classes := [][2]int{{0, len(r.order)}} // groups of windows that agree so far, as ranges of r.order
	for t := range means {
		var split [][2]int
		var next []float64
		rest := len(r.order) // number of windows whose next token is certain from here on
		for _, class := range classes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			from, to := class[0], class[1]
			if r.rank[r.order[from]] == r.rank[r.order[to-1]] {
				continue // a single window, or infinite windows that are the same
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

// EntropyRate returns 0, which is exact, and the half-width that other processes have
// for rounding.
func (r *Ring) EntropyRate(context.Context) (rate, halfWidth float64, err error) {
	return 0, rounding, nil
}

// Limits returns the entropy rate and the excess entropy, both up to rounding.
func (r *Ring) Limits(context.Context) (Limits, error) {
	return Limits{EntropyRateError: rounding, ExcessEntropy: r.ExcessEntropy(), ExcessEntropyError: rounding}, nil
}

// Presentation returns an error: the observer keeps offsets, not a belief over states.
func (r *Ring) Presentation(context.Context) (*Presentation, error) {
	return nil, fmt.Errorf("%s: no hidden states; "+
		"the observer keeps the offsets of the recording that agree with the tokens", r.name)
}
