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
	return texts.Fill(claim.Row{
		ID: "B1", Kind: claim.Beyond, StandsOn: []string{"B2"}, RuleCommit: "7160d67", ChangedAfterResult: true,
		Trainings: trained.Trainings(p.rrxorModels()), Setting: p.rrxor.Describe(p.name),
		First: claim.FirstBy("80697b1", spread.first),
		Test: claim.Steps[spread]{
			Measure: p.measureSpread, Judge: spread.judge, Tabulate: spread.tabulate, Draw: spread.draw,
		}.Test,
	}, map[string]any{
		"layers": numerals.Cardinal(layers), "seeds": numerals.Cardinal(len(p.seeds)),
		"tokens": numerals.Cardinal(lastTokens), "length": p.rrxor.NCtx,
	})
}

// spread is the measurement of B1: R² of the beliefs from the stages of several models.
type spread struct {
	readings []reading // one for each element of splits
	shown    planes
}

// splits are the two ways of holding out test data that B1 compares.
var splits = []struct {
	name       string
	convention probe.Convention
}{
	{"held out by sequence", probe.Ours},
	{"held out by prefix", probe.Convention{HoldOut: probe.ByWord}},
}

// reading is R² of regressions from activations to beliefs, with one way of holding out
// data. Each model has a score for each stage of the residual stream, then one for all
// stages together.
type reading struct {
	claim.BySeed[[]probe.StageScore]
	split  string
	stages []string // what each score is about

	// R² without a model: from the optimal next-token distribution, and from the last
	// tokens.
	nextToken, lastTokens float64
}

// r2 is one of the values of R² in a score: for a trained model, for its random
// initialisation, or for shuffled beliefs in the trained model.
type r2 func(probe.StageScore) float64

func ofTrained(s probe.StageScore) float64  { return s.R2 }
func ofRandom(s probe.StageScore) float64   { return s.Random }
func ofShuffled(s probe.StageScore) float64 { return s.Shuffled }

// sideBySide names the features that concatenate the activations of all stages.
const sideBySide = "all together"

