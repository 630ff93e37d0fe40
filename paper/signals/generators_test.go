package signals

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// asStated are generators of which everything is as the slides say, but for x[101].
func asStated() generated {
	m := generated{
		sine:  sineFound{tokens: 9, period: 16, samples: 100},
		glass: glassFound{tokens: 100, printed: 0.4, exponents: make([][]float64, longestTau)},
	}
	for i := range m.glass.exponents {
		m.glass.exponents[i] = []float64{0}
	}
	m.glass.exponents[18-1], m.glass.exponents[25-1] = []float64{2 * chaotic}, []float64{chaotic}
	for _, s := range []signal{switching, brackets, routing} {
		m.symbolic = append(m.symbolic, symbolicFound{signal: s, steps: 10, loss: 1.1, se: 0.1, floor: 1, longRun: 0.15})
	}
	return m
}

func TestGeneratorsAreJudged(t *testing.T) {
	changed := func(change func(m *generated)) generated {
		m := asStated()
		change(&m)
		return m
	}
	everything := func(m *generated) {
		m.sine.period, m.glass.apart, m.glass.exponents[24], m.glass.right = 32, 1, []float64{0}, 0.1
		for i := range m.symbolic {
			m.symbolic[i].wrong = 1
		}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Corrected, claim.Differs, claim.Fails}
	claimtest.Rule(t, generated.judge, verdicts, []claimtest.Case[generated]{
		{Name: "as stated, but for x[101]", M: asStated(), Want: claim.Corrected},
		{Name: "x[76] is what it takes", M: changed(func(m *generated) { m.glass.printed = 0 }), Want: claim.Holds},
		{Name: "a tenth token", M: changed(func(m *generated) { m.sine.tokens = 10 }), Want: claim.Differs},
		{Name: "another recurrence", M: changed(func(m *generated) { m.glass.apart = 1 }), Want: claim.Differs},
		{Name: "no chaos", M: changed(func(m *generated) { m.glass.exponents[24] = []float64{0} }), Want: claim.Differs},
		{Name: "chaos at 17", M: changed(func(m *generated) { m.glass.exponents[16] = []float64{chaotic} }), Want: claim.Differs},
		{Name: "an edge far off", M: changed(func(m *generated) { m.glass.exponents[17] = []float64{0} }), Want: claim.Differs},
		{Name: "a rule not kept", M: changed(func(m *generated) { m.symbolic[1].wrong = 1 }), Want: claim.Differs},
		{Name: "a loss beside its floor", M: changed(func(m *generated) { m.symbolic[2].loss = 1.5 }), Want: claim.Differs},
		{Name: "nothing as stated", M: changed(everything), Want: claim.Fails},
	})
}

// What is asked of the measurements has each of its answers.
func TestGeneratorsAreAsked(t *testing.T) {
	m := asStated()
	for i, q := range m.judge().Asked[:2] {
		if q.Answer != claim.Yes {
			t.Errorf("question %d is answered %s", i, q.Answer)
		}
	}
	m.symbolic[0].longRun, m.sine.literal = 0.98, 1
	for i, q := range m.judge().Asked[:2] {
		if q.Answer != claim.No {
			t.Errorf("question %d is answered %s", i, q.Answer)
		}
	}
}

// With τ = 1 the signal comes to rest where x¹⁰ = 2, and distances fall as powers of the
// roots of z² = 0.9·z − 17/30, a pair of modulus √(17/30).
func TestLyapunovOfTheFixedPoint(t *testing.T) {
	rates := lyapunov(1, 20_000, 2, 20_000)
	const want = -0.28399198 // ln √(17/30)
	for _, r := range rates {
		if d := r - want; d > 1e-3 || d < -1e-3 {
			t.Errorf("%v nats a step, want %v", r, want)
		}
	}
}

// The readers find what the slides work out.
func TestReaders(t *testing.T) {
	for _, e := range printedExamples() {
		read := readers[e.signal]
		if read == nil {
			continue
		}
		if got, computed := read(e.before); !computed || int(got) != e.printed {
			t.Errorf("%s, %s: %d, %v", e.title, e.where, got, computed)
		}
		if _, computed := read(e.before[:len(e.before)-1]); computed && e.signal != switching {
			t.Errorf("%s: computed before the last token of %s", e.title, e.where)
		}
	}
}

// The switching delay with much background has the lecture's share, keeps the rule where
// it says so, and counts elsewhere. The shares are the process's in the other.
func TestDelayShares(t *testing.T) {
	list, err := measureDelays()
	if err != nil {
		t.Fatal(err)
	}
	if s := list[0]; hasBackground(s.background()) != claim.No || s.first < 0.4 || s.first > 0.5 {
		t.Errorf("the models' signal: %+v", s)
	}
	if s := list[1]; hasBackground(s.background()) != claim.Yes || s.keys < 0.019 || s.keys > 0.021 {
		t.Errorf("the other: %+v", s)
	}
	tokens := make([]int32, 300)
	marks, err := sparseDelay(tokens, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	last := int32(-1)
	for n, z := range tokens {
		switch want, computed := readDelay(tokens[:n]); {
		case z >= delayValues:
		case marks[n]:
			if !computed || z != want || n%sparseEvery != 0 {
				t.Errorf("token %d is %d, want %d", n, z, want)
			}
		default:
			if last >= 0 && z != (last+1)%delayValues {
				t.Errorf("token %d is %d after %d", n, z, last)
			}
			last = z
		}
	}
}

// The numbers of the answer are those of the recurrence's own slope and of a long
// recording.
func TestGrowthIsBounded(t *testing.T) {
	obtained := sigmoidal().Obtained
	for _, want := range []string{
		"rises to 0.722 at x = 0.803", "falls beyond, to 0.167 at x = 1.2", "below 0.3·0.722/0.1 = 2.17",
	} {
		if !strings.Contains(obtained, want) {
			t.Errorf("%q lacks %q", obtained, want)
		}
	}
	x, _ := recorded(25, 10_000)
	if most := slices.Max(x); most >= 2.17 {
		t.Errorf("the recording reaches %g", most)
	}
}
