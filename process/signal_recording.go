package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"

	"foretell/internal/portable"
)

// mostSample bounds the samples of a signal, so that levels times them are finite.
const mostSample = 1e300

// Recording is a process whose sequences are windows of one recording of N tokens: a
// window begins at any of its N offsets with the same probability, and where it passes
// the end it goes on at the beginning. So it is stationary, and a window of L tokens
// lies across the seam with probability (L−1)/N.
//
// The optimal predictor knows the recording by heart. It holds the offsets that agree
// with the tokens seen, all alike, and predicts what follows them. The floors sum to
// ln N (unless the recording repeats itself), so that after a few tokens one offset is
// left and the rest is certain: the entropy rate is 0. That is the answer key of the
// recording, for a model that may learn it by heart. It is the signal's own as far as a
// longer recording would not change it, for the first few tokens.
//
// Training and evaluation take windows of the same recording, so that floor and ceiling
// say nothing of a part that a model has not seen. To judge that, hold a part out as a
// second recording, by the same quantiser (q, of package token, fitted on the first),
//
//	first, _ := q.Encode(nil, samples[:n])
//	second, _ := q.Encode(nil, samples[n:])
//	seen, err := process.NewRecording("seen", names, first)     // run.Options{ByCode: seen}
//	held, err := process.NewRecording("held", names, second)
//
// and predict windows that held.Sample draws: the loss to be set beside the floor of seen
// is the mean of −ln of what the model gave the token that came.
type Recording struct {
	name   string
	tokens []string
	levels []float64 // [token]: the signal's value; nil where tokens are no levels
	beyond int       // samples that were clipped
	record []int32   // [offset]
	order  []int32   // offsets in the order of the windows that begin at them
	rank   []int32   // [offset]: that of its window; equal where windows are the same without end
}

var _ Process = (*Recording)(nil)

// errNoName is the error of a recording that is to be made without a name.
var errNoName = errors.New("the recording has no name; give it one, such as \"tide\"")

// NewRecording makes the process of a recording of one's own: N tokens, each a number of
// tokens, which are the names of all of them, as of categories or of the codewords of a
// quantiser of package token. It keeps a copy of both. It is an error when the process
// has no name, when there is no name of a token or two are equal, when the recording has
// fewer than 2 tokens or more than 1,048,576, or one outside the alphabet.
//
// A model that is trained on it sees windows of this recording alone, training and
// evaluation alike: its floor is that of who knows the recording by heart. To hold a part
// of a signal out, make a recording of each part, with the same quantiser, train on one
// and let the model predict the other.
func NewRecording(name string, tokens []string, record []int32) (*Recording, error) {
	if name == "" {
		return nil, errNoName
	}
	if len(record) < 2 || len(record) > longestRecording {
		return nil, fmt.Errorf("%s: a recording of %d tokens, want 2 to %d", name, len(record), longestRecording)
	}
	if problems := checkNames("token", tokens); len(problems) > 0 {
		return nil, fmt.Errorf("%s: %s", name, problems[0].Text)
	}
	for n, z := range record {
		if z < 0 || int(z) >= len(tokens) {
			return nil, fmt.Errorf("%s: token %d at place %d of the recording is outside the alphabet 0 … %d",
				name, z, n, len(tokens)-1)
		}
	}
	return newRecording(name, slices.Clone(tokens), slices.Clone(record)), nil
}

// NewSignal makes the process of a signal of one's own, N samples at equal distances in
// time, quantised uniformly between its least and its greatest sample: token z stands for
// low + z·(high − low)/(levels − 1), in the unit of the samples, which Levels returns. It
// is an error when the name is empty, levels are outside [2, 1024], N is outside
// [2, 1048576], a sample is not finite (up to 1e300) or all are equal. For a range of
// one's own see [NewSignalWithin], for another quantiser [NewRecording] and
// [Recording.WithLevels].
func NewSignal(name string, samples []float64, levels int) (*Recording, error) {
	if err := checkSignal(name, samples, levels); err != nil {
		return nil, err
	}
	low, high := slices.Min(samples), slices.Max(samples)
	if low == high {
		return nil, fmt.Errorf("%s: all samples are %g, so there is nothing to quantise", name, low)
	}
	return quantised(name, samples, low, high, levels)
}

