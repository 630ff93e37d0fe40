package craft

import (
	"fmt"
	"math"
	"slices"

	"foretell/model"
	"foretell/process"
)

// SwitchingDelay has the parameters of a one-layer transformer that predicts
// process.SwitchingDelay, Signal 3 of EE269 2026.
type SwitchingDelay struct {
	Delays []int   // the delay that each key selects
	Key    float64 // probability of a key
	Values int     // number of values, the tokens 0, 1, …; the tokens with larger numbers are keys
	Signal
}

// Transformer returns a transformer of one layer, with a head for the key, a head for
// each delay, and a neuron for each delay and value.
//
// At position i, where token i+1 is to be predicted, one head attends to the last key
// (see [Waves.LastOf]) and writes the delay that it selects. For each delay D another
// head attends to the token D−1 positions back, which is D positions before token i+1,
// and copies its value. The tokens at all delays are looked up at the same time, before
// the key is known, so one layer is enough. A neuron for each delay D and value x fires
// if D is selected and x is the value D positions before token i+1, and writes (3x + 7)
// mod Values.
//
// If the token D before token i+1 is a key, no neuron fires, and all values are equally
// probable. The same happens if the sequence has no token so far back: the head then
// attends to the first token, which is a key. (EE269 2026, “Multi-Head Solution”, has
// three heads for the four delays, and attends D positions back from position i, which is
// one position too far.)
//
// The model is the optimal predictor up to three errors: attention to other sources (less
// than n_ctx·1e-18 in total), a fraction e^−50 of probability for impossible tokens, and
// rounding. Its KL divergence from the optimum is below 1e-12 in float64, and its most
// likely token on a retrieval step (a step at which the next token is computed from the
// token D back) is the right one.
func (c SwitchingDelay) Transformer() (*model.Transformer[float64], error) {
	return built(c.Design())
}

// Design returns the design of [SwitchingDelay.Transformer].
func (c SwitchingDelay) Design() (Design, error) {
	if _, err := process.SwitchingDelay(c.Delays, c.Key, c.Values); err != nil {
		return Design{}, err
	}
	if err := c.check("switching-delay"); err != nil {
		return Design{}, err
	}
	return c.laid("switching-delay", c.design)
}

func (c SwitchingDelay) design(w Waves) Design {
	values, keys := Numbered("value", c.Values), Numbered("key", len(c.Delays))
	tokens := slices.Concat(values, keys)
	selected, computed := Numbered("selected", len(keys)), Numbered("computed", len(values))
	block := Block{Heads: []Head{c.last(w, keys, Copy(keys, selected))}}
	for k, delay := range c.Delays {
		found := Numbered(fmt.Sprintf("found by head %d:", k+1), len(values))
		block.Heads = append(block.Heads, c.back(w, delay-1, Copy(values, found)))
		for x := range values {
			block.Rules = append(block.Rules, Rule{
				If: []string{selected[k], found[x]}, To: computed[(3*x+7)%c.Values], Times: 1,
			})
		}
	}
	return Design{
		Tokens: tokens, NCtx: c.NCtx, Waves: w, Blocks: []Block{block},
		Logits: delayed(tokens, computed, c.Key),
	}
}

// delayed returns the logits of a signal with values and keys. If one of the directions
// in the slice computed is 1, the next token is either this direction's value or a key.
func delayed(tokens, computed []string, key float64) []Move {
	values, keys := tokens[:len(computed)], tokens[len(computed):]
	base := logs(len(values), 1-key)
	for range keys {
		base = append(base, math.Log(key/float64(len(keys))))
	}
	out := newOutput(tokens, base)
	for x, direction := range computed {
		out.lifts(direction, out.choose()+math.Log(float64(len(values))), values[x])
		out.lifts(direction, out.choose(), keys...)
	}
	return out.logits()
}

// Delay has the parameters of a transformer that predicts process.SwitchingDelay with one
// delay and uses a single head.
type Delay struct {
	Delay     int     // D: token n is computed from token n−D
	Key       float64 // probability of a key
	Values    int     // number of values; the key is the token after them
	Planes    int     // number of position planes that the head uses, 1 or more
	Elsewhere float64 // largest attention to other tokens, in [1e-30, 0.1]
	Signal
}

// Transformer returns a transformer of one layer with one head and no MLP. At position i,
// where token i+1 is to be predicted, the head attends D−1 positions back, and the
// unembedding is the table x → (3x + 7) mod Values.
//
// The head uses cosines in Planes planes, beginning with the fastest plane whose cosine
// decreases over the whole context. [Waves.Peaked] chooses their strength, and
// [Waves.Elsewhere] computes the attention to other sources. If that is at most ε, the
// coefficient of the token that the head should copy is at least 1−ε, and the
// log-probability of the computed token has an error of at most ε times its logit, which
// is somewhat above 100 nats.
//
// The sequence begins with the key. As long as no token is D positions before the next
// one, all values are equally probable. Their logits then differ only by rounding, which
// decides what greedy decoding chooses.
func (c Delay) Transformer() (*model.Transformer[float64], error) {
	return built(c.Design())
}

