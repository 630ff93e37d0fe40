package process

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// Rows of random matrices have the mean and the variance of their Dirichlet
// distribution, within five standard errors.
func TestDirichletRowsHaveTheirMoments(t *testing.T) {
	for _, concentration := range []float64{0.1, 0.5, 1, 7} {
		const tokens, matrices = 4, 4000
		var entries, squares []float64
		for m := range matrices {
			P, err := DirichletRows(tokens, concentration, 1, uint64(m))
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range P {
				if total := row[0] + row[1] + row[2] + row[3]; math.Abs(total-1) > 1e-15 {
					t.Fatalf("a row sums to %v", total)
				}
				entries, squares = append(entries, row[0]), append(squares, row[0]*row[0])
			}
		}
		within := func(name string, list []float64, want float64) {
			t.Helper()
			mean, sd := stat.MeanStdDev(list, nil)
			if math.Abs(mean-want) > 5*sd/math.Sqrt(float64(len(list))) {
				t.Errorf("concentration %g: %s %v, want %v", concentration, name, mean, want)
			}
		}
		within("mean", entries, 1./tokens)
		within("second moment", squares, (concentration+1)/(tokens*(tokens*concentration+1)))
	}
}

func TestDirichletRowsDependOnTheirName(t *testing.T) {
	first, err := DirichletRows(3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, indices := range [][]uint64{{1}, {0, 1}} {
		if other, _ := DirichletRows(3, 1, 1, indices...); slices.Equal(first[0], other[0]) {
			t.Errorf("indices %v give the same row", indices)
		}
	}
	if again, _ := DirichletRows(3, 1, 1, 0); !slices.Equal(first[0], again[0]) {
		t.Errorf("%v, and %v a second time", first, again)
	}
}

func TestRandomChainsRefuse(t *testing.T) {
	for _, test := range []struct {
		params Params
		want   string
	}{
		{Params{"concentration": 0.0}, "random_chains: concentration = 0 is outside (0, 1e+06]"},
		{Params{"concentration": math.NaN()}, "random_chains: concentration = NaN is outside (0, 1e+06]"},
		{Params{"tokens": 1.0}, "random_chains: tokens = 1 is not a whole number in [2, 1024]"},
		{Params{"tokens": 2.5}, "random_chains: tokens = 2.5 is not a whole number in [2, 1024]"},
		{Params{"seed": -1.0}, "random_chains: seed = -1 is not a whole number of 0 or more"},
		{Params{"lags": []float64{0}}, "random_chains: lags[0] = 0 is not a whole number in [1, 1024]"},
		{Params{"lags": []float64{2, 2}}, "interleaved: lags[0] and lags[1] are both 2: want each lag once"},
		// so peaked that each row has one token
		{Params{"concentration": 1e-6, "seed": 2.0}, "interleaved: P never leaves the sets of tokens {1} and {4}, so each has its own stationary distribution: want exactly one such set"},
	} {
		if p, err := Build("random_chains", test.params); fmt.Sprint(err) != test.want || p != nil {
			t.Errorf("%v: %v, %v\nwant %s", test.params, p, err, test.want)
		}
	}
}
