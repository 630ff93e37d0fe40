package process

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// floors returns H(X_t | X_1 … X_{t−1}) for t = 1 … positions, holding at most
// budget beliefs.
func (h *HMM) floors(ctx context.Context, positions, budget int) ([]float64, error) {
	return h.byPosition(ctx, "floor", positions, budget, h.nextEntropy)
}

// The floors are the differences of the entropies of words, summed over paths:
// H(X_t | X_1 … X_{t−1}) = H(X_1 … X_t) − H(X_1 … X_{t−1}).
func TestFloorsAgainstPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		const positions = 5
		got, err := h.floors(t.Context(), positions, floorBudget)
		if err != nil {
			t.Fatal(err)
		}
		sums := sumPaths(h, positions)
		before := 0.0
		for position := 1; position <= positions; position++ {
			words := make([]float64, len(sums.joint[position])/sums.n)
			for w := range words {
				words[w], _ = sums.prob(position, w)
			}
			block := stat.Entropy(words)
			if d := math.Abs(got[position-1] - (block - before)); d > 1e-12 {
				t.Fatalf("position %d: %.15g, over paths %.15g", position, got[position-1], block-before)
			}
			before = block
		}
	})
}

// Every interval for the entropy rate holds the tighter ones that a larger budget
// gives, and the floors stay above it.
func TestRateBoundsNest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		tight := must(h.converge(t.Context(), 20_000)).limits()
		for _, budget := range []int{0, 10, 100, 1000} {
			loose := must(h.converge(t.Context(), budget)).limits()
			if math.Abs(loose.EntropyRate-tight.EntropyRate) > loose.EntropyRateError+tight.EntropyRateError {
				t.Fatalf("budget %d gives %g ± %g, 20,000 gives %g ± %g", budget,
					loose.EntropyRate, loose.EntropyRateError, tight.EntropyRate, tight.EntropyRateError)
			}
			if math.Abs(loose.ExcessEntropy-tight.ExcessEntropy) > loose.ExcessEntropyError+tight.ExcessEntropyError {
				t.Fatalf("budget %d gives E = %g ± %g, 20,000 gives %g ± %g", budget,
					loose.ExcessEntropy, loose.ExcessEntropyError, tight.ExcessEntropy, tight.ExcessEntropyError)
			}
			if loose.EntropyRateError < tight.EntropyRateError {
				t.Fatalf("budget %d gives the half-width %g, 20,000 gives %g", budget, loose.EntropyRateError, tight.EntropyRateError)
			}
		}
		floors, err := h.floors(t.Context(), 6, floorBudget)
		if err != nil {
			t.Fatal(err)
		}
		if low := tight.EntropyRate - tight.EntropyRateError; floors[5] < low {
			t.Fatalf("the floor at position 6 is %g, the entropy rate at least %g", floors[5], low)
		}
	})
}

// The entropy rate where it has a closed form, to the last digits claimed.
func TestRateOfUnifilarProcesses(t *testing.T) {
	for _, row := range zoo {
		if row.rate == 0 || row.name == "mess3" && row.beliefs == 0 {
			continue // known to six digits only
		}
		p, err := Build(row.name, row.params)
		if err != nil {
			t.Fatal(err)
		}
		if h, ok := p.(*HMM); ok && h.Generalised() {
			continue // likewise
		}
		rate, halfWidth := rateOf(t, p)
		if d := math.Abs(rate - row.rate); d > halfWidth || halfWidth > 1e-10 {
			t.Errorf("%s %v: %.15g ± %.1e, want %.15g", row.name, row.params, rate, halfWidth, row.rate)
		}
	}
}

// A process with few beliefs has its floors at any position.
func TestFloorsFarOut(t *testing.T) {
	even, err := Even(0.5)
	if err != nil {
		t.Fatal(err)
	}
	floor := mustFloor(t, even, 10_000)
	if d := floor.ByPosition[9_999] - math.Ln2*2/3; math.Abs(d) > 1e-12 {
		t.Errorf("the floor at position 10,000 is %g from the entropy rate", d)
	}
}

func TestFloorErrors(t *testing.T) {
	h := mustMess3(t, 0.15, 0.6)
	if _, err := h.Floor(t.Context(), 0); err == nil || err.Error() != "mess3: a floor of 0 positions, want at least 1" {
		t.Errorf("0 positions: %v", err)
	}
	floors, err := h.floors(t.Context(), 7, 100)
	want := "mess3: more than 100 distinct beliefs at position 6: the floor is known up to position 5; ask for no more"
	if err == nil || err.Error() != want || floors != nil {
		t.Errorf("%v, %v\nwant %s", floors, err, want)
	}
	if _, err := h.floors(t.Context(), 5, 100); err != nil {
		t.Errorf("5 positions: %v", err)
	}
}

