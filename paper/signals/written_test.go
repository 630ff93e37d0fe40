package signals

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestHandworkIsJudged(t *testing.T) {
	all, some := score{steps: 10, right: 10}, score{steps: 10, right: 9}
	of := func(double, single score, there float64, printed string) handwork {
		return handwork{list: []construction{
			{name: "a", double: all, single: all, trained: 0.5, shortcuts: []shortcut{{"a part", some}}},
			{name: "b", double: double, single: single, printed: printed, head: &peak{there, 0.1}},
		}}
	}
	alone := func(m handwork) handwork { return handwork{list: m.list[1:]} }
	stack := of(all, all, 1, "")
	stack.list = append(stack.list, construction{name: "c", double: some, single: some, beyond: true})
	claimtest.Rule(t, handwork.judge, []claim.Verdict{claim.Holds, claim.Corrected, claim.Differs, claim.Fails}, []claimtest.Case[handwork]{
		{Name: "all right, as printed", M: of(all, all, 1-exact, ""), Want: claim.Holds},
		{Name: "what is printed lacks something", M: of(all, all, 1, "a head"), Want: claim.Corrected},
		{Name: "one is wrong", M: of(some, all, 1, ""), Want: claim.Differs},
		{Name: "one is wrong in float32", M: of(all, some, 1, "a head"), Want: claim.Differs},
		{Name: "attention elsewhere", M: alone(of(all, all, 1-2*exact, "")), Want: claim.Fails},
		{Name: "no retrieval steps", M: alone(of(score{}, all, 1, "")), Want: claim.Fails},
		{Name: "what the lecture does not construct does not count", M: stack, Want: claim.Holds},
	})
}

// Without a gain the best that the slides leave open is every plane over √16.
func TestPrintedHead(t *testing.T) {
	most, words := printedHead(lookedBack)
	one, _ := ungained(lookedBack)
	for want, got := range map[float64]float64{0.031: one, 0.056: ofAllPlanes(lookedBack, 64), 0.144: most} {
		if math.Abs(got-want) > 0.0005 {
			t.Errorf("%.4f of the attention, want %g (%s)", got, want, words)
		}
	}
}

// Without the operation the result can be guessed in 17 of 60 cases: those of 26
// arguments have four results, of 0, 1, 14 and 29 three.
func TestGuessOfRouting(t *testing.T) {
	right := 0
	for x := range 30 {
		for _, z := range []int{x, (x + 1) % 30, 2 * x % 30, 29 - x} {
			if z == likeliestResult(x, 30) {
				right++
			}
		}
	}
	if right != 34 {
		t.Errorf("%d of 120 results are guessed, want 34", right)
	}
}
