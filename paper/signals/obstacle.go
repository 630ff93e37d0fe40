package signals

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// halfOfMissed defines when a change is what the lecture's settings lack: with the
// change, a model predicts at least this share of the retrieval steps that it misses
// without the change.
const halfOfMissed = 0.5

// obstacles returns row S13b: why the lecture's settings do not solve the signals.
func (p profile) obstacles() claim.Row {
	return texts.Fill(claim.Row{
		ID: "S13b", Kind: claim.Beyond,
		RuleCommit: "2cb621c", ChangedAfterResult: true,
		Trainings: p.changedTrainings(),
		Setting: fmt.Sprintf("the lecture's model, learned positions, loss on the last position only, retrieval steps "+
			"weighted 10 : 1; where the slides are silent, Adam at 1e-3 on batches of 64 sequences, for %d, %d and %d "+
			"steps; one seed",
			changedSteps[switching], changedSteps[brackets], changedSteps[routing]),
		First: claim.FirstBy("2cb621c", claim.Decided(changes.judge)),
		Test: claim.Steps[changes]{
			Measure: p.measureChanges, Judge: changes.judge, Tabulate: changes.tabulate, Draw: changes.draw,
		}.Test,
	}, map[string]any{"share": 100 * halfOfMissed})
}

// change is a change of one setting of the lecture's.
type change struct {
	name  string
	apply func(c *train.Config)
}

// The changes. The first, unchanged, keeps all settings.
var (
	unchanged     = change{"the lecture's", func(*train.Config) {}}
	everyPosition = change{"every position", func(c *train.Config) { c.Train.LossPositions = nil }}
	rotary        = change{"rotary positions", func(c *train.Config) { c.Model.PositionalEmbeddingType = "rotary" }}
	exactTargets  = change{"optimal targets", func(c *train.Config) { c.Train.Objective = "optimal_targets" }}
	ourRate       = change{"our rate and initial weights", func(c *train.Config) {
		c.Train.LR, c.Train.LRSchedule, c.Train.WarmupSteps = 3e-3, "cosine", 100
		c.Train.Betas = []float64{0.9, 0.95}
		c.Model.InitializerRange = 0.02
	}}
)

// changedSteps is the number of training steps of the models of S13b.
var changedSteps = map[signal]int{switching: 1000, brackets: 1500, routing: 600}

// changed returns a training run with the lecture's settings, one of which is changed.
// The slides do not state the learning rate, the batch size and the number of steps, so
// these are chosen here.
func (s signal) changed(by change) claim.Training {
	c := train.Config{
		Process: process.Spec{Name: s.name},
		Model:   model.Config{DModel: 64, NLayers: 3, NHeads: model.Heads{4}, NCtx: 64},
		Train: train.Options{
			Seed: 1, BatchSize: 64, NumSteps: changedSteps[s], LR: 1e-3, LossPositions: []int{64}, EventWeight: 10,
			EvaluateSequences: 256,
		},
	}
	c.Train.EvaluateEvery = c.Train.NumSteps / 4
	by.apply(&c)
	return claim.Training{
		Name:  fmt.Sprintf("%s-%s", s.name, strings.ReplaceAll(strings.ReplaceAll(by.name, " ", "-"), "'", "")),
		Label: fmt.Sprintf("%s, %s", s.title, by.name), Config: c,
	}
}

func (p profile) changedTrainings() (list []claim.Training) {
	for _, s := range p.changedSignals {
		for _, by := range p.changes {
			list = append(list, s.changed(by))
		}
	}
	return list
}

// changes holds the measurements of S13b.
type changes struct {
	list    []change
	signals []changedSignal
}

// changedSignal holds the results of all changes on one signal.
type changedSignal struct {
	signal
	found []share // one for each change; empty if the profile trains no models on the signal
}

// share counts the retrieval steps that a model predicts correctly (right) and all
// retrieval steps (of).
type share struct{ right, of int }

func (s share) value() float64 { return float64(s.right) / float64(s.of) }

// changedSequences is the number of sequences on which the models are measured.
const changedSequences = 8192

