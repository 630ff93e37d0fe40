package probe

import (
	"math"
	"slices"
	"testing"
)

// Targets that the activations do not know of. By least squares on d directions that
// mean nothing the expected R² is d/(n−1) in sample, with standard deviation √(2d)/n,
// and about −d/m held out, where m = 4n/5 rows were fitted: five standard deviations
// about these figures are allowed, over k columns together.
func TestShuffledTargetsAreNotFound(t *testing.T) {
	const n, d, k = 4000, 20, 3
	x := normals(1, n, d)
	y := sum(times(x, normals(2, d, k)), 1, normals(3, n, k))
	list, err := RegressControlled(x, []Table{y}, normals(4, n, d), y, nil, Folds{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	c := list[0]
	const mean, deviation = float64(d) / n, 5 * 6.33 / n // √40 = 6.33, as if the columns were one
	for name, r := range map[string]*Regression{"shuffled": c.Shuffled, "random": c.Random} {
		if got := r.InSample.R2; math.Abs(got-mean) > deviation {
			t.Errorf("%s: R² %g in sample, want %g ± %g", name, got, mean, deviation)
		}
		if got := r.HeldOut.R2; math.Abs(got+mean*5/4) > deviation*5/4 {
			t.Errorf("%s: R² %g held out, want %g ± %g", name, got, -mean*5/4, deviation*5/4)
		}
	}
	if c.Trained.HeldOut.R2 < 0.9 || !(c.NextToken.HeldOut.R2 > 1-1e-12) {
		t.Errorf("R² %g from the activations, %g from the targets themselves", c.Trained.HeldOut.R2, c.NextToken.HeldOut.R2)
	}
	if !slices.Equal(c.Trained.shares.Data, c.Shuffled.shares.Data) {
		t.Error("the folds differ between the probe and its control")
	}
}

// A shuffle keeps the rows whole and moves nearly all of them.
func TestShuffleRows(t *testing.T) {
	const n = 1000
	table := Table{Width: 2}
	for i := range n {
		table.Data = append(table.Data, float64(i), -float64(i))
	}
	shuffled := shuffleRows(table, 1)
	seen, moved := make([]bool, n), 0
	for i := range n {
		row := shuffled.Row(i)
		seen[int(row[0])] = true
		if row[1] != -row[0] {
			t.Fatalf("row %v was torn apart", row)
		}
		if int(row[0]) != i {
			moved++
		}
	}
	if slices.Contains(seen, false) || moved < n-10 { // one row stays on average
		t.Errorf("%d rows moved", moved)
	}
}

func TestRegressControlledReturnsErrors(t *testing.T) {
	x := normals(1, 10, 2)
	bad := normals(2, 10, 2)
	bad.Data[0] = math.Inf(1)
	if _, err := RegressControlled(x, []Table{x}, bad, x, nil, Folds{}); err == nil {
		t.Error("no error for activations that are not finite")
	}
}
