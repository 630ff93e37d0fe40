package coin

import (
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/process"
)

// Every sequence comes once, and sampled ones begin with BOS, too.
func TestSequences(t *testing.T) {
	seen := map[string]bool{}
	for tokens := range everySequence(5) {
		if len(tokens) != 6 || tokens[0] != process.BOS {
			t.Fatalf("sequence %v", tokens)
		}
		text := ""
		for _, token := range tokens[1:] {
			text += string(rune('0' + token))
		}
		seen[text] = true
	}
	if len(seen) != 32 {
		t.Errorf("%d sequences of 5 flips", len(seen))
	}
	var drawn [][]int32
	for tokens := range sampledSequences(40, 3) {
		if tokens[0] != process.BOS || slices.Max(tokens[1:]) != 1 || slices.Min(tokens) != 0 {
			t.Errorf("sequence %v", tokens)
		}
		drawn = append(drawn, slices.Clone(tokens))
	}
	if len(drawn) != 3 || slices.Equal(drawn[0], drawn[1]) {
		t.Errorf("drawn %v", drawn)
	}
}

func TestHeadIsJudged(t *testing.T) {
	claimtest.Rule(t, headOutput.judge, []claim.Verdict{claim.Holds, claim.Fails}, []claimtest.Case[headOutput]{
		{Name: "exact", M: headOutput{}, Want: claim.Holds},
		{Name: "at the bound", M: headOutput{worst: equal}, Want: claim.Holds},
		{Name: "beyond", M: headOutput{worst: 1.01 * equal}, Want: claim.Fails},
	})
}

func TestBulletsAreJudged(t *testing.T) {
	three := func(worst, corrected float64) bullets {
		return bullets{list: []bullet{
			{text: "N"}, {text: "heads", worst: worst, corrected: corrected}, {text: "tails", worst: equal, corrected: equal},
		}}
	}
	claimtest.Rule(t, bullets.judge, threeVerdicts, []claimtest.Case[bullets]{
		{Name: "all hold", M: three(0, 1), Want: claim.Holds},
		{Name: "at the bound", M: three(equal, 1), Want: claim.Holds},
		{Name: "one is wrong, Eq. 15 right", M: three(1.01*equal, equal), Want: claim.Corrected},
		{Name: "both are wrong", M: three(1, 1.01*equal), Want: claim.Fails},
	})
}
