package coin

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/model"
	"foretell/paper/internal/numerals"
	"foretell/probe"
	"foretell/process"
	"foretell/train"

	"gonum.org/v1/gonum/stat"
)

// closeBound is the bound in the laboratory's own stricter question about C6: the largest
// divergence from the posterior, averaged over N ≤ trainedFlips, in nats.
const closeBound = 1e-3

const (
	trainedFlips = 64  // number of flips in a context during training
	longestFlips = 256 // number of flips in the longest measured context
	trainedWidth = 32
	trainedMLP   = 128
	trainedBatch = 64
)

// trainedPredict is C6, beyond Gemini 2025.
func (p profile) trainedPredict() claim.Row {
	cost, as := priors[0].nearest(trainedFlips)
	return texts.Fill(claim.Row{
		ID: "C6", Kind: claim.Beyond, RuleCommit: "079810e", ChangedAfterResult: true, Trainings: p.trainings(),
		Setting: fmt.Sprintf("one layer, one head, width %d, MLP of %d, layer norm; %d steps of %d sequences of %d "+
			"flips, Adam with a learning rate that falls from 3e-3 to 0 as a cosine; %s seeds for the models that "+
			"decide the verdict, one for the others; measured on %d sequences of %d flips",
			trainedWidth, trainedMLP, p.steps, trainedBatch, trainedFlips,
			numerals.Cardinal(len(trainedSeeds)), p.sequences, longestFlips),
		First: claim.FirstLacks("c1e2560", claim.LacksModels),
		Test: claim.Steps[learners]{
			Measure: p.measureLearners, Judge: learners.judge, Tabulate: learners.tabulate, Draw: learners.draw,
		}.Test,
	}, map[string]any{
		"prior": priors[0], "seeds": numerals.Cardinal(len(trainedSeeds)), "flips": trainedFlips,
		"other": as, "cost": cost,
		"missed": 100 * probe.MostMissed, "near": 100 * probe.NearPlateau,
		"tokens":  numerals.Cardinal(probe.PlateauTokens),
		"written": numerals.Scientific(writtenError), "least": numerals.Scientific(leastDrawn),
	})
}

// trainedSeeds are the seeds of the models that decide the verdict. The other models are
// trained with the first of these seeds only.
var trainedSeeds = []uint64{1, 2, 3, 4, 5}

// learner is a transformer trained on coin flips.
type learner struct {
	prior
	positions string // kind of positional embedding
	bos       bool   // whether a BOS token precedes the flips
	seed      uint64
}

// models returns the models that the profile trains. They begin with one for each of the
// three priors, with BOS and without positional embedding. The others are for the first
// prior: one for each other kind of positional embedding, one without BOS and positional
// embedding, and one for each other seed.
func (p profile) models() (list []learner) {
	first := trainedSeeds[0]
	for _, of := range priors {
		list = append(list, learner{of, "none", true, first})
	}
	for _, kind := range p.kinds {
		list = append(list, learner{priors[0], kind, true, first})
	}
	list = append(list, learner{priors[0], "none", false, first})
	for _, seed := range trainedSeeds[1:] {
		list = append(list, learner{priors[0], "none", true, seed})
	}
	return list
}

// first returns the smallest number of flips after which the model predicts.
func (l learner) first() int {
	if l.bos {
		return 0
	}
	return 1
}

// kind returns the kind of positional embedding as text, followed by “, no BOS” if the
// model has no BOS.
func (l learner) kind() string {
	if !l.bos {
		return l.positions + ", no BOS"
	}
	return l.positions
}

func (p profile) trainings() []claim.Training {
	var list []claim.Training
	for _, l := range p.models() {
		list = append(list, p.training(l))
	}
	return list
}

// training returns the training run of a model.
func (p profile) training(l learner) claim.Training {
	bos := ""
	if l.bos {
		bos = "-bos"
	}
	return claim.Training{
		Name:   fmt.Sprintf("coin-a%g-b%g-%s%s-seed%d", l.a, l.b, l.positions, bos, l.seed),
		Label:  fmt.Sprintf("%s, %s, seed %d", l.prior, l.kind(), l.seed),
		Config: l.config(p.steps),
	}
}

func (l learner) config(steps int) train.Config {
	positions := make([]int, trainedFlips+1-l.first())
	for i := range positions {
		positions[i] = i + 1
	}
	return train.Config{
		Process: process.Spec{Name: "coin", Params: process.Params{"a": l.a, "b": l.b, "bos": float64(1 - l.first())}},
		Model: model.Config{
			DModel: trainedWidth, NLayers: 1, NHeads: model.Heads{1}, DMLP: trainedMLP,
			NCtx: longestFlips + 1 - l.first(), PositionalEmbeddingType: l.positions,
		},
		Train: train.Options{
			Seed: l.seed, BatchSize: trainedBatch, NumSteps: steps,
			LR: 3e-3, LRSchedule: "cosine", LossPositions: positions,
			EvaluateEvery: max(1, steps/8), EvaluateSequences: trainedBatch, CheckpointEvery: max(1, steps/4),
		},
	}
}

