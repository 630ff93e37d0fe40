package beliefs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// lastTokens is the number of tokens in a control of claim B1, which reads the beliefs
// from the last tokens of a sequence alone, without a model.
const lastTokens = 3

// byLayer returns claim B1: beliefs of the process RRXOR are spread over layers (after
// Shai et al. 2024).
func (p profile) byLayer() claim.Row {
	return claim.Row{
		ID: "B1", Kind: claim.Beyond, Source: "beyond the documents; Shai et al. 2024, on RRXOR",
		Quote: nearest + ".", StandsOn: []string{"B2"},
		Statement: "Where different beliefs predict the same next token, as in RRXOR, beliefs are spread over " +
			"layers: all stages of the residual stream together carry more information about the beliefs than the " +
			"last stage.",
		Expected: fmt.Sprintf("with %s layers, %s seeds and prefixes held out for testing: R² of the beliefs from "+
			"all stages together exceeds R² from the last stage by more than it does at random initialisation and "+
			"with shuffled beliefs; and R² from the last stage exceeds R² from the optimal next-token distribution, "+
			"from the last %s tokens, at random initialisation and with shuffled beliefs. Each part is judged by "+
			"the difference from the largest control, seed by seed, over the models that have converged: it holds "+
			"if the 95 %% interval of this difference is above 0, fails if the interval is below 0, and is open if "+
			"the interval contains 0. The verdict is the verdict on the first part, but the claim differs if the "+
			"first part holds and the second fails",
			numerals.Cardinal(layers), numerals.Cardinal(len(p.seeds)), numerals.Cardinal(lastTokens)),
		RuleCommit: "7160d67", ChangedAfterResult: true,
		Trainings: trained.Trainings(p.rrxorModels()),
		Test: claim.Steps[spread]{
			Measure: p.measureSpread, Judge: spread.judge, Tabulate: spread.tabulate, Draw: spread.draw,
		}.Test,
	}
}

// spread is the measurement of B1: R² of the beliefs from the stages of several models.
type spread struct {
	setting  string
	seeds    []uint64
	converge []probe.Convergence // whether each seed's model has converged
	readings []reading           // one for each element of splits
	shown    planes
}

// splits are the two ways of holding out test data that B1 compares.
var splits = []struct {
	name       string
	convention probe.Convention
}{
	{"held out by sequence", probe.Ours},
	{"held out by prefix", probe.Convention{Test: probe.ByWord}},
}

// reading is R² of regressions from activations to beliefs, with one way of holding out
// data.
type reading struct {
	split  string
	stages []stage // one for each stage of the residual stream, then one for all stages together

	// R² without a model: from the optimal next-token distribution, and from the last
	// tokens.
	nextToken, lastTokens float64
}

// stage is R² of the beliefs read from one stage of the residual stream, or from all
// stages together, by seed: for trained models, for their random initialisations, and for
// shuffled beliefs in the trained models.
type stage struct {
	name                      string
	trained, random, shuffled []float64
}

// sideBySide names the features that concatenate the activations of all stages.
const sideBySide = "all together"

func (p profile) measureSpread(ctx context.Context, s *claim.Study) (spread, error) {
	found := spread{setting: p.rrxor.Describe(p.name), seeds: p.seeds}
	models, err := subjects(ctx, s, p.rrxorModels())
	if err != nil {
		return found, err
	}
	if found.converge, err = converge(ctx, models, s.Workers); err != nil {
		return found, err
	}
	for _, split := range splits {
		s.Tell("probing " + rrxor.String() + ", " + split.name)
		reports, err := examine(ctx, models, probe.Question{
			Convention: split.convention, SideBySide: true, Workers: s.Workers,
		})
		if err != nil {
			return found, err
		}
		found.readings = append(found.readings, newReading(split.name, stageNames(models[0].Condition), reports))
	}
	found.shown, err = measurePlanes(ctx, models[0], s.Workers)
	return found, err
}

