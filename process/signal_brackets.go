package process

import (
	"fmt"

	"foretell/internal/portable"
)

const (
	mostTags     = 1 << 12
	mostBrackets = 64
)

var bracketsEntry = Entry{
	Name: "brackets",
	Kind: "signal",
	Params: []Param{
		{"open", 0.1, "(0, 1]", "probability of OPEN instead of counting"},
		{"close", 0.1, "(0, 1 − open]", "probability of CLOSE when a bracket is open"},
		{"depth", 8.0, "[1, 64]", "largest number of open brackets"},
		{"tags", 30.0, "[1, 4096]", "number of tags; the signal also counts with them, and " +
			"OPEN and CLOSE are the tokens after them"},
	},
	Summary: "OPEN pushes a tag, and CLOSE is followed by the tag of the bracket it closes; otherwise it counts",
	Rules: []string{
		"OPEN is followed by a tag, any number, which is pushed on a stack.",
		"CLOSE is followed by the tag on top of the stack, which is removed: " +
			"after OPEN 7 … OPEN 3 …, CLOSE is followed by 3, and the next CLOSE by 7.",
		"Otherwise the signal counts to the next number.",
	},
	New: func(p Params) (Sampler, error) {
		depth, err := p.Whole("brackets", "depth", 1, mostBrackets)
		if err != nil {
			return nil, err
		}
		tags, err := p.Whole("brackets", "tags", 1, mostTags)
		if err != nil {
			return nil, err
		}
		return asSampler(Brackets(p.Number("open"), p.Number("close"), depth, tags))
	},
}

// Brackets returns Signal 4 of EE269 2026. The tags are the tokens 0 … tags−1, 30 of them
// by default. Token number tags is OPEN, and a tag drawn uniformly follows it. Token
// number tags+1 is CLOSE, and the tag of the last bracket still open follows it, which is
// the retrieval step. Between these the signal counts: 0, 1, …, tags−1, 0, ….
//
// EE269 does not say how often brackets occur, how deep they are, or where counting
// begins. Here each token that is not a tag is OPEN or CLOSE with the given
// probabilities, otherwise the number after the last one counted; the first number is
// drawn uniformly. No bracket is open at the start. CLOSE does not occur if no bracket is
// open, and OPEN does not occur if the greatest number of brackets (depth) is open; the
// signal counts instead. With the defaults 70 % of the tokens count in the long run, and
// 8 % are retrieval steps. (EE269's linear model and its MLP predict 68 % of all tokens
// correctly, but hardly any retrieval step, which suggests that a similar share of its
// tokens count.) Of the tokens 2 … 65 of a sequence, which begins with an empty stack, 5
// % are retrieval steps.
//
// Brackets returns an error if open or close is not positive or their sum is above 1, if
// depth is outside [1, 64], or if tags is outside [1, 4096].
func Brackets(open, closed float64, depth, tags int) (*Symbolic, error) {
	switch {
	case !(open > 0 && open <= 1):
		return nil, fmt.Errorf("brackets: open = %g is outside (0, 1]", open)
	case !(closed > 0 && open+closed <= 1):
		return nil, fmt.Errorf("brackets: close = %g is outside (0, 1 − open] = (0, %.3g]", closed, 1-open)
	case depth < 1 || depth > mostBrackets:
		return nil, fmt.Errorf("brackets: depth = %d is outside [1, %d]", depth, mostBrackets)
	case tags < 1 || tags > mostTags:
		return nil, fmt.Errorf("brackets: tags = %d is outside [1, %d]", tags, mostTags)
	}
	c := &control{alphabet: tags + 2, longRun: bracketsRate(open, closed, depth, tags)}
	for d := range depth + 1 {
		for counted := range 2 {
			c.states = append(c.states, bracketsStates(open, closed, d, depth, tags, counted)...)
		}
	}
	return &Symbolic{name: "brackets", tokens: append(numbers(tags), "OPEN", "CLOSE"), program: c}, nil
}

// bracketsStates returns the three states in which d of at most depth brackets are open,
// before (counted = 0) or after (counted = 1) the first number counted. In the first
// state the signal chooses, in the second it writes the tag after an OPEN, and in the
// third the tag after a CLOSE.
func bracketsStates(open, closed float64, d, depth, tags, counted int) [][]branch {
	state := func(d, counted, which int) int { return 3*(2*d+counted) + which }
	var choices []branch
	left := 1 - (open + closed)
	if d < depth {
		choices = append(choices, branch{p: open, to: state(d, counted, 1), first: tags, n: 1})
	} else {
		left += open
	}
	if d > 0 {
		choices = append(choices, branch{p: closed, to: state(d, counted, 2), first: tags + 1, n: 1})
	} else {
		left += closed
	}
	choices = append(choices, counting(left, state(d, 1, 0), tags, counted == 0))
	push := branch{
		p: 1, to: state(min(d+1, depth), counted, 0), n: tags,
		keep: func(m *memory, tag int) { m.stack = append(m.stack, tag) },
	}
	pop := branch{
		p: 1, to: state(max(d-1, 0), counted, 0), n: tags, retrieval: true,
		recall: func(m *memory) int { return m.stack[len(m.stack)-1] },
		keep:   func(m *memory, _ int) { m.stack = m.stack[:len(m.stack)-1] },
	}
	return [][]branch{choices, {push}, {pop}}
}

// bracketsRate returns the mean floor in the long run. From choice to choice, the
// number d of open brackets is a birth-death chain with the stationary distribution π_d
// ∝ (open/close)^d. A choice opens a bracket with probability O = open·(1 − π_depth),
// and closes one with the same probability. Both take a second token, so
//
//	h = (Σ_d π_d·H(choice at depth d) + O·ln tags)/(1 + 2·O).
func bracketsRate(open, closed float64, depth, tags int) float64 {
	total, opened, entropy := 0.0, 0.0, 0.0
	for d := range depth + 1 {
		weight := portable.Power(open/closed, d)
		if open > closed { // the same weights up to a common factor, without overflow
			weight = portable.Power(closed/open, depth-d)
		}
		choices := bracketsStates(open, closed, d, depth, tags, 1)[0]
		h, _ := uncertainty(choices)
		entropy += float64(weight * h)
		total += weight
		if d < depth {
			opened += float64(weight * open)
		}
	}
	return (entropy + float64(opened*portable.Log(float64(tags)))) / (total + 2*opened)
}
