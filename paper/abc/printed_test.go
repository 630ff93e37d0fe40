package abc

import (
	"math"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/walk"
)

// printedProduct is A_out as the document prints it a second time, in a product.
var printedProduct = readout{{-0.5150, 1.2707}, {1.1767, 1.2405}, {-0.3778, -0.6578}}

// Each token wins where the borders say, and the third printed direction lies on
// the wrong side of one, whichever A_out is taken.
func TestPrintedDirections(t *testing.T) {
	for z, border := range printedOut.borders() {
		from, to := border[0], border[1]
		if to < from {
			to += 360
		}
		for degrees := from + 1; degrees < to; degrees += 7 {
			sin, cos := math.Sincos(degrees * math.Pi / 180)
			if got := winner(printedOut.apply([2]float64{cos, sin})); got != z {
				t.Errorf("at %v°: %s wins, want %s", degrees, names[got], names[z])
			}
		}
	}
	for z, want := range []int{0, 1, 0} {
		for _, out := range []readout{printedOut, printedProduct} {
			if got := winner(out.apply(printedDirections[z])); got != want {
				t.Errorf("%s predicts %s, want %s", along(printedDirections[z]), names[got], names[want])
			}
		}
	}
}

func TestDirectionsAreWrittenAsInTheText(t *testing.T) {
	for want, x := range map[string][2]float64{"(−t, 2.5t)": {-1, 2.5}, "(t, t)": {1, 1}, "(−t, −1.75t)": {-1, -1.75}} {
		if got := along(x); got != want {
			t.Errorf("%v is written as %s, want %s", x, got, want)
		}
	}
}

func TestDirectionsAreJudged(t *testing.T) {
	var right [3]bullet
	for z := range right {
		right[z] = bullet{token: z, best: z, direction: printedDirections[z], logits: make([]float64, 3)}
		right[z].logits[z] = 1
	}
	wrong, mirrored := right, right
	wrong[1].best = 0
	mirrored[2].best, mirrored[2].mirrored = 0, true
	claimtest.Rule(t, regions.judge, []claim.Verdict{claim.Holds, claim.Corrected}, []claimtest.Case[regions]{
		{Name: "each", M: regions{bullets: right}, Want: claim.Holds},
		{Name: "two", M: regions{bullets: wrong}, Want: claim.Corrected},
		{Name: "two, and the mirror image of the third", M: regions{bullets: mirrored}, Want: claim.Corrected},
	})
	if found := (regions{bullets: mirrored}).judge(); strings.Count(found.Obtained, "predicts") != 2 {
		t.Errorf("what would be right is not said: %s", found.Obtained)
	}
	// The printed numbers: A and B lead, C's logit is behind A's.
	for z, want := range []float64{0.5150 + 2.5*1.2707 - (-1.1767 + 2.5*1.2045), 1.1767 + 1.2045 - (-0.5150 + 1.2707), 0.3778 - 1.75*0.6578 - (0.5150 + 1.75*1.2707)} {
		b := bullet{token: z, logits: printedOut.apply(printedDirections[z])}
		if got := b.lead(); math.Abs(got-want) > 1e-12 || (got > 0) != (z < 2) {
			t.Errorf("%s leads by %v, want %v", names[z], got, want)
		}
	}
}

func TestSumsAreJudged(t *testing.T) {
	claimtest.Rule(t, sums.judge, []claim.Verdict{claim.Holds, claim.Corrected, claim.Fails}, []claimtest.Case[sums]{
		{Name: "all", M: sums{worst: lastDigit, asWritten: lastDigit}, Want: claim.Holds},
		{Name: "not as written", M: sums{worst: 1e-4, asWritten: 1.01 * lastDigit}, Want: claim.Corrected},
		{Name: "not with the token's position", M: sums{worst: 1.01 * lastDigit, asWritten: 1}, Want: claim.Fails},
	})
}

// The walks of A2 see every parameter, and a formula that does not hold makes the claim
// fail.
func TestWalksAreJudged(t *testing.T) {
	var all walks
	for i, architecture := range architectures() {
		m, tokens, err := randomModel(architecture, 1, i)
		if err != nil {
			t.Fatal(err)
		}
		for _, tensor := range m.Weights.Tensors {
			for j, x := range tensor.Data {
				if x == 0 || x == 1 {
					t.Errorf("%+v: %s[%d] is %v", architecture, tensor.Name, j, x)
				}
			}
		}
		all.add(t.Context(), m, tokens)
	}
	broken := all
	m, tokens, err := randomModel(architectures()[0], 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	m.Weights.Get("unembed.b_U").Data[0] = math.NaN()
	if d := broken.add(t.Context(), m, tokens); d != nil {
		t.Error("a walk through a model without logits")
	}
	if found := broken.judge(); !strings.Contains(found.Obtained, "NaN") {
		t.Errorf("%s: %s", found.Verdict, found.Obtained)
	}
	claimtest.Rule(t, walks.judge, []claim.Verdict{claim.Holds, claim.Fails}, []claimtest.Case[walks]{
		{Name: "every architecture", M: all, Want: claim.Holds},
		{Name: "at the bound", M: walks{worst: sumError}, Want: claim.Holds},
		{Name: "a sum is off", M: walks{worst: 1.01 * sumError}, Want: claim.Fails},
		{Name: "a formula does not hold", M: broken, Want: claim.Fails},
	})
}

// A sum that leaves out a part is off by as much as the part has of the sizes.
func TestAttributionError(t *testing.T) {
	a := walk.Attribution{Parts: []walk.Contribution{{Value: 3}, {Value: -1}}, Sum: 2, Logit: 1}
	if got := attributionError(&a); got != 0.25 {
		t.Errorf("an error of 1 in sizes of 4 is %v", got)
	}
}
