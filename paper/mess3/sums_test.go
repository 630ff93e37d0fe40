package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/model"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

func TestSumsRule(t *testing.T) {
	of := func(off, apart float64) sums {
		return sums{{spread: 1}, {end: point{off, 0}, constrained: point{0, apart}, spread: 2}}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Fails} // an identity
	claimtest.Rule(t, sums.judge, verdicts, []claimtest.Case[sums]{
		{Name: "as stated", M: of(1e-6, 0.1), Want: claim.Holds},
		{Name: "at the threshold", M: of(1e-4, 0.2), Want: claim.Holds},
		{Name: "far from the constrained belief, which is not asked", M: of(1e-6, 9), Want: claim.Holds},
		{Name: "no sum", M: of(1.1e-4, 0), Want: claim.Fails},
	})
}

// The steps of a word end where the regression reads the model: any model of one head,
// trained or not, with layer norm or without.
func TestAttentionSum(t *testing.T) {
	for _, norm := range []string{"LN", "none"} {
		p := tiny()
		p.norm = norm
		c := p.paperModel(figure2)
		c.Settings.NCtx = len(sumsWord)
		m := untrained(t, c)
		if err := m.measure(t.Context(), scrutiny{}, 2); err != nil {
			t.Fatal(err)
		}
		first, err := probe.ReadFirstLayer(m.Model, len(sumsWord), 3)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := m.attentionSum(sumsWord, first, first.OV(m.Model, 0))
		if err != nil {
			t.Fatal(err)
		}
		if len(sum.steps) != len(sumsWord) || len(sum.sameLength) != 243 {
			t.Errorf("%d steps, beside %d words", len(sum.steps), len(sum.sameLength))
		}
		if !(sum.off() <= 1e-5 && sum.spread > 0 && sum.embedding.length() > 0) {
			t.Errorf("%s: the sum is off by %v; spread %v, embedding %v", norm, sum.off(), sum.spread, sum.embedding)
		}
	}
}

// untrained is a subject whose model has its initial weights.
func untrained(t *testing.T, c trained.Condition) *subject {
	t.Helper()
	h, err := c.HMM()
	if err != nil {
		t.Fatal(err)
	}
	config := c.Training().Config.Model
	config.DVocab = h.Alphabet()
	m, err := model.New[float32](config, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &subject{Subject: &trained.Subject{Condition: c, HMM: h, Prefixes: must(h.Prefixes(t.Context(), config.NCtx)), Model: m}}
}

// must returns the value of a call that cannot fail in a test.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
