package claimtest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/claim"
)

// Drawn is a rule with a range of measurements: the verdicts that can follow, and a
// function that draws a measurement and judges it.
type Drawn struct {
	Verdicts []claim.Verdict
	Judged   func(r Stream) claim.Finding
}

// Draw returns a rule whose measurements are drawn by a function. They are to cover what
// can be measured, from the worst model, process or formula to the best, and must not be
// chosen by what the rule makes of them.
func Draw[M any](judge func(M) claim.Finding, draw func(r Stream) M, verdicts ...claim.Verdict) Drawn {
	return Drawn{verdicts, func(r Stream) claim.Finding { return judge(draw(r)) }}
}

const (
	drawnMeasurements = 1000
	leastShare        = 0.05 // of the measurements, for each verdict
)

// Power tests that every rule can fail and can succeed. The map has a rule for the id of
// each row. Each of its verdicts must follow from at least 5 % of the measurements that
// are drawn, and no other verdict may follow. There must be at least two verdicts, one of
// them Differs, Fails or Corrected.
func Power(t *testing.T, rows []claim.Row, rules map[string]Drawn) {
	t.Helper()
	for _, row := range rows {
		rule, known := rules[row.ID]
		if !known {
			t.Errorf("%s: no range of measurements", row.ID)
			continue
		}
		t.Run(row.ID, func(t *testing.T) { rule.power(t) })
	}
	for id := range rules {
		if !slices.ContainsFunc(rows, func(row claim.Row) bool { return row.ID == id }) {
			t.Errorf("%s is not a row", id)
		}
	}
}

func (d Drawn) power(t *testing.T) {
	t.Helper()
	has := func(v claim.Verdict) bool { return slices.Contains(d.Verdicts, v) }
	if len(d.Verdicts) < 2 || !has(claim.Differs) && !has(claim.Fails) && !has(claim.Corrected) {
		t.Errorf("verdicts %v, want several, and one of them against the document's words", d.Verdicts)
	}
	stream := Stream{rand.New(rand.NewPCG(1, 2))}
	counts, example := map[claim.Verdict]int{}, map[claim.Verdict]string{}
	for range drawnMeasurements {
		found := d.Judged(stream)
		counts[found.Verdict]++
		example[found.Verdict] = found.Obtained
	}
	for _, v := range d.Verdicts {
		if share := float64(counts[v]) / drawnMeasurements; share < leastShare {
			t.Errorf("%q follows from %.1f %% of the measurements, want at least %g %%", v, 100*share, 100*leastShare)
		}
	}
	for v, count := range counts {
		if !has(v) {
			t.Errorf("%q follows from %d of %d measurements, want only %v: %s",
				v, count, drawnMeasurements, d.Verdicts, example[v])
		}
	}
}