// NewSignalWithin is [NewSignal] quantised between low and high, in the unit of the
// samples, to which those beyond are clipped: signals of one range and as many levels
// have the same tokens for the same values, and a model of one predicts another. It is an
// error unless low < high, both finite up to 1e300, and where every sample is beyond them
// ([Recording.Clipped] counts those that are); all may be equal.
func NewSignalWithin(name string, samples []float64, low, high float64, levels int) (*Recording, error) {
	if err := checkSignal(name, samples, levels); err != nil {
		return nil, err
	}
	if !(low < high) || math.Abs(low) > mostSample || math.Abs(high) > mostSample {
		return nil, fmt.Errorf("%s: the range [%g, %g] is none: want low < high, both up to 1e300", name, low, high)
	}
	return quantised(name, samples, low, high, levels)
}

// quantised is the recording of a signal that has been checked.
func quantised(name string, samples []float64, low, high float64, levels int) (*Recording, error) {
	record, beyond := make([]int32, len(samples)), 0
	for n, x := range samples {
		record[n] = int32(quantise(max(low, min(x, high)), low, high, levels))
		if x < low || x > high {
			beyond++
		}
	}
	if beyond == len(samples) {
		return nil, fmt.Errorf("%s: all %d samples, from %g to %g, are outside the range [%g, %g]; want one that has them",
			name, beyond, slices.Min(samples), slices.Max(samples), low, high)
	}
	r := newRecording(name, numbers(levels), record)
	r.beyond = beyond
	return r.WithLevels(levelsOf(low, high, levels))
}

// checkSignal returns an error unless samples can be quantised to levels.
func checkSignal(name string, samples []float64, levels int) error {
	if name == "" {
		return errNoName
	}
	if levels < 2 || levels > mostLevels {
		return fmt.Errorf("%s: levels = %d is outside [2, %d]", name, levels, mostLevels)
	}
	if len(samples) < 2 || len(samples) > longestRecording {
		return fmt.Errorf("%s: a signal of %d samples, want 2 to %d", name, len(samples), longestRecording)
	}
	for n, x := range samples {
		if math.IsNaN(x) || math.Abs(x) > mostSample {
			return fmt.Errorf("%s: sample %d is %g, want a number up to 1e300", name, n, x)
		}
	}
	return nil
}

// WithLevels returns the recording with the values that its tokens stand for, in
// ascending order and in the signal's own unit: pictures then draw a signal. It is an
// error unless there is one for each token, and each is greater than the one before.
func (r *Recording) WithLevels(levels []float64) (*Recording, error) {
	if len(levels) != len(r.tokens) {
		return nil, fmt.Errorf("%s: %d levels for %d tokens", r.name, len(levels), len(r.tokens))
	}
	for z := 1; z < len(levels); z++ {
		if !(levels[z] > levels[z-1]) {
			return nil, fmt.Errorf("%s: level %d is %g, after %g, want ascending ones", r.name, z, levels[z], levels[z-1])
		}
	}
	with := *r
	with.levels = slices.Clone(levels)
	return &with, nil
}

// newRecording makes the process of a recording, of N ≥ 1 tokens. It keeps record.
func newRecording(name string, tokens []string, record []int32) *Recording {
	r := &Recording{name: name, tokens: tokens, record: record}
	r.sort()
	return r
}

