package paper

import (
	"fmt"
	"math"

	"foretell/figure"
	"foretell/process"
)

// oneOrTwoConditions are those of Fig. A8: x = 0.5 with one head and with two, for
// each seed.
func oneOrTwoConditions(p Profile) []condition {
	var list []condition
	for _, heads := range []int{1, 2} {
		for _, seed := range p.Seeds {
			c := newCondition(p, 0.5, 0.6, p.Norms[0])
			c.Heads, c.seed = heads, seed
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
		kl[m.Heads] = append(kl[m.Heads], m.kl)
		final, mid := m.final().full.Trained, m.mid().constrained.Trained
		table.Rows = append(table.Rows, []string{fmt.Sprint(m.Heads), fmt.Sprint(m.seed), fmt.Sprintf("%.2e", m.kl), r2(final), r2(mid)})
		rows = append(rows, []float64{float64(m.Heads), float64(m.seed), m.kl, final.HeldOut.R2, mid.HeldOut.R2})
		if m.seed == s.Profile.Seeds[0] {
			beliefs := cut(m.prefixes.Beliefs, 3)
			panels[0] = append(panels[0], figure.Simplex{P: cut(m.mid().constrained.regressed.Data, 3), Belief: beliefs})
			panels[1] = append(panels[1], figure.Simplex{P: cut(m.final().full.regressed.Data, 3), Belief: beliefs})
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
	two, err := lastTwoTokens(subjects[0].hmm, p.Length)
	if err != nil {
		return err
	}
	c.Tables, c.Setting = append(c.Tables, table), s.Profile.Setting
	c.Obtained = fmt.Sprintf("KL with one head is %.1f times that with two (means over %d seeds: %.1e and %.1e nats), at the worst seed %.1f times; an optimal observer of the last two tokens has %.1e",
		ratio, len(kl[1]), mean(kl[1]), mean(kl[2]), worst, two)
	switch {
	case ratio >= 3 && worst > 1:
		c.Verdict = Holds
	case ratio > 1:
		c.Verdict = Differs
	default:
		c.Verdict = Fails
	}
	c.Notes = append(c.Notes,
		"The optimal observer of the last two tokens alone is what a head comes to that adds to the last token the one before it, with the opposite sign, and nothing else: nine points, one for each pair of tokens. "+
			"A model with two heads that has not left this plateau when training ends shows the KL of one head.",
		"Theory asks for two heads here: ζ = −½ has sign changes that non-negative attention can only make as a difference.",
		"Fig. A8 shows two settings that the paper does not name; this row tests x = 0.5, α = 0.6.")
	err = s.addFigure(c, "geometry", "Through the regressions, words of up to 10 tokens; colours are their beliefs. Compare the first two columns with the third: "+
		"the constrained beliefs take corrections of alternating sign, n steps back (−½)ⁿ, and one head gives all earlier tokens the same sign.",
		&figure.Figure{
			Title:  "One head and two heads where ζ is negative",
			Desc:   "Two rows of triangles, after attention and after the MLP: one head, two heads, and the theory. The models are those of the first seed.",
			Panels: panels[:], Rows: []string{"after attention", "after the MLP"}, Cols: []string{"one head", "two heads", "theory"},
		})
	if err != nil {
		return err
	}
	return s.addCSV(c, "heads", []string{"heads", "seed", "kl", "r2_final_beliefs", "r2_intermediate_constrained"}, rows)
}

// lastTwoTokens returns the divergence from the optimum, in nats and in the mean
// over positions, of the optimal predictor that forgets all but two tokens.
func lastTwoTokens(h *process.HMM, positions int) (float64, error) {
	floor, err := h.Floor(positions + 1)
	if err != nil {
		return 0, err
	}
	kl := 0.0
	for seen := 1; seen <= positions; seen++ {
		kl += (floor.ByPosition[min(seen, 2)] - floor.ByPosition[seen]) / float64(positions)
	}
	return kl, nil
}
