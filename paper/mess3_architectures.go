package paper

import (
	"fmt"
	"math"
	"strings"

	"foretell/figure"
)

// gridConditions are the models of Fig. A7: architectures by (x, α), each with
// every seed.
func gridConditions(p Profile) []condition {
	var list []condition
	for _, c := range trainingConditions(p) {
		for _, shape := range gridShapes(p, c.source) {
			for _, seed := range p.Seeds {
				list = append(list, smallCondition(p, c.source, shape, seed))
			}
		}
	}
	return list
}

func gridShapes(p Profile, s source) []Shape {
	if s.weak() {
		return p.ShapesWeak
	}
	return p.Shapes
}

// gridCell is an architecture on a process: its models.
type gridCell struct {
	Shape
	kl, missed []float64 // by seed
}

// testArchitectures is M11: Fig. A7.
func testArchitectures(s *Study, c *Claim) error {
	table := Table{
		Title:   fmt.Sprintf("mean ± standard deviation over %d seeds", len(s.Profile.Seeds)),
		Columns: []string{"process", "architecture", "KL to the optimum (nats)", "share of the words' information that is missed"},
	}
	f := &figure.Figure{
		Title: "Divergence from the optimal predictor by architecture",
		Desc:  "Four panels of bars, one a process: KL on a logarithmic scale for each number of layers and heads, with error bars over seeds.",
	}
	var panels []figure.Panel
	var rows [][]float64
	low := map[bool]bool{false: true, true: true} // one layer with two heads, by whether the process is weak
	worstTwo, worstAgainstBest, leastOneHead := 0.0, 0.0, math.Inf(1)
	for _, t := range trainingConditions(s.Profile) {
		cells := s.gridCells(t.source)
		byShape, best := map[Shape]gridCell{}, math.Inf(1)
		for _, cell := range cells {
			byShape[cell.Shape], best = cell, min(best, mean(cell.kl))
			table.Rows = append(table.Rows, []string{
				t.String(), cell.String(), fmt.Sprintf("%.2e ± %.0e", mean(cell.kl), standardDeviation(cell.kl)), fmt.Sprintf("%.1f %% ± %.1f %%", 100*mean(cell.missed), 100*standardDeviation(cell.missed)),
			})
			rows = append(rows, []float64{t.x, t.a, float64(cell.Layers), float64(cell.Heads), mean(cell.kl), standardDeviation(cell.kl), mean(cell.missed), standardDeviation(cell.missed)})
		}
		one, two, missed := mean(byShape[Shape{1, 1}].kl), mean(byShape[Shape{1, 2}].kl), mean(byShape[Shape{1, 2}].missed)
		enough := missed <= 0.1 && two <= 2*best
		if t.zeta() < 0 {
			enough = enough && one > two
			if !t.weak() {
				leastOneHead = min(leastOneHead, one/two)
			}
		}
		low[t.weak()] = low[t.weak()] && enough
		worstTwo, worstAgainstBest = max(worstTwo, missed), max(worstAgainstBest, two/best)
		panels = append(panels, gridBars(t.String(), cells))
	}
	c.Tables, c.Setting = append(c.Tables, table), s.Profile.describe(s.Profile.Small)
	c.Obtained = fmt.Sprintf("one layer with two heads misses at most %.1f %% of what words tell, its KL is at most %.1f times the lowest; for x = 0.5, α = 0.6 one head has %.1f times the KL of two",
		100*worstTwo, worstAgainstBest, leastOneHead)
	switch {
	case low[false] && low[true]:
		c.Verdict = Holds
	case low[false]:
		c.Verdict = Differs
	default:
		c.Verdict = Fails
	}
	c.Notes = append(c.Notes,
		"“Missed” is KL over the mutual information of a word and its next token, both in the mean over positions: 1 for a model that ignores its context, 0 for the optimum. KL alone is small for α = 0.2 whatever a model does, because there is little to know.",
		"The models of this row are narrower than the paper's and see shorter words, so that dozens can be trained; each number is exact over all words, without sampling.")
	c.Notes = append(c.Notes, fmt.Sprintf("“The best architecture” is of those trained, layers × heads: %s for α = 0.2, %s for α = 0.6.", shapeList(s.Profile.ShapesWeak), shapeList(s.Profile.Shapes)))
	f.Panels = [][]figure.Panel{panels[:2], panels[2:]}
	err := s.addFigure(c, "grid", "Exact KL from the optimal to the model's next-token distribution, mean over seeds and positions; error bars: the range over seeds. "+
		"The line is the KL of a model that ignores its context.", f)
	if err != nil {
		return err
	}
	return s.addCSV(c, "grid", []string{"x", "alpha", "layers", "heads", "kl", "kl_sd", "missed", "missed_sd"}, rows)
}

// shapeList writes architectures as layers × heads.
func shapeList(shapes []Shape) string {
	var list []string
	for _, shape := range shapes {
		list = append(list, fmt.Sprintf("%d × %d", shape.Layers, shape.Heads))
	}
	return strings.Join(list, ", ")
}

func (s *Study) gridCells(on source) []gridCell {
	var cells []gridCell
	for _, shape := range gridShapes(s.Profile, on) {
		cell := gridCell{Shape: shape}
		for _, seed := range s.Profile.Seeds {
			m := s.subjects[smallCondition(s.Profile, on, shape, seed)]
			cell.kl, cell.missed = append(cell.kl, m.kl), append(cell.missed, m.missed())
		}
		cells = append(cells, cell)
	}
	return cells
}

func gridBars(title string, cells []gridCell) figure.Panel {
	bars := figure.Bars{Title: title, Y: figure.Axis{Label: "KL (nats)", Log: true}, Label: "layers × heads"}
	series := figure.BarSeries{}
	for _, cell := range cells {
		bars.Groups = append(bars.Groups, fmt.Sprintf("%d × %d", cell.Layers, cell.Heads))
		series = withBar(series, cell.kl)
	}
	bars.Series = []figure.BarSeries{series}
	bars.Refs = []figure.Ref{{Label: "no context", Value: cells[0].kl[0] / cells[0].missed[0]}}
	return bars
}

// standardDeviation of a sample, 0 for a sample of one.
func standardDeviation(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}
