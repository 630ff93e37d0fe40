package train

import (
	"math"
	"testing"

	"foretell/internal/fuse"
	"foretell/internal/random"
	"foretell/model"

	"gonum.org/v1/gonum/mat"
)

// exactConfig is a small exact training by L-BFGS.
func exactConfig() Config {
	c := smallConfig()
	c.Model.NCtx = 5
	c.Train.Objective, c.Train.BatchSize, c.Train.Optimizer, c.Train.LR = objectiveExact, 0, "lbfgs", 0
	return c
}

// The direction is −H·g with the matrix that the recursion of BFGS makes of the
// remembered pairs, the earliest first (Nocedal and Wright 2006, Eq. 6.17).
func TestDirectionIsBFGS(t *testing.T) {
	const n = 6
	s := random.New(4, "test/lbfgs")
	c, err := model.Config{Architecture: "flat", DModel: 1, NCtx: 1, DVocab: 2}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	l := newLBFGS(c, c.Parameters())
	if len(l.grad) != n {
		t.Fatalf("the model has %d parameters", len(l.grad))
	}
	h := mat.NewDense(n, n, nil)
	for pairs := range 5 {
		for i := range l.grad {
			l.grad[i] = float32(s.Normal())
		}
		if slope := l.aim(l.pairs(), 1e9); pairs > 0 {
			grad, want := mat.NewVecDense(n, toFloat64(l.grad)), mat.NewVecDense(n, nil)
			want.MulVec(h, grad)
			for i, d := range l.direction {
				if math.Abs(d+want.AtVec(i)) > 1e-9*(1+math.Abs(d)) {
					t.Errorf("%d pairs: direction %v, want %v", pairs, l.direction, want.RawVector().Data)
					break
				}
			}
			if want := -mat.Dot(grad, want); math.Abs(slope-want) > 1e-9*math.Abs(want) {
				t.Errorf("%d pairs: slope %v, want %v", pairs, slope, want)
			}
		}
		w, g := make([]float32, n), make([]float32, n)
		for i := range w { // a step of positive curvature
			l.start[i], w[i] = float32(s.Normal()), float32(s.Normal())
			g[i] = l.grad[i] + 2*(w[i]-l.start[i]) + 0.3*float32(s.Normal())
		}
		before := l.pairs()
		l.remember(w, g)
		if l.pairs() != before+1 {
			t.Fatal("the draw curves down: draw another")
		}
		h = bfgs(l, n)
	}
}

// bfgs is the inverse Hessian of a memory, from the multiple of 1 that it begins with.
func bfgs(l *lbfgs, n int) *mat.Dense {
	h := mat.NewDense(n, n, nil)
	for i := range n {
		h.Set(i, i, inner(l.s[0].Data, l.y[0].Data)/inner(l.y[0].Data, l.y[0].Data))
	}
	for k := l.pairs() - 1; k >= 0; k-- {
		s, y := mat.NewVecDense(n, toFloat64(l.s[k].Data)), mat.NewVecDense(n, toFloat64(l.y[k].Data))
		rho := 1 / mat.Dot(s, y)
		left, next, outer := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		left.Outer(-rho, s, y)
		for i := range n {
			left.Set(i, i, left.At(i, i)+1)
		}
		next.Mul(left, h)
		h.Mul(next, left.T())
		outer.Outer(rho, s, s)
		h.Add(h, outer)
	}
	return h
}

// No step leads up, and a hundred of them nearer to the optimum than thousands by
// samples: the loss that falls is the exact one.
func TestLBFGSFalls(t *testing.T) {
	trainer := newTrainer(t, exactConfig(), 2)
	before := math.Inf(1)
	for n := range 150 {
		loss := step(t, trainer)
		if loss > before+2*lossNoise {
			t.Fatalf("step %d leads from %v to %v", n+1, before, loss)
		}
		before = loss
	}
	if e := evaluate(t, trainer); e.KL > 1e-4 {
		t.Errorf("after 150 steps KL is %v", e.KL)
	}
}

