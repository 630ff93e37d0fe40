package inspect

import "foretell/process"

// Floors is the answer key of a process: the least loss at each position, in nats, and
// what it is compared with.
type Floors struct {
	Source

	// Chance is the loss of the best constant guess over the positions of Floor, see
	// [process.Floor].
	Chance           float64   `json:"chance"`
	ChanceOf         string    `json:"-"` // over which positions, where it matters; as " (of …)"
	EntropyRate      float64   `json:"entropy_rate"`
	EntropyRateError float64   `json:"entropy_rate_error"`
	Floor            []float64 `json:"floor"` // [t-1]: H(X_t | X_1 … X_{t−1})
}

// Floor computes the least possible loss at each of the positions 1 … positions, and the
// entropy rate. It is an error where that exceeds the process's budget.
func Floor(p process.Process, positions int) (*Floors, error) {
	floor, err := p.Floor(positions)
	if err != nil {
		return nil, err
	}
	f := &Floors{
		Source: Source{Process: p.Name()},
		Chance: floor.Chance, ChanceOf: chanceOf(p, floor), Floor: floor.ByPosition,
	}
	f.EntropyRate, f.EntropyRateError = p.EntropyRate()
	return f, nil
}

// FloorAsFar is [Floor] at as many positions as the process's budget allows, positions at
// most and one at least.
func FloorAsFar(p process.Process, positions int) (f *Floors, err error) {
	for f, err = Floor(p, positions); err != nil && positions > 1; f, err = Floor(p, positions) {
		positions--
	}
	return f, err
}

// Findings are what is remarkable about a process.
type Findings struct {
	Source

	Problems []process.Problem `json:"problems"`
}

// Check says what is remarkable about a process: states that no word tells apart, beliefs
// that are plain to see. It is an error where the process cannot say ([ErrNoHMM]).
func Check(p process.Process) (*Findings, error) {
	c, ok := p.(process.Checker)
	if !ok {
		return nil, noHMM(p)
	}
	return &Findings{Source{Process: p.Name()}, append([]process.Problem{}, c.Check()...)}, nil
}
