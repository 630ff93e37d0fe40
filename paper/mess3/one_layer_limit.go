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
	"foretell/train"
)

// The rule of M19.
const (
	limitFactor = 2.0  // smallest ratio at which two divergences count as different
	limitFalls  = 0.25 // a divergence has settled if it decreases by at most this share over half of the steps
	limitHead   = 16   // width of each head, whatever the number of heads
)

// limitWidths are the head widths of the models with one head. The report shows the
// divergence for each.
var limitWidths = []int{1, 2, 4, 8, limitHead}

// oneLayerLimit is M19: what training a layer on the expected loss itself reaches, as
// opposed to training on samples. A measured KL is only an upper bound on the lowest KL
// that the layer can represent, because it depends on the initialisation and on the
// number of steps.
func (l *lab) oneLayerLimit() claim.Row {
	settings := l.limitSettings(limitHead)
	return texts.Fill(claim.Row{
		ID: "M19", Kind: claim.Beyond, Trainings: l.limitTrainings(), RuleCommit: "2ea7543", ChangedAfterResult: true,
		Setting: fmt.Sprintf("%d steps of L-BFGS on all sequences of %d tokens, width %d",
			settings.Steps, settings.NCtx, settings.DModel),
		First: claim.FirstBy("2ea7543", claim.Decided(limits.judge)),
		Test: claim.Steps[limits]{
			Measure: l.measureLimits, Judge: limits.judge, Tabulate: limits.tabulate, Draw: limits.draw,
		}.Test,
	}, map[string]any{
		"width": limitHead, "seeds": text.Count(len(l.limitSeeds()), "seed"), "factor": limitFactor,
		"falls": percent(limitFalls),
	})
}

// limitSources are the processes that M19 judges, one with negative and one with positive
// ζ. limitBeside are further processes in its tables, which no rule judges.
var (
	limitSources = []trained.Source{trained.Mess3(0.5, 0.6), trained.Mess3(0.15, 0.6)}
	limitBeside  = []trained.Source{trained.Mess3(0.5, 0.2), trained.Mess3(0.15, 0.2)}
)

// limitSeeds returns the seeds of M19.
func (p profile) limitSeeds() []uint64 { return p.firstSeeds(2, 3) }

// exactSizes are the length of sequences, which must be few enough to use all of them in
// each step, and the number of steps.
type exactSizes struct{ length, steps int }

// settings returns the settings of the small models with these sizes.
func (s exactSizes) settings(small trained.Settings, headWidth int) trained.Settings {
	return trained.Settings{
		DModel: small.DModel, DHead: headWidth, NCtx: s.length, Steps: s.steps, StepsWeak: s.steps,
		EvaluateAt: s.steps / 2, Init: trained.WideInit, Variant: "exact",
	}
}

func (p profile) limitSettings(headWidth int) trained.Settings {
	return p.limit.settings(p.small, headWidth)
}

// limitCells returns the models of M19. The list heads has the models with one head and
// with two for each process and seed, but only the first seed for the processes in
// limitBeside. The list widths has the models with one head of each width for the judged
// processes.
func (p profile) limitCells() (heads, widths []trained.Condition) {
	seeds, settings := p.limitSeeds(), p.limitSettings(limitHead)
	for n := 1; n <= 2; n++ {
		for _, on := range limitSources {
			heads = append(heads, p.oneLayerModels(on, n, settings, seeds...)...)
		}
		for _, on := range limitBeside {
			heads = append(heads, p.oneLayerModels(on, n, settings, seeds[0])...)
		}
	}
	for _, on := range limitSources {
		for _, width := range limitWidths {
			widths = append(widths, p.oneLayerModels(on, 1, p.limitSettings(width), seeds[0])...)
		}
	}
	return heads, widths
}

// limitTraining returns the training run of a condition, which minimises the expected
// loss over all sequences.
func limitTraining(c trained.Condition) claim.Training {
	t := c.Training()
	t.Config.Train = train.Options{
		Seed: c.Seed, Objective: "exact", Optimizer: "lbfgs", NumSteps: c.Steps(), EvaluateEvery: c.Settings.EvaluateAt,
		CheckpointEvery: max(1, c.Steps()/4),
	}
	return t
}

