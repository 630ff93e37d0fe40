package paper

import (
	"fmt"
	"math"

	"foretell/figure"
)

// oneOrTwoConditions are those of Fig. A8: x = 0.5 with one head and with two, for
// each seed.
func oneOrTwoConditions(p Profile) []condition {
	var list []condition
	for _, heads := range []int{1, 2} {
		for _, seed := range p.Mess3.Seeds {
			c := newCondition(p, 0.5, 0.6, p.Mess3.Norms[0])
			c.heads, c.seed = heads, seed
			list = append(list, c)
		}
	}
	return list
}

// testOneHeadFails is M12: Fig. A8.
func testOneHeadFails(s *Study, c *Claim) error {
	table := Table{
		Title:   "x = 0.5, α = 0.6, by heads and seed",
		Columns: []string{"heads", "seed", "KL to the optimum (nats)", "final → beliefs: R²", "intermediate → constrained beliefs: R²"},
	}
	subjects := s.of(oneOrTwoConditions(s.Profile))
	kl := map[int][]float64{}
	var panels [2][]figure.Panel
	var rows [][]float64
	for _, m := range subjects {
		kl[m.heads] = append(kl[m.heads], m.kl)
		final, mid := m.final.full.Trained, m.mid.constrained.Trained
		table.Rows = append(table.Rows, []string{fmt.Sprint(m.heads), fmt.Sprint(m.seed), fmt.Sprintf("%.2e", m.kl), r2(final), r2(mid)})
		rows = append(rows, []float64{float64(m.heads), float64(m.seed), m.kl, final.HeldOut.R2, mid.HeldOut.R2})
		if m.seed == s.Profile.Mess3.Seeds[0] {
			beliefs := cut(m.prefixes.Beliefs, 3)
			panels[0] = append(panels[0], figure.Simplex{P: cut(m.mid.regressed.Data, 3), Belief: beliefs})
			panels[1] = append(panels[1], figure.Simplex{P: cut(m.final.regressed.Data, 3), Belief: beliefs})
		}
	}
	p := subjects[0].prefixes
	panels[0] = append(panels[0], figure.Simplex{P: cut(p.Constrained, 3), Belief: cut(p.Beliefs, 3)})
	panels[1] = append(panels[1], figure.Simplex{P: cut(p.Beliefs, 3)})

	ratio := mean(kl[1]) / mean(kl[2])
	worst := math.Inf(1) // seed by seed
	for i := range kl[1] {
		worst = min(worst, kl[1][i]/kl[2][i])
	}
	c.Tables, c.Setting = append(c.Tables, table), s.Profile.Setting
	c.Obtained = fmt.Sprintf("KL with one head is %.1f times that with two (means over %d seeds: %.1e and %.1e nats); at the worst seed %.1f times",
		ratio, len(kl[1]), mean(kl[1]), mean(kl[2]), worst)
	switch {
	case ratio >= 3 && worst > 1:
		c.Verdict = Holds
	case ratio > 1:
		c.Verdict = Differs
	default:
		c.Verdict = Fails
	}
	c.Notes = append(c.Notes,
		"Theory asks for two heads here: ζ = −½ has sign changes that non-negative attention can only make as a difference.",
		"Fig. A8 shows two settings that the paper does not name; this row tests x = 0.5, α = 0.6.")
	err := s.addFigure(c, "geometry", "Through the regressions, words of up to 10 tokens; colours are their beliefs. One head can only add tokens up with one sign at all distances, and its geometry after attention is another one; "+
		"two heads build the constrained beliefs.",
		&figure.Figure{
			Title:  "One head and two heads where ζ is negative",
			Desc:   "Two rows of triangles, after attention and after the MLP: one head, two heads, and the theory. Those of two heads look like the theory.",
			Panels: panels[:], Rows: []string{"after attention", "after the MLP"}, Cols: []string{"one head", "two heads", "theory"},
		})
	if err != nil {
		return err
	}
	return s.addCSV(c, "heads", []string{"heads", "seed", "kl", "r2_final_beliefs", "r2_intermediate_constrained"}, rows)
}
