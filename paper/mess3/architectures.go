package mess3

import (
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/plural"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
)

// gridMissed is the threshold of a further question about M11, the laboratory's own: one
// layer with two heads may miss at most this share of the information in the sequences.
// It was chosen from KL alone, with other seeds.
const gridMissed = 0.1

// architectures is M11: Piotrowski et al. 2025, Fig. A7.
func (l *lab) architectures() claim.Row {
	return claim.Row{
		ID: "M11", Source: cite + "Fig. A7", Kind: claim.Picture,
		Quote: "“The model achieves good performance with minimal architecture: a single layer with two attention " +
			"heads is sufficient across parameter settings” (Fig. A7; no error bars, number of models not stated)",
		Statement: "One layer with two heads is sufficient for a low KL divergence across (x, α).",
		Expected: "in each of the four conditions, one layer with two heads is compared with each other trained " +
			"architecture, over the seeds for which two heads have converged (“low KL” is taken to mean converged). " +
			"By the 95 % interval of the difference, no other architecture has a lower KL, and for x = 0.5 one layer " +
			"with one head has a higher KL. It differs in size if another architecture has a lower KL. For x = 0.5, " +
			"it fails if one head has a lower KL, and is open if the interval of that difference contains 0",
		Trainings: trained.Trainings(l.gridModels()), RuleCommit: "5516692", ChangedAfterResult: true,
		Test: claim.Steps[grid]{
			Measure: l.measureGrid, Judge: grid.judge, Tabulate: grid.tabulate, Draw: grid.draw,
		}.Test,
	}
}

// gridModels returns the models of Fig. A7: every architecture for each (x, α), with
// every seed.
func (p profile) gridModels() []trained.Condition {
	var list []trained.Condition
	for _, on := range sources {
		for _, shape := range p.gridShapes(on) {
			list = append(list, p.gridCell(on, shape)...)
		}
	}
	return list
}

// gridShapes returns the architectures for a process. Profiles other than the full one
// have only the architectures of M15 with one and two heads, for x = 0.5, α = 0.6, where
// the number of heads matters.
func (p profile) gridShapes(on trained.Source) []trained.Shape {
	switch {
	case p.name != claim.Full && on != trained.Mess3(0.5, 0.6):
		return nil
	case p.name != claim.Full:
		return []trained.Shape{{Layers: 1, Heads: 1}, {Layers: 1, Heads: 2}}
	case on.Weak():
		return p.shapesWeak
	}
	return p.shapes
}

// gridCell returns the models of an architecture on a process.
func (p profile) gridCell(on trained.Source, shape trained.Shape) []trained.Condition {
	if p.name != claim.Full {
		return p.boundCell(on, shape.Heads)
	}
	return p.smallModels(on, shape)
}

// grid is the measurement of M11: every architecture on every process.
type grid struct {
	setting   string
	processes []gridProcess
	open      []trained.Source // processes for which the profile trains no models
}

// gridProcess holds the models of every architecture on one process.
type gridProcess struct {
	trained.Source
	cells []gridCell
}

// gridCell is one architecture on one process, with its models.
type gridCell struct {
	trained.Shape
	kl, missed  []float64 // by seed
	unconverged []string  // by seed: why the model has not converged; empty if it has
}

func (l *lab) measureGrid(ctx context.Context, s *claim.Study) (grid, error) {
	found := grid{setting: l.describe(l.small)}
	if l.name != claim.Full {
		found.setting = l.describe(l.boundSettings(sources[0]))
	}
	for _, on := range sources {
		process := gridProcess{Source: on}
		if len(l.gridShapes(on)) == 0 {
			found.open = append(found.open, on)
			continue
		}
		for _, shape := range l.gridShapes(on) {
			subjects, err := l.of(ctx, s, l.gridCell(on, shape))
			if err != nil {
				return found, err
			}
			cell := gridCell{Shape: shape}
			for _, m := range subjects {
				cell.kl = append(cell.kl, m.kl)
				cell.missed = append(cell.missed, m.missed())
				cell.unconverged = append(cell.unconverged, m.convergence.Reason)
			}
			process.cells = append(process.cells, cell)
		}
		found.processes = append(found.processes, process)
	}
	return found, nil
}

