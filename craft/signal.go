package craft

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
)

// In the transformers for signals, a head gives at most the fraction `sharp` of its
// attention to sources other than the intended ones. An impossible token gets at most the
// fraction e^−quiet of a possible token's probability. Both fractions are too small to
// change a float64 near 1.
const (
	sharp = 1e-18
	quiet = 50.0
)

const (
	longestSignal = 1024 // largest context of the transformers for signals
	widestSignal  = 2048 // largest width of their residual stream
	rotaryWidth   = 64   // smallest d_head with rotary positions
)

// Signal has the parameters that the transformers for signals share.
type Signal struct {
	NCtx      int    // longest context in tokens, in [1, 1024]
	Positions string // [Sinusoidal] or [Rotary]
}

func (s Signal) check(name string) error {
	if s.NCtx < 1 || s.NCtx > longestSignal {
		return fmt.Errorf("%s: n_ctx = %d is outside [1, %d]", name, s.NCtx, longestSignal)
	}
	if s.Positions != Sinusoidal && s.Positions != Rotary {
		return fmt.Errorf("%s: positions = %s", name, strict.NotOneOf(s.Positions, []string{Sinusoidal, Rotary}))
	}
	return nil
}

// laid returns a design with waves of the necessary width. The names in the design must
// not depend on the waves.
func (s Signal) laid(name string, design func(Waves) Design) (Design, error) {
	d := design(Waves{s.Positions, widestSignal})
	names, err := d.ownDirections()
	if err != nil {
		return Design{}, fmt.Errorf("craft: %w", err)
	}
	width, stream := 0, len(names)
	if s.Positions == Sinusoidal {
		stream += s.NCtx
		width = stream + stream%2
	} else {
		width = d.rotaryWidth()
	}
	if stream > widestSignal {
		return Design{}, fmt.Errorf("%s: these parameters need a residual stream %d wide; the limit is %d",
			name, stream, widestSignal)
	}
	return design(Waves{s.Positions, width}), nil
}

// built builds a design, or returns its error.
func built(d Design, err error) (*model.Transformer[float64], error) {
	if err != nil {
		return nil, err
	}
	return d.Build()
}

// rotaryWidth returns a d_head for rotary positions that is large enough for each head.
func (d Design) rotaryWidth() int {
	width := rotaryWidth
	for _, b := range d.Blocks {
		for _, h := range b.Heads {
			width = max(width, len(h.targets()), 2*(len(h.queries())+len(h.Turns)))
		}
	}
	return width + width%2
}

// back returns a head that copies from the source at the given offset, counted in
// positions back, or from the first position if the sequence is shorter.
func (s Signal) back(w Waves, offset int, move []Move) Head {
	plane, offset := w.Slower(math.Pi/float64(s.NCtx)), min(offset, s.NCtx)
	return Head{Turns: w.Peaked([]int{plane}, offset, s.NCtx, sharp), Move: move}
}

// last returns a head that copies from the latest source that has one of the directions
// in marks, or from the latest of all sources if no source has such a direction.
func (s Signal) last(w Waves, marks []string, move []Move) Head {
	attend, turns := w.LastOf(marks, s.NCtx, sharp)
	return Head{Attend: attend, Turns: turns, Move: move}
}

// output builds the unembedding of a transformer for a signal.
type output struct {
	tokens []string
	base   []float64 // logits if all directions are 0
	never  float64   // logit of an impossible token: at least `quiet` nats below the logits of possible tokens
	moves  []Move
}

// newOutput returns an output. The slice base holds the log-probability of each token, −∞
// for an impossible one. The slice further holds other log-probabilities that
// [output.becomes] may give to a token.
func newOutput(tokens []string, base []float64, further ...float64) *output {
	o := &output{tokens: tokens, base: slices.Clone(base), never: -quiet}
	for _, x := range slices.Concat(base, further) {
		if !math.IsInf(x, -1) {
			o.never = min(o.never, x-quiet)
		}
	}
	for i, x := range o.base {
		o.base[i] = max(x, o.never)
	}
	return o
}

// lifts adds the given number of nats to the logits of the given tokens if a direction is
// 1.
func (o *output) lifts(direction string, nats float64, tokens ...string) {
	for _, to := range tokens {
		o.moves = append(o.moves, Move{direction, to, nats})
	}
}

// choose returns the increase of logits that makes some tokens the only possible ones: it
// lifts even otherwise impossible tokens above all others by `quiet`. Without this
// increase no logit is positive.
func (o *output) choose() float64 { return quiet - o.never }

// becomes changes a token's logit to the given log-probability if a direction is 1.
func (o *output) becomes(direction, token string, log float64) {
	o.lifts(direction, max(log, o.never)-o.base[slices.Index(o.tokens, token)], token)
}

// logits returns everything that the unembedding reads.
func (o *output) logits() []Move {
	moves := slices.Clone(o.moves)
	for i, x := range o.base {
		moves = append(moves, Move{Always, o.tokens[i], x})
	}
	return moves
}

// logs returns the log-probabilities of n tokens that share the probability `alike`
// equally, followed by the logarithms of the probabilities in `single`.
func logs(n int, alike float64, single ...float64) []float64 {
	list := slices.Repeat([]float64{math.Log(alike / float64(n))}, n)
	for _, p := range single {
		list = append(list, math.Log(p))
	}
	return list
}

// entryOf returns a process's entry in the catalogue.
func entryOf(name string) process.Entry {
	all := process.Catalogue()
	return all[slices.IndexFunc(all, func(e process.Entry) bool { return e.Name == name })]
}

// signalParams returns the parameters of a transformer for a signal: the given parameters
// of the process, followed by the transformer's own.
func signalParams(of []process.Param, positions ...string) []process.Param {
	own := []process.Param{
		{
			Name: "n_ctx", Default: 64.0, Range: fmt.Sprintf("[1, %d]", longestSignal),
			Summary: "longest context in tokens",
		},
	}
	if len(positions) > 0 {
		own = append(own, process.Param{
			Name: "positions", Default: positions[0], Range: strings.Join(positions, ", "),
			Summary: "kind of positional embedding",
		})
	}
	return slices.Concat(of, own)
}

// signalOf reads the parameters that all transformers for signals share.
func signalOf(name string, p process.Params) (Signal, error) {
	s := Signal{Positions: Sinusoidal}
	if _, ok := p["positions"]; ok {
		s.Positions = p.Text("positions")
	}
	var err error
	s.NCtx, err = p.Whole(name, "n_ctx", 1, longestSignal)
	if err != nil {
		return s, err
	}
	return s, s.check(name)
}
