package process

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// mostSample bounds the samples of a signal, so products of levels and samples are
// finite.
const mostSample = 1e300

// Recording is a recording of your own, N tokens. A part at its end may be held out, and
// the part before that kept for validation. Its sequences are windows of the rest, the
// training part: every window that lies within that part is equally likely, and none
// crosses its end.
//
// A Recording is a [Sampler] but not a [Process]: the best possible prediction of a
// recorded signal is not known, so there is no floor, no optimal predictor and no
// entropy rate. A model is evaluated by its loss on windows of the held-out part
// ([Recording.HeldOut]), which training never draws from, compared with the loss of the
// best constant guess there.
type Recording struct {
	name   string
	tokens []string
	levels []float64 // [token]: the signal's value; nil if tokens are not levels
	beyond int       // number of samples that were clipped
	record []int32   // [offset]: N tokens

	// Sample never draws from the last tokens: those for validation, then those held out.
	validation, held int
}

var (
	_ Recorder  = (*Recording)(nil)
	_ Splitter  = (*Recording)(nil)
	_ Validated = (*Recording)(nil)
)

// errNoName reports a recording without a name.
var errNoName = errors.New("the recording has no name; give it one, such as \"tide\"")

// NewRecording returns a recording whose sequences are windows of record. The N entries
// of record are indices into tokens, the list of all tokens' names, such as categories or
// the codewords of a quantiser of package token. Nothing is held out; see
// [Recording.HoldOut]. NewRecording keeps a copy of both slices. It returns an error if
// the name is empty, if there is no token or two have the same name, if N is outside [2,
// 1048576], or if a token is outside the alphabet.
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
			return nil, fmt.Errorf("%s: token %d at index %d of the recording is outside the alphabet 0 … %d",
				name, z, n, len(tokens)-1)
		}
	}
	return &Recording{name: name, tokens: slices.Clone(tokens), record: slices.Clone(record)}, nil
}

// NewSignal returns the recording of a signal, N samples at equal distances in time,
// quantised uniformly between its least and its greatest sample: token z stands for the
// value low + z·(high − low)/(levels − 1), in the unit of the samples, which Levels
// returns. It returns an error if the name is empty, if levels is outside [2, 1024], if N
// is outside [2, 1048576], if a sample is not finite or exceeds 1e300 in size, or if all
// samples are equal. Use [NewSignalWithin] to choose the range, and [NewRecording] with
// [Recording.WithLevels] for other quantisers.
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

// NewSignalWithin does the same as [NewSignal] but quantises between the given values low
// and high, in the unit of the samples. Samples beyond the range are clipped to it, and
// [Recording.Clipped] counts them. Signals with the same range and levels have the same
// tokens for the same values, so a model of one can predict another. NewSignalWithin
// returns an error unless low < high, both are at most 1e300 in size, and at least one
// sample is within the range. All samples may be equal.
func NewSignalWithin(name string, samples []float64, low, high float64, levels int) (*Recording, error) {
	if err := checkSignal(name, samples, levels); err != nil {
		return nil, err
	}
	if !(low < high) || math.Abs(low) > mostSample || math.Abs(high) > mostSample {
		return nil, fmt.Errorf("%s: the range [%g, %g] is invalid: want low < high, both up to 1e300", name, low, high)
	}
	return quantised(name, samples, low, high, levels)
}

// quantised returns the recording of a signal that checkSignal has accepted.
func quantised(name string, samples []float64, low, high float64, levels int) (*Recording, error) {
	record, beyond := make([]int32, len(samples)), 0
	for n, x := range samples {
		record[n] = int32(quantise(max(low, min(x, high)), low, high, levels))
		if x < low || x > high {
			beyond++
		}
	}
	if beyond == len(samples) {
		return nil, fmt.Errorf(
			"%s: all %d samples, from %g to %g, are outside the range [%g, %g]; want a range that includes samples",
			name, beyond, slices.Min(samples), slices.Max(samples), low, high)
	}
	r := &Recording{name: name, tokens: numbers(levels), record: record, beyond: beyond}
	return r.WithLevels(levelsOf(low, high, levels))
}

// checkSignal returns an error unless samples can be quantised to the given number of
// levels.
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

