package beliefs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// The rule of B2: the divergence after the change is at most one part in these of that
// without it, and of that after as long a change in a random direction.
const (
	partOfUnchanged = 4
	partOfRandom    = 2
)

// steering is B2.
func (p profile) steering() claim.Row {
	return claim.Row{
		ID: "B2", Source: "beyond the documents: an intervention",
		Statement: "The model predicts from the belief that a regression reads: an activation moved until it reads " +
			"another belief makes the model predict as that belief does.",
		Expected: fmt.Sprintf("%s and %s, in the mean over %s seeds, the last stage moved the likeliest way: "+
			"divergence from the optimal prediction of the target belief at most %s of that without the change, and "+
			"at most %s of that after as long a change in a random direction; differs if it is below both",
			rrxor, withParameters(mess3), numerals.Cardinal(len(p.seeds)),
			numerals.OneIn(partOfUnchanged), numerals.OneIn(partOfRandom)),
		Trainings: trained.Trainings(slices.Concat(p.rrxorModels(), p.mess3Models())),
		Test: claim.Steps[interventions]{
			Measure: p.measureSteering, Judge: interventions.judge,
			Tabulate: interventions.tabulate, Draw: interventions.draw,
		}.Test,
	}
}

// withParameters names Mess3 with its parameters.
func withParameters(s trained.Source) string { return fmt.Sprintf("Mess3(%g, %g)", s.X, s.A) }

// interventions are those in the models of two processes.
type interventions struct {
	setting   string
	seeds     []uint64
	processes []steered
}

// steered is what moving activations does to the models of a process, stage by stage.
type steered struct {
	name   string
	stages []movedStage
}

// movedStage is what moving the activations of a stage does, by seed: the divergence, in
// nats, from the optimal prediction of the target belief.
type movedStage struct {
	name                string
	unchanged           []float64
	likeliest, shortest moved
}

// moved is what a change does along what is read, and as long a change in a random
// direction.
type moved struct {
	along, random []float64
	length        []float64 // of the change, as a share of the activations' spread
}

func (p profile) measureSteering(ctx context.Context, s *claim.Study) (interventions, error) {
	found := interventions{setting: p.rrxor.Describe(p.name) + "; Mess3: " + p.mess3Text, seeds: p.seeds}
	for _, of := range []struct {
		name   string
		models []trained.Condition
	}{{rrxor.String(), p.rrxorModels()}, {withParameters(mess3), p.mess3Models()}} {
		stages, err := steer(ctx, s, of.models)
		if err != nil {
			return found, err
		}
		found.processes = append(found.processes, steered{of.name, stages})
	}
	return found, nil
}

// steer intervenes at each stage of models of one process and one architecture.
func steer(ctx context.Context, s *claim.Study, list []trained.Condition) ([]movedStage, error) {
	models, err := subjects(s, list)
	if err != nil {
		return nil, err
	}
	var stages []movedStage
	for _, name := range stageNames(list[0]) {
		stages = append(stages, movedStage{name: name})
	}
	for _, m := range models {
		s.Tell("looking into " + m.Label())
		a, err := probe.Analyze(ctx, m.Model, m.Prefixes, probe.Plan{
			Features: probe.Stages(m.Stages()...), Targets: []probe.Target{probe.Beliefs}, Workers: s.Workers,
		})
		if err != nil {
			return nil, err
		}
		found, err := a.SteerEach(ctx, 0)
		if err != nil {
			return nil, err
		}
		for i, st := range found {
			stages[i].add(st)
		}
	}
	return stages, nil
}

// add enters what was found at another seed.
func (st *movedStage) add(s probe.SteeredStage) {
	st.unchanged = append(st.unchanged, s.Unchanged.Mean)
	st.likeliest.add(s.Likeliest, s.Spread)
	st.shortest.add(s.Shortest, s.Spread)
}

func (m *moved) add(of probe.Moved, spread float64) {
	m.along, m.random = append(m.along, of.Along.Mean), append(m.random, of.Random.Mean)
	m.length = append(m.length, of.Distance.Mean/spread)
}

// last is the last stage, which the rule is about.
func (p steered) last() movedStage { return p.stages[len(p.stages)-1] }

// verdict is that on one process.
func (p steered) verdict() claim.Verdict {
	last := p.last()
	along, random := seeds.Mean(last.likeliest.along), seeds.Mean(last.likeliest.random)
	unchanged := seeds.Mean(last.unchanged)
	switch {
	case along <= unchanged/partOfUnchanged && along <= random/partOfRandom:
		return claim.Holds
	case along < min(unchanged, random):
		return claim.Differs
	}
	return claim.Fails
}

