package probe

import (
	"math"
	"slices"
	"testing"

	"foretell/process"
)

// A row's shares sum to one; a sequence lies whole in one fold, and each fold
// holds about its part of them.
func TestSequenceFoldsShares(t *testing.T) {
	for _, name := range []string{"mess3", "golden_mean"} {
		p := must(build(t, name).Prefixes(t.Context(), 5))
		folds := SequenceFolds(p, 4, 7)
		if folds.Count != 4 || folds.Shares.Width != 4 || folds.Shares.Rows() != p.Rows() {
			t.Fatalf("%s: %d folds, shares (%d, %d)", name, folds.Count, folds.Shares.Rows(), folds.Shares.Width)
		}
		from, _ := p.Range(p.Length)
		count := make([]int, 4)
		for row := range p.Rows() {
			shares, total := folds.Shares.Row(row), 0.0
			for _, s := range shares {
				total += s
			}
			if math.Abs(total-1) > 1e-15 || slices.Min(shares) < 0 {
				t.Errorf("%s: the shares of %v are %v", name, p.Tokens(row), shares)
			}
			if row < from {
				continue
			}
			if slices.Max(shares) != 1 {
				t.Errorf("%s: the sequence %v is in several folds: %v", name, p.Tokens(row), shares)
			}
			if p.Prob[row] > 0 {
				count[slices.Index(shares, 1)]++
			}
		}
		if slices.Min(count) == 0 {
			t.Errorf("%s: sequences by fold: %v", name, count)
		}
	}
}

// A word's shares are what they stand for: a regression over words with them
// equals the one over all positions of all full sequences, each with its
// probability and whole in one fold.
func TestSequenceFoldsEqualTheExpandedTable(t *testing.T) {
	for _, name := range []string{"mess3", "golden_mean"} {
		t.Run(name, func(t *testing.T) {
			const d, count = 6, 4
			p := must(build(t, name).Prefixes(t.Context(), 6))
			x, y := normals(3, p.Rows(), d), Table{Width: p.States, Data: slices.Clone(p.Beliefs)}
			for i := range x.Rows() {
				for j, b := range y.Row(i) { // so that there is something to find
					x.Row(i)[j] += 4 * b
				}
			}
			folds := SequenceFolds(p, count, 7)
			got := regress(t, x, y, p.Prob, folds)
			want := expand(p, folds.Shares, x, y).regress(t, count)
			compareScores(t, "in sample", got.InSample, want.InSample)
			compareScores(t, "held out", got.HeldOut, want.HeldOut)
			wantClose(t, "coefficients", got.Coef.Data, want.Coef.Data, 1e-9)
			if got.HeldOut.R2 < 0.2 || got.HeldOut.R2 >= got.InSample.R2 {
				t.Errorf("R² %v held out and %v in sample: nothing was tested", got.HeldOut.R2, got.InSample.R2)
			}
		})
	}
}

// expanded has a row for each position of each full sequence.
type expanded struct {
	x, y, shares Table
	weights      []float64
}

func expand(p *process.Prefixes, shares, x, y Table) expanded {
	e := expanded{x: Table{Width: x.Width}, y: Table{Width: y.Width}, shares: Table{Width: shares.Width}}
	from, to := p.Range(p.Length)
	for sequence := from; sequence < to; sequence++ {
		tokens := p.Tokens(sequence)
		for length := range p.Length {
			row := p.Row(tokens[:length+1])
			e.x.Data, e.y.Data = append(e.x.Data, x.Row(row)...), append(e.y.Data, y.Row(row)...)
			e.shares.Data = append(e.shares.Data, shares.Row(sequence)...)
			e.weights = append(e.weights, p.Prob[sequence])
		}
	}
	return e
}

func (e expanded) regress(t *testing.T, count int) *Regression {
	t.Helper()
	return regress(t, e.x, e.y, e.weights, Folds{Count: count, Shares: e.shares})
}

func compareScores(t *testing.T, what string, got, want Score) {
	t.Helper()
	wantClose(t, what+": R², MSE, RMSE", []float64{got.R2, got.MSE, got.RMSE}, []float64{want.R2, want.MSE, want.RMSE}, 1e-9)
}

// The words and the seed decide the folds.
func TestSequenceFoldsAreKeyed(t *testing.T) {
	p := must(build(t, "mess3").Prefixes(t.Context(), 4))
	a := SequenceFolds(p, 5, 1)
	if !slices.Equal(a.Shares.Data, SequenceFolds(p, 5, 1).Shares.Data) {
		t.Error("the same seed gives other folds")
	}
	if slices.Equal(a.Shares.Data, SequenceFolds(p, 5, 2).Shares.Data) {
		t.Error("another seed gives the same folds")
	}
}
