package craft

import (
	"math"

	"foretell/model"
	"foretell/process"
)

// Routing has the parameters of a two-layer transformer that predicts process.Routing,
// Signal 5 of EE269 2026.
type Routing struct {
	Set, Apply float64 // probabilities of SET_OP and of APPLY at a step where the signal would otherwise count
	Numbers    int     // number of numbers that operations apply to, tokens 0 to Numbers−1; then follow SET_OP and APPLY
	Signal
}

const operations = 4

// Transformer returns a transformer of two layers with two heads each, and a neuron for
// each pair of operation and argument.
//
// Layer 1 classifies each token: its heads read the tokens one and two positions back,
// and record whether they are SET_OP or APPLY. The token after SET_OP is an operation,
// the token after APPLY is an argument, the next one is a result, and all other numbers
// are counted.
//
// Layer 2 attends to the last operation and to the last counted number (see
// [Waves.LastOf]). After an argument, the neuron for the operation and the argument
// writes the result. At a step where the signal may count, the neuron of the last counted
// number writes the next number.
//
// Heads of a single layer could not find the operation by its content: SET_OP has its own
// token, but the operation comes after it and looks like any other number. So the lookup
// takes two hops through two layers, while EE269 2026, “The Transformer Pipeline”,
// describes one hop.
//
// [SwitchingDelay.Transformer] states the bound on the error.
func (c Routing) Transformer() (*model.Transformer[float64], error) {
	return built(c.Design())
}

// Design returns the design of [Routing.Transformer].
func (c Routing) Design() (Design, error) {
	p, err := process.Routing(c.Set, c.Apply, c.Numbers)
	if err != nil {
		return Design{}, err
	}
	if err := c.check("routing"); err != nil {
		return Design{}, err
	}
	return c.laid("routing", func(w Waves) Design { return c.design(w, p.Tokens()) })
}

func (c Routing) design(w Waves, tokens []string) Design {
	const set, apply = "SET_OP", "APPLY"
	numbers := tokens[:c.Numbers]
	counted, last, next := Numbered("counted", c.Numbers), Numbered("last", c.Numbers), Numbered("next", c.Numbers)
	operation, result := Numbered("operation", operations), Numbered("result", c.Numbers)
	marks := Block{Heads: []Head{
		c.back(w, 1, []Move{{set, "after SET_OP", 1}, {apply, "after APPLY", 1}}),
		c.back(w, 2, []Move{{apply, "two after APPLY", 1}}),
	}}
	compute := Block{Heads: []Head{
		c.last(w, []string{"after SET_OP"}, Copy(numbers[:operations], operation)),
		c.last(w, counted, Copy(counted, last)),
	}}
	for x := range numbers {
		marks.Rules = append(marks.Rules, Rule{
			If: []string{numbers[x]}, Unless: []string{"after SET_OP", "after APPLY", "two after APPLY"},
			To: counted[x], Times: 1,
		})
		compute.Rules = append(compute.Rules, Rule{
			If: []string{last[x]}, Unless: []string{set, apply, "after APPLY"}, To: next[x], Times: 1,
		})
		for o := range operations {
			compute.Rules = append(compute.Rules, Rule{
				If: []string{"after APPLY", operation[o], numbers[x]}, To: result[operate(o, x, c.Numbers)], Times: 1,
			})
		}
	}
	out := newOutput(tokens, logs(c.Numbers, 1-(c.Set+c.Apply), c.Set, c.Apply))
	out.lifts(set, out.choose(), numbers[:operations]...)
	out.lifts(apply, out.choose(), numbers...)
	out.counts(numbers, next)
	for x, direction := range result {
		out.lifts(direction, out.choose(), numbers[x])
	}
	return Design{
		Tokens: tokens, NCtx: c.NCtx, Waves: w, Blocks: []Block{marks, compute}, Logits: out.logits(),
	}
}

// counts adds the logits with which the signal counts. If direction next[x] is 1, the
// number after x receives the probability that all numbers otherwise share equally. Other
// tokens keep their probabilities.
func (o *output) counts(numbers, next []string) {
	for x, direction := range next {
		o.lifts(direction, o.choose()+math.Log(float64(len(numbers))), numbers[(x+1)%len(numbers)])
		o.lifts(direction, o.choose(), o.tokens[len(numbers):]...)
	}
}

// operate returns the result of an operation on x in 0 … n−1.
func operate(operation, x, n int) int {
	return [operations]int{x, (x + 1) % n, 2 * x % n, n - 1 - x}[operation]
}

// routingConstruction returns the construction craft:routing.
func routingConstruction() Construction {
	return Construction{
		Name:    "routing",
		Params:  signalParams(entryOf("routing").Params, Sinusoidal, Rotary),
		Summary: "two layers find the operation that was set last, and neurons compute its result; otherwise they count",
		New:     newRouting,
	}
}

func newRouting(p process.Params) (*Crafted, error) {
	c := Routing{Set: p.Number("set"), Apply: p.Number("apply")}
	var err error
	if c.Numbers, err = p.Whole("routing", "numbers", math.MinInt, math.MaxInt); err != nil {
		return nil, err
	}
	if c.Signal, err = signalOf("routing", p); err != nil {
		return nil, err
	}
	m, err := c.Transformer()
	if err != nil {
		return nil, err
	}
	source, err := process.Routing(c.Set, c.Apply, c.Numbers)
	return &Crafted{m, source}, err
}