// examine probes all models of one process in the same way.
func examine(ctx context.Context, models []*trained.Subject, q probe.Question) ([]*probe.Report, error) {
	list := make([]probe.Subject, len(models))
	for i, m := range models {
		list[i] = probe.Subject{Model: m.Model, Seed: m.Seed}
	}
	return probe.ExamineEach(ctx, list, models[0].Prefixes, q)
}

// newReading combines the probe reports on the models of several seeds.
func newReading(split string, stages []string, reports []*probe.Report) reading {
	controls := reports[0].Controls // the next-token distribution, the last token, the last two, …
	r := reading{split: split, nextToken: controls[0].R2, lastTokens: controls[lastTokens].R2}
	for i, name := range append(stages, sideBySide) {
		st := stage{name: name}
		for _, report := range reports {
			score := report.Stages[i]
			st.trained = append(st.trained, score.R2)
			st.random = append(st.random, score.Random)
			st.shuffled = append(st.shuffled, score.Shuffled)
		}
		r.stages = append(r.stages, st)
	}
	return r
}

// converge returns, for each model, whether it has converged.
func converge(ctx context.Context, models []*trained.Subject, workers int) ([]probe.Convergence, error) {
	list := make([]probe.Convergence, len(models))
	for i, m := range models {
		a, err := probe.Analyze(ctx, m.Model, m.Prefixes, probe.Plan{Workers: workers})
		if err != nil {
			return nil, err
		}
		if list[i], err = a.Convergence(ctx); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// scores holds the three values of R² of a [stage], averaged over seeds.
type scores struct{ trained, random, shuffled float64 }

func (st stage) mean() scores {
	return scores{seeds.Mean(st.trained), seeds.Mean(st.random), seeds.Mean(st.shuffled)}
}

func (r reading) last() scores { return r.stages[len(r.stages)-2].mean() }

func (r reading) all() scores { return r.stages[len(r.stages)-1].mean() }

// The names of the two conditions of B1.
const (
	allBesideLast      = "all stages compared with the last stage"
	lastBesideControls = "the last stage compared with controls"
)

func (m spread) judge() claim.Finding {
	all, last := m.allBesideLast(m.readings[1]), m.lastBesideControls(m.readings[1])
	conditions := []claim.Condition{all, last}
	verdict, reason := all.Verdict, all.Reason
	if verdict == claim.Holds && last.Verdict == claim.Fails {
		verdict, reason = claim.Differs, claim.Conditions
	}
	return claim.Finding{
		Verdict: verdict, Reason: reason, Obtained: m.obtained(), Effect: all.Effect, Conditions: conditions,
		Asked: []claim.Question{m.bySequence()},
	}
}

// allBesideLast judges by how much R² from all stages exceeds R² from the last stage.
func (m spread) allBesideLast(r reading) claim.Condition {
	last, all := r.stages[len(r.stages)-2], r.stages[len(r.stages)-1]
	random := minus(all.random, last.random)
	return m.condition(allBesideLast, comparison{
		what: "R² from all stages minus R² from the last, " + r.split, random: random,
		trained: minus(all.trained, last.trained), controls: [][]float64{random, minus(all.shuffled, last.shuffled)},
	})
}

// lastBesideControls judges R² from the last stage against controls.
func (m spread) lastBesideControls(r reading) claim.Condition {
	last := r.stages[len(r.stages)-2]
	return m.condition(lastBesideControls, comparison{
		what: "R² from the last stage, " + r.split, random: last.random, trained: last.trained,
		controls: [][]float64{
			last.random, last.shuffled,
			slices.Repeat([]float64{r.nextToken}, len(last.trained)),
			slices.Repeat([]float64{r.lastTokens}, len(last.trained)),
		},
	})
}

// comparison holds a measured quantity for trained models and for the controls, by seed.
type comparison struct {
	what            string
	trained, random []float64
	controls        [][]float64
}

// condition returns the verdict on a comparison, by the models that have converged:
// whether the trained models exceed the largest control.
func (m spread) condition(name string, c comparison) claim.Condition {
	found := claim.Condition{Name: name, Obtained: "no model has converged"}
	var values, above, random []float64
	for i, x := range c.trained {
		if !m.converge[i].Converged() {
			continue
		}
		largest := max(0, c.controls[0][i])
		for _, control := range c.controls[1:] {
			largest = max(largest, control[i])
		}
		values = append(values, x)
		above = append(above, x-largest)
		random = append(random, c.random[i])
	}
	if len(values) == 0 {
		return found.Judged(m.converge[0].Reason)
	}
	share := claim.NewShare(len(values), len(c.trained))
	found.Effect = claim.Over(c.what, "", values).Against("random initialisation", seeds.Mean(random))
	found.Effect.Reached = &share
	mean, interval := claim.Mean(above)
	found.Verdict, found.Reason = seeds.Above(interval, 0)
	found.Obtained = fmt.Sprintf("%.3f, random initialisation %.3f; above the largest control by %.3f%s; %d of %d "+
		"models have converged",
		found.Effect.Estimate, found.Effect.Control.Value, mean, seeds.Within("%.3f", interval),
		share.K, share.N)
	return found.Judged("")
}

// minus returns a − b, seed by seed.
func minus(a, b []float64) []float64 {
	list := make([]float64, len(a))
	for i := range a {
		list[i] = a[i] - b[i]
	}
	return list
}

// bySequence asks whether R² from all stages also exceeds R² from the last stage if
// sequences are held out instead of prefixes.
func (m spread) bySequence() claim.Question {
	r := m.readings[0]
	c := m.allBesideLast(r)
	shuffled := r.all().shuffled - r.last().shuffled
	return claim.Question{
		Question: "If sequences are held out instead of prefixes, is the increase of R² from the last stage to all " +
			"stages also larger than in the controls? (The laboratory's own question: short prefixes then occur on " +
			"both sides of the split, and R² of shuffled beliefs is systematically above 0)",
		Answer:   seeds.Answer(c.Verdict),
		Obtained: fmt.Sprintf("%s; with shuffled beliefs %.3f", c.Obtained, shuffled), Effect: c.Effect,
	}
}

func (m spread) obtained() string {
	bySequence, byWord := m.readings[0], m.readings[1]
	last, all := byWord.last(), byWord.all()
	parts := []string{fmt.Sprintf("%s: last stage %.3f, all together %.3f (random initialisation %.3f and %.3f, "+
		"next-token distribution %.3f, last %d tokens %.3f)",
		byWord.split, last.trained, all.trained, last.random, all.random,
		byWord.nextToken, lastTokens, byWord.lastTokens)}
	last, all = bySequence.last(), bySequence.all()
	parts = append(parts, fmt.Sprintf("%s: last stage %.3f, all together %.3f (random initialisation %.3f and %.3f, "+
		"shuffled beliefs %.3f and %.3f)",
		bySequence.split, last.trained, all.trained, last.random, all.random, last.shuffled, all.shuffled))
	for i, c := range m.converge {
		if !c.Converged() {
			parts = append(parts, fmt.Sprintf("seed %d has not converged: %s", m.seeds[i], c.Reason))
		}
	}
	return strings.Join(parts, "; ")
}

func (m spread) tabulate(c *claim.Claim) {
	for _, r := range m.readings {
		c.Tables = append(c.Tables, r.table(len(m.seeds)))
	}
	c.Setting, c.Notes = m.setting, append(c.Notes, byLayerNotes...)
}

func (r reading) table(seedCount int) document.Table {
	table := document.Table{
		Title: fmt.Sprintf("R² of the beliefs of %s, %s: mean over %d seeds ± standard deviation",
			rrxor, r.split, seedCount),
		Columns: []string{"features", "trained", "random initialisation", "shuffled beliefs"},
	}
	for _, st := range r.stages {
		table.Rows = append(table.Rows, []string{
			st.name, seeds.Text("%.3f", st.trained), seeds.Text("%.3f", st.random), seeds.Text("%.3f", st.shuffled),
		})
	}
	table.Rows = append(table.Rows,
		[]string{"optimal next-token distribution, no model", fmt.Sprintf("%.3f", r.nextToken), "", ""},
		[]string{fmt.Sprintf("last %d tokens, no model", lastTokens), fmt.Sprintf("%.3f", r.lastTokens), "", ""})
	return table
}

var byLayerNotes = []string{
	"The rule was first written after the results of one of these models had been seen (docs/log.md, 2026-11-20). " +
		"It compared means with sequences held out, and was satisfied. But with sequences held out, shuffled " +
		"beliefs gain as much from several stages.",
	"Figures show means over all seeds; the verdict is on the models that have converged.",
	"Few sequences of RRXOR can occur, and short prefixes, which have much of the weight, are on both sides of a " +
		"split by sequence. The regression therefore predicts shuffled beliefs to some extent. With a split by " +
		"prefix it does not.",
	"The next-token distribution is a linear function of the belief, and the last stage needs to carry nothing else.",
}

func (m spread) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Beliefs of RRXOR by stage of the residual stream",
		Desc: "Two charts, one for each split: R² by stage for trained models, random initialisations and shuffled " +
			"beliefs, with two reference lines.",
	}
	for _, r := range m.readings {
		f.Panels = append(f.Panels, []figure.Panel{r.chart()})
	}
	out.Captioned("stages", "R² of the beliefs along the residual stream, at resid_mid (after attention) and "+
		"resid_post (after the MLP) of each layer, and from all stages together; points are means over seeds, error "+
		"bars their range. Horizontal lines: R² of the beliefs from the optimal next-token distribution alone, and "+
		"from the last tokens alone.", f)
	m.shown.draw(out)
	out.CSV("stages", document.Numbers([]string{"by_word", "seed", "features", "r2", "r2_random", "r2_shuffled"}, m.rows()))
	var splits, stages []string
	for _, r := range m.readings {
		splits = append(splits, r.split)
	}
	for _, st := range m.readings[0].stages {
		stages = append(stages, st.name)
	}
	out.Codes("by_word", splits...)
	out.Codes("features", stages...)
}

