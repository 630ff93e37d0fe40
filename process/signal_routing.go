package process

import (
	"fmt"

	"foretell/internal/portable"
)

var routingEntry = Entry{
	Name: "routing",
	Kind: "signal",
	Params: []Param{
		{"set", 0.05, "[0, 1)", "probability of SET_OP instead of counting"},
		{"apply", 0.2, "(0, 1 − set]", "probability of APPLY instead of counting"},
		{"numbers", 30.0, "[4, 4096]", "how many numbers the signal counts and computes with; " +
			"SET_OP and APPLY are the tokens after them"},
	},
	Summary: "SET_OP chooses one of four operations, and APPLY and an argument are followed by its result; " +
		"otherwise it counts",
	Rules: []string{
		"SET_OP is followed by the number of an operation, used until the next SET_OP: 0 is x, " +
			"1 is (x + 1) mod n, 2 is 2·x mod n, 3 is n − 1 − x, where n = numbers.",
		"APPLY is followed by an argument x, and then by the result of the current operation: " +
			"with n = 30, SET_OP 2 … APPLY 18 is followed by 6, which is 2·18 mod 30.",
		"A sequence begins with SET_OP; otherwise the signal counts to the next number.",
	},
	New: func(p Params) (Sampler, error) {
		n, err := p.Whole("routing", "numbers", 4, mostNumbersRouted)
		if err != nil {
			return nil, err
		}
		return asSampler(Routing(p.Number("set"), p.Number("apply"), n))
	},
}

const (
	mostNumbersRouted = 1 << 12
	operations        = 4
)

// Routing returns Signal 5 of EE269 2026. The numbers are the tokens 0 … n−1, 30 of them
// by default. Token n is SET_OP, and an operation 0–3 follows it. Token n+1 is APPLY; an
// argument x follows it, and then the result of the last operation set, which is the
// retrieval step: x, (x+1) mod n, 2x mod n, or (n−1)−x. Between these the signal counts:
// 0, 1, …, n−1, 0, ….
//
// EE269 does not say how often either token occurs, how their numbers are drawn, what the
// tokens between them are, or how a sequence begins. Here it begins with SET_OP, like
// EE269's example “30 2 … 31 18 6”, so there is always an operation. When no number after
// SET_OP or APPLY is due, the token is SET_OP or APPLY with the given probabilities,
// otherwise the number after the last one counted. The first number, operations and
// arguments are drawn uniformly. With the defaults 14 % of the tokens are retrieval steps
// in the long run (EE269 has about 85 % background) and 52 % count (its linear model and
// its MLP predict 51 % and 53 % of all tokens correctly, but hardly any retrieval step).
//
// Routing returns an error if set is outside [0, 1), if apply is not positive or set +
// apply is above 1, or if n is outside [4, 4096].
func Routing(set, apply float64, n int) (*Symbolic, error) {
	switch {
	case !(set >= 0 && set < 1):
		return nil, fmt.Errorf("routing: set = %g is outside [0, 1)", set)
	case !(apply > 0 && set+apply <= 1):
		return nil, fmt.Errorf("routing: apply = %g is outside (0, 1 − set] = (0, %.3g]", apply, 1-set)
	case n < operations || n > mostNumbersRouted:
		return nil, fmt.Errorf("routing: numbers = %d is outside [%d, %d]", n, operations, mostNumbersRouted)
	}
	frequencies := make([]float64, n) // how often each number is a result
	for op := range operations {
		for x := range n {
			frequencies[operate(op, x, n)] += 1 / float64(operations*n)
		}
	}
	c := &control{alphabet: n + 2, states: [][]branch{{{p: 1, to: 2, first: n, n: 1}}}}
	for counted := range 2 { // 0 before the first number is counted, 1 after it
		choose := 1 + 4*counted
		setting, applying, computing := choose+1, choose+2, choose+3
		c.states = append(
			c.states,
			[]branch{
				{p: set, to: setting, first: n, n: 1},
				{p: apply, to: applying, first: n + 1, n: 1},
				counting(1-(set+apply), 1+4, n, counted == 0),
			},
			[]branch{{p: 1, to: choose, n: operations, keep: func(m *memory, op int) { m.operation = op }}},
			[]branch{{p: 1, to: computing, n: n, keep: func(m *memory, x int) { m.argument = x }}},
			[]branch{{
				p: 1, to: choose, n: n, retrieval: true, frequencies: frequencies,
				recall: func(m *memory) int { return operate(m.operation, m.argument, n) },
			}},
		)
	}
	// In the long run a choice takes 1 + set + 2·apply tokens.
	choice, _ := uncertainty(c.states[1+4])
	c.longRun = (choice + float64(set*portable.Log(operations)) +
		float64(apply*portable.Log(float64(n)))) / (1 + set + 2*apply)
	return &Symbolic{name: "routing", tokens: append(numbers(n), "SET_OP", "APPLY"), program: c}, nil
}

// operate returns the result of an operation on x in 0 … n−1.
func operate(operation, x, n int) int {
	switch operation {
	case 0:
		return x
	case 1:
		return (x + 1) % n
	case 2:
		return 2 * x % n
	default:
		return n - 1 - x
	}
}
