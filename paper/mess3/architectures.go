package mess3

import (
	"context"
	"fmt"
	"math"
	"strings"

	"foretell/claim"
	"foretell/figure"
	"foretell/internal/plural"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
)

// The rule of M11 about one layer with two heads.
const (
	gridMissed = 0.1 // share of what words tell
	gridTimes  = 2   // its KL relative to that of the best architecture
)

// architectures is M11: Piotrowski et al. 2025, Fig. A7.
func (l *lab) architectures() claim.Row {
	return claim.Row{
		ID: "M11", Source: cite + "Fig. A7",
		Statement: "One layer with two heads is enough for a low KL divergence across (x, α).",
		Expected: fmt.Sprintf("in all four conditions, in the mean over %s seeds, one layer with two heads misses at "+
			"most %s of what words tell of the next token, has at most %s the KL of the best architecture, and for x "+
			"= 0.5 less than one head; differs if this is so for α = 0.6 alone",
			numerals.Cardinal(len(l.seeds)), percent(gridMissed), times(gridTimes)),
		Trainings: trained.Trainings(l.gridModels()),
		Test: claim.Steps[grid]{
			Measure: l.measureGrid, Judge: grid.judge, Tabulate: grid.tabulate, Draw: grid.draw,
		}.Test,
	}
}

// gridModels are the models of Fig. A7: architectures by (x, α), each with
// every seed.
func (p profile) gridModels() []trained.Condition {
	var list []trained.Condition
	for _, on := range sources {
		for _, shape := range p.gridShapes(on) {
			list = append(list, p.smallModels(on, shape)...)
		}
	}
	return list
}

// gridShapes are the architectures for a process.
func (p profile) gridShapes(on trained.Source) []trained.Shape {
	if on.Weak() {
		return p.shapesWeak
	}
	return p.shapes
}

// grid is every architecture on every process.
type grid struct {
	setting            string
	shapes, shapesWeak []trained.Shape
	processes          []gridProcess
}

// gridProcess is every architecture on one process.
type gridProcess struct {
	trained.Source
	cells []gridCell
}

// gridCell is an architecture on a process: its models.
type gridCell struct {
	trained.Shape
	kl, missed []float64 // by seed
}

func (l *lab) measureGrid(ctx context.Context, s *claim.Study) (grid, error) {
	found := grid{setting: l.describe(l.small), shapes: l.shapes, shapesWeak: l.shapesWeak}
	for _, on := range sources {
		process := gridProcess{Source: on}
		for _, shape := range l.gridShapes(on) {
			subjects, err := l.of(ctx, s, l.smallModels(on, shape))
			if err != nil {
				return found, err
			}
			cell := gridCell{Shape: shape}
			for _, m := range subjects {
				cell.kl, cell.missed = append(cell.kl, m.kl), append(cell.missed, m.missed())
			}
			process.cells = append(process.cells, cell)
		}
		found.processes = append(found.processes, process)
	}
	return found, nil
}

// of returns the models of an architecture.
func (p gridProcess) of(layers, heads int) gridCell {
	for _, cell := range p.cells {
		if cell.Shape == (trained.Shape{Layers: layers, Heads: heads}) {
			return cell
		}
	}
	panic(fmt.Sprintf("mess3: no models of %d × %d for %s", layers, heads, p.Source))
}

// missed is the share that one layer with two heads misses.
func (p gridProcess) missed() float64 { return seeds.Mean(p.of(1, 2).missed) }

// againstBest is its KL relative to the lowest.
func (p gridProcess) againstBest() float64 {
	best := math.Inf(1)
	for _, cell := range p.cells {
		best = min(best, seeds.Mean(cell.kl))
	}
	return seeds.Mean(p.of(1, 2).kl) / best
}

// oneHead is the KL of one layer with one head relative to that with two.
func (p gridProcess) oneHead() float64 { return seeds.Mean(p.of(1, 1).kl) / seeds.Mean(p.of(1, 2).kl) }

// enough says whether one layer with two heads is.
func (p gridProcess) enough() bool {
	return p.missed() <= gridMissed && p.againstBest() <= gridTimes && (p.Zeta() >= 0 || p.oneHead() > 1)
}