// rows returns R² for each split, stage and seed, for the data file.
func (m spread) rows() (rows [][]float64) {
	for split, r := range m.readings {
		for i, st := range r.stages {
			for k, seed := range m.seeds {
				rows = append(rows, []float64{
					float64(split), float64(seed), float64(i), st.trained[k], st.random[k], st.shuffled[k],
				})
			}
		}
	}
	return rows
}

// chart draws R² by stage, with a separate point for all stages together.
func (r reading) chart() figure.Panel {
	chart := figure.Chart{
		Title: r.split, Y: figure.Axis{Label: "R² of the beliefs"},
		Refs: []figure.Ref{
			{Label: "next token", Value: r.nextToken},
			{Label: fmt.Sprintf("last %d tokens", lastTokens), Value: r.lastTokens},
		},
	}
	for _, st := range r.stages {
		chart.X.Names = append(chart.X.Names, st.name)
	}
	chart.Series = append(chart.Series,
		r.lines(figure.Series{Name: "trained", Color: 2}, func(st stage) []float64 { return st.trained })...)
	chart.Series = append(chart.Series,
		r.lines(figure.Series{Name: "random initialisation", Color: 3, Open: true},
			func(st stage) []float64 { return st.random })...)
	chart.Series = append(chart.Series,
		r.lines(figure.Series{Name: "shuffled beliefs", Color: 4, Open: true},
			func(st stage) []float64 { return st.shuffled })...)
	return chart
}

// lines returns a series along the residual stream, in the given style, and a separate
// point for all stages together.
func (r reading) lines(style figure.Series, of func(stage) []float64) []figure.Series {
	along, together := style, figure.Series{Color: style.Color, Open: style.Open, Dots: true}
	last := len(r.stages) - 1
	for i, st := range r.stages[:last] {
		along = seeds.Point(along, float64(i), of(st))
	}
	return []figure.Series{along, seeds.Point(together, float64(last), of(r.stages[last]))}
}
