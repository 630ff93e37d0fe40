package craft

import (
	"fmt"
	"math"
	"slices"

	"foretell/model"
	"foretell/process"
)

// SwitchingDelay asks for a transformer of one layer that predicts
// process.SwitchingDelay, Signal 3 of EE269 2026.
type SwitchingDelay struct {
	Delays []int   // what each key selects
	Key    float64 // probability of a key
	Values int     // number of values; the keys are the tokens after them
	Signal
}

// Transformer returns a transformer of one layer, with a head for the key, a head for
// each delay, and a neuron for each delay and value.
//
// At position i, where token i+1 is to be predicted, one head looks at the last key (see
// [Waves.LastOf]) and writes which delay it selects. Another for each delay D looks D−1
// positions back, which is D back from token i+1, and writes the value there. All delays
// are looked up at once, so nothing has to wait for the key, and one layer will do. A
// neuron for each delay D and value x fires where D is selected and x was found D back,
// and writes (3x + 7) mod Values.
//
// Where a key was found no neuron fires, and the values are all alike. So they are where
// the sequence has no token D back: the head then looks at the first token, the nearest
// there is, which is a key. (EE269 2026, “Multi-Head Solution”, has three heads for the
// four delays, and looks D back from position i, one too many.)
//
// The model is the optimal predictor but for attention elsewhere, below n_ctx·1e-18 in
// all, for e^−50 of probability that goes to tokens that cannot come, and for rounding:
// its KL divergence from the optimum is below 1e-12 in float64, and its most likely token
// on a retrieval step is the right one.
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

// delayed are the logits of a signal in which some tokens are values, one of them for
// certain where a direction of computed has 1, if no key comes in its place.
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

// Delay asks for a transformer that predicts process.SwitchingDelay with one delay, by
// one head alone.
type Delay struct {
	Delay     int     // D: token n is computed from token n−D
	Key       float64 // probability of a key
	Values    int     // number of values; the key is the token after them
	Planes    int     // how many planes of the positions the head looks by, 1 or more
	Elsewhere float64 // most of its attention on other tokens, in [1e-30, 0.1]
	Signal
}

// Transformer returns a transformer of one layer with one head and no MLP: the head
// looks D−1 positions back from the one before the token to predict, and the unembedding
// is the table x → (3x + 7) mod Values.
//
// The head looks by cosines of as many planes as it may, from the fastest on that falls
// over the whole context; [Waves.Peaked] says how sharp they are, and [Waves.Elsewhere]
// what goes elsewhere. Where that is at most ε, the direction of the token D back has 1−ε
// at least, and the log-probability of what follows it is off by at most ε times the
// logit, which is 100 and some nats.
//
// The sequence begins with the key. Until a token is D back all values are as probable,
// and their logits the same but for rounding, which greedy decoding then follows.
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

// delayConstruction is craft:delay.
func delayConstruction() Construction {
	of := entryOf("switching_delay").Params
	return Construction{
		Name: "delay",
		Params: append(
			[]process.Param{{
				Name: "delay", Default: 26.0, Range: "[1, 1024]",
				Summary: "what is computed is computed from the token so many before it; the head looks one less back",
			}, {
				Name: "key", Default: 0.0, Range: of[1].Range, Summary: "probability of a key, after the first token, which is one",
			}, of[2]},
			append(signalParams(nil, Sinusoidal, Rotary), process.Param{
				Name: "planes", Default: 1.0, Range: fmt.Sprintf("[1, %d]", rotaryWidth/4),
				Summary: "how many planes of the positions the head looks by",
			}, process.Param{
				Name: "elsewhere", Default: sharp, Range: "[1e-30, 0.1]",
				Summary: "most of the head's attention on other tokens",
			})...,
		),
		Summary: "switching_delay with one delay, which begins with its key, token 28: for the token 26 back of the next " +
			"one (delay=26) one head looks 25 back, by positions told by angles, and the unembedding computes",
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

// switchingDelayConstruction is craft:switching-delay.
func switchingDelayConstruction() Construction {
	return Construction{
		Name:   "switching-delay",
		Params: signalParams(entryOf("switching_delay").Params, Sinusoidal, Rotary),
		Summary: "one layer finds the last key, the tokens 28 to 31 of which one comes first, and looks all delays back, " +
			"and neurons compute (3x + 7) mod 28 of the one selected",
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
