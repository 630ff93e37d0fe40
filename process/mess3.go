package process

import "fmt"

var mess3Entry = Entry{
	Name: "mess3",
	Kind: "hmm",
	Params: []Param{
		{"x", 0.15, "(0, 0.5]", "probability of moving to each of the other two states"},
		{"a", 0.6, "[0, 1]", "probability that a token names the state it leads to"},
	},
	Summary: "three states that persist, seen through a noisy token; beliefs form a fractal in a triangle",
	New:     func(p Params) (Sampler, error) { return asSampler(Mess3(p.Number("x"), p.Number("a"))) },
}

// Mess3 returns the Mess3 process of Marzen and Crutchfield (2017), as in
// Piotrowski et al. 2025, Eq. 21–23: three states, three tokens, with
//
//	T^z[i,j] = P[i,j]·E[j,z],  P[i,i] = 1−2x else x,  E[j,z] = a if z = j else (1−a)/2.
//
// x in (0, 0.5] is the probability of moving to each other state, and a in [0, 1], the
// paper's α, the probability that the token names the state moved to. T has the
// eigenvalues 1 and ζ = 1−3x, the latter twice.
func Mess3(x, a float64) (*HMM, error) {
	if !(x > 0 && x <= 0.5) {
		return nil, fmt.Errorf("mess3: x = %g is outside (0, 0.5]", x)
	}
	if err := checkProbability("mess3", "a", a); err != nil {
		return nil, err
	}
	names := []string{"0", "1", "2"}
	matrices := make([][][]float64, 3)
	for z := range matrices {
		matrices[z] = make([][]float64, 3)
		for i := range matrices[z] {
			row := make([]float64, 3)
			for j := range row {
				move, emit := x, (1-a)/2
				if i == j {
					move = 1 - 2*x
				}
				if j == z {
					emit = a
				}
				row[j] = move * emit
			}
			matrices[z][i] = row
		}
	}
	h, err := New("mess3", names, names, matrices)
	if err != nil {
		return nil, err
	}
	return h.withParams(map[string]float64{"x": x, "a": a}), nil
}
