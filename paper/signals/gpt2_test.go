package signals

import (
	"strings"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestGPT2IsJudged(t *testing.T) {
	measured, err := measureGPT2(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(m *gpt2Found)) gpt2Found {
		m := measured
		m.sizes = append([]sizeFound{}, measured.sizes...)
		m.forms = append([]formsFound{}, measured.forms...)
		change(&m)
		return m
	}
	claimtest.Rule(t, gpt2Found.judge, []claim.Verdict{claim.Holds, claim.Differs}, []claimtest.Case[gpt2Found]{
		{Name: "as it is", M: measured, Want: claim.Holds},
		{Name: "an XL above 1.6B", M: with(func(m *gpt2Found) { m.sizes[3].parameters = 1_600_000_001 }), Want: claim.Differs},
		{Name: "a size two units off", M: with(func(m *gpt2Found) { m.sizes[0].parameters += 2e6 }), Want: claim.Differs},
		{Name: "a longer context", M: with(func(m *gpt2Found) { m.sizes[3].fits = false }), Want: claim.Differs},
		{Name: "counts that do not tell of tying", M: with(func(m *gpt2Found) { m.sizes[1].untied = 355e6 }), Want: claim.Differs},
		{Name: "another forward pass", M: with(func(m *gpt2Found) { m.forms[0].double = 1.01 * doubleSlack }), Want: claim.Differs},
		{Name: "a comparison without power", M: with(func(m *gpt2Found) { m.noLastNorm = 0 }), Want: claim.Differs},
	})
}

// The largest size does not round to the printed digits; one that does answers the
// question.
func TestLargestGPT2IsNotRounded(t *testing.T) {
	m, err := measureGPT2(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if q := m.judge().Asked[0]; q.Answer != claim.No || !strings.Contains(q.Obtained, "1.5576B") {
		t.Errorf("%+v", q)
	}
	m.sizes[3].parameters = 1_549_999_999
	if q := m.judge().Asked[0]; q.Answer != claim.Yes {
		t.Errorf("1.55B rounds to 1.5B: %s", q.Obtained)
	}
}