// sort orders the offsets by the windows of 1, 2, 4, … tokens that begin at them, each
// from the ranks of its halves (Manber and Myers 1993, on a ring), until all windows
// differ or are as long as the recording.
func (r *Recording) sort() {
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
func (r *Recording) Name() string { return r.name }

// Alphabet returns the number of tokens.
func (r *Recording) Alphabet() int { return len(r.tokens) }

// Tokens returns a copy of the tokens' names.
func (r *Recording) Tokens() []string { return slices.Clone(r.tokens) }

// Record returns a copy of the recording, of N tokens.
func (r *Recording) Record() []int32 { return slices.Clone(r.record) }

// Levels returns a copy of the values of the signal that was recorded, by token.
func (r *Recording) Levels() []float64 { return slices.Clone(r.levels) }

// Clipped returns how many of the N samples were beyond the range, of
// [NewSignalWithin], and count as its nearer end.
func (r *Recording) Clipped() int { return r.beyond }

// ExcessEntropy returns the sum of the floors, in nats: the logarithm of the number of
// offsets, where those whose windows are the same without end count as one.
func (r *Recording) ExcessEntropy() float64 {
	different := 0
	for k, i := range r.order {
		if int(r.rank[i]) == k {
			different++
		}
	}
	return portable.Log(float64(different))
}

// Sample fills dst with the window at an offset that one value of src chooses.
func (r *Recording) Sample(dst []int32, src rand.Source) {
	offset, _ := bits.Mul64(src.Uint64(), uint64(len(r.record)))
	for t := range dst {
		dst[t] = r.token(int(offset), t)
	}
}

// token returns the token of the window at an offset after t others.
func (r *Recording) token(offset, t int) int32 { return r.record[(offset+t)%len(r.record)] }

// Predictor returns the predictor that holds the offsets which agree with the tokens
// seen. They are a range of the order, so that a token costs a few binary searches.
func (r *Recording) Predictor() Predictor { return &recordingPredictor{r, 0, len(r.order), 0} }

type recordingPredictor struct {
	r        *Recording
	from, to int // the offsets left, order[from:to]
	seen     int // tokens
}

func (p *recordingPredictor) Next(dst []float64) {
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
func (r *Recording) group(from, to, t int) (token int32, end int) {
	token = r.token(int(r.order[from]), t)
	return token, from + sort.Search(to-from, func(k int) bool { return r.token(int(r.order[from+k]), t) > token })
}

func (p *recordingPredictor) Observe(token int) error {
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

func (p *recordingPredictor) Reset() { p.from, p.to, p.seen = 0, len(p.r.order), 0 }

// Floor returns the least cross-entropy at each of the positions 1 … positions: the
// entropy of a window's next token, given those before it. It has an error of about
// 1e-12. It is an error when positions is less than 1 or ctx ends.
func (r *Recording) Floor(ctx context.Context, positions int) (Floor, error) {
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
func (r *Recording) Ceiling(ctx context.Context, positions int) (Ceiling, error) {
	if err := checkPositions(r.name, "ceiling", positions); err != nil {
		return Ceiling{}, err
	}
	byPosition, err := r.byPosition(ctx, positions, slices.Max[[]float64])
	return Ceiling{ByPosition: byPosition}, err
}

// byPosition returns the mean of a function of the next token's distribution (the
// probabilities of those that can come) over the windows, at each position. It is an
// error when ctx ends.
func (r *Recording) byPosition(ctx context.Context, positions int,
	value func(next []float64) float64,
) ([]float64, error) {
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
func (r *Recording) EntropyRate(context.Context) (rate, halfWidth float64, err error) {
	return 0, rounding, nil
}

// Limits returns the entropy rate and the excess entropy, both to rounding.
func (r *Recording) Limits(context.Context) (Limits, error) {
	return Limits{EntropyRateError: rounding, ExcessEntropy: r.ExcessEntropy(), ExcessEntropyError: rounding}, nil
}

// Presentation returns an error: what the observer holds is no belief over states.
func (r *Recording) Presentation(context.Context) (*Presentation, error) {
	return nil, fmt.Errorf("%s: no hidden states; "+
		"the observer holds the offsets of the recording that agree with the tokens", r.name)
}
