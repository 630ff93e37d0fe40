package paper

import (
	"math"
	"strings"
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

// Single linkage makes one class of a chain, whose ends have little in common: the
// disparities of its members say so.
func TestLinkMakesChains(t *testing.T) {
	shape := func(angle float64) *mat.Dense {
		sin, cos := math.Sincos(angle)
		x := []float64{1, 0, cos, sin} // two vectors at an angle
		for i := range x {
			x[i] /= math.Sqrt2
		}
		return mat.NewDense(2, 2, x)
	}
	shapes := []*mat.Dense{nil}
	for i := range 9 {
		shapes = append(shapes, shape(float64(i)*math.Pi/16))
	}
	shapes = append(shapes, nil)
	chain := link(shapes, 0.05)
	if len(chain) != 1 || len(chain[0]) != 9 || chain[0][0] != 1 {
		t.Fatalf("classes %v", chain)
	}
	between := disparities(shapes, chain[0])
	if len(between) != 36 || between[0] > 0.05 || between[35] < 0.3 {
		t.Errorf("disparities from %v to %v", between[0], between[35])
	}
	if apart := link(shapes, 1e-4); len(apart) != 9 {
		t.Errorf("%d classes of nine shapes", len(apart))
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
		for _, out := range [][3][2]float64{printedOut, printedProduct} {
			if got := winner(apply(out, printedDirections[z])); got != want {
				t.Errorf("%s predicts %s, want %s", along(printedDirections[z]), abcNames[got], abcNames[want])
			}
		}
	}
}

// The walks of A2 see every parameter, and a formula that does not hold makes the claim
// fail.
func TestWalksJudge(t *testing.T) {
	var all walks
	for i, architecture := range walkedArchitectures() {
		m, tokens, err := walkedModel(architecture, 1, i)
		if err != nil {
			t.Fatal(err)
		}
		for _, tensor := range m.Weights.Tensors {
			for j, x := range tensor.Data {
				if x == 0 || x == 1 {
					t.Errorf("%+v: %s[%d] is %v", architecture, tensor.Name, j, x)
				}
			}
		}
		all.add(m, tokens)
	}
	if verdict, found := all.judge(all.count); verdict != Holds {
		t.Errorf("%s: %s", verdict, found)
	}
	m, tokens, err := walkedModel(walkedArchitectures()[0], 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	m.Weights.Get("unembed.b_U").Data[0] = math.NaN()
	if d := all.add(m, tokens); d != nil {
		t.Error("a walk through a model without logits")
	}
	if verdict, found := all.judge(0); verdict != Fails || !strings.Contains(found, "NaN") {
		t.Errorf("%s: %s", verdict, found)
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