// WithLevels returns the recording with levels: the values that its tokens represent, in
// ascending order and in the signal's own unit. Figures then show a signal. It returns an
// error unless there is one level for each token, and each is greater than the one
// before.
func (r *Recording) WithLevels(levels []float64) (*Recording, error) {
	if len(levels) != len(r.tokens) {
		return nil, fmt.Errorf("%s: %d levels for %d tokens, want one for each", r.name, len(levels), len(r.tokens))
	}
	for z := 1; z < len(levels); z++ {
		if !(levels[z] > levels[z-1]) {
			return nil, fmt.Errorf("%s: level %d is %g, after %g, want ascending levels",
				r.name, z, levels[z], levels[z-1])
		}
	}
	with := *r
	with.levels = slices.Clone(levels)
	return &with, nil
}

// mostHeldOut and mostValidation are the greatest shares of a recording that can be held
// out and kept for validation.
const mostHeldOut, mostValidation = 0.9, 0.7

// HoldOut returns the recording with a share of its N tokens held out, the last
// round(share·N). With share 0 nothing is held out. HoldOut returns an error if share is
// outside [0, 0.9], or is positive and leaves a part without a token.
func (r *Recording) HoldOut(share float64) (*Recording, error) {
	return r.split("holdout", share, mostHeldOut, func(with *Recording, tokens int) { with.held = tokens })
}

// WithValidation returns the recording with a share of its N tokens, round(share·N)
// before the held-out part, kept for choosing among models ([Recording.Validation]). With
// share 0 nothing is kept. WithValidation returns an error if share is outside [0, 0.7],
// or is positive and leaves a part without a token.
func (r *Recording) WithValidation(share float64) (*Recording, error) {
	return r.split("validation", share, mostValidation, func(with *Recording, tokens int) { with.validation = tokens })
}

// split returns a copy of the recording in which `set` has set the length of a part to a
// share of all tokens. The part has the given name in errors.
func (r *Recording) split(
	part string, share, most float64, set func(with *Recording, tokens int),
) (*Recording, error) {
	if !(share >= 0 && share <= most) {
		return nil, fmt.Errorf("%s: %s = %g is outside [0, %g]", r.name, part, share, most)
	}
	with := *r
	tokens := int(math.Round(share * float64(len(r.record))))
	set(&with, tokens)
	if share > 0 && (tokens == 0 || with.Windows(1) == 0) {
		return nil, fmt.Errorf("%s: %s = %g of %d tokens leaves a part without tokens; "+
			"want 0 for no such part, or a share that leaves tokens in every part", r.name, part, share, len(r.record))
	}
	return &with, nil
}

// HeldOut returns a recording of the held-out part alone, or nil if nothing is held
// out.
func (r *Recording) HeldOut() Sampler { return r.part(len(r.record)-r.held, len(r.record)) }

// Validation returns a recording of the part for validation alone, or nil without one.
func (r *Recording) Validation() Sampler { return r.part(r.trained(), len(r.record)-r.held) }

// part returns a recording of the tokens from … to−1 alone, or nil for an empty part.
func (r *Recording) part(from, to int) Sampler {
	if from == to {
		return nil
	}
	part := *r
	part.record, part.validation, part.held = r.record[from:to:to], 0, 0
	return &part
}

// trained returns the number of tokens that Sample draws from.
func (r *Recording) trained() int { return len(r.record) - r.validation - r.held }

// Name returns the name that the recording was given.
func (r *Recording) Name() string { return r.name }

// Alphabet returns the number of tokens.
func (r *Recording) Alphabet() int { return len(r.tokens) }

// Tokens returns a copy of the tokens' names.
func (r *Recording) Tokens() []string { return slices.Clone(r.tokens) }

// Record returns a copy of the recording, N tokens, including the parts that Sample does
// not draw from.
func (r *Recording) Record() []int32 { return slices.Clone(r.record) }

// Levels returns a copy of the values of the recorded signal, by token, or nil if
// tokens are not levels of a signal.
func (r *Recording) Levels() []float64 { return slices.Clone(r.levels) }

// Clipped returns the number of samples that were beyond the range of [NewSignalWithin]
// and were clipped to it.
func (r *Recording) Clipped() int { return r.beyond }

// Windows returns the number of windows of the given length that Sample draws from.
func (r *Recording) Windows(length int) int { return max(0, r.trained()-length+1) }

// Sample fills dst with a window chosen by one value of src. It panics when dst is
// longer than the training part, see Windows.
func (r *Recording) Sample(dst []int32, src rand.Source) {
	windows := r.Windows(len(dst))
	if windows == 0 {
		panic(fmt.Sprintf("process: a window of %d tokens is longer than %s, which has %d tokens to draw from",
			len(dst), r.name, r.trained()))
	}
	offset, _ := bits.Mul64(src.Uint64(), uint64(windows))
	copy(dst, r.record[offset:])
}