func (m grid) judge() claim.Finding {
	enough := map[bool]bool{false: true, true: true} // by whether the process is weak
	worst, againstBest, leastOneHead := 0.0, 0.0, math.Inf(1)
	for _, p := range m.processes {
		enough[p.Weak()] = enough[p.Weak()] && p.enough()
		worst, againstBest = max(worst, p.missed()), max(againstBest, p.againstBest())
		if p.Zeta() < 0 && !p.Weak() {
			leastOneHead = min(leastOneHead, p.oneHead())
		}
	}
	found := claim.Finding{
		Verdict: claim.Fails,
		Obtained: fmt.Sprintf("one layer with two heads misses at most %.1f %% of what words tell, its KL is at most "+
			"%.1f times the lowest; for x = 0.5, α = 0.6 one head has %.1f times the KL of two",
			100*worst, againstBest, leastOneHead),
	}
	switch {
	case enough[false] && enough[true]:
		found.Verdict = claim.Holds
	case enough[false]:
		found.Verdict = claim.Differs
	}
	return found
}

func (m grid) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title: fmt.Sprintf("mean ± standard deviation over %d seeds", len(m.processes[0].cells[0].kl)),
		Columns: []string{
			"process", "architecture", "KL to the optimum (nats)", "share of the words' information that is missed",
		},
	}
	for _, p := range m.processes {
		for _, cell := range p.cells {
			table.Rows = append(table.Rows, []string{
				p.String(), fmt.Sprintf("%s, %s", plural.Count(cell.Layers, "layer"), plural.Count(cell.Heads, "head")),
				fmt.Sprintf("%.2e ± %.0e", seeds.Mean(cell.kl), seeds.StdDev(cell.kl)),
				fmt.Sprintf("%.1f %% ± %.1f %%", 100*seeds.Mean(cell.missed), 100*seeds.StdDev(cell.missed)),
			})
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes,
		"“Missed” is KL over the mutual information of a word and its next token, both in the mean over positions: 1 "+
			"for a model that ignores its context, 0 for the optimum. KL alone is small for α = 0.2 whatever a model "+
			"does, because there is little to know.",
		"The models of this row are narrower than the paper's and see shorter words, so that dozens can be trained; "+
			"each number is exact over all words, without sampling.",
		fmt.Sprintf("“The best architecture” is of those trained, layers × heads: %s for α = 0.2, %s for α = "+
			"0.6.", shapeList(m.shapesWeak), shapeList(m.shapes)))
}

// shapeName writes an architecture as layers × heads.
func shapeName(shape trained.Shape) string { return fmt.Sprintf("%d × %d", shape.Layers, shape.Heads) }

// shapeList lists architectures.
func shapeList(shapes []trained.Shape) string {
	list := make([]string, len(shapes))
	for i, shape := range shapes {
		list[i] = shapeName(shape)
	}
	return strings.Join(list, ", ")
}

func (m grid) draw(out *claim.Output) {
	var panels []figure.Panel
	var rows [][]float64
	for _, p := range m.processes {
		panels = append(panels, p.bars())
		for _, cell := range p.cells {
			rows = append(rows, []float64{
				p.X, p.A, float64(cell.Layers), float64(cell.Heads),
				seeds.Mean(cell.kl), seeds.StdDev(cell.kl), seeds.Mean(cell.missed), seeds.StdDev(cell.missed),
			})
		}
	}
	out.Figure("grid", "Exact KL from the optimal to the model's next-token distribution, mean over seeds and "+
		"positions; error bars: the range over seeds. The line is the KL of a model that ignores its context.",
		&figure.Figure{
			Title: "Divergence from the optimal predictor by architecture",
			Desc: "Four panels of bars, one a process: KL on a logarithmic scale for each number of layers and " +
				"heads, with error bars over seeds.",
			Panels: [][]figure.Panel{panels[:2], panels[2:]},
		})
	out.CSV("grid", []string{"x", "alpha", "layers", "heads", "kl", "kl_sd", "missed", "missed_sd"}, rows)
}

// bars shows the KL of each architecture, beside that of a model which ignores its
// context.
func (p gridProcess) bars() figure.Panel {
	bars := figure.Bars{Title: p.String(), Y: figure.Axis{Label: "KL (nats)", Log: true}, Label: "layers × heads"}
	series := figure.BarSeries{}
	for _, cell := range p.cells {
		bars.Groups = append(bars.Groups, shapeName(cell.Shape))
		series = seeds.Bar(series, cell.kl)
	}
	bars.Series = []figure.BarSeries{series}
	first := p.cells[0]
	bars.Refs = []figure.Ref{{Label: "no context", Value: first.kl[0] / first.missed[0]}}
	return bars
}