// Beliefs within mergeDistance are one wherever they lie on the index's line, and
// beliefs further apart than that are two.
func TestMixedStatesMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "states")
		b, near, far := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range b {
			b[i] = rapid.Float64Range(0, 1).Draw(t, "entry")
			near[i] = b[i] + 0.999*mergeDistance*rapid.Float64Range(-1, 1).Draw(t, "shift")
			far[i] = b[i]
		}
		if rapid.Bool().Draw(t, "at the edge of a cell") {
			side := rapid.SampledFrom([]float64{-0.0001, 0.0001}).Draw(t, "side")
			edge := (math.Floor(projection(b, ones(n))/cell) + side) * cell
			shift := (edge - projection(b, ones(n))) / projection(ones(n), ones(n))
			for i := range b {
				b[i] += shift
				near[i] = b[i] + 0.999*mergeDistance*rapid.Float64Range(-1, 1).Draw(t, "shift")
				far[i] = b[i]
			}
		}
		far[rapid.IntRange(0, n-1).Draw(t, "entry moved")] += 1.1 * mergeDistance
		m := newMixedStates(ones(n))
		m.add(b, 0.5)
		m.add(near, 0.25)
		m.add(far, 0.25)
		if m.size() != 2 || m.prob[0] != 0.75 {
			t.Fatalf("%d beliefs with probabilities %v", m.size(), m.prob)
		}
		if want := 0.25 * distance(b, near); m.moved != want {
			t.Fatalf("moved %g, want %g", m.moved, want)
		}
	})
}

// What merging moved is not forgotten from one position to the next.
func TestAdvanceKeepsWhatMoved(t *testing.T) {
	h := mustMess3(t, 0.15, 0.6)
	m := newMixedStates(ones(3))
	m.add(h.pi, 1)
	m.moved = 0.25
	next, err := h.advance(t.Context(), m, 10)
	if err != nil || next.moved < 0.25 {
		t.Errorf("moved %g, %v", next.moved, err)
	}
}

// mergeSlack bounds what moving a belief does to the entropy of the next token,
// however far it is moved.
func TestMergeSlackBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		draw := func() []float64 {
			b, total := make([]float64, h.NumStates()), 0.0
			for i := range b {
				b[i] = float64(rapid.IntRange(0, 9).Draw(t, "weight"))
				total += b[i]
			}
			if total == 0 {
				return h.Stationary()
			}
			for i := range b {
				b[i] /= total
			}
			return b
		}
		from, to := draw(), draw()
		near := math.Ldexp(1, -rapid.IntRange(0, 40).Draw(t, "nearness"))
		for i := range to {
			to[i] = from[i] + (to[i]-from[i])*near
		}
		m := newMixedStates(h.scale)
		m.moved = distance(from, to)
		change := math.Abs(stat.Entropy(h.Next(from)) - stat.Entropy(h.Next(to)))
		if slack := h.mergeSlack(m); change > slack+rounding {
			t.Fatalf("a move of %g changes the entropy by %g, the bound is %g", m.moved, change, slack)
		}
	})
}

// Beliefs over many states are fewer: what is held at a position has a bound in bytes.
func TestMostBeliefs(t *testing.T) {
	for _, c := range []struct{ states, want int }{{3, floorBudget}, {16, floorBudget}, {64, 1 << 19}, {maxStates, 1 << 15}} {
		if got := mostBeliefs(floorBudget, c.states); got != c.want {
			t.Errorf("%d beliefs over %d states, want %d", got, c.states, c.want)
		}
	}
	// What a step costs goes with the entries that are not zero.
	h, m := mustMess3(t, 0.15, 0.6), newMixedStates(ones(3))
	m.add([]float64{1, 0, 0}, 0.5)
	m.add([]float64{0.5, 0.25, 0.25}, 0.5)
	if got := h.work(m); got != 4*3*3 {
		t.Errorf("%d products, want 36", got)
	}
}

// A budget error names the process, so that it can be shown as it is.
func TestAdvanceBudget(t *testing.T) {
	h := mustMess3(t, 0.15, 0.6)
	m := newMixedStates(ones(3))
	m.add(h.pi, 1)
	if _, err := h.advance(t.Context(), m, 2); err == nil || !strings.HasPrefix(err.Error(), "mess3: more than 2 distinct beliefs") {
		t.Error(err)
	}
}
