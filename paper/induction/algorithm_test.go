package induction

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/process"
)

// computes is a model that is so far from each of three observers on other matrices, the
// last of which does not select, and whose divergence above BMA is along.
func computes(bma, eq3, other, atEnd float64, along func(t float64) float64) computing {
	m := computing{atEnd: atEnd}
	for range 3 { // P and two others
		m.byMatrix = append(m.byMatrix, distances{[]float64{bma, eq3, other}, []float64{bma, eq3, other}})
	}
	for t := range 64 {
		m.along = append(m.along, along(float64(t+1)))
	}
	return m
}

func quickly(t float64) float64    { return math.Exp(-t / 8) }
func likeCounts(t float64) float64 { return 0.3 / t }

// computedOf are models with the given number of layers.
func computedOf(layers int, models ...computing) computed {
	kind := computedKind{problem: problem{example, 64, variant{}}, layers: layers, BySeed: converged(models...)}
	return computed{candidates: []string{"BMA", "Eq. 3", "other"}, kinds: []computedKind{kind}}
}

func TestAlgorithmRule(t *testing.T) {
	selecting := computes(0.1, 0.05, 0.2, 0.01, quickly)
	counting := computes(0.1, 0.05, 0.2, 0.01, likeCounts)
	content := computes(0.2, 0.2, 0.1, 0.01, quickly)
	weak := computes(0.1, 0.05, 0.2, 0.05, quickly)
	moving := selecting
	moving.falls = "still falling"
	five := func(m, last computing) computed { return computedOf(2, m, m, m, m, last) }
	untrained := computedOf(2, weak, weak, weak)
	unfinished(untrained.kinds[0].BySeed)
	claimtest.Rule(t, computed.judge, []claim.Verdict{claim.Holds, claim.Fails, claim.Open}, []claimtest.Case[computed]{
		{Name: "all select", M: five(selecting, selecting), Want: claim.Holds},
		{Name: "four of five", M: five(selecting, content), Want: claim.Holds},
		{Name: "four of five, and others that do not solve it", M: five(selecting, weak), Want: claim.Holds},
		{Name: "by content", M: five(content, selecting), Want: claim.Fails},
		{Name: "three of five", M: computedOf(2, selecting, selecting, selecting, content, content), Want: claim.Fails},
		{Name: "like counts", M: five(counting, selecting), Want: claim.Fails},
		{Name: "still falling", M: five(moving, moving), Want: claim.Open},
		{Name: "still falling, by content", M: five(content, moving), Want: claim.Fails},
		{Name: "two seeds", M: computedOf(2, selecting, selecting), Want: claim.Open},
		{Name: "none solves it", M: computedOf(2, weak, weak, weak), Want: claim.Open},
		{Name: "not converged", M: untrained, Want: claim.Open},
		{Name: "three layers alone", M: computedOf(3, selecting, selecting, selecting), Want: claim.Open},
	})
	if f := untrained.judge(); f.Reason != claim.Untrained {
		t.Errorf("not converged: reason %q", f.Reason)
	}
	if f := five(moving, moving).judge(); f.Reason != claim.Untrained {
		t.Errorf("still falling: reason %q", f.Reason)
	}
}

// The fits tell an exponential from 1/T, and neither from a plateau or a slow fall.
func TestFall(t *testing.T) {
	for name, test := range map[string]struct {
		along  func(t float64) float64
		faster bool
	}{
		"exponential":      {quickly, true},
		"1/T":              {likeCounts, false},
		"1/T²":             {func(t float64) float64 { return 1 / (t * t) }, true},
		"1/√T":             {func(t float64) float64 { return 1 / math.Sqrt(t) }, false},
		"plateau":          {func(float64) float64 { return 0.1 }, false},
		"slow exponential": {func(t float64) float64 { return math.Exp(-t / 100) }, false},
	} {
		f := computes(0, 0, 0, 0, test.along).fall()
		if f.faster() != test.faster {
			t.Errorf("%s: %+v", name, f)
		}
	}
	f := computes(0, 0, 0, 0, quickly).fall()
	if f.exponential > 1e-12 || math.Abs(f.factor-math.Exp(44./8)) > 1e-9 || f.factorInverse != 64./20 {
		t.Errorf("exponential: %+v", f)
	}
	if f := computes(0, 0, 0, 0, likeCounts).fall(); f.inverse > 1e-12 {
		t.Errorf("1/T: %+v", f)
	}
}

