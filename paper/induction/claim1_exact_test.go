package induction

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/internal/random"
	"foretell/process"
)

// exactlyOf is a study of Claim 1 with the smallest margin of its matrices, and that of
// its search, before and after it is confirmed.
func exactlyOf(margin, searched, confirmed float64) exactly {
	m := exactly{
		sets: []exactSet{{tokens: 10, concentration: 1, least: []float64{0.1, margin}}},
		search: found{
			ends: []ended{{rival: rival{lags: []int{1, 2, 3}}}}, leastMargin: searched, confirmed: confirmed,
		},
	}
	return m
}

func TestExactRule(t *testing.T) {
	verdicts := []claim.Verdict{claim.Corrected, claim.Open}
	claimtest.Rule(t, exactly.judge, verdicts, []claimtest.Case[exactly]{
		{Name: "no counterexample", M: exactlyOf(0.01, 1e-15, 1e-15), Want: claim.Open},
		{Name: "among the matrices", M: exactlyOf(-0.01, 0.1, 0.1), Want: claim.Corrected},
		{Name: "searched and confirmed", M: exactlyOf(0.01, -0.01, -0.01), Want: claim.Corrected},
		{Name: "not confirmed", M: exactlyOf(0.01, -0.01, 0.01), Want: claim.Open},
	})
}

// The enumeration of the search is the integral of transitionMeans, in the long
// run and soon after the start.
func TestSearchAgreesWithTransitionMeans(t *testing.T) {
	for i := range uint64(40) {
		stream := random.New(2, "test/search", i)
		q := newRival(stream)
		logits := make([]float64, q.tokens*q.tokens)
		for j := range logits {
			logits[j] = stream.Normal()
		}
		P, a := q.at(logits)
		e := ended{q, a, P}
		if margin, err := e.confirm(); err != nil || math.Abs(margin-e.margin()) > 1e-12 {
			t.Errorf("lags %v, true %d: %.15g, by the integral %.15g, %v", q.lags, q.lags[q.trueAt], e.margin(), margin, err)
		}
		if a.ofTrue < (1+a.divergence)/float64(len(q.lags))-1e-12 {
			t.Errorf("lags %v: %g is below what is proved, %g", q.lags, a.ofTrue, (1+a.divergence)/float64(len(q.lags)))
		}
	}
}

// What I17 proves Claim 1 with where other lags are independent of two: for any numbers,
// and for a rival in the true lag's chain.
func TestMarginBesideIndependentLags(t *testing.T) {
	stream := random.New(3, "test/beside")
	for range 100_000 {
		size := func() float64 { return math.Exp(6 * stream.Normal()) }
		a, b, rest := size(), size(), size()
		phi := func(x float64) float64 { return x/2 - rest/4*math.Log1p(2*x/rest) }
		left, right := b*(b-a)/(a+b+rest), phi(b)-phi(a)
		if left < right-1e-9*(a+b) {
			t.Fatalf("a = %g, b = %g, R = %g: %g is below %g", a, b, rest, left, right)
		}
	}
	q := rival{tokens: 4, lags: []int{2, 3, 4, 5}, trueAt: 0, rivalAt: 2, independent: 2 * searchLongest}
	q.link()
	for i := range uint64(200) {
		P, err := process.DirichletRows(q.tokens, 0.2, 4, i)
		if err != nil {
			t.Fatal(err)
		}
		p, err := process.NewInterleaved(P, q.lags)
		if err != nil {
			continue // so peaked that it is reducible
		}
		if a := q.ask(p.P(), p.Stationary()); a.ofTrue-a.ofRival < -1e-12 {
			t.Errorf("matrix %d: a margin of %g", i, a.ofTrue-a.ofRival)
		}
	}
}

// Two tokens that alternate: the margin is 1/(2(M+1)) with M lags in step.
func TestMarginHasNoLowerBound(t *testing.T) {
	for m := 1; m <= 5; m++ {
		lags := []int{1, 2}
		for i := range m {
			lags = append(lags, 3+4*i)
		}
		p, err := process.NewInterleaved([][]float64{{0, 1}, {1, 0}}, lags)
		if err != nil {
			t.Fatal(err)
		}
		means, err := newTransitionMeans(p).at(2, 200)
		if err != nil {
			t.Fatal(err)
		}
		want := 1 / (2 * float64(m+1))
		if math.Abs(means[1]-0.25-want) > 1e-12 || math.Abs(means[0]-0.25) > 1e-12 {
			t.Errorf("lags %v: %v, want %g more than a quarter", lags, means, want)
		}
	}
}

// With two tokens the true lag leads for every set of lags, whatever tokens stand there.
func TestTwoTokensProveClaim(t *testing.T) {
	stream := random.New(1, "test/two")
	for range 2000 {
		rows := [2][2]float64{}
		for i := range rows {
			p := stream.Float64()
			rows[i] = [2]float64{p, 1 - p}
		}
		of, total := make([]int, 2+stream.IntN(6)), [2]float64{}
		for r := range of {
			of[r] = stream.IntN(2)
			for s, p := range rows[of[r]] {
				total[s] += p
			}
		}
		margin := 0.0
		for s, p := range rows[of[0]] {
			margin += p * (p - rows[of[1]][s]) / total[s]
		}
		if margin < -1e-15 {
			t.Fatalf("rows %v at %v: %g", rows, of, margin)
		}
	}
}
