package process

import (
	"fmt"
	"math"

	"foretell/internal/portable"
)

const (
	mostDelays = 64
	mostValues = 1 << 12
)

var switchingDelayEntry = Entry{
	Name: "switching_delay",
	Kind: "signal",
	Params: []Param{
		{"delays", []float64{17, 29, 41, 53}, "1 to 64 whole numbers in [1, 1024]", "the delay that each key selects"},
		{"key", 0.02, "[0, 0.5)", "probability that a token is a key; all keys are equally likely"},
		{
			"values", 28.0, "[1, 4096], not a multiple of 3",
			"number of values, the tokens 0, 1, …; the tokens with larger numbers are keys",
		},
	},
	Summary: "keys select a delay D, and each value is (3·x[n−D] + 7) mod 28 with the delay D of the last key",
	New: func(p Params) (Sampler, error) {
		const name = "switching_delay"
		values, err := p.Whole(name, "values", 1, mostValues)
		if err != nil {
			return nil, err
		}
		delays, err := p.Wholes(name, "delays", math.MinInt, math.MaxInt)
		if err != nil {
			return nil, err
		}
		return asSampler(SwitchingDelay(delays, p.Number("key"), values))
	},
}

// SwitchingDelay returns Signal 3 of EE269 2026: tokens 0 … values−1 are values, 28 of
// them by default, and token values+k is a key that selects delays[k], by default 17, 29,
// 41 or 53. A value is
//
//	x[n] = (3·x[n−D] + 7) mod values,
//
// with the delay D of the last key, counted over all tokens, keys included. These
// values are the retrieval steps.
//
// EE269 does not say when keys occur, or how a sequence begins. Here the first token is a
// key, as in its example “29 11 1 21 27 1 …”, every later token is a key with the given
// probability, and all keys are equally likely. If the rule cannot be applied, because
// x[n−D] is before the sequence or is a key, the value is drawn uniformly, and is not a
// retrieval step. (EE269 also says that about 85 % of the tokens of its symbolic signals
// are easy background. Its rule leaves no such tokens here.) With the defaults, 44 % of
// the tokens 2 … 65 are retrieval steps. The number of values must not be a multiple of
// 3; the rule then maps them one to one, and all remain equally frequent.
//
// SwitchingDelay returns an error if there are no delays or more than 64, if a delay is
// outside [1, 1024], if key is outside [0, 0.5), or if values is outside [1, 4096] or a
// multiple of 3.
func SwitchingDelay(delays []int, key float64, values int) (*Symbolic, error) {
	switch {
	case len(delays) < 1 || len(delays) > mostDelays:
		return nil, fmt.Errorf("switching_delay: %d delays, want 1 to %d", len(delays), mostDelays)
	case !(key >= 0 && key < 0.5):
		return nil, fmt.Errorf("switching_delay: key = %g is outside [0, 0.5)", key)
	case values < 1 || values > mostValues:
		return nil, fmt.Errorf("switching_delay: values = %d is outside [1, %d]", values, mostValues)
	case values%3 == 0:
		return nil, fmt.Errorf(
			"switching_delay: values = %d is a multiple of 3, so 3x + 7 would not reach all of them", values)
	}
	p := &switchingDelay{key: key, values: values}
	tokens := numbers(values)
	for k, d := range delays {
		if d < 1 || d > longestDelay {
			return nil, fmt.Errorf("switching_delay: delays[%d] = %d is outside [1, %d]", k, d, longestDelay)
		}
		p.delays = append(p.delays, d)
		p.longest = max(p.longest, d)
		tokens = append(tokens, fmt.Sprintf("D=%d", d))
	}
	return &Symbolic{name: "switching_delay", tokens: tokens, program: p}, nil
}

type switchingDelay struct {
	delays  []int
	longest int // the longest delay
	key     float64
	values  int
}

type switchingDelayRun struct {
	*switchingDelay
	delay  int   // the delay of the last key; 0 before the first
	seen   int   // number of tokens observed
	recent []int // [n mod longest]: token n, counted from 0
}

func (p *switchingDelay) begin() run {
	return &switchingDelayRun{switchingDelay: p, recent: make([]int, p.longest)}
}

// computed returns the next value according to the rule; ok is false if the rule cannot
// be applied.
func (r *switchingDelayRun) computed() (value int, ok bool) {
	if r.delay == 0 || r.seen < r.delay {
		return 0, false
	}
	x := r.recent[(r.seen-r.delay)%r.longest]
	return (3*x + 7) % r.values, x < r.values
}

func (r *switchingDelayRun) next(dst []float64) {
	key := r.key
	if r.seen == 0 {
		key = 1
	}
	for k := range r.delays {
		dst[r.values+k] = key / float64(len(r.delays))
	}
	if value, ok := r.computed(); ok {
		dst[value] = 1 - key
		return
	}
	for value := range r.values {
		dst[value] = (1 - key) / float64(r.values)
	}
}

func (r *switchingDelayRun) retrieves(token int) bool {
	_, computed := r.computed()
	return computed && token < r.values
}

func (r *switchingDelayRun) observe(token int) {
	r.recent[r.seen%r.longest] = token
	r.seen++
	if token >= r.values {
		r.delay = r.delays[token-r.values]
	}
}

func (r *switchingDelayRun) reset() { r.delay, r.seen = 0, 0 }

// expect computes the expected behaviour from the probability that the rule can be
// applied at position n. Each of the K delays D is selected with probability 1/K, even if
// token n−D is a key: the delay then belongs to that key or to a later one. Token 1 is
// always a key, so
//
//	Pr(computed) = Σ_{D < n−1} (1 − key)/K.
func (p *switchingDelay) expect(positions int) expectation {
	e := expectation{tokens: make([]float64, p.values+len(p.delays))}
	keys, values := float64(len(p.delays)), float64(p.values)
	choice := portable.Entropy([]float64{p.key, 1 - p.key})
	keyed := 0.0 // expected number of keys
	for n := 1; n <= positions; n++ {
		if n == 1 {
			e.entropy = append(e.entropy, portable.Log(keys))
			e.best = append(e.best, 1/keys)
			e.retrieval = append(e.retrieval, 0)
			keyed++
			continue
		}
		computed := 0.0
		for _, d := range p.delays {
			if d < n-1 {
				computed += (1 - p.key) / keys
			}
		}
		e.entropy = append(e.entropy, choice+float64(p.key*portable.Log(keys))+
			float64(float64((1-p.key)*(1-computed))*portable.Log(values)))
		e.best = append(e.best, float64(computed*(1-p.key))+float64((1-computed)*max((1-p.key)/values, p.key/keys)))
		e.retrieval = append(e.retrieval, float64(computed*(1-p.key)))
		keyed += p.key
	}
	for z := range e.tokens {
		if z < p.values {
			e.tokens[z] = (float64(positions) - keyed) / values
		} else {
			e.tokens[z] = keyed / keys
		}
	}
	return e
}

// rate returns H₂(key) + key·ln(number of keys) + (1 − key)·key·ln values: in the long
// run the rule cannot be applied only if x[n−D] is a key.
func (p *switchingDelay) rate() float64 {
	return portable.Entropy([]float64{p.key, 1 - p.key}) + float64(p.key*portable.Log(float64(len(p.delays)))) +
		float64(float64((1-p.key)*p.key)*portable.Log(float64(p.values)))
}