// of returns the models of an architecture. It panics if the process has no such models.
func (p gridProcess) of(layers, heads int) gridCell {
	for _, cell := range p.cells {
		if cell.Shape == (trained.Shape{Layers: layers, Heads: heads}) {
			return cell
		}
	}
	panic(fmt.Sprintf("mess3: no models of %d × %d for %s", layers, heads, p.Source))
}

// twoHeads returns the architecture that the claim is about: one layer with two heads.
func (p gridProcess) twoHeads() gridCell { return p.of(1, 2) }

// converged returns the indices of the models that have converged.
func (c gridCell) converged() (list []int) {
	for i, why := range c.unconverged {
		if why == "" {
			list = append(list, i)
		}
	}
	return list
}

// of takes one number for each model and returns those for the models that have
// converged.
func (c gridCell) of(numbers []float64) (list []float64) {
	for _, i := range c.converged() {
		list = append(list, numbers[i])
	}
	return list
}

// againstBest returns one number for each converged model with one layer and two heads:
// the logarithm of its KL relative to the lowest mean KL of the other architectures.
func (p gridProcess) againstBest() (logarithms []float64) {
	best, lowest := p.twoHeads(), math.Inf(1)
	for _, cell := range p.cells {
		if cell.Shape != best.Shape && seeds.Mean(cell.kl) < lowest {
			lowest = seeds.Mean(cell.kl)
		}
	}
	for _, kl := range best.of(best.kl) {
		logarithms = append(logarithms, math.Log(kl/lowest))
	}
	return logarithms
}

// than compares the KL of one layer with two heads to the KL of another architecture,
// over the seeds for which two heads have converged. By the interval of the difference,
// it returns 1 if the KL of two heads is higher, −1 if it is lower, and 0 if the interval
// contains 0.
func (p gridProcess) than(cell gridCell) int {
	two := p.twoHeads()
	var differences []float64
	for _, i := range two.converged() {
		differences = append(differences, two.kl[i]-cell.kl[i])
	}
	return sign(differences, 0)
}

// others lists the architectures, other than one layer with two heads, for which
// [gridProcess.than] returns the given sign.
func (p gridProcess) others(than int) (list []string) {
	for _, cell := range p.cells {
		if cell.Shape != p.twoHeads().Shape && p.than(cell) == than {
			list = append(list, shapeName(cell.Shape))
		}
	}
	return list
}

