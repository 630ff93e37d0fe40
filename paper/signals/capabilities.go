package signals

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/text"
	"foretell/model"
)

const (
	// halfGain is the share of the GPT's gain over the guess below which a flat model counts
	// as unable, ✗, and wholeGain the share from which it counts as able, ✓.
	halfGain, wholeGain = 0.5, 0.99
)

// mark is an entry of the lecture's table of capabilities.
type mark string

const (
	able      mark = "✓"
	partially mark = "partially"
	unable    mark = "✗"
)

// markOf returns the mark of a share of the GPT's gain over the guess.
func markOf(share float64) mark {
	switch {
	case share >= wholeGain:
		return able
	case share >= halfGain:
		return partially
	}
	return unable
}

// capability is a row of the lecture's table “Why MLP Fails on These Tasks”, with its
// mark for MLPs. The signal is the one for which a slide names the capability.
type capability struct {
	signal
	title   string
	printed mark
}

var printedCapabilities = []capability{
	{sine, "fixed patterns", able},
	{mackeyGlass, "fixed offset lookup", partially},
	{switching, "variable offset lookup", unable},
	{routing, "content-based retrieval", unable},
	{brackets, "multi-step reasoning", unable},
}

// flatModel is a model without attention, which sees the window as one vector.
type flatModel struct {
	name          string
	layers, width int
}

// The flat models. The first two are the lecture's baselines.
var flatModels = []flatModel{{"Linear", 0, 0}, {"MLP, 256 wide", 1, 256}, {"MLP, two layers of 256", 2, 256}}

// widerModel shows whether flat models lack width. It takes as long to train as the
// others together.
var widerModel = flatModel{"MLP, 1024 wide", 1, 1024}

// flat returns a training run of a flat model with the setting that solves the signal:
// the same tokens, loss, targets, schedule, number of steps and scale of initial weights.
func (s signal) flat(of flatModel, seed uint64) claim.Training {
	t := s.solving(seed)
	t.Config.Model = model.Config{
		Architecture: "flat", DModel: 8, NLayers: of.layers, DMLP: of.width, NCtx: t.Config.Model.NCtx,
		InitializerRange: t.Config.Model.InitializerRange,
	}
	t.Name = fmt.Sprintf("%s-solved-%s-seed%d", s.name, shortName(of.name), seed)
	t.Label, t.Snapshots = fmt.Sprintf("%s, %s, seed %d", s.title, of.name, seed), nil
	return t
}

// lesser is a GPT that lacks a part of S13's. No condition judges it: it says what
// attention needs.
type lesser struct {
	name string
	take func(c *model.Config)
}

var lessers = []lesser{
	{"GPT, no positions", func(c *model.Config) { c.PositionalEmbeddingType = "none" }},
	{"GPT, one layer", func(c *model.Config) { c.NLayers, c.NHeads = 1, c.NHeads[:1] }},
}

// without returns a training run of a lesser GPT with the setting that solves the signal.
func (s signal) without(of lesser, seed uint64) claim.Training {
	t := s.solving(seed)
	of.take(&t.Config.Model)
	t.Name = fmt.Sprintf("%s-solved-%s-seed%d", s.name, shortName(of.name), seed)
	t.Label, t.Snapshots = fmt.Sprintf("%s, %s, seed %d", s.title, of.name, seed), nil
	return t
}

// shortName returns a model's name as part of the name of a folder.
func shortName(name string) string {
	return strings.NewReplacer(",", "", " ", "-").Replace(strings.ToLower(name))
}

