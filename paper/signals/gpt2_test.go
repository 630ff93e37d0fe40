package signals

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestGPT2IsJudged(t *testing.T) {
	measured, err := measureGPT2(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(m *gpt2Found)) gpt2Found { // and with an XL that is as printed
		m := measured
		m.sizes = append([]sizeFound{}, measured.sizes...)
		m.forms = append([]formsFound{}, measured.forms...)
		m.sizes[3].parameters = 1_549_999_999
		change(&m)
		return m
	}
	claimtest.Rule(t, gpt2Found.judge, []claim.Verdict{claim.Holds, claim.Differs}, []claimtest.Case[gpt2Found]{
		{Name: "as it is", M: measured, Want: claim.Differs},
		{Name: "with an XL that rounds to 1.5B", M: with(func(*gpt2Found) {}), Want: claim.Holds},
		{Name: "a size a unit off", M: with(func(m *gpt2Found) { m.sizes[0].parameters += 1e6 }), Want: claim.Differs},
		{Name: "a longer context", M: with(func(m *gpt2Found) { m.sizes[3].fits = false }), Want: claim.Differs},
		{Name: "counts that do not tell of tying", M: with(func(m *gpt2Found) { m.sizes[1].untied = 355e6 }), Want: claim.Differs},
		{Name: "another forward pass", M: with(func(m *gpt2Found) { m.forms[0].double = 1.01 * doubleSlack }), Want: claim.Differs},
		{Name: "a comparison without power", M: with(func(m *gpt2Found) { m.noLastNorm = 0 }), Want: claim.Differs},
	})
}

// The size that is not as printed is what the row shows; cut, it would be.
func TestLargestGPT2IsCut(t *testing.T) {
	m, err := measureGPT2(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	found := m.judge()
	if e := found.Effect; e.Unit != "billion parameters" || e.Document.Value != 1.5 || found.Asked[0].Answer != claim.Yes {
		t.Errorf("the effect is %+v, and whether it is cut %s", e, found.Asked[0].Answer)
	}
	m.sizes[3].parameters = 1_600_000_001
	if q := m.judge().Asked[0]; q.Answer != claim.No {
		t.Errorf("1.6B is cut to 1.5B: %s", q.Obtained)
	}
}