// A trainer that is restored to a state of another, memory and all, takes the same steps.
func TestLBFGSGoesOnWithTheSameBits(t *testing.T) {
	a, b := newTrainer(t, exactConfig(), 2), newTrainer(t, exactConfig(), 1)
	for n := range 30 {
		if n == 13 {
			if err := b.Restore(a.State()); err != nil {
				t.Fatal(err)
			}
		}
		want := step(t, a)
		if n < 13 {
			continue
		}
		if got := step(t, b); got != want || a.gradNorm != b.gradNorm {
			t.Fatalf("step %d: loss %v, norm %v; want %v, %v", n+1, got, b.gradNorm, want, a.gradNorm)
		}
	}
	if len(a.State().Moments) != a.Config.Train.Moments() {
		t.Errorf("the state has %d arrays, Moments says %d", len(a.State().Moments), a.Config.Train.Moments())
	}
}

// A step that finds no lower point along its direction and follows the gradient leaves
// the memory as it was, too, when it is interrupted there.
func TestLBFGSIsInterruptedAfterAFailedSearch(t *testing.T) {
	trainer := newTrainer(t, restingConfig(), 1)
	l, before := trainer.optimizer.lbfgs, State{}
	for pairs := 0; pairs < 2 || l.pairs() > 1; {
		before, pairs = copyState(trainer), l.pairs()
		if step(t, trainer); trainer.At() > 3000 {
			t.Fatal("no search fails")
		}
	}
	after := stateText(trainer)
	if err := trainer.Restore(before); err != nil {
		t.Fatal(err)
	}
	want := stateText(trainer)
	for asked := 1; trainer.At() == before.Step; asked++ {
		if _, err := trainer.Step(fuse.New(asked)); err != nil && stateText(trainer) != want {
			t.Fatalf("interrupted at the %d. question, it left a trace", asked)
		}
	}
	if stateText(trainer) != after {
		t.Error("after interruptions the step went elsewhere")
	}
}

// copyState is the trainer's state, which its next steps leave as it is.
func copyState(trainer *Trainer) State {
	s := trainer.State()
	copied := func(w *model.Weights[float32]) *model.Weights[float32] {
		c := model.NewWeights[float32](trainer.Config.Model)
		copy(c.Data, w.Data)
		return c
	}
	s.Weights = copied(s.Weights)
	moments := s.Moments
	s.Moments = map[string]*model.Weights[float32]{}
	for kind, m := range moments {
		s.Moments[kind] = copied(m)
	}
	return s
}

// restingConfig is an exact training that comes to rest.
func restingConfig() Config {
	c := exactConfig()
	c.Process = ProcessConfig{Name: "golden_mean"}
	c.Model = model.Config{Architecture: "flat", DModel: 2, NCtx: 2}
	return c
}

// At a minimum to rounding the weights rest, and a step costs nothing.
func TestLBFGSRests(t *testing.T) {
	trainer := newTrainer(t, restingConfig(), 1)
	for !trainer.optimizer.lbfgs.resting {
		if step(t, trainer); trainer.At() > 3000 {
			t.Fatal("the weights do not come to rest")
		}
	}
	before := stateText(trainer)
	loss := step(t, trainer)
	trainer.step--
	if stateText(trainer) != before || loss != trainer.loss {
		t.Error("the weights rest and move")
	}
	if e := evaluate(t, trainer); e.KL > 1e-6 {
		t.Errorf("KL is %v where a table of two tokens tells all", e.KL)
	}
}