// capabilities returns row S14: the lecture's table of capabilities, in the settings of
// S13.
func (l *lab) capabilities() claim.Row {
	lesser := ""
	if len(l.lessers) > 0 {
		lesser = ", and GPTs without positions or with one layer"
	}
	return texts.Fill(claim.Row{
		ID: "S14", Kind: claim.Order, RuleCommit: "75f4fcc", ChangedAfterResult: true,
		First:     claim.FirstLacks("df10383", claim.LacksQuantity), // the guess on windows of 64 tokens
		Trainings: l.capableTrainings(),
		Setting: "flat models that see the last 64 tokens as one vector of 512 numbers" + lesser +
			"; otherwise the settings of S13, with the same seeds: a loss on every position, the optimal predictor's " +
			"distribution as the target",
		StandsOn: []string{"S13"},
		Test: claim.Steps[capable]{
			Measure: l.measureCapable, Judge: capable.judge, Tabulate: capable.tabulate, Draw: capable.draw,
		}.Test,
	}, map[string]any{
		"half": 100 * halfGain, "whole": 100 * wholeGain, "sequences": judgedSequences,
	})
}

// capableTrainings returns the training runs for the profile's signals.
func (l *lab) capableTrainings() (list []claim.Training) {
	for _, s := range l.flatSignals {
		for _, seed := range l.seeds(s) {
			list = append(list, l.compared(s, seed)...)
		}
	}
	return list
}

// compared returns the training runs for a signal and a seed: the GPT of S13, the flat
// models, and the lesser GPTs.
func (l *lab) compared(of signal, seed uint64) []claim.Training {
	list := []claim.Training{of.solving(seed)}
	for _, flat := range l.flats {
		list = append(list, of.flat(flat, seed))
	}
	for _, less := range l.lessers {
		list = append(list, of.without(less, seed))
	}
	return list
}

// capable holds the measurements of S14, one for each capability.
type capable []compareFlat

// compareFlat holds the accuracies on a signal.
type compareFlat struct {
	capability
	flats  []flatModel
	lesser []lesser
	guess  float64 // see [heldOut.oneToken]; 0 for the sine
	judged int     // number of tokens on which accuracies were measured
	models claim.BySeed[flatFound]
}

// flatFound holds the accuracies of a seed's models at the end: of the GPT, each flat
// model and each lesser GPT. The gain is a flat model's gain in the second half of the
// steps.
type flatFound struct {
	gpt         float64
	flats, gain []float64
	lesser      []float64
}

// best returns the index of the most accurate flat model.
func (f flatFound) best() int { return slices.Index(f.flats, slices.Max(f.flats)) }

// share returns the best flat model's share of the GPT's gain over the guess.
func (f flatFound) share(guess float64) float64 {
	return (f.flats[f.best()] - guess) / (f.gpt - guess)
}

func (l *lab) measureCapable(ctx context.Context, s *claim.Study) (capable, error) {
	m := make(capable, len(printedCapabilities))
	for i, of := range printedCapabilities {
		m[i] = compareFlat{capability: of, flats: l.flats, lesser: l.lessers}
		m[i].models.Name = of.title
		if !slices.Contains(l.flatSignals, of.signal) {
			continue
		}
		m[i].judged = l.judgedOn
		if of.signal != sine { // one token, a period back, is all that the sine needs
			steps, err := l.freshSteps(of.signal)
			if err != nil {
				return m, err
			}
			m[i].guess, m[i].judged = steps.oneToken(), len(steps.any)
		}
		for _, seed := range l.seeds(of.signal) {
			s.Tell(fmt.Sprintf("S14: judging %s, seed %d", of.signal.title, seed))
			found, err := l.measureFlat(ctx, s, of.signal, seed)
			if err != nil {
				return m, err
			}
			m[i].models.Models = append(m[i].models.Models, claim.Seeded[flatFound]{Seed: int(seed), Found: found})
		}
	}
	for i := range m {
		m[i].converge()
	}
	return m, nil
}