// learners holds the predictions of the trained models and, last, of a model written by
// hand for comparison.
type learners struct {
	measured  []predictions
	untrained []float64 // mean divergence before training, N ≤ trainedFlips; only for models that bySeed returns
}

func (p profile) measureLearners(ctx context.Context, s *claim.Study) (learners, error) {
	list := p.models()
	m := learners{
		measured: make([]predictions, len(list)), untrained: make([]float64, len(list)),
	}
	err := s.Each(ctx, len(list), func(_ context.Context, i int) (err error) {
		of := s.Trained(p.training(list[i]))
		coin, err := process.OptimumOf(of.Process)
		if err != nil {
			return err
		}
		if m.measured[i], err = list[i].predict(ctx, of.Model, coin, p.sequences); err != nil {
			return err
		}
		if list[i].kind() == "none" {
			m.untrained[i], err = list[i].predictUntrained(ctx, of.Model.Config, coin, p.sequences)
		}
		return err
	})
	if err != nil {
		return m, err
	}
	written, err := p.predictWritten(ctx)
	m.measured = append(m.measured, written)
	return m, err
}

func (m learners) judge() claim.Finding {
	here := m.condition(priors[0])
	conditions := []claim.Condition{here}
	verdict, reason := claim.Conclude(conditions)
	return claim.Finding{
		Verdict: verdict, Reason: reason, Effect: here.Effect, Conditions: conditions,
		Obtained: fmt.Sprintf("divergence in nats over N ≤ %d flips, with BOS and without positional embedding: "+
			"%s", trainedFlips, here.Obtained),
		Asked: []claim.Question{m.otherPriors(), m.close()},
	}
}

// bySeed returns the divergences of the models of a prior with BOS and without positions,
// in nats, over N ≤ trainedFlips.
func (m learners) bySeed(p prior) claim.BySeed[float64] {
	g := claim.BySeed[float64]{Name: p.String()}
	for i, r := range m.measured {
		if r.prior == p && r.kind() == "none" {
			kl := r.within(0, trainedFlips)
			g.Models = append(g.Models, claim.Seeded[float64]{
				Seed: int(r.seed), Unconverged: r.learnable(0, trainedFlips).Judge(kl).Reason,
				Found: kl, Random: m.untrained[i],
			})
		}
	}
	return g
}

// condition returns the verdict on a prior. Its effect is a mean over the models that
// have converged, and its control a mean over all.
func (m learners) condition(p prior) claim.Condition {
	g := m.bySeed(p)
	return g.Judge(func([]claim.Seeded[float64]) (c claim.Condition) {
		divergence := func(kl float64) float64 { return kl }
		control := stat.Mean(g.AllRandom(divergence), nil)
		c.Effect = g.Over("divergence from the posterior predictive", "nats", divergence).
			Against("random initialisation", control)
		cost, as := p.nearest(trainedFlips)
		c.Verdict, c.Reason = besideCost(c.Effect, cost)
		c.Obtained = fmt.Sprintf("%.1e on average over the %d of %d models that have converged, %.1e before training; "+
			"predicting with %s instead costs %.1e",
			c.Effect.Estimate, c.Effect.Reached.K, c.Effect.Reached.N, control, as, cost)
		return c
	})
}

// besideCost returns the verdict on a divergence, by comparison with the cost of
// predicting with a wrong prior.
func besideCost(e *claim.Effect, cost float64) (claim.Verdict, claim.Reason) {
	switch {
	case e.Interval == nil || e.Control.Value < cost:
		return claim.Open, claim.Power
	case e.Interval.High < cost:
		return claim.Holds, ""
	case e.Interval.Low > cost:
		return claim.Fails, ""
	}
	return claim.Open, claim.Power
}

// otherPriors asks whether the divergence is below the cost of a wrong prior for each
// other prior as well. Each of these has one model.
func (m learners) otherPriors() claim.Question {
	q := claim.Question{
		Question: "For each other prior, is the divergence of its one model below the cost of predicting with the " +
			"nearest of the other priors? (our question: the document has one prior)",
		Answer: claim.Yes,
	}
	var costs []string
	for _, p := range priors[1:] {
		cost, _ := p.nearest(trainedFlips)
		for _, of := range m.bySeed(p).Models {
			switch {
			case of.Unconverged != "":
				q.Answer = claim.Undecided
			case of.Found >= cost && q.Answer == claim.Yes:
				q.Answer = claim.No
			}
			costs = append(costs, fmt.Sprintf("%s: %.1e nats, against %.1e", p, of.Found, cost))
		}
	}
	q.Obtained = strings.Join(costs, "; ")
	return q
}