func (p profile) measureSpread(ctx context.Context, s *claim.Study) (spread, error) {
	var found spread
	models, err := subjects(ctx, s, p.rrxorModels())
	if err != nil {
		return found, err
	}
	converged, err := converge(ctx, models, s.Workers)
	if err != nil {
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
		r := newReading(stageNames(models[0].Condition), converged, reports)
		r.split = split.name
		found.readings = append(found.readings, r)
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

// newReading combines the models of several seeds with the probe reports on them.
func newReading(stages []string, models []claim.Seeded[[]probe.StageScore], reports []*probe.Report) reading {
	controls := reports[0].Controls // the next-token distribution, the last token, the last two, …
	r := reading{
		stages: append(stages, sideBySide), nextToken: controls[0].R2, lastTokens: controls[lastTokens].R2,
	}
	for i, m := range models {
		m.Found = reports[i].Stages
		r.Models = append(r.Models, m)
	}
	return r
}

// converge returns for each model its seed and why it has not converged, without scores.
func converge(ctx context.Context, models []*trained.Subject, workers int) (
	list []claim.Seeded[[]probe.StageScore], err error,
) {
	for _, m := range models {
		a, err := probe.Analyze(ctx, m.Model, m.Prefixes, probe.Plan{Workers: workers})
		if err != nil {
			return nil, err
		}
		c, err := a.Convergence(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, claim.Seeded[[]probe.StageScore]{Seed: int(m.Seed), Unconverged: c.Reason})
	}
	return list, nil
}

// means returns one of the values of R² from the last stage and from all stages together,
// averaged over seeds.
func (r reading) means(of r2) (last, all float64) {
	n := len(r.stages)
	return seeds.Mean(atStage(r.BySeed, n-2, of)), seeds.Mean(atStage(r.BySeed, n-1, of))
}

func (m spread) judge() claim.Finding {
	all, last := m.readings[1].allBesideLast(), m.readings[1].lastBesideControls()
	verdict, reason := all.Verdict, all.Reason
	if verdict == claim.Holds && last.Verdict == claim.Fails {
		verdict, reason = claim.Differs, claim.Conditions
	}
	return claim.Finding{
		Verdict: verdict, Reason: reason, Obtained: m.obtained(), Effect: all.Effect,
		Conditions: []claim.Condition{all, last}, Asked: []claim.Question{m.readings[0].asked()},
	}
}

// allBesideLast judges by how much R² from all stages exceeds R² from the last stage.
func (r reading) allBesideLast() claim.Condition {
	return r.compare("all stages compared with the last stage", "R² from all stages minus R² from the last, "+r.split,
		func(stages []probe.StageScore, of r2) float64 {
			n := len(stages)
			return of(stages[n-1]) - of(stages[n-2])
		})
}

// lastBesideControls judges R² from the last stage against controls.
func (r reading) lastBesideControls() claim.Condition {
	return r.compare("the last stage compared with controls", "R² from the last stage, "+r.split,
		func(stages []probe.StageScore, of r2) float64 { return of(stages[len(stages)-2]) },
		r.nextToken, r.lastTokens)
}

// compare returns the verdict on a number of trained models: whether it exceeds 0 and the
// largest of its controls. The controls are the number at random initialisation and with
// shuffled beliefs, and those that are the same for all models.
func (r reading) compare(name, what string, number func([]probe.StageScore, r2) float64, same ...float64,
) claim.Condition {
	r.Name = name
	by := func(of r2) func([]probe.StageScore) float64 {
		return func(stages []probe.StageScore) float64 { return number(stages, of) }
	}
	above := func(stages []probe.StageScore) float64 {
		largest := max(0, number(stages, ofRandom), number(stages, ofShuffled))
		return number(stages, ofTrained) - slices.Max(append(same, largest))
	}
	return r.Judge(func(converged []claim.Seeded[[]probe.StageScore]) (c claim.Condition) {
		mean, interval := claim.Mean(r.Values(above))
		c.Effect = r.Over(what, "", by(ofTrained)).Against("random initialisation", seeds.Mean(r.Values(by(ofRandom))))
		c.Verdict, c.Reason = seeds.Above(interval, 0)
		c.Obtained = fmt.Sprintf("%.3f, random initialisation %.3f; above the largest control by %.3f%s; %d of %d "+
			"models have converged",
			c.Effect.Estimate, c.Effect.Control.Value, mean, seeds.Within("%.3f", interval),
			len(converged), len(r.Models))
		return c
	})
}

// asked asks whether R² from all stages also exceeds R² from the last stage if sequences
// are held out instead of prefixes.
func (r reading) asked() claim.Question {
	c := r.allBesideLast()
	last, all := r.means(ofShuffled)
	return claim.Question{
		Question: "If sequences are held out instead of prefixes, is the increase of R² from the last stage to all " +
			"stages also larger than in the controls? (The laboratory's own question: short prefixes then occur on " +
			"both sides of the split, and R² of shuffled beliefs is systematically above 0)",
		Answer:   seeds.Answer(c.Verdict),
		Obtained: fmt.Sprintf("%s; with shuffled beliefs %.3f", c.Obtained, all-last), Effect: c.Effect,
	}
}

func (m spread) obtained() string {
	bySequence, byWord := m.readings[0], m.readings[1]
	last, all := bySequence.means(ofShuffled)
	parts := []string{
		byWord.obtained(fmt.Sprintf("next-token distribution %.3f, last %d tokens %.3f",
			byWord.nextToken, lastTokens, byWord.lastTokens)),
		bySequence.obtained(fmt.Sprintf("shuffled beliefs %.3f and %.3f", last, all)),
	}
	if why := byWord.Why(); why != "" {
		parts = append(parts, "not all models have converged ("+why+")")
	}
	return strings.Join(parts, "; ")
}

// obtained describes the means over seeds, with the controls given as text.
func (r reading) obtained(controls string) string {
	last, all := r.means(ofTrained)
	lastRandom, allRandom := r.means(ofRandom)
	return fmt.Sprintf("%s: last stage %.3f, all together %.3f (random initialisation %.3f and %.3f, %s)",
		r.split, last, all, lastRandom, allRandom, controls)
}

func (m spread) tabulate(c *claim.Claim) {
	for _, r := range m.readings {
		c.Tables = append(c.Tables, r.frame().Table())
	}
}

func (r reading) frame() document.Frame {
	f := document.Frame{
		Title: fmt.Sprintf("R² of the beliefs of %s, %s: mean over %d seeds ± standard deviation",
			rrxor, r.split, len(r.Models)),
		Columns: document.Headed("%.3f", "features", "trained", "random initialisation", "shuffled beliefs"),
	}
	for i, name := range r.stages {
		cell := func(of r2) document.Spread { return seeds.Spread(atStage(r.BySeed, i, of)) }
		f.Row(name, cell(ofTrained), cell(ofRandom), cell(ofShuffled))
	}
	f.Row("optimal next-token distribution, no model", r.nextToken, "", "")
	f.Row(fmt.Sprintf("last %d tokens, no model", lastTokens), r.lastTokens, "", "")
	return f
}

func (m spread) draw(out *claim.Output) {
	var charts []figure.Panel
	data := document.Frame{
		Columns: document.Named("by_word", "seed", "features", "r2", "r2_random", "r2_shuffled"),
	}
	data.Columns[2].Codes = m.readings[0].stages
	for split, r := range m.readings {
		charts = append(charts, r.chart())
		data.Columns[0].Codes = append(data.Columns[0].Codes, r.split)
		for i := range r.stages {
			for _, of := range r.Models {
				score := of.Found[i]
				data.Row(split, of.Seed, i, score.R2, score.Random, score.Shuffled)
			}
		}
	}
	out.Figure("stages", figure.Grid(1, "Beliefs of RRXOR by stage of the residual stream",
		"Two charts, one for each split: R² by stage for trained models, random initialisations and shuffled "+
			"beliefs, with two reference lines.", charts...))
	m.shown.draw(out)
	out.CSV("stages", data)
}

// chart draws R² by stage, with a separate point for all stages together.
func (r reading) chart() figure.Panel {
	return figure.Chart{
		Title: r.split, X: figure.Axis{Names: r.stages}, Y: figure.Axis{Label: "R² of the beliefs"},
		Refs: []figure.Ref{
			{Label: "next token", Value: r.nextToken},
			{Label: fmt.Sprintf("last %d tokens", lastTokens), Value: r.lastTokens},
		},
		Series: slices.Concat(
			r.lines(figure.Series{Name: "trained", Color: 2}, ofTrained),
			r.lines(figure.Series{Name: "random initialisation", Color: 3, Open: true}, ofRandom),
			r.lines(figure.Series{Name: "shuffled beliefs", Color: 4, Open: true}, ofShuffled)),
	}
}

// lines returns a series along the residual stream, in the given style, and a separate
// point for all stages together.
func (r reading) lines(style figure.Series, of r2) []figure.Series {
	last := len(r.stages) - 1
	together := figure.Series{Color: style.Color, Open: style.Open, Style: figure.Scatter}
	seeds.AddPoint(&together, float64(last), atStage(r.BySeed, last, of))
	return []figure.Series{along(style, r.BySeed, last, of), together}
}