// measureFlat measures the models of a signal and a seed.
func (l *lab) measureFlat(ctx context.Context, s *claim.Study, of signal, seed uint64) (f flatFound, err error) {
	list := l.compared(of, seed)
	right, gain := make([]float64, len(list)), make([]float64, len(list))
	err = s.Each(ctx, len(list), func(_ context.Context, i int) error {
		rows, err := s.Metrics(list[i])
		if err != nil {
			return err
		}
		along := learningOf(rows)
		gain[i] = along.end - along.share[len(along.share)/2]
		right[i], err = l.fresh(s.Trained(list[i]).Model, of, along)
		return err
	})
	if err != nil {
		return f, err
	}
	lesser := 1 + len(l.flats)
	return flatFound{gpt: right[0], flats: right[1:lesser], gain: gain[1:lesser], lesser: right[lesser:]}, nil
}

// fresh returns a trained model's accuracy on what it was not trained on: retrieval steps
// of fresh sequences, another recording, or all tokens of the sine.
func (l *lab) fresh(m *model.Transformer[float32], of signal, along learning) (float64, error) {
	switch {
	case of.symbolic():
		return of.retrieved(m)
	case of == mackeyGlass:
		_, g := recorded(lookBack, recordedPoints)
		record, places := unseenWindows(g, l.windows, m.Config.NCtx)
		share, _ := guesses{hits: hitsAt(m, record, places)}.accuracy()
		return share, nil
	}
	return along.end, nil
}

// freshSteps returns the tokens on which [lab.fresh] judges models of a signal other than
// the sine, each with the 64 tokens before it, −1 where the sequence had not begun.
func (l *lab) freshSteps(of signal) (*heldOut, error) {
	found := new(heldOut)
	add := func(record []int32, n, levels int) {
		w := window{tokens: slices.Repeat([]int32{-1}, contextLength), next: make([]float64, levels)}
		before := record[max(0, n-contextLength):n]
		copy(w.tokens[contextLength-len(before):], before)
		w.next[record[n]] = 1
		found.any = append(found.any, w)
	}
	if of == mackeyGlass {
		_, g := recorded(lookBack, recordedPoints)
		record, places := unseenWindows(g, l.windows, contextLength)
		for _, n := range places {
			add(record, n, g.levels)
		}
		return found, nil
	}
	p, err := of.process()
	if err != nil {
		return nil, err
	}
	return found, judgedOver(p, func(sequence []int32, marks []bool) {
		for n, retrieval := range marks {
			if retrieval {
				add(sequence, n, p.Alphabet())
			}
		}
	})
}

// converge notes which models have not converged: a GPT that is no better than the guess,
// and a flat model that gained, in the second half of its steps, at least as much as it
// lacks for the next mark.
func (c *compareFlat) converge() {
	for i := range c.models.Models {
		m := &c.models.Models[i]
		m.Unconverged = atGuess("the GPT", m.Found.gpt, c.guess, c.judged)
		if m.Unconverged != "" {
			continue
		}
		for k, x := range m.Found.flats {
			next := c.guess + float64(halfGain*(m.Found.gpt-c.guess))
			if x >= next {
				next = c.guess + float64(wholeGain*(m.Found.gpt-c.guess))
			}
			if x < next && m.Found.gain[k] >= next-x {
				m.Unconverged = fmt.Sprintf("%s gains %.1f points in the second half of the steps, and lacks %.1f for "+
					"the next mark", c.flats[k].name, 100*m.Found.gain[k], 100*(next-x))
			}
		}
	}
}

func (m capable) judge() claim.Finding {
	return claim.NewFinding(claim.ConditionsOf(m, compareFlat.condition))
}

func (c compareFlat) condition() claim.Condition {
	share := func(f flatFound) float64 { return f.share(c.guess) }
	of, k := c.models.Each("share of the GPT's gain over the guess that the best flat model has", "", share,
		func(f flatFound) bool { return markOf(share(f)) == c.printed })
	if of.Effect == nil {
		return of
	}
	of.Effect.Against("the laboratory's bound for ✗", halfGain)
	var found []string
	for _, m := range c.models.Converged() {
		best := m.Found.best()
		found = append(found, fmt.Sprintf("seed %d %s (%s %.1f %%, GPT %.1f %%)", m.Seed, markOf(share(m.Found)),
			c.flats[best].name, 100*m.Found.flats[best], 100*m.Found.gpt))
	}
	of.Obtained = fmt.Sprintf("the lecture has %s for MLPs, as %d of %s: %s; the guess has %.1f %%", c.printed, k,
		text.Count(len(found), "seed"), strings.Join(found, ", "), 100*c.guess)
	return of
}