// close asks whether the divergence of every model with BOS and without positional
// embedding is at most closeBound.
func (m learners) close() claim.Question {
	worst := 0.0
	for _, p := range priors {
		for _, of := range m.bySeed(p).Models {
			worst = max(worst, of.Found)
		}
	}
	return claim.Question{
		Question: fmt.Sprintf("Is the divergence at most %s nats for every model with BOS and without positional "+
			"embedding, whatever its prior? (our question, chosen before the first result; it was the rule of this "+
			"row until the row had intervals)",
			numerals.Scientific(closeBound)),
		Answer:   claim.AnswerIf(worst <= closeBound),
		Obtained: fmt.Sprintf("at most %.1e nats", worst),
	}
}

func (m learners) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: "mean divergence from the posterior predictive, in nats",
		Columns: []document.Column{
			{Heading: "prior"},
			{Heading: "positions"},
			{Heading: "seed"},
			{Heading: "N ≤ 64", Format: "%.1e"},
			{Heading: "share of the flips' information that is missed, N ≤ 64", Format: "%.2g %%"},
			{Heading: "64 < N ≤ 128", Format: "%.1e"},
			{Heading: "128 < N ≤ 256", Format: "%.1e"},
			{Heading: "attention from uniform, N = 64", Format: "%.2f"},
		},
	}
	for _, r := range m.measured {
		var seed any = r.seed
		if r.seed == 0 {
			seed = "–" // written by hand
		}
		f.Row(r.prior, r.kind(), seed, r.within(0, trainedFlips), r.missed(0, trainedFlips),
			r.within(trainedFlips+1, 2*trainedFlips), r.within(2*trainedFlips+1, longestFlips),
			r.uniform[trainedFlips-r.first()])
	}
	c.Tables = append(c.Tables, f.Table())
}

// leastDrawn replaces smaller divergences in the figure: below the precision of the
// logits, a divergence is noise about 0.
const leastDrawn = 1e-12

func (m learners) draw(out *claim.Output) {
	out.Figure("kl", m.figure())
	f := document.Frame{Columns: document.Named(
		"run", "a", "b", "seed", "flips", "kl", "kl_error", "attention_from_uniform",
	)}
	for i, r := range m.measured {
		for n := range r.kl {
			f.Row(i, r.a, r.b, r.seed, n+r.first(), r.kl[n], r.klError[n], r.uniform[n])
		}
	}
	out.CSV("trained", f)
}

func (m learners) figure() *figure.Figure {
	priors := divergenceChart("priors")
	kinds := divergenceChart("positions")
	attention := divergenceChart("attention from uniform")
	attention.Y = figure.Axis{Label: "total variation", Include: []float64{0, 1}}
	for i := range m.measured {
		r := &m.measured[i]
		if r.seed != trainedSeeds[0] {
			continue
		}
		if r.kind() == "none" {
			priors.Series = append(priors.Series, r.divergences(r.prior.String()))
		}
		if r.a == 1 {
			kinds.Series = append(kinds.Series, r.divergences(r.kind()))
			attention.Series = append(attention.Series, r.distances(len(kinds.Series)))
		}
	}
	priors.Series = append(priors.Series, m.drawnWritten())
	return figure.Row("Transformers trained on coins",
		"Three charts against the number of flips: divergence by prior, divergence by kind of position, and the "+
			"distance of attention from uniform.",
		priors, kinds, attention)
}

func divergenceChart(title string) figure.Chart {
	return figure.Chart{
		Title: title, X: figure.Axis{Label: "flips + 1", Log: true}, Y: figure.Axis{Label: "KL (nats)", Log: true},
		Refs: []figure.Ref{{Label: "longest training context", Value: trainedFlips + 1, Vertical: true}},
	}
}

// drawnWritten returns the divergences of the model written by hand, each at least
// leastDrawn, without error bars.
func (m learners) drawnWritten() figure.Series {
	written := m.measured[len(m.measured)-1]
	series := written.divergences(fmt.Sprintf("%s, %s", written.prior, written.kind()))
	for i := range series.Y {
		series.Y[i] = max(series.Y[i], leastDrawn)
	}
	series.Lo, series.Hi = nil, nil
	return series
}

// divergences returns the divergences at the positions in the figure, with their standard
// errors.
func (r *predictions) divergences(name string) figure.Series {
	series := figure.Series{Name: name}
	for _, n := range r.places() {
		at := n - 1 - r.first()
		kl, se := r.kl[at], r.klError[at]
		series.AddInterval(float64(n), kl, kl-se, kl+se)
	}
	return series
}

// distances returns the distances of attention from uniform at the positions in the
// figure.
func (r *predictions) distances(color int) figure.Series {
	series := figure.Series{Name: r.kind(), Color: color}
	for _, n := range r.places() {
		series.Add(float64(n), r.uniform[n-1-r.first()])
	}
	return series
}

// places returns the numbers of tokens, BOS included, after which the figure shows the
// divergence of a model.
func (r *predictions) places() []int {
	var list []int
	for n := 1.0; n <= longestFlips; n *= math.Sqrt2 {
		if n >= float64(1+r.first()) {
			list = append(list, int(n))
		}
	}
	return slices.Compact(append(list, longestFlips+1))
}