func (p profile) limitTrainings() []claim.Training {
	heads, widths := p.limitCells()
	return exactTrainings(slices.Concat(heads, widths))
}

// exactTrainings returns the training run of each condition, each run once.
func exactTrainings(cells []trained.Condition) (list []claim.Training) {
	for _, c := range cells {
		if t := limitTraining(c); !slices.ContainsFunc(list, func(o claim.Training) bool { return o.Name == t.Name }) {
			list = append(list, t)
		}
	}
	return list
}

// limits is the measurement of M19: the divergences that the models have reached.
type limits struct {
	heads   []limit                    // with one head and two, by process and seed
	widths  []limit                    // with one head, by process and width
	lastTwo map[trained.Source]float64 // KL of an optimal observer of the last two tokens
}

// limit is a model's divergence after half of the steps and after all, in nats.
type limit struct {
	trained.Condition
	half, kl float64
}

// rests reports whether the divergence has settled: it falls by at most the share
// limitFalls over the second half of the steps.
func (m limit) rests() bool { return m.half-m.kl <= limitFalls*m.half }

// falling says that the divergence of one head has not settled.
func (m limit) falling() string {
	return fmt.Sprintf("the KL of one head still falls: %.2g nats after half of the steps, %.2g after all",
		m.half, m.kl)
}

func (l *lab) measureLimits(ctx context.Context, s *claim.Study) (limits, error) {
	found := limits{lastTwo: map[trained.Source]float64{}}
	heads, widths := l.limitCells()
	var err error
	if found.heads, err = measureLimit(s, heads); err != nil {
		return found, err
	}
	if found.widths, err = measureLimit(s, widths); err != nil {
		return found, err
	}
	for _, c := range heads {
		of, err := trained.NewSubject(ctx, s, c)
		if err != nil {
			return found, err
		}
		found.lastTwo[c.Source] = l.learnable(&subject{Subject: of}).Plateaus[1]
	}
	return found, nil
}

// measureLimit reads the divergences of the listed models from their training metrics.
func measureLimit(s *claim.Study, list []trained.Condition) ([]limit, error) {
	found := make([]limit, len(list))
	for i, c := range list {
		rows, err := s.Metrics(limitTraining(c))
		if err != nil {
			return nil, err
		}
		found[i] = limit{Condition: c}
		for _, row := range rows {
			if row.Step <= c.Steps()/2 {
				found[i].half = row.KL
			}
			found[i].kl = row.KL
		}
	}
	return found, nil
}

// of returns the models of a process with the given number of heads.
func (m limits) of(on trained.Source, heads int) (list []limit) {
	for _, c := range m.heads {
		if c.Source == on && c.Heads == heads {
			list = append(list, c)
		}
	}
	return list
}

// reached returns the divergence of each model after all steps.
func reached(list []limit) []float64 { return numbers(list, func(m limit) float64 { return m.kl }) }

func (m limits) judge() claim.Finding {
	found := claim.NewFinding(claim.ConditionsOf(limitSources, m.condition))
	found.Asked = m.questions()
	return found
}

// condition judges whether a second head lowers the KL on a process with negative ζ, or
// whether it makes no difference on a process with positive ζ.
func (m limits) condition(on trained.Source) claim.Condition {
	one, two := m.of(on, 1), m.of(on, 2)
	c := claim.Condition{Name: on.String(), Verdict: claim.Fails}
	ratios := make([]float64, len(one))
	for i := range one {
		ratios[i] = math.Log10(one[i].kl / two[i].kl)
	}
	c.Effect = claim.Over("KL with one head divided by KL with two", "decades", ratios)
	c.Obtained = fmt.Sprintf("training reaches %.1e nats with one head (no seed is below %.1e) and %.1e nats with two",
		seeds.Mean(reached(one)), slices.Min(reached(one)), seeds.Mean(reached(two)))
	if on.Zeta() >= 0 {
		ratio := seeds.Mean(reached(one)) / seeds.Mean(reached(two))
		c.Verdict = claim.HoldsIf(ratio <= limitFactor && ratio >= 1/limitFactor)
		return c.Judged("")
	}
	least, most := slices.Min(reached(one)), slices.Max(reached(two))
	switch falling := slices.IndexFunc(one, func(m limit) bool { return !m.rests() }); {
	case least <= most:
	case falling >= 0:
		return c.Judged(one[falling].falling())
	case least > limitFactor*most:
		c.Verdict = claim.Holds
	default:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	}
	return c.Judged("")
}

