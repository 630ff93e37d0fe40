package beliefs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/model"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"
)

// half is the threshold of claim B2: the largest share of the divergence from the
// target's prediction that may remain after steering. With a smaller share, the
// prediction is closer to the prediction from the target belief than to the original
// prediction.
const half = 0.5

// Thresholds of two further, stricter questions: is the divergence after steering at most
// 1/partOfUnchanged of the divergence without a change, and at most 1/partOfRandom of the
// divergence after an equally long change in a random direction?
const (
	partOfUnchanged = 4
	partOfRandom    = 2
)

// steering returns claim B2: a model predicts from the beliefs that a regression reads.
func (p profile) steering() claim.Row {
	return claim.Row{
		ID: "B2", Kind: claim.Beyond, Source: "beyond the documents: an intervention",
		Quote: nearest + ", from a study that does not intervene.", StandsOn: []string{"B1"},
		Statement: "The model predicts from the belief that a regression reads: if an activation is moved until the " +
			"regression reads another belief, the model's prediction becomes the prediction from that belief.",
		Expected: fmt.Sprintf("on %s and %s, with %s seeds and the last stage moved by the likeliest change: the "+
			"divergence from the optimal prediction of the target belief is below both the divergence without the "+
			"change and the divergence after an equally long change in a random direction, by the 95 %% interval of "+
			"the difference from the smaller of these two, seed by seed over models that have converged; and at "+
			"most %g of the divergence remains, by the interval of that share: the prediction is then closer to the "+
			"prediction from the target belief than to the original prediction. The claim differs if the divergence "+
			"is below both but a larger share remains, and fails if it is above the smaller of the two. It is open "+
			"if an interval contains its bound, or if at most that share also remains at random initialisation",
			rrxor, withParameters(mess3), numerals.Cardinal(len(p.seeds)), half),
		RuleCommit: "7160d67", ChangedAfterResult: true,
		Trainings: trained.Trainings(slices.Concat(p.rrxorModels(), p.mess3Models())),
		Test: claim.Steps[interventions]{
			Measure: p.measureSteering, Judge: interventions.judge,
			Tabulate: interventions.tabulate, Draw: interventions.draw,
		}.Test,
	}
}

// withParameters returns the name of Mess3 with its parameters.
func withParameters(s trained.Source) string { return fmt.Sprintf("Mess3(%g, %g)", s.X, s.A) }

// interventions is the measurement of B2, for two processes.
type interventions struct {
	setting   string
	seeds     []uint64
	processes []steered
}

// steered holds the effect of moving activations in the models of one process, stage by
// stage.
type steered struct {
	name     string
	stages   []movedStage
	converge []probe.Convergence // whether each seed's model has converged

	// untrained is the share of the divergence that remains, by seed, if the last stage of
	// an untrained model is moved.
	untrained []float64
}

// movedStage holds the effect of moving the activations of one stage. Each number is a
// divergence from the target belief's optimal prediction, in nats, by seed.
type movedStage struct {
	name                string
	unchanged           []float64
	likeliest, shortest moved
}

// moved holds, by seed, the divergences in nats after a change along the regression's
// directions (along) and after an equally long change in a random direction (random).
type moved struct {
	along, random []float64
	length        []float64 // length of the change, as a share of the activations' spread
}

func (p profile) measureSteering(ctx context.Context, s *claim.Study) (interventions, error) {
	found := interventions{setting: p.rrxor.Describe(p.name) + "; Mess3: " + p.mess3Text, seeds: p.seeds}
	for _, of := range []struct {
		name   string
		models []trained.Condition
	}{{rrxor.String(), p.rrxorModels()}, {withParameters(mess3), p.mess3Models()}} {
		moved, err := steer(ctx, s, of.name, of.models)
		if err != nil {
			return found, err
		}
		found.processes = append(found.processes, moved)
	}
	return found, nil
}

// steer intervenes at each stage of all models in the list, which have the same process
// and architecture.
func steer(ctx context.Context, s *claim.Study, name string, list []trained.Condition) (steered, error) {
	found := steered{name: name}
	models, err := subjects(ctx, s, list)
	if err != nil {
		return found, err
	}
	for _, stage := range stageNames(list[0]) {
		found.stages = append(found.stages, movedStage{name: stage})
	}
	for _, m := range models {
		s.Tell("steering " + m.Label())
		a, stages, err := steerModel(ctx, m.Model, m.Prefixes, m.Stages(), s.Workers)
		if err != nil {
			return found, err
		}
		for i, st := range stages {
			found.stages[i].add(st)
		}
		convergence, err := a.Convergence(ctx)
		if err != nil {
			return found, err
		}
		found.converge = append(found.converge, convergence)
		if err := found.addUntrained(ctx, m, s.Workers); err != nil {
			return found, err
		}
	}
	return found, nil
}