func (p profile) measureChanges(ctx context.Context, s *claim.Study) (changes, error) {
	m := changes{list: p.changes}
	for _, of := range []signal{switching, brackets, routing} {
		found := changedSignal{signal: of}
		if slices.Contains(p.changedSignals, of) {
			found.found = make([]share, len(p.changes))
			err := s.Each(ctx, len(p.changes), func(_ context.Context, i int) (err error) {
				found.found[i], err = of.lastSteps(s.Trained(of.changed(p.changes[i])).Model)
				return err
			})
			if err != nil {
				return m, err
			}
		}
		m.signals = append(m.signals, found)
	}
	return m, nil
}

// lastSteps measures how often a model predicts the token after 64 tokens correctly, over
// the sampled sequences in which that token is a retrieval step.
func (s signal) lastSteps(m *model.Transformer[float32]) (share, error) {
	p, err := s.process()
	if err != nil {
		return share{}, err
	}
	k, src := m.Config.NCtx, rand.NewPCG(8, 9)
	var record []int32
	var places []int
	for range changedSequences {
		sequence := make([]int32, k+1)
		p.Sample(sequence, src)
		marks, err := p.(*process.Symbolic).Retrievals(sequence)
		if err != nil {
			return share{}, err
		}
		if marks[k] {
			places = append(places, len(record)+k)
			record = append(record, sequence...)
		}
	}
	hits := hitsAt(m, record, places)
	return share{trues(hits), len(hits)}, nil
}

func (m changes) judge() claim.Finding {
	condition := func(s changedSignal) claim.Condition { return s.condition(m.list) }
	return claim.NewFinding(claim.ConditionsOf(m.signals, condition))
}

func (s changedSignal) condition(list []change) claim.Condition {
	at := slices.IndexFunc(list, func(c change) bool { return c.name == everyPosition.name })
	if len(s.found) == 0 || at < 0 {
		return claim.Condition{Name: s.title, Obtained: "no model"}.Judged(claim.NotTrained)
	}
	theirs, every := s.found[0].value(), s.found[at].value()
	c := stated(s.title, every-theirs >= halfOfMissed*(1-theirs),
		"the lecture's settings predict %.1f %% of the retrieval steps after 64 tokens, a loss on every position "+
			"%.1f %%", 100*theirs, 100*every)
	c.Effect = claim.Over("accuracy on retrieval steps with a loss on every position", "", []float64{every}).
		Beside("the lecture's best", printedBest[s.signal]).Against("the lecture's settings", theirs)
	return c
}

func (m changes) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title:   "accuracy on retrieval steps after 64 tokens, in per cent",
		Columns: document.Headed("", "settings"),
	}
	for _, s := range m.signals {
		f.Columns = append(f.Columns, document.Headed("%.1f", s.title)...)
	}
	for i, by := range m.list {
		cells := []any{by.name}
		for _, s := range m.signals {
			if len(s.found) > 0 {
				cells = append(cells, 100*s.found[i].value())
			} else {
				cells = append(cells, "–")
			}
		}
		f.Row(cells...)
	}
	c.Tables = append(c.Tables, f.Table())
}

func (m changes) draw(out *claim.Output) {
	bars := figure.Bars{
		Title: "retrieval steps after 64 tokens",
		Y:     figure.Axis{Label: "accuracy", Include: []float64{0, 1}},
	}
	trained := slices.DeleteFunc(slices.Clone(m.signals), func(s changedSignal) bool { return len(s.found) == 0 })
	if len(trained) == 0 {
		return
	}
	f := document.Frame{Columns: []document.Column{
		{Name: "signal", Meaning: "the signal"},
		{Name: "change", Meaning: "the settings"},
		{Name: "right"},
		{Name: "of"},
	}}
	for i, by := range m.list {
		f.Columns[1].Codes = append(f.Columns[1].Codes, by.name)
		series := figure.BarSeries{Name: by.name}
		for k, s := range trained {
			series.Y = append(series.Y, s.found[i].value())
			f.Row(k, i, s.found[i].right, s.found[i].of)
		}
		bars.Series = append(bars.Series, series)
	}
	for _, s := range trained {
		bars.Groups = append(bars.Groups, s.title)
		f.Columns[0].Codes = append(f.Columns[0].Codes, s.title)
	}
	out.Figure("changes", figure.Single("One change at a time", "What each change adds differs by signal.", bars))
	out.CSV("changes", f)
}