// A search ends at its first point if and only if that satisfies the weak conditions of
// Wolfe, there a decrease or, where rounding hides that, a slope that tells of one. Along
// an output bias the loss is less steep before its minimum than behind it, so the first
// point can be lower though the slope is greater there.
func TestSearchEndsByWolfesConditions(t *testing.T) {
	trainer := newTrainer(t, exactConfig(), 1)
	l, only := trainer.optimizer.lbfgs, model.NewWeights[float32](trainer.Model.Config)
	only.Get("unembed.b_U").Data[1] = 1
	along := func(alpha, length float64) (loss, slope float64) {
		for i, x := range only.Data {
			l.direction[i] = length * float64(x)
		}
		trainer.moveAlong(alpha)
		loss, err := trainer.lossAndGradient(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return loss, inner(trainer.grads[0].Data, l.direction)
	}
	steeper, above := 0, 0
	for _, c := range []struct {
		bias           float32 // the best one is about -1.5
		from, to, step float64 // lengths of the direction
	}{{-1.9, 0.5, 1, 1.01}, {-3, 0.1, 16, 1.2}, {-8, 0.1, 16, 1.2}} {
		bias := c.bias
		trainer.Model.Weights.Get("unembed.b_U").Data[1] = bias
		copy(l.start, trainer.Model.Weights.Data)
		for length := c.from; length < c.to; length *= c.step {
			var before float64
			l.loss, before = along(0, length)
			first, behind := along(1, length)
			lower := first <= l.loss+1e-4*before
			level := first <= l.loss+1e-8*math.Sqrt(l.loss) && behind <= (2e-4-1)*before
			loss, found, err := trainer.search(t.Context(), before)
			if err != nil || !found {
				t.Fatalf("bias %g, length %g: nothing is found, %v", bias, length, err)
			}
			if got, want := loss == first, (lower || level) && behind >= 0.9*before; got != want {
				t.Errorf("bias %g, length %g: from %v, slope %v, to %v, slope %v: ended there %v, want %v",
					bias, length, l.loss, before, first, behind, got, want)
			}
			if lower && !level {
				steeper++
			}
			if !lower {
				above++
			}
		}
	}
	if steeper < 5 || above < 5 {
		t.Errorf("only %d first points were lower and steeper, and %d were not lower", steeper, above)
	}
}

// Nearer to a minimum than rounding lets losses tell, a slope that has fallen enough ends
// a search as well, and one that has not does not.
func TestSearchEndsBySlopesNearAMinimum(t *testing.T) {
	trainer := newTrainer(t, exactConfig(), 1)
	l, bias := trainer.optimizer.lbfgs, &trainer.Model.Weights.Get("unembed.b_U").Data[1]
	only := model.NewWeights[float32](trainer.Model.Config)
	only.Get("unembed.b_U").Data[1] = 1
	for i, x := range only.Data {
		l.direction[i] = float64(x)
	}
	at := func(x float32) (loss, slope float64) {
		*bias = x
		trainer.Model.Pack()
		loss, err := trainer.lossAndGradient(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return loss, inner(trainer.grads[0].Data, l.direction)
	}
	low, high := float32(-8), float32(8)
	for range 30 {
		middle := (low + high) / 2
		if _, slope := at(middle); slope < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	bySlope := 0
	for k := range 200 {
		start := low - float32(k+1)*1e-6
		before := 0.0
		l.loss, before = at(start)
		if !(before < 0) {
			continue
		}
		copy(l.start, trainer.Model.Weights.Data)
		length := float64(low-start) * (0.8 + 0.002*float64(k))
		for i, x := range only.Data {
			l.direction[i] = length * float64(x)
		}
		slope := float64(before * length)
		trainer.moveAlong(1)
		first, err := trainer.lossAndGradient(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		behind := inner(trainer.grads[0].Data, l.direction)
		reached := trainer.Model.Weights.Get("unembed.b_U").Data[1]
		lower := first <= l.loss+1e-4*slope
		level := first <= l.loss+1e-8*math.Sqrt(l.loss) && behind <= (2e-4-1)*slope
		_, found, err := trainer.search(t.Context(), slope)
		if err != nil {
			t.Fatal(err)
		}
		ended := found && *bias == reached
		if want := (lower || level) && behind >= 0.9*slope; ended != want {
			t.Errorf("from %v to %v: ended there %v, want %v", start, reached, ended, want)
		}
		if level && !lower && ended {
			bySlope++
		}
		for i, x := range only.Data {
			l.direction[i] = float64(x)
		}
	}
	if bySlope < 5 {
		t.Errorf("only %d searches ended by their slopes", bySlope)
	}
}