// steerModel intervenes at some stages of one model.
func steerModel(ctx context.Context, m *model.Transformer[float32], words *process.Prefixes, hooks []string,
	workers int,
) (*probe.Analysis, []probe.SteeredStage, error) {
	a, err := probe.Analyze(ctx, m, words, probe.Plan{
		Features: probe.Stages(hooks...), Targets: []probe.Target{probe.Beliefs}, Workers: workers,
	})
	if err != nil {
		return nil, nil, err
	}
	stages, err := a.SteerEach(ctx, 0)
	return a, stages, err
}

// addUntrained intervenes at the last stage of a model's random initialisation.
func (p *steered) addUntrained(ctx context.Context, m *trained.Subject, workers int) error {
	untrained, err := model.New[float32](m.Model.Config, m.Seed)
	if err != nil {
		return err
	}
	hooks := m.Stages()
	_, stages, err := steerModel(ctx, untrained, m.Prefixes, hooks[len(hooks)-1:], workers)
	if err != nil {
		return err
	}
	p.untrained = append(p.untrained, stages[0].Likeliest.Along.Mean/stages[0].Unchanged.Mean)
	return nil
}

// add adds the measurements for another seed.
func (st *movedStage) add(s probe.SteeredStage) {
	st.unchanged = append(st.unchanged, s.Unchanged.Mean)
	st.likeliest.add(s.Likeliest, s.Spread)
	st.shortest.add(s.Shortest, s.Spread)
}

func (m *moved) add(of probe.Moved, spread float64) {
	m.along = append(m.along, of.Along.Mean)
	m.random = append(m.random, of.Random.Mean)
	m.length = append(m.length, of.Distance.Mean/spread)
}

// last returns the measurement at the last stage, which decides the verdict.
func (p steered) last() movedStage { return p.stages[len(p.stages)-1] }

// condition returns the verdict on one process, from the models that have converged.
func (p steered) condition() claim.Condition {
	found := claim.Condition{Name: p.name, Obtained: "no model has converged"}
	var left, below, untrained []float64
	last := p.last()
	for i, along := range last.likeliest.along {
		if p.converge[i].Converged() {
			left = append(left, along/last.unchanged[i])
			below = append(below, min(last.unchanged[i], last.likeliest.random[i])-along)
			untrained = append(untrained, p.untrained[i])
		}
	}
	if len(left) == 0 {
		return found.Judged(p.converge[0].Reason)
	}
	share := claim.NewShare(len(left), len(p.converge))
	found.Effect = claim.Over("remaining share of the divergence", "", left).
		Against("random initialisation", seeds.Mean(untrained))
	found.Effect.Reached = &share
	_, interval := claim.Mean(below)
	found.Verdict, found.Reason = besideHalf(found.Effect, interval)
	found.Obtained = fmt.Sprintf("%.3f of the divergence remains%s, %.3f at random initialisation; %d of %d models "+
		"have converged",
		found.Effect.Estimate, seeds.Within("%.3f", found.Effect.Interval), found.Effect.Control.Value,
		share.K, share.N)
	return found.Judged("")
}

// besideHalf returns the verdict on one process. The first argument is the share of the
// divergence that remains after steering. The second is the interval of the margin by
// which that divergence is below both controls: no change, and a random change.
func besideHalf(left *claim.Effect, below *claim.Interval) (claim.Verdict, claim.Reason) {
	verdict, reason := seeds.Above(below, 0)
	switch {
	case verdict != claim.Holds:
		return verdict, reason
	case left.Control.Value <= half:
		return claim.Open, claim.Power
	case left.Interval.High <= half:
		return claim.Holds, ""
	case left.Interval.Low > half:
		return claim.Differs, claim.Size
	}
	return claim.Open, claim.Power
}

func (m interventions) judge() claim.Finding {
	found := claim.Finding{Asked: []claim.Question{
		m.atMost("divergence without a change", partOfUnchanged, func(st movedStage) []float64 { return st.unchanged }),
		m.atMost("divergence after an equally long change in a random direction", partOfRandom,
			func(st movedStage) []float64 { return st.likeliest.random }),
	}}
	var obtained []string
	for _, p := range m.processes {
		found.Conditions = append(found.Conditions, p.condition())
		obtained = append(obtained, p.obtained())
	}
	found.Verdict, found.Reason = claim.Conclude(found.Conditions)
	found.Effect, found.Obtained = found.Conditions[0].Effect, strings.Join(obtained, "; ")
	return found
}