func (m interventions) judge() claim.Finding {
	found := claim.Finding{Verdict: claim.Holds}
	var obtained []string
	for _, p := range m.processes {
		// The least welcome of all: Verdicts lists it last.
		if v := p.verdict(); slices.Index(claim.Verdicts, v) > slices.Index(claim.Verdicts, found.Verdict) {
			found.Verdict = v
		}
		obtained = append(obtained, p.obtained())
	}
	found.Obtained = strings.Join(obtained, "; ")
	return found
}

func (p steered) obtained() string {
	last := p.last()
	return fmt.Sprintf("%s, last stage: %s nats without a change, %s moved the likeliest way, %s moved as far at "+
		"random, %s moved the shortest way",
		p.name, nats(last.unchanged), nats(last.likeliest.along),
		nats(last.likeliest.random), nats(last.shortest.along))
}

// nats prints a divergence, mean over seeds.
func nats(bySeed []float64) string { return fmt.Sprintf("%.4f", seeds.Mean(bySeed)) }

func (m interventions) tabulate(c *claim.Claim) {
	for _, p := range m.processes {
		c.Tables = append(c.Tables, p.table(len(m.seeds)))
	}
	c.Setting, c.Notes = m.setting, append(c.Notes, steeringNotes...)
}

func (p steered) table(seedCount int) claim.Table {
	table := claim.Table{
		Title: fmt.Sprintf("%s: nats from the optimal prediction of the target belief, mean over %d seeds; in "+
			"brackets the length of the change as a share of the activations' spread", p.name, seedCount),
		Columns: []string{
			"stage moved", "no change", "likeliest change", "random direction, as long",
			"shortest change", "random direction, as long",
		},
	}
	for _, st := range p.stages {
		row := []string{st.name, nats(st.unchanged)}
		for _, m := range []moved{st.likeliest, st.shortest} {
			row = append(row, fmt.Sprintf("%s (%.2f)", nats(m.along), seeds.Mean(m.length)), nats(m.random))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

var steeringNotes = []string{
	"The rule was written after one model of RRXOR and one of Mess3 with other parameters had been seen " +
		"(docs/log.md, 2026-11-20).",
	"Many changes make the regression read the target belief. The shortest may lie where activations hardly vary and " +
		"the model does not look; the likeliest is the shortest in units of the activations' spread, direction by " +
		"direction.",
	"Where a stage tells next to nothing of some direction of the belief, as RRXOR's first attention does, the " +
		"change that moves the reading along it is far longer than activations are apart.",
	fmt.Sprintf("%d pairs of words of one length, each drawn by its probability; the activation of the last token is "+
		"moved, and the rest of the model runs on it.", probe.SteeredPairs),
}

func (m interventions) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Steering along a probed belief",
		Desc: "Two charts, one a process: divergence from the target's prediction by stage, without a change, moved " +
			"the likeliest way, as far at random, and the shortest way.",
	}
	var rows [][]float64
	for i, p := range m.processes {
		f.Panels = append(f.Panels, []figure.Panel{p.chart()})
		rows = append(rows, p.rows(i, m.seeds)...)
	}
	out.Figure("steering", "Each stage of the residual stream in turn is moved until the regression reads the belief "+
		"of another word: how far the model's prediction then is from the optimal one of that belief. Mean over "+
		"seeds, error bars: their range. Lower is better steered.", f)
	out.CSV("steering", []string{
		"mess3", "seed", "stage", "kl_unchanged", "kl_likeliest", "kl_likeliest_random", "likeliest_length",
		"kl_shortest", "kl_shortest_random", "shortest_length",
	}, rows)
}

// rows are what was found at each stage and seed of a process, by its number, for the
// file of data.
func (p steered) rows(process int, seedList []uint64) (rows [][]float64) {
	for i, st := range p.stages {
		for k, seed := range seedList {
			row := []float64{float64(process), float64(seed), float64(i), st.unchanged[k]}
			for _, m := range []moved{st.likeliest, st.shortest} {
				row = append(row, m.along[k], m.random[k], m.length[k])
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// chart draws the divergence by the stage that is moved.
func (p steered) chart() figure.Panel {
	none := figure.Series{Name: "no change", Color: 1, Open: true}
	likeliest := figure.Series{Name: "likeliest change", Color: 2}
	random := figure.Series{Name: "as long, random direction", Color: 3, Open: true}
	shortest := figure.Series{Name: "shortest change", Color: 4}
	chart := figure.Chart{Title: p.name, Y: figure.Axis{Label: "KL to the target (nats)", Include: []float64{0}}}
	for i, st := range p.stages {
		at := float64(i)
		chart.X.Names = append(chart.X.Names, st.name)
		none = seeds.Point(none, at, st.unchanged)
		likeliest = seeds.Point(likeliest, at, st.likeliest.along)
		random = seeds.Point(random, at, st.likeliest.random)
		shortest = seeds.Point(shortest, at, st.shortest.along)
	}
	chart.Series = []figure.Series{none, likeliest, random, shortest}
	return chart
}
