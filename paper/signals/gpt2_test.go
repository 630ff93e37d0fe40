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
	with := func(change func(m *gpt2Found)) gpt2Found {
		m := measured
		m.sizes = append([]sizeFound{}, measured.sizes...)
		m.forms = append([]formsFound{}, measured.forms...)
		change(&m)
		return m
	}
	claimtest.Rule(t, gpt2Found.judge, []claim.Verdict{claim.Holds, claim.Differs}, []claimtest.Case[gpt2Found]{
		{Name: "as it is", M: measured, Want: claim.Holds},
		{Name: "a size two units off", M: with(func(m *gpt2Found) { m.sizes[0].parameters += 2e6 }), Want: claim.Differs},
		{Name: "a longer context", M: with(func(m *gpt2Found) { m.sizes[3].fits = false }), Want: claim.Differs},
		{Name: "counts that do not tell of tying", M: with(func(m *gpt2Found) { m.sizes[1].untied = 355e6 }), Want: claim.Differs},
		{Name: "another forward pass", M: with(func(m *gpt2Found) { m.forms[0].double = 1.01 * doubleSlack }), Want: claim.Differs},
		{Name: "a comparison without power", M: with(func(m *gpt2Found) { m.noLastNorm = 0 }), Want: claim.Differs},
	})
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 124439808: "124,439,808"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
