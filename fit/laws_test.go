package fit

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/random"
	"foretell/process"

	"pgregory.net/rapid"
)

// kinds draws a kind of model.
func kinds(t *rapid.T) kind {
	return kind{Emission(rapid.IntRange(0, 1).Draw(t, "emission")), Start(rapid.IntRange(0, 1).Draw(t, "start"))}
}

// drawn draws a model and a sequence that it can make.
func drawn(t *rapid.T, of kind, shortest, longest int) (*model, []int32) {
	k, a := rapid.IntRange(1, 6).Draw(t, "states"), rapid.IntRange(1, 4).Draw(t, "tokens")
	m := of.random(k, a, random.New(rapid.Uint64().Draw(t, "seed"), "fit/test"))
	n := rapid.IntRange(shortest, longest).Draw(t, "length")
	return m, rapid.SliceOfN(rapid.Map(rapid.IntRange(0, a-1), func(x int) int32 { return int32(x) }), n, n).Draw(t, "sequence")
}

func expect(t interface{ Fatal(...any) }, m *model, sequence []int32) *expected {
	e, err := newPass(sequence).expect(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// An expectation is the sum over all paths of states.
func TestExpectationsAreSumsOverPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, s := drawn(t, kinds(t), 1, 5)
		e, want, total := expect(t, m, s), newModel(m.k, m.a), 0.0
		path := make([]int, len(s)+1)
		for {
			p := m.start[path[0]]
			for i, x := range s {
				p *= m.row(int(x), path[i])[path[i+1]]
			}
			total += p
			want.start[path[0]] += p
			for i, x := range s {
				want.row(int(x), path[i])[path[i+1]] += p
			}
			at := 0
			for at < len(path) && path[at] == m.k-1 {
				path[at] = 0
				at++
			}
			if at == len(path) {
				break
			}
			path[at]++
		}
		if math.Abs(e.logLikelihood-math.Log(total)) > 1e-12 {
			t.Fatalf("ln %g is %g, got %g", total, math.Log(total), e.logLikelihood)
		}
		for i, p := range want.p {
			if math.Abs(e.counts.p[i]-p/total) > 1e-12 {
				t.Fatalf("count %d is %g, want %g", i, e.counts.p[i], p/total)
			}
		}
	})
}

func sum(list []float64) (total float64) {
	for _, x := range list {
		total += x
	}
	return total
}

// The likelihood of a model is the one that its process computes, however long the
// sequence, and each token uses one edge.
func TestLikelihoodIsTheOneOfTheProcess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, s := drawn(t, kind{Emission(rapid.IntRange(0, 1).Draw(t, "emission")), Stationary}, 1, 2000)
		h, err := process.New("drawn", numbered(m.a), numbered(m.k), m.matrices())
		if err != nil {
			t.Fatal(err)
		}
		want, err := h.LogProb(s)
		if err != nil {
			t.Fatal(err)
		}
		e := expect(t, m, s)
		if math.Abs(e.logLikelihood-want) > 1e-9*float64(len(s)) {
			t.Fatalf("%.12g, want %.12g", e.logLikelihood, want)
		}
		if uses := sum(e.counts.t); math.Abs(uses-float64(len(s))) > 1e-9*float64(len(s)) {
			t.Fatalf("%d tokens, but edges are used %.12g times", len(s), uses)
		}
		if starts := sum(e.counts.start); math.Abs(starts-1) > 1e-9 {
			t.Fatalf("%.12g starts", starts)
		}
	})
}

// An EM step from a free start does not lower the likelihood, and neither does any step
// of a climb.
func TestStepsDoNotLowerTheLikelihood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := kinds(t)
		m, s := drawn(t, of, 1, 300)
		before := expect(t, m, s)
		if of.start == Free {
			after := expect(t, of.maximise(m, before), s)
			if after.logLikelihood < before.logLikelihood-1e-11*float64(len(s)) {
				t.Fatalf("from %.15g to %.15g", before.logLikelihood, after.logLikelihood)
			}
		}
		c, err := newPass(s).climb(context.Background(), of, m, limits{steps: 60, tolerance: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		if c.trace[0] != before.logLikelihood || !slices.IsSorted(c.trace) {
			t.Fatalf("%.15g", c.trace)
		}
	})
}