// atMost asks whether, for every process, the divergence after steering is at most 1/part
// of another divergence, both averaged over seeds.
func (m interventions) atMost(what string, part int, of func(movedStage) []float64) claim.Question {
	q := claim.Question{
		Question: fmt.Sprintf("Is the divergence at most %s of the %s, averaged over all seeds? (The laboratory's "+
			"own threshold, which has no source. It was part of the rule until the rule had intervals)",
			numerals.OneIn(part), what),
		Answer: claim.Yes,
	}
	var texts []string
	for _, p := range m.processes {
		share := seeds.Mean(p.last().likeliest.along) / seeds.Mean(of(p.last()))
		if share > 1/float64(part) {
			q.Answer = claim.No
		}
		texts = append(texts, fmt.Sprintf("%s: %.3f", p.name, share))
	}
	q.Obtained = strings.Join(texts, "; ")
	return q
}

func (p steered) obtained() string {
	last := p.last()
	return fmt.Sprintf("%s, last stage: %s nats without a change, %s after the likeliest change, %s after an "+
		"equally long change in a random direction, %s after the shortest change",
		p.name, nats(last.unchanged), nats(last.likeliest.along),
		nats(last.likeliest.random), nats(last.shortest.along))
}

// nats formats a divergence, averaged over seeds.
func nats(bySeed []float64) string { return fmt.Sprintf("%.4f", seeds.Mean(bySeed)) }

func (m interventions) tabulate(c *claim.Claim) {
	for _, p := range m.processes {
		c.Tables = append(c.Tables, p.table(len(m.seeds)))
	}
	c.Setting, c.Notes = m.setting, append(c.Notes, steeringNotes...)
}

func (p steered) table(seedCount int) document.Table {
	table := document.Table{
		Title: fmt.Sprintf("%s: divergence from the optimal prediction of the target belief, in nats, mean over %d "+
			"seeds; in brackets the length of the change as a share of the activations' spread", p.name, seedCount),
		Columns: []string{
			"stage moved", "no change", "likeliest change", "random direction, equally long",
			"shortest change", "random direction, equally long",
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
	"The rule was first written after the results of one model of RRXOR, and of one model of Mess3 with other " +
		"parameters, had been seen (docs/log.md, 2026-11-20), and it compared means over three seeds.",
	"Figures show means over all seeds; the verdict is on the models that have converged. The regression on the " +
		"last stage of Mess3 is also used for claim M2, with the same models.",
	"Many changes make the regression read the target belief. The shortest change may be in directions in which " +
		"activations hardly vary and to which the model does not respond. The likeliest change is the shortest if " +
		"each direction is measured in units of the activations' spread.",
	"Where a stage carries almost no information about some direction of the belief, as after the first attention " +
		"layer on RRXOR, a change that moves the reading along that direction is far longer than the distance " +
		"between activations.",
	fmt.Sprintf("The measurement uses %d pairs of sequences of equal length, each sequence drawn with its "+
		"probability. The activation at the last token is moved, and the rest of the model runs on the moved "+
		"activation.", probe.SteeredPairs),
}

func (m interventions) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Steering along a probed belief",
		Desc: "Two charts, one for each process: divergence from the target's prediction by stage, without a " +
			"change, after the likeliest change, after an equally long change in a random direction, and after the " +
			"shortest change.",
	}
	var rows [][]float64
	for i, p := range m.processes {
		f.Panels = append(f.Panels, []figure.Panel{p.chart()})
		rows = append(rows, p.rows(i, m.seeds)...)
	}
	out.Captioned("steering", "Each stage of the residual stream in turn is moved until the regression reads the "+
		"belief of another sequence. The chart shows the divergence of the model's prediction from the optimal "+
		"prediction for that belief. Points are means over seeds, error bars their range. A lower divergence means "+
		"better steering.", f)
	out.CSV("steering", document.Numbers([]string{
		"mess3", "seed", "stage", "kl_unchanged", "kl_likeliest", "kl_likeliest_random", "likeliest_length",
		"kl_shortest", "kl_shortest_random", "shortest_length",
	}, rows))
	var names, stages []string
	for _, p := range m.processes {
		names = append(names, p.name)
	}
	for _, st := range m.processes[0].stages {
		stages = append(stages, st.name)
	}
	out.Codes("mess3", names...)
	out.Codes("stage", stages...)
}

// rows returns the rows of the data file: the measurements of one process, given by its
// number, at each stage and seed.
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

// chart draws the divergence against the stage that is moved.
func (p steered) chart() figure.Panel {
	none := figure.Series{Name: "no change", Color: 1, Open: true}
	likeliest := figure.Series{Name: "likeliest change", Color: 2}
	random := figure.Series{Name: "equally long, random direction", Color: 3, Open: true}
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
