package induction

import (
	"math"
	"testing"

	"foretell/claim"
)

// The last layer of the construction has the β of Eq. 3: with three heads, three times
// its parameter, as far as the heads have the same number of transitions.
func TestTemperature(t *testing.T) {
	p := tiny()
	p.heldOut = 8
	p.standard = p.standard.sized(128, 1, 1)
	l := newLab(p)
	hand, err := l.constructed(t.Context(), &claim.Study{Out: t.TempDir()}, handwritten{l.of(example), 0})
	if err != nil {
		t.Fatal(err)
	}
	c := l.chains(l.of(example))
	found, err := temperature(c, hand.model)
	if err != nil || math.Abs(found/(3*paperBeta)-1) > 0.05 {
		t.Errorf("β = %v, want about %d, %v", found, 3*paperBeta, err)
	}
	xy, xx := slope([]float64{1, 2, 6}, []float64{5, 7, 15})
	if math.Abs(xy/xx-2) > 1e-12 {
		t.Errorf("slope %v", xy/xx)
	}
}