// A learner of one lag is a bigram, to rounding, and of several lags the average of what
// it would predict for each, by the probability of the tokens so far.
func TestLearners(t *testing.T) {
	p := must(process.DirichletRows(3, 1, 1))
	sequence := []int32{0, 2, 1, 1, 0, 2, 2, 1, 0, 0, 2, 1}
	alone, bigram := newLearner([]int{1}, 3), newGram(1, 3)
	of := func(by process.Predictor) []float64 {
		next := make([]float64, len(p))
		after(by, sequence, next)
		return next
	}
	a, b := of(alone), of(bigram)
	// After 1 came 1, 0 and 0.
	for z, want := range []float64{3. / 6, 2. / 6, 1. / 6} {
		if math.Abs(a[z]-want) > 1e-12 || math.Abs(b[z]-want) > 1e-12 {
			t.Errorf("token %d: %v and %v, want %v", z, a[z], b[z], want)
		}
	}
	// The contexts 2 1 came before 1 and 0.
	for z, want := range []float64{2. / 5, 2. / 5, 1. / 5} {
		if got := of(newGram(2, 3))[z]; math.Abs(got-want) > 1e-12 {
			t.Errorf("trigram, token %d: %v, want %v", z, got, want)
		}
	}
	// The first two tokens say nothing of the lags 1 and 2.
	two := newLearner([]int{1, 2}, 3)
	total := 0.0
	for k, lag := range []int{1, 2} {
		want := 0.0 // ln of the probability of tokens 3 to 12
		row := map[int32][]float64{}
		for i := 2; i < len(sequence); i++ {
			from := sequence[i-lag]
			if row[from] == nil {
				row[from] = make([]float64, 3)
			}
			want += math.Log(share(row[from], int(sequence[i])))
			row[from][sequence[i]]++
		}
		of(two)
		if math.Abs(two.log[k]-want) > 1e-12 {
			t.Errorf("lag %d: %v, want %v", lag, two.log[k], want)
		}
	}
	for _, x := range of(two) {
		total += x
	}
	if math.Abs(total-1) > 1e-12 {
		t.Errorf("probabilities sum to %v", total)
	}
}

// A model between no evidence and BMA is nearest to a power of the likelihood.
func TestSofter(t *testing.T) {
	m := computes(0.1, 0.1, 0.1, 0.01, quickly)
	for i, d := range m.byMatrix {
		for len(d.forward) < judgedCandidates {
			d.forward = append(d.forward, 0.2)
		}
		d.forward = append(d.forward, 0.3, 0.05, 0.15)
		m.byMatrix[i] = distances{d.forward, d.forward}
	}
	of := computedOf(2, m)
	for len(of.candidates) < judgedCandidates+3 {
		of.candidates = append(of.candidates, "power")
	}
	if candidate, nearer := m.softest(); candidate != judgedCandidates+1 || !nearer {
		t.Errorf("candidate %d, nearer: %v", candidate, nearer)
	}
	if q := of.softer(); q.Answer != claim.Yes {
		t.Errorf("%+v", q)
	}
	if nearest(m.others()) >= judgedCandidates {
		t.Error("the rule compares powers")
	}
}

// Of all observers that do not know P, the learner is the best on matrices of its prior;
// BMA with P is the best on P.
func TestCandidates(t *testing.T) {
	l := newLab(tiny())
	of := problem{example, 64, variant{}}
	own := newChains(example, transition, 64, of.context)
	bestOf := func(chains ...*chains) (best int) {
		sums := make([]float64, len(own.candidates()))
		for _, c := range chains {
			for i, o := range own.candidates() {
				for _, x := range c.predicted(o.by).from(judgedFrom) {
					sums[i] += x / float64(c.count()*len(chains))
				}
			}
		}
		return nearest(sums)
	}
	if best := bestOf(own); best != 0 {
		t.Errorf("on P, candidate %d is the best", best)
	}
	l.heldOut = 64
	var others []*chains
	for matrix := range otherMatrices {
		others = append(others, l.otherChains(of, matrix+1))
	}
	if best := bestOf(others...); best != judgedCandidates-1 {
		t.Errorf("on other matrices, candidate %d is the best", best)
	}
}