// condition returns the verdict on a process.
func (p gridProcess) condition() claim.Condition {
	two := p.twoHeads()
	if n := len(two.converged()); n < min(fewestConverged, len(two.kl)) {
		return claim.Condition{
			Name: p.String(), Obtained: fmt.Sprintf("%d of %d models with two heads have converged", n, len(two.kl)),
		}.Judged(firstReason(two.unconverged))
	}
	oneHead := seeds.Mean(p.of(1, 1).kl) / seeds.Mean(two.of(two.kl))
	lower, reached := p.others(1), claim.NewShare(len(two.converged()), len(two.kl))
	c := claim.Condition{
		Name: p.String(), Verdict: claim.Holds,
		Obtained: fmt.Sprintf("two heads miss %.1f %% of the information in the sequences; one head has %.1f times "+
			"their KL; architectures (layers × heads) with a lower KL: %s; with an undecided difference: %s",
			100*seeds.Mean(two.of(two.missed)), oneHead, listOr(lower, "none"), listOr(p.others(0), "none")),
		Effect: factor("KL of one layer with two heads, relative to the lowest of the others", p.againstBest()),
	}
	c.Effect.Reached = &reached
	switch {
	case p.Zeta() < 0 && p.than(p.of(1, 1)) > 0:
		c.Verdict = claim.Fails
	case len(lower) > 0:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	case p.Zeta() < 0 && p.than(p.of(1, 1)) == 0:
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c.Judged("")
}

func (m grid) judge() claim.Finding {
	var conditions []claim.Condition
	for _, p := range m.processes {
		conditions = append(conditions, p.condition())
	}
	found := claim.NewFinding(append(conditions, notTrained(m.open)...))
	found.Asked = []claim.Question{m.missesLittle()}
	return found
}

// missesLittle asks the laboratory's own question: whether one layer with two heads
// misses at most gridMissed.
func (m grid) missesLittle() claim.Question {
	worst := 0.0
	for _, p := range m.processes {
		worst = max(worst, seeds.Mean(p.twoHeads().missed))
	}
	return claim.Question{
		Question: fmt.Sprintf("Does one layer with two heads miss at most %s of the information in the sequences "+
			"in every trained condition? The threshold is the laboratory's own, chosen from KL alone with other "+
			"seeds.", percent(gridMissed)),
		Answer: claim.AnswerIf(worst <= gridMissed), Obtained: fmt.Sprintf("at most %.1f %%", 100*worst),
	}
}

func (m grid) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: fmt.Sprintf("mean ± standard deviation over %d seeds", len(m.processes[0].cells[0].kl)),
		Columns: []string{
			"process", "architecture", "KL to the optimum (nats)", "share of the sequences' information that is missed",
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
		"“Missed” is the KL divergence divided by the mutual information between a sequence and its next token, "+
			"both averaged over positions: 1 for a model that ignores its context, 0 for the optimum. KL alone is "+
			"small for α = 0.2 whatever a model does, because there is little to know.",
		"The models of this row are narrower than the paper's and see shorter sequences, so that dozens can be "+
			"trained; each number is exact over all sequences, without sampling.",
		"Architectures are layers × heads. The paper gives no number for “sufficient”, and its text does not list "+
			"the architectures in the figure.")
}

// shapeName returns an architecture as layers × heads.
func shapeName(shape trained.Shape) string { return fmt.Sprintf("%d × %d", shape.Layers, shape.Heads) }

func (m grid) draw(out *claim.Output) {
	var panels []figure.Panel
	var rows [][]float64
	for _, p := range m.processes {
		panels = append(panels, p.dots())
		for _, cell := range p.cells {
			rows = append(rows, []float64{
				p.X, p.A, float64(cell.Layers), float64(cell.Heads),
				seeds.Mean(cell.kl), seeds.StdDev(cell.kl), seeds.Mean(cell.missed), seeds.StdDev(cell.missed),
			})
		}
	}
	out.Captioned("grid", "Exact KL from the optimal to the model's next-token distribution, mean over seeds and "+
		"positions; lines: the range over seeds. The dashed line is the KL of a model that ignores its context.",
		&figure.Figure{
			Title: "Divergence from the optimal predictor by architecture",
			Desc: "Panels of dots, one for each process: KL on a logarithmic scale for each number of layers and " +
				"heads, with the range over seeds.",
			Panels: inPairs(panels),
		})
	out.CSV("grid", document.Numbers([]string{"x", "alpha", "layers", "heads", "kl", "kl_sd", "missed", "missed_sd"}, rows))
}

// dots draws the KL of each architecture, with a line for a model that ignores its
// context.
func (p gridProcess) dots() figure.Panel {
	dots := figure.Dots{Title: p.String(), X: figure.Axis{Label: "KL (nats)", Log: true}, Label: "layers × heads"}
	series := figure.DotSeries{}
	for _, cell := range p.cells {
		dots.Groups = append(dots.Groups, shapeName(cell.Shape))
		series = seeds.Dot(series, cell.kl)
	}
	dots.Series = []figure.DotSeries{series}
	first := p.cells[0]
	dots.Refs = []figure.Ref{{Label: "no context", Value: first.kl[0] / first.missed[0], Vertical: true}}
	return dots
}
