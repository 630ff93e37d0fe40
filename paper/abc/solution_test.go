package abc

import (
	"context"
	"math"
	"testing"

	"foretell/claim"
	"foretell/model"
	"foretell/run"

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

// trainOne trains the transformer of a seed in a new study.
func trainOne(t *testing.T, seed uint64) (of *solution, m *model.Transformer[float64]) {
	t.Helper()
	p := profiles[claim.Quick]
	row := claim.Row{
		Trainings: []claim.Training{p.training(seed)},
		Test: func(_ context.Context, s *claim.Study, _ *claim.Claim) (err error) {
			m = model.Convert[float64](s.Trained(p.training(seed)).Model)
			of, err = p.solve(s, seed)
			return err
		},
	}
	s := &claim.Study{Out: t.TempDir(), Workers: 2}
	if _, err := s.Reproduce(t.Context(), []claim.Row{row}); err != nil {
		t.Fatal(err)
	}
	return of, m
}

// A seed's run is the same each time, learns the pattern, and comes back by its
// own measure of loss.
func TestTinyTransformerLearnsABC(t *testing.T) {
	r, m := trainOne(t, 1)
	again, _ := trainOne(t, 1)
	if r.loss != again.loss || r.steps != again.steps {
		t.Errorf("loss %v after %d steps, then %v after %d", r.loss, r.steps, again.loss, again.steps)
	}
	if r.steps == 0 || r.loss > learnedLoss {
		t.Errorf("loss %v, threshold reached at step %d", r.loss, r.steps)
	}
	logits := m.Forward(model.NewWorkspace[float64](m.Config, 3), contexts, 3)
	for i, token := range contexts {
		if got := winner(logits[3*i : 3*i+3]); got != follower(token) {
			t.Errorf("context %d: %s is predicted", i, names[got])
		}
	}
	if d := disparity(r.shape(), again.shape()); math.Abs(d) > 1e-12 {
		t.Errorf("a solution differs from itself by %v", d)
	}
}

// The step is the first at which what was watched is at most the bound, which the
// untrained model's is not asked for.
func TestFirstBelow(t *testing.T) {
	row := func(step int, loss float64) run.Row {
		r := run.Row{Watch: map[string]float64{crossEntropy: loss}}
		r.Step = step
		return r
	}
	rows := []run.Row{row(0, 0.1), row(10, 0.3), row(20, 0.2), row(30, 0.1), row(40, 0.3)}
	for bound, want := range map[float64]int{1: 10, 0.25: 20, 0.2: 20, 0.1: 30, 0.05: 0} {
		if got := firstBelow(rows, bound); got != want {
			t.Errorf("at most %v first at step %d, want %d", bound, got, want)
		}
	}
}
