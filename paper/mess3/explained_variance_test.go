package mess3

import (
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
)

// Table 1 as printed: eight columns, a stage and a condition each, of shares that
// rise to at most 1.
func TestTable1(t *testing.T) {
	if len(table1) != 8 {
		t.Fatalf("%d columns", len(table1))
	}
	type column struct {
		stage  string
		source trained.Source
	}
	seen := map[column]bool{}
	for _, c := range table1 {
		seen[column{c.stage, c.source}] = true
		for k, v := range c.printed {
			if v <= 0 || v > 1 || k > 0 && v <= c.printed[k-1] {
				t.Errorf("%s, %v: component %d has %v", c.stage, c.source, k, v)
			}
		}
	}
	for _, stage := range []string{"resid_mid", "resid_post"} {
		for _, on := range sources {
			if !seen[column{stage, on}] {
				t.Errorf("%s, %v is not in the table", stage, on)
			}
		}
	}
}

// A cell of M13 shows the difference that its rule is about.
func TestBesidePrinted(t *testing.T) {
	for _, test := range []struct {
		ours, printed float64
		want          string
	}{{0.5, 0.5408, "0.5000 (0.5408; −0.0408)"}, {0.9, 0.8768, "0.9000 (0.8768; +0.0232)"}} {
		if got := besidePrinted(test.ours, test.printed); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// varianceOf is a model in which three components explain the given shares.
func varianceOf(mid, final float64) (v variance) {
	for stage, share := range []float64{mid, final} {
		v[stage].literal = []float64{0.4, 0.7, share, 0.95, 0.97, 0.98, 0.99}
		v[stage].words = v[stage].literal
	}
	return v
}

func TestExplainedVarianceRule(t *testing.T) {
	model := varianceOf
	of := func(mid, final float64) replicates[variance] { // Table 1 has both above
		return seedsOf(model(0.8, 0.8), model(mid, final), model(mid+0.01, final+0.01), model(mid-0.01, final-0.01))
	}
	powerless := func(mid, final float64) replicates[variance] {
		g := of(mid, final)
		for i := range g.Models {
			g.Models[i].Random = model(0.95, 0.95)
		}
		return g
	}
	half := powerless(0.95, 0.95)
	for i := range half.Models {
		half.Models[i].Random = model(0.8, 0.95)
	}
	below := of(0.85, 0.85)
	below.Source = trained.Mess3(0.5, 0.6) // Table 1 has both below
	for i := range below.Models {
		below.Models[i].Random = model(0.95, 0.95)
	}
	across := of(0.85, 0.95) // resid_post on the other side, and its random initialisation not
	across.Source = below.Source
	rule := func(g replicates[variance]) claim.Finding {
		return variances{g}.judge()
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, rule, verdicts, []claimtest.Case[replicates[variance]]{
		{Name: "above, as printed", M: of(0.95, 0.95), Want: claim.Holds},
		{Name: "below, as printed", M: below, Want: claim.Holds},
		{Name: "one stage tells", M: half, Want: claim.Holds},
		{Name: "one stage below", M: of(0.95, 0.85), Want: claim.Differs},
		{Name: "both below", M: of(0.85, 0.85), Want: claim.Fails},
		{Name: "one tells, and is below", M: of(0.9, 0.85), Want: claim.Fails},
		{Name: "across, where the untrained is not", M: across, Want: claim.Differs},
		{Name: "about as much", M: of(0.9, 0.9), Want: claim.Open},
		{Name: "untrained as well", M: powerless(0.95, 0.95), Want: claim.Open},
		{Name: "on a plateau", M: of(0.95, 0.95).unconverged(2), Want: claim.Open},
	})
}

// Models with the printed shares differ in no cell.
func TestDifferences(t *testing.T) {
	var v variance
	for stage := range stageNames {
		v[stage].literal = slices.Clone(printed(figure2, stage))
	}
	v[1].literal[6] += 0.07
	list := differences([]variance{v}, figure2)
	if len(list) != 14 {
		t.Fatalf("%d cells", len(list))
	}
	wantNear(t, "the last cell", list[13], 0.07)
	wantNear(t, "all others", slices.Max(list[:13]), 0)
}