// Design returns the design of [Delay.Transformer].
func (c Delay) Design() (Design, error) {
	if _, err := process.SwitchingDelay([]int{c.Delay}, c.Key, c.Values); err != nil {
		return Design{}, err
	}
	if err := c.check("delay"); err != nil {
		return Design{}, err
	}
	if c.Planes < 1 || c.Planes > rotaryWidth/4 {
		return Design{}, fmt.Errorf("delay: planes = %d is outside [1, %d]", c.Planes, rotaryWidth/4)
	}
	if !(c.Elsewhere >= 1e-30 && c.Elsewhere <= 0.1) {
		return Design{}, fmt.Errorf("delay: elsewhere = %g is outside [1e-30, 0.1]", c.Elsewhere)
	}
	return c.laid("delay", c.design)
}

func (c Delay) design(w Waves) Design {
	values := Numbered("value", c.Values)
	found, computed := Numbered("found", len(values)), make([]string, len(values))
	for x, name := range found {
		computed[(3*x+7)%c.Values] = name
	}
	planes := make([]int, c.Planes)
	for i := range planes {
		planes[i] = min(w.Slower(math.Pi/float64(c.NCtx))+i, w.Planes()-1)
	}
	head := Head{
		Turns: w.Peaked(planes, min(c.Delay-1, c.NCtx), c.NCtx, c.Elsewhere),
		Move:  Copy(values, found),
	}
	tokens := append(values, "key")
	return Design{
		Tokens: tokens, NCtx: c.NCtx, Waves: w, Blocks: []Block{{Heads: []Head{head}}},
		Logits: delayed(tokens, computed, c.Key),
	}
}

// delayConstruction returns the construction craft:delay.
func delayConstruction() Construction {
	of := entryOf("switching_delay").Params
	return Construction{
		Name: "delay",
		Params: append(
			[]process.Param{{
				Name: "delay", Default: 26.0, Range: "[1, 1024]",
				Summary: "distance from a token to the token that it is computed from; the head attends one position less far back",
			}, {
				Name: "key", Default: 0.0, Range: of[1].Range,
				Summary: "probability of a key after the first token, which is a key",
			}, of[2]},
			append(signalParams(nil, Sinusoidal, Rotary), process.Param{
				Name: "planes", Default: 1.0, Range: fmt.Sprintf("[1, %d]", rotaryWidth/4),
				Summary: "number of position planes that the head uses",
			}, process.Param{
				Name: "elsewhere", Default: sharp, Range: "[1e-30, 0.1]",
				Summary: "largest attention of the head to other tokens",
			})...,
		),
		Summary: "switching_delay with one delay, beginning with the key, token 28: one head attends by position " +
			"to the token 26 positions before the next one (delay=26), and the unembedding computes the next token",
		New: newDelay,
	}
}

func newDelay(p process.Params) (*Crafted, error) {
	c := Delay{Key: p.Number("key"), Elsewhere: p.Number("elsewhere")}
	for name, field := range map[string]*int{"delay": &c.Delay, "values": &c.Values, "planes": &c.Planes} {
		var err error
		if *field, err = p.Whole("delay", name, math.MinInt, math.MaxInt); err != nil {
			return nil, err
		}
	}
	var err error
	if c.Signal, err = signalOf("delay", p); err != nil {
		return nil, err
	}
	m, err := c.Transformer()
	if err != nil {
		return nil, err
	}
	source, err := process.SwitchingDelay([]int{c.Delay}, c.Key, c.Values)
	return &Crafted{m, source}, err
}

// switchingDelayConstruction returns the construction craft:switching-delay.
func switchingDelayConstruction() Construction {
	return Construction{
		Name:   "switching-delay",
		Params: signalParams(entryOf("switching_delay").Params, Sinusoidal, Rotary),
		Summary: "one layer finds the last key (tokens 28 to 31; one of them comes first) and the token at each " +
			"delay, and neurons compute (3x + 7) mod 28 of the token at the selected delay",
		New: newSwitchingDelay,
	}
}

func newSwitchingDelay(p process.Params) (*Crafted, error) {
	delays, err := p.Wholes("switching_delay", "delays", math.MinInt, math.MaxInt)
	if err != nil {
		return nil, err
	}
	c := SwitchingDelay{Delays: delays, Key: p.Number("key")}
	if c.Values, err = p.Whole("switching_delay", "values", math.MinInt, math.MaxInt); err != nil {
		return nil, err
	}
	if c.Signal, err = signalOf("switching-delay", p); err != nil {
		return nil, err
	}
	m, err := c.Transformer()
	if err != nil {
		return nil, err
	}
	source, err := process.SwitchingDelay(c.Delays, c.Key, c.Values)
	return &Crafted{m, source}, err
}