// The gradient of the start's likelihood is what differences give. A row's counts may be
// moved by any multiple of the row, so slopes are compared along directions that keep its
// sum.
func TestGradientOfTheStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, _ := drawn(t, kind{Edges, Stationary}, 1, 1)
		posterior := make([]float64, m.n)
		for i := range m.k {
			posterior[i] = rapid.Float64Range(0.1, 1).Draw(t, "posterior")
		}
		value := func(m *model) (sum float64) {
			for i, p := range m.stationary() {
				sum += posterior[i] * math.Log(p)
			}
			return sum
		}
		counts := newModel(m.k, m.a)
		const much = 1e6 // more than a count can lose
		for i, p := range m.t {
			counts.t[i] = much * p
		}
		counts.addStart(m, posterior)
		if total := sum(counts.t) / much; math.Abs(total-float64(m.k)) > 1e-9 {
			t.Fatalf("rows sum to %g in total, want %d: only their shares change", total, m.k)
		}
		const h = 1e-5
		i, x, y := rapid.IntRange(0, m.k-1).Draw(t, "i"), rapid.IntRange(0, m.a-1).Draw(t, "x"), rapid.IntRange(0, m.a-1).Draw(t, "y")
		j, l := rapid.IntRange(0, m.k-1).Draw(t, "j"), rapid.IntRange(0, m.k-1).Draw(t, "l")
		slope := func(x, j int) float64 { return counts.row(x, i)[j]/m.row(x, i)[j] - much }
		moved := func(by float64) *model {
			next := m.from(m.start)
			next.row(x, i)[j] += by
			next.row(y, i)[l] -= by
			return next
		}
		want := (value(moved(h)) - value(moved(-h))) / (2 * h)
		if got := slope(x, j) - slope(y, l); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
			t.Fatalf("%g, want %g", got, want)
		}
	})
}

// Forward vectors that are recomputed from checkpoints are the same.
func TestBlocksChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, s := drawn(t, kinds(t), 1, 300)
		whole := expect(t, m, s)
		w := newPass(s)
		w.fits(m.n)
		w.block = rapid.IntRange(1, 50).Draw(t, "block")
		w.forward = w.forward[:min(len(w.forward), w.block*m.n)]
		parts, err := w.expect(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		if whole.logLikelihood != parts.logLikelihood || !slices.Equal(whole.counts.p, parts.counts.p) {
			t.Fatalf("%v and %v", whole, parts)
		}
	})
}

// Any sequence can be fitted, and the process reads back from its file to the last bit.
func TestProcessesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, s := drawn(t, kinds(t), 20, 200)
		of := kinds(t)
		o := Options{Emission: of.emission, Start: of.start, Starts: 2, Steps: 100}
		r, err := HMM(context.Background(), s, numbered(4), rapid.IntRange(1, 5).Draw(t, "fitted states"), o)
		if err != nil {
			if !strings.Contains(err.Error(), "fewer than") && !strings.Contains(err.Error(), "the same") {
				t.Fatal(err)
			}
			return
		}
		text, err := r.YAML()
		if err != nil {
			t.Fatal(err)
		}
		p, err := process.Parse("fitted.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		again := p.(*process.HMM)
		for x := range 4 {
			if !slices.Equal(again.Transition(x), r.HMM.Transition(x)) {
				t.Fatalf("%.17g\n%.17g", again.Transition(x), r.HMM.Transition(x))
			}
		}
		if !slices.Equal(again.Stationary(), r.HMM.Stationary()) || again.Name() != "fitted" {
			t.Fatal("another stationary distribution")
		}
		last := r.Trace[len(r.Trace)-1]
		if r.LogLikelihood < last-1e-4 || r.Converged && r.LogLikelihood > last+1e-4 {
			t.Fatalf("%.12g, but the trace ends at %.12g", r.LogLikelihood, last)
		}
		if of.start == Stationary && r.FromStationary != r.LogLikelihood {
			t.Fatalf("%.12g, but %.12g from the stationary start", r.LogLikelihood, r.FromStationary)
		}
		if l, err := r.HMM.LogProb(s); err == nil && math.Abs(l-r.FromStationary) > 1e-8 {
			t.Fatalf("%.12g from the stationary start, but the process has %.12g", r.FromStationary, l)
		}
	})
}
