package paper

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The disparity does not see rotations and reflections, and sees everything else.
func TestDisparitySeesShapesAlone(t *testing.T) {
	points := []float64{0.9, 0.1, -0.3, 0.1, -0.6, -0.2}
	square := 0.0
	for _, x := range points {
		square += x * x
	}
	for i := range points {
		points[i] /= math.Sqrt(square)
	}
	a := mat.NewDense(3, 2, points)
	sin, cos := math.Sincos(0.7)
	for name, turn := range map[string][]float64{
		"rotation": {cos, sin, -sin, cos}, "reflection": {cos, sin, sin, -cos},
	} {
		var b mat.Dense
		b.Mul(a, mat.NewDense(2, 2, turn))
		if d := disparity(a, &b); math.Abs(d) > 1e-12 {
			t.Errorf("%s: disparity %v", name, d)
		}
	}
	permuted := mat.NewDense(3, 2, append(append([]float64{}, points[2:]...), points[:2]...))
	if d := disparity(a, permuted); d < 0.01 {
		t.Errorf("another shape: disparity %v", d)
	}
}

// Each token wins where the borders say, and the third printed direction lies on
// the wrong side of one.
func TestPrintedDirections(t *testing.T) {
	for z, border := range edges(printedOut) {
		from, to := border[0], border[1]
		if to < from {
			to += 360
		}
		for degrees := from + 1; degrees < to; degrees += 7 {
			sin, cos := math.Sincos(degrees * math.Pi / 180)
			if got := winner(apply(printedOut, [2]float64{cos, sin})); got != z {
				t.Errorf("at %v°: %s wins, want %s", degrees, abcNames[got], abcNames[z])
			}
		}
	}
	for z, want := range []int{0, 1, 0} {
		if got := winner(apply(printedOut, printedDirections[z])); got != want {
			t.Errorf("%s predicts %s, want %s", along(printedDirections[z]), abcNames[got], abcNames[want])
		}
	}
}

// A seed's run is the same each time, learns the pattern, and comes back by its
// own measure of loss.
func TestTinyTransformerLearnsABC(t *testing.T) {
	r, err := runABC(1)
	if err != nil {
		t.Fatal(err)
	}
	again, err := runABC(1)
	if err != nil {
		t.Fatal(err)
	}
	if r.loss != again.loss || r.steps != again.steps {
		t.Errorf("loss %v after %d steps, then %v after %d", r.loss, r.steps, again.loss, again.steps)
	}
	if r.steps == 0 || r.loss > abcThreshold {
		t.Errorf("loss %v, threshold reached at step %d", r.loss, r.steps)
	}
	for i, token := range abcContexts {
		if got := winner(r.logits[3*i : 3*i+3]); got != int(token+1)%3 {
			t.Errorf("context %d: %s is predicted", i, abcNames[got])
		}
	}
	if d := disparity(r.shape(), again.shape()); math.Abs(d) > 1e-12 {
		t.Errorf("a solution differs from itself by %v", d)
	}
}