// questions asks whether one head stays on the plateau on which models trained on samples
// remain (M12).
func (m limits) questions() []claim.Question {
	on := limitSources[0]
	one, plateau := reached(m.of(on, 1)), m.lastTwo[on]
	return []claim.Question{{
		Question: fmt.Sprintf("%s: does one head remain at the KL of an optimal observer of the last two tokens, "+
			"as models trained on samples do (M12)? (The laboratory's own threshold: within %s)",
			on, percent(limitFalls)),
		Answer:   claim.AnswerIf(seeds.Mean(one) >= (1-limitFalls)*plateau),
		Obtained: fmt.Sprintf("at %.2f times this KL", seeds.Mean(one)/plateau),
	}}
}

func (m limits) tabulate(c *claim.Claim) {
	c.Tables = append(c.Tables,
		m.frame("KL to the optimum in nats, by process, heads and seed", m.heads, "d_head").Table(),
		m.frame("KL to the optimum in nats, one head, by its width d_head", m.widths,
			"heads", "seed", "relative to the last two tokens").Table())
}

// frame returns a row for each listed model. Its table lacks the columns with the given
// headings.
func (m limits) frame(title string, list []limit, hidden ...string) document.Frame {
	f := document.Frame{Title: title, Columns: []document.Column{
		{Heading: "process"},
		{Name: "x"},
		{Name: "a"},
		{Name: "heads", Heading: "heads"},
		{Name: "d_head", Heading: "d_head"},
		{Name: "seed", Heading: "seed"},
		{Name: "kl_half", Heading: "after half of the steps", Format: "%.2e"},
		{Name: "kl", Heading: "after all", Format: "%.2e"},
		{Heading: "relative to the last two tokens", Format: "%.2f"},
	}}
	for i, c := range f.Columns {
		if slices.Contains(hidden, c.Heading) {
			f.Columns[i].Heading = ""
		}
	}
	for _, h := range list {
		f.Row(h.Source, h.X, h.A, h.Heads, h.Settings.DHead, h.Seed, h.half, h.kl, h.kl/m.lastTwo[h.Source])
	}
	return f
}

func (m limits) draw(out *claim.Output) {
	var panels []figure.Panel
	for _, on := range slices.Concat(limitSources, limitBeside) {
		dots := figure.Dots{Title: on.String(), X: figure.Axis{Label: "KL (nats)", Log: true}, Label: "heads"}
		series := figure.DotSeries{}
		for n := 1; n <= 2; n++ {
			dots.Groups = append(dots.Groups, fmt.Sprint(n))
			series = seeds.Dot(series, reached(m.of(on, n)))
		}
		dots.Series = []figure.DotSeries{series}
		dots.Refs = []figure.Ref{{Label: "last two", Value: m.lastTwo[on], Vertical: true}}
		panels = append(panels, dots)
	}
	out.Figure("least", figure.Row("What training one layer reaches", "Dots: KL by number of heads, where ζ is "+
		"positive and where it is negative. A chart: KL by the width of a single head.",
		append(panels, m.byWidth())...))
	out.CSV("least", m.frame("", slices.Concat(m.heads, m.widths)))
}

// byWidth draws the KL of a single head by its width.
func (m limits) byWidth() figure.Chart {
	chart := figure.Chart{
		Title: "one head", X: figure.Axis{Label: "d_head", Log: true}, Y: figure.Axis{Label: "KL (nats)", Log: true},
	}
	for _, on := range limitSources {
		s := figure.Series{Name: on.String()}
		for _, h := range m.widths {
			if h.Source == on {
				s.Add(float64(h.Settings.DHead), h.kl)
			}
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}
