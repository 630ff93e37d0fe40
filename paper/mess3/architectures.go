package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/text"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
)

// gridMissed is the threshold of a further question about M11, the laboratory's own: one
// layer with two heads may miss at most this share of the information in the sequences.
// It was chosen from KL alone, with other seeds.
const gridMissed = 0.1

// architectures is M11: Piotrowski et al. 2025, Fig. A7.
func (l *lab) architectures() claim.Row {
	settings := l.small
	if !l.whole {
		settings = l.boundSettings(sources[0])
	}
	return texts.Fill(claim.Row{
		ID: "M11", Kind: claim.Picture, Setting: l.describe(settings),
		Trainings: trained.Trainings(l.gridModels()), RuleCommit: "5516692", ChangedAfterResult: true,
		First: claim.FirstBy("a2b91ce", grid.first),
		Test: claim.Steps[grid]{
			Measure: l.measureGrid, Judge: grid.judge, Tabulate: grid.tabulate, Draw: grid.draw,
		}.Test,
	}, nil)
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

// gridShapes returns the architectures for a process. Below the full profile there are
// only the architectures of M15 with one and two heads, for x = 0.5, α = 0.6, where
// the number of heads matters.
func (p profile) gridShapes(on trained.Source) []trained.Shape {
	switch {
	case !p.whole && on != trained.Mess3(0.5, 0.6):
		return nil
	case !p.whole:
		return []trained.Shape{{Layers: 1, Heads: 1}, {Layers: 1, Heads: 2}}
	case on.Weak():
		return p.shapesWeak
	}
	return p.shapes
}

// gridCell returns the models of an architecture on a process.
func (p profile) gridCell(on trained.Source, shape trained.Shape) []trained.Condition {
	if !p.whole {
		return p.boundCell(on, shape.Heads)
	}
	return p.smallModels(on, shape)
}

// grid is the measurement of M11: every architecture on every process.
type grid struct {
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
	claim.BySeed[gridModel]
}

// gridModel is the measurement on one model.
type gridModel struct{ kl, missed float64 }

func (m gridModel) divergence() float64 { return m.kl }
func (m gridModel) share() float64      { return m.missed }

func (l *lab) measureGrid(ctx context.Context, s *claim.Study) (grid, error) {
	var found grid
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
				cell.Models = append(cell.Models, claim.Seeded[gridModel]{
					Seed: int(m.Seed), Unconverged: m.convergence.Reason, Found: gridModel{m.kl, m.missed()},
				})
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

// againstBest returns one number for each converged model with one layer and two heads:
// the logarithm of its KL relative to the lowest mean KL of the other architectures.
func (p gridProcess) againstBest() (logarithms []float64) {
	best, lowest := p.twoHeads(), math.Inf(1)
	for _, cell := range p.cells {
		if cell.Shape != best.Shape {
			lowest = min(lowest, seeds.Mean(cell.All(gridModel.divergence)))
		}
	}
	for _, kl := range best.Values(gridModel.divergence) {
		logarithms = append(logarithms, math.Log(kl/lowest))
	}
	return logarithms
}

// than compares the KL of one layer with two heads to the KL of another architecture,
// over the seeds for which two heads have converged. By the interval of the difference,
// it returns 1 if the KL of two heads is higher, −1 if it is lower, and 0 if the interval
// contains 0.
func (p gridProcess) than(cell gridCell) int {
	differences := p.twoHeads().BySeed
	differences.Models = slices.Clone(differences.Models)
	for i := range differences.Models {
		differences.Models[i].Found.kl -= cell.Models[i].Found.kl
	}
	return sign(differences.Values(gridModel.divergence), 0)
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
	two.Name = p.String()
	two.Fewest = fewestConverged
	return two.Judge(func([]claim.Seeded[gridModel]) claim.Condition { return p.judged(two) })
}

// judged judges the models with two heads that have converged.
func (p gridProcess) judged(two gridCell) claim.Condition {
	lower, oneHead := p.others(1), p.of(1, 1)
	c := claim.Condition{
		Verdict: claim.Holds,
		Obtained: fmt.Sprintf("two heads miss %.1f %% of the information in the sequences; one head has %.1f times "+
			"their KL; architectures (layers × heads) with a lower KL: %s; with an undecided difference: %s",
			100*seeds.Mean(two.Values(gridModel.share)),
			seeds.Mean(oneHead.All(gridModel.divergence))/seeds.Mean(two.Values(gridModel.divergence)),
			listOr(lower, "none"), listOr(p.others(0), "none")),
		Effect: two.Counted(
			factor("KL of one layer with two heads, relative to the lowest of the others", p.againstBest())),
	}
	switch {
	case p.Zeta() < 0 && p.than(oneHead) > 0:
		c.Verdict = claim.Fails
	case len(lower) > 0:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	case p.Zeta() < 0 && p.than(oneHead) == 0:
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c
}

func (m grid) judge() claim.Finding {
	found := claim.NewFinding(append(claim.ConditionsOf(m.processes, gridProcess.condition), notTrained(m.open)...))
	found.Asked = []claim.Question{m.missesLittle()}
	return found
}

// missesLittle asks the laboratory's own question: whether one layer with two heads
// misses at most gridMissed.
func (m grid) missesLittle() claim.Question {
	worst := 0.0
	for _, p := range m.processes {
		worst = max(worst, seeds.Mean(p.twoHeads().All(gridModel.share)))
	}
	return claim.Question{
		Question: fmt.Sprintf("Does one layer with two heads miss at most %s of the information in the sequences "+
			"in every trained condition? The threshold is the laboratory's own, chosen from KL alone with other "+
			"seeds.", percent(gridMissed)),
		Answer: claim.AnswerIf(worst <= gridMissed), Obtained: fmt.Sprintf("at most %.1f %%", 100*worst),
	}
}

func (m grid) tabulate(c *claim.Claim) { c.Tables = append(c.Tables, m.cells().Table()) }

// cells returns a frame with a row for each architecture on each process.
func (m grid) cells() document.Frame {
	kl := document.Column{Name: "kl", Heading: "KL to the optimum (nats)", Format: "%.2e", Deviation: "%.0e"}
	missed := document.Column{
		Name: "missed", Heading: "share of the sequences' information that is missed", Format: "%.1f %%",
	}
	f := document.Frame{
		Title: fmt.Sprintf("mean ± standard deviation over %d seeds", len(m.processes[0].cells[0].Models)),
		Columns: slices.Concat(document.Named("x", "alpha"), document.Headed("", "process"),
			document.Named("layers", "heads"),
			document.Headed("", "architecture"), []document.Column{kl, {Name: "kl_sd"}, missed, {Name: "missed_sd"}}),
	}
	for _, p := range m.processes {
		for _, cell := range p.cells {
			layers, heads := text.Count(cell.Layers, "layer"), text.Count(cell.Heads, "head")
			kl, missed := seeds.Spread(cell.All(gridModel.divergence)), seeds.Spread(cell.All(gridModel.share))
			f.Row(p.X, p.A, p.String(), cell.Layers, cell.Heads, layers+", "+heads,
				kl, ofSeeds(kl), missed, ofSeeds(missed))
		}
	}
	return f
}

// ofSeeds returns the deviation as a number of a data file: 0 for one seed, which has
// no deviation.
func ofSeeds(s document.Spread) float64 {
	if math.IsNaN(s.Deviation) {
		return 0
	}
	return s.Deviation
}

// shapeName returns an architecture as layers × heads.
func shapeName(shape trained.Shape) string { return fmt.Sprintf("%d × %d", shape.Layers, shape.Heads) }

func (m grid) draw(out *claim.Output) {
	var panels []figure.Panel
	for _, p := range m.processes {
		panels = append(panels, p.dots())
	}
	out.Figure("grid", figure.Grid(2, "Divergence from the optimal predictor by architecture",
		"Panels of dots, one for each process: KL on a logarithmic scale for each number of layers and "+
			"heads, with the range over seeds.", panels...))
	out.CSV("grid", m.cells())
}

// dots draws the KL of each architecture, with a line for a model that ignores its
// context.
func (p gridProcess) dots() figure.Panel {
	dots := figure.Dots{Title: p.String(), X: figure.Axis{Label: "KL (nats)", Log: true}, Label: "layers × heads"}
	series := figure.DotSeries{}
	for _, cell := range p.cells {
		dots.Groups = append(dots.Groups, shapeName(cell.Shape))
		series = seeds.Dot(series, cell.All(gridModel.divergence))
	}
	dots.Series = []figure.DotSeries{series}
	first := p.cells[0].Models[0].Found
	dots.Refs = []figure.Ref{{Label: "no context", Value: first.kl / first.missed, Vertical: true}}
	return dots
}
