package paper

import (
	"fmt"
	"math"
	"strings"

	"foretell/figure"
)

// table1 is Table 1 of seed 001 as printed: cumulative explained variance of
// components 0 … 6, by x and α.
var table1 = []struct {
	stage   string
	x, a    float64
	printed [7]float64
}{
	{"intermediate", 0.15, 0.2, [7]float64{0.5408, 0.8768, 0.9673, 0.9749, 0.9815, 0.9870, 0.9914}},
	{"intermediate", 0.15, 0.6, [7]float64{0.4648, 0.8894, 0.9859, 0.9903, 0.9929, 0.9942, 0.9955}},
	{"intermediate", 0.5, 0.6, [7]float64{0.4074, 0.8028, 0.8913, 0.9455, 0.9848, 0.9978, 0.9986}},
	{"intermediate", 0.5, 0.2, [7]float64{0.5268, 0.8519, 0.9173, 0.9649, 0.9886, 0.9977, 0.9984}},
	{"final", 0.15, 0.2, [7]float64{0.9618, 0.9825, 0.9943, 0.9960, 0.9969, 0.9976, 0.9981}},
	{"final", 0.15, 0.6, [7]float64{0.4947, 0.7681, 0.9811, 0.9897, 0.9916, 0.9931, 0.9945}},
	{"final", 0.5, 0.6, [7]float64{0.4596, 0.7096, 0.8855, 0.9189, 0.9428, 0.9586, 0.9723}},
	{"final", 0.5, 0.2, [7]float64{0.6503, 0.8592, 0.9689, 0.9755, 0.9807, 0.9850, 0.9886}},
}

// testExplainedVariance is M13: Table 1.
func testExplainedVariance(s *Study, c *Claim) error {
	worst, sum, cells := 0.0, 0.0, 0
	var rows [][]float64
	var panels []figure.Panel
	var labels []string
	for _, norm := range s.Profile.Norms {
		table := Table{Title: "ours (printed; ours less printed), normalisation " + norm, Columns: []string{"component"}}
		all, few, printedFew := 0.0, 0, 0 // difference over all cells; columns of which three components explain 90 %
		for range 7 {
			table.Rows = append(table.Rows, []string{fmt.Sprint(len(table.Rows))})
		}
		for _, column := range table1 {
			m := s.subjects[newCondition(s.Profile, column.x, column.a, norm)]
			st := m.mid()
			if column.stage == "final" {
				st = m.final()
			}
			table.Columns = append(table.Columns, fmt.Sprintf("%s, %s", column.stage, m.condition))
			for k, printed := range column.printed {
				table.Rows[k] = append(table.Rows[k], besidePrinted(st.words[k], printed))
				all += math.Abs(st.words[k]-printed) / float64(len(table1)*len(column.printed))
				rows = append(rows, []float64{boolean(column.stage == "final"), boolean(norm == "LN"), column.x, column.a, float64(k), printed, st.words[k], st.words[k] - printed, st.probability[k]})
				if norm == s.Profile.Norms[0] {
					d := math.Abs(st.words[k] - printed)
					worst, sum, cells = max(worst, d), sum+d, cells+1
				}
			}
			few, printedFew = few+oneIf(st.words[2] > 0.9), printedFew+oneIf(column.printed[2] > 0.9)
			if norm == s.Profile.Norms[0] {
				panels = append(panels, varianceChart(st, column.printed[:]))
				labels = append(labels, m.condition.String())
			}
		}
		c.Tables = append(c.Tables, table)
		c.Notes = append(c.Notes, fmt.Sprintf("Normalisation %s: mean difference by cell %.3f; the first three components explain more than 90 %% in %d of %d columns, in the printed table in %d.",
			norm, all, few, len(table1), printedFew))
	}
	mean := sum / float64(cells)
	c.Setting = s.Profile.Setting
	c.Obtained = fmt.Sprintf("difference by cell: mean %.3f, largest %.3f", mean, worst)
	switch {
	case worst <= 0.05:
		c.Verdict = Holds
	case mean <= 0.2:
		c.Verdict = Differs
	default:
		c.Verdict = Fails
	}
	c.Notes = append(c.Notes,
		"The paper does not say how words are weighted; ours takes all 3^10 sequences at all positions alike. The data file has the probability-weighted figures, too.",
		"These numbers depend on what training leaves besides the geometry (positions, above all): the printed ones are one model each, without error bars.")
	err := s.addFigure(c, "variance", "Share of the variance that the first components explain: ours, weighted by sequences and by probability, beside the printed one.",
		&figure.Figure{
			Title:  "Cumulative explained variance",
			Desc:   "Eight charts, four conditions after attention and after the MLP: cumulative explained variance by number of components, ours and the printed one.",
			Panels: [][]figure.Panel{panels[:4], panels[4:]}, Rows: []string{"after attention", "after the MLP"}, Cols: labels[:4],
		})
	if err != nil {
		return err
	}
	return s.addCSV(c, "variance", []string{"final", "ln", "x", "alpha", "component", "printed", "ours", "difference", "ours_by_probability"}, rows)
}

// besidePrinted is a cell of the table: ours, the printed one and the difference.
func besidePrinted(ours, printed float64) string {
	return strings.ReplaceAll(fmt.Sprintf("%.4f (%.4f; %+.4f)", ours, printed, ours-printed), "-", "−")
}

func oneIf(b bool) int { return int(boolean(b)) }

func varianceChart(st *stage, printed []float64) figure.Panel {
	var x []float64
	for k := range printed {
		x = append(x, float64(k+1))
	}
	return figure.Chart{
		X: figure.Axis{Label: "components"}, Y: figure.Axis{Label: "explained", Include: []float64{0.25, 1}},
		Series: []figure.Series{
			{Name: "ours, all sequences alike", X: x, Y: st.words[:len(printed)]},
			{Name: "ours, by probability", X: x, Y: st.probability[:len(printed)]},
			{Name: "printed (Table 1)", X: x, Y: printed, Open: true},
		},
	}
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