// accuracies returns the accuracies, with one row for each signal and seed, as a table
// and as data.
func (m capable) accuracies() document.Frame {
	f := document.Frame{
		Title: "accuracy on what was not trained on, per cent: on all tokens of the first two signals, on retrieval " +
			"steps of the others",
		Columns: []document.Column{
			{Name: "signal", Heading: "signal", Meaning: "the signal"},
			{Name: "seed", Heading: "seed", Meaning: "the seed"},
			{Name: "guess", Meaning: "accuracy of the best guess from one token of the window"},
			{Heading: "guess from one token", Format: "%.1f"},
		},
	}
	accuracy := func(column, of string) {
		f.Columns = append(f.Columns, document.Column{Heading: of, Format: "%.1f"},
			document.Column{Name: column, Meaning: "accuracy of " + of})
	}
	accuracy("GPT", string(gpt))
	for i, of := range m[0].flats {
		accuracy(fmt.Sprintf("flat_%d", i+1), of.name)
	}
	for i, of := range m[0].lesser {
		accuracy(fmt.Sprintf("lesser_%d", i+1), of.name)
	}
	f.Columns = append(f.Columns, document.Headed("", "the best flat model", "printed for MLPs")...)
	for i, c := range m {
		f.Columns[0].Codes = append(f.Columns[0].Codes, c.signal.title)
		for _, s := range c.models.Models {
			cells := []any{i, s.Seed, c.guess, 100 * c.guess}
			for _, x := range slices.Concat([]float64{s.Found.gpt}, s.Found.flats, s.Found.lesser) {
				cells = append(cells, 100*x, x)
			}
			f.Row(append(cells, string(markOf(s.Found.share(c.guess))), string(c.printed))...)
		}
	}
	return f
}

func (m capable) tabulate(c *claim.Claim) { c.Tables = append(c.Tables, m.accuracies().Table()) }

func (m capable) draw(out *claim.Output) {
	bars := figure.Bars{Y: figure.Axis{Label: "accuracy, %", Include: []float64{0, 100}}}
	guess := figure.BarSeries{Name: "guess from one token", Color: figure.Grey}
	transformer := figure.BarSeries{Name: string(gpt), Color: 1}
	var flats, lesser []figure.BarSeries
	for i, of := range m[0].flats {
		flats = append(flats, figure.BarSeries{Name: of.name, Color: i + 2, Open: true})
	}
	for i, of := range m[0].lesser {
		lesser = append(lesser, figure.BarSeries{Name: of.name, Color: 6, Open: i > 0})
	}
	for _, c := range m {
		if len(c.models.Models) == 0 {
			continue
		}
		first := c.models.Models[0].Found
		bars.Groups = append(bars.Groups, c.signal.title)
		guess.Y = append(guess.Y, 100*c.guess)
		transformer.Y = append(transformer.Y, 100*first.gpt)
		for i, x := range first.flats {
			flats[i].Y = append(flats[i].Y, 100*x)
		}
		for i, x := range first.lesser {
			lesser[i].Y = append(lesser[i].Y, 100*x)
		}
	}
	if len(bars.Groups) == 0 {
		return
	}
	bars.Series = slices.Concat([]figure.BarSeries{guess}, flats, lesser, []figure.BarSeries{transformer})
	f := figure.Single("With and without attention", "For each signal: a guess, flat models and GPTs.", bars)
	f.Width = 720
	out.Figure("capabilities", f)
	out.CSV("capabilities", m.accuracies())
}
