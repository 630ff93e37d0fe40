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
	return claim.Row{
		ID: "C6", Kind: claim.Beyond, Source: "beyond " + authors + ": trained, not written by hand",
		Quote: "No claim of the document, which trains no model. Nearest: “Through training, the model learns the " +
			"optimal coefficients to approximate log(1 + H) and log(1 + T)” (Sec. 7.2.2; no model, no error bars).",
		Statement: "A transformer trained by gradient descent on flips of coins, drawn from a Beta prior, predicts " +
			"what the posterior predicts.",
		Expected: fmt.Sprintf("the document's prior, %s, and %s seeds without positional embedding. The divergence "+
			"from (a+H)/(a+b+N), averaged over N = 0 … %d flips after BOS (the contexts during training), has a 95 "+
			"%% interval over seeds that is below the cost of a wrong prior. That cost is for the nearest of C5's "+
			"other priors, %s: %.2g nats, computed exactly. It fails if the interval is above this cost; it is open "+
			"if the interval contains it, if fewer than two models converge, or if random initialisation passes. "+
			"Other positional embeddings and longer contexts do not affect the verdict",
			priors[0], numerals.Cardinal(len(trainedSeeds)), trainedFlips, as, cost),
		RuleCommit: "079810e", ChangedAfterResult: true,
		Trainings: p.trainings(),
		Test: claim.Steps[learners]{
			Measure: p.measureLearners, Judge: learners.judge, Tabulate: learners.tabulate, Draw: learners.draw,
		}.Test,
	}
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

// seedText returns the seed, or a dash for a model without a seed.
func (l learner) seedText() string {
	if l.seed == 0 {
		return "–"
	}
	return fmt.Sprint(l.seed)
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

// learners holds the predictions of the trained models, and of a model written by hand
// for comparison.
type learners struct {
	profile
	trained   []predictions
	untrained []float64 // mean divergence before training, N ≤ trainedFlips; only for models that judged returns
	written   predictions
}

func (p profile) measureLearners(ctx context.Context, s *claim.Study) (learners, error) {
	list := p.models()
	m := learners{
		profile: p, trained: make([]predictions, len(list)), untrained: make([]float64, len(list)),
	}
	err := s.Each(ctx, len(list), func(_ context.Context, i int) (err error) {
		of := s.Trained(p.training(list[i]))
		coin, err := process.OptimumOf(of.Process)
		if err != nil {
			return err
		}
		if m.trained[i], err = list[i].predict(ctx, of.Model, coin, p.sequences); err != nil {
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
	m.written, err = p.predictWritten(ctx)
	return m, err
}

// all returns the predictions of the trained models, then of the one written by hand.
func (m learners) all() []predictions {
	return append(m.trained[:len(m.trained):len(m.trained)], m.written)
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

// judged returns the models of a prior with BOS and without positions, and their
// divergences before training.
func (m learners) judged(p prior) (models []predictions, untrained []float64) {
	for i, r := range m.trained {
		if r.prior == p && r.kind() == "none" {
			models = append(models, r)
			untrained = append(untrained, m.untrained[i])
		}
	}
	return models, untrained
}

// condition returns the verdict on a prior. Its effect is a mean over the models that
// have converged.
func (m learners) condition(p prior) claim.Condition {
	models, untrained := m.judged(p)
	var reached []float64
	why := ""
	for _, r := range models {
		kl := r.within(0, trainedFlips)
		if c := r.learnable(0, trainedFlips).Judge(kl); c.Converged() {
			reached = append(reached, kl)
		} else if why == "" {
			why = fmt.Sprintf("seed %d: %s", r.seed, c.Reason)
		}
	}
	c := claim.Condition{Name: p.String(), Obtained: fmt.Sprintf("0 of %d models have converged", len(models))}
	if len(reached) == 0 {
		return c.Judged(why)
	}
	share, control := claim.NewShare(len(reached), len(models)), stat.Mean(untrained, nil)
	c.Effect = claim.Over("divergence from the posterior predictive", "nats", reached).
		Against("random initialisation", control)
	c.Effect.Reached = &share
	cost, as := p.nearest(trainedFlips)
	c.Verdict, c.Reason = besideCost(c.Effect, cost)
	c.Obtained = fmt.Sprintf("%.1e on average over the %d of %d models that have converged, %.1e before training; "+
		"predicting with %s instead costs %.1e", c.Effect.Estimate, share.K, share.N, control, as, cost)
	return c.Judged("")
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
	var texts []string
	for _, p := range priors[1:] {
		models, _ := m.judged(p)
		cost, _ := p.nearest(trainedFlips)
		for _, r := range models {
			kl := r.within(0, trainedFlips)
			switch {
			case !r.learnable(0, trainedFlips).Judge(kl).Converged():
				q.Answer = claim.Undecided
			case kl >= cost && q.Answer == claim.Yes:
				q.Answer = claim.No
			}
			texts = append(texts, fmt.Sprintf("%s: %.1e nats, against %.1e", p, kl, cost))
		}
	}
	q.Obtained = strings.Join(texts, "; ")
	return q
}

// close asks whether the divergence of every model with BOS and without positional
// embedding is at most closeBound.
func (m learners) close() claim.Question {
	worst := 0.0
	for _, p := range priors {
		models, _ := m.judged(p)
		for _, r := range models {
			worst = max(worst, r.within(0, trainedFlips))
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
	table := document.Table{
		Title: "mean divergence from the posterior predictive, in nats",
		Columns: []string{
			"prior", "positions", "seed", "N ≤ 64", "share of the flips' information that is missed, N ≤ 64",
			"64 < N ≤ 128", "128 < N ≤ 256", "attention from uniform, N = 64",
		},
	}
	for _, r := range m.all() {
		table.Rows = append(table.Rows, []string{
			r.prior.String(), r.kind(), r.seedText(),
			fmt.Sprintf("%.1e", r.within(0, trainedFlips)), fmt.Sprintf("%.2g %%", 100*r.missed(0, trainedFlips)),
			fmt.Sprintf("%.1e", r.within(trainedFlips+1, 2*trainedFlips)),
			fmt.Sprintf("%.1e", r.within(2*trainedFlips+1, longestFlips)),
			fmt.Sprintf("%.2f", r.uniform[trainedFlips-r.first()]),
		})
	}
	c.Tables = append(c.Tables, table)
	c.Setting = fmt.Sprintf("one layer, one head, width %d, MLP of %d, layer norm; %d steps of %d sequences of %d "+
		"flips, Adam with a learning rate that falls from 3e-3 to 0 as a cosine; %s seeds for the models that decide "+
		"the verdict, one for the others; measured on %d sequences of %d flips",
		trainedWidth, trainedMLP, m.steps, trainedBatch, trainedFlips,
		numerals.Cardinal(len(trainedSeeds)), m.sequences, longestFlips)
	c.Notes = append(c.Notes,
		fmt.Sprintf("A model has converged if it misses at most %g %% of the information in the flips, and if its "+
			"divergence is not within %g %% of the divergence of an optimal observer that sees only the last one to "+
			"%s flips.",
			100*probe.MostMissed, 100*probe.NearPlateau, numerals.Cardinal(probe.PlateauTokens)),
		"The models are trained on contexts of at most 64 flips. They predict longer contexts without further "+
			"training; there, a learned position embedding is still its initial noise.",
		"“Missed” is the divergence divided by the information that the flips carry about the next one (the entropy "+
			"under the prior alone minus the floor): 0 for the posterior, 1 for a model that ignores the flips.",
		"“Attention from uniform” is the total variation distance between a position's attention and uniform "+
			"attention to the tokens so far, which the document's head has.",
		"The model written by hand is C5's, for the first prior and an error of 1e-6, in float32 like the trained "+
			"models; it has no seed. The figure draws its divergence as at least 1e-12 nats.",
		"Without BOS and without positions, a model can know the share of heads but not the number of flips: see the "+
			"model “none, no BOS”. The first version of this row had no BOS; its result is in docs/log.md.")
}

// leastDrawn replaces smaller divergences in the figure: below the precision of the
// logits, a divergence is noise about 0.
const leastDrawn = 1e-12

func (m learners) draw(out *claim.Output) {
	out.Captioned("kl", "Divergence from the posterior predictive against the number of flips; bars are standard errors "+
		"over sequences. The vertical line is the longest training context. Left: the three priors without "+
		"positions, and the construction of C5. Middle: kinds of positions for the uniform prior. Right: distance of "+
		"attention from uniform.", m.figure())
	var rows [][]float64
	for i, r := range m.all() {
		for n := range r.kl {
			rows = append(rows, []float64{
				float64(i), r.a, r.b, float64(r.seed), float64(n + r.first()), r.kl[n], r.klError[n], r.uniform[n],
			})
		}
	}
	out.CSV("trained", document.Numbers([]string{"run", "a", "b", "seed", "flips", "kl", "kl_error", "attention_from_uniform"}, rows))
}

func (m learners) figure() *figure.Figure {
	priors := divergenceChart("priors")
	kinds := divergenceChart("positions")
	attention := divergenceChart("attention from uniform")
	attention.Y = figure.Axis{Label: "total variation", Include: []float64{0, 1}}
	for i := range m.trained {
		r := &m.trained[i]
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
	series := m.written.divergences(fmt.Sprintf("%s, %s", m.written.prior, m.written.kind()))
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
		series.X = append(series.X, float64(n))
		series.Y = append(series.Y, r.kl[at])
		series.Lo = append(series.Lo, r.kl[at]-r.klError[at])
		series.Hi = append(series.Hi, r.kl[at]+r.klError[at])
	}
	return series
}

// distances returns the distances of attention from uniform at the positions in the
// figure.
func (r *predictions) distances(color int) figure.Series {
	series := figure.Series{Name: r.kind(), Color: color}
	for _, n := range r.places() {
		series.X = append(series.X, float64(n))
		series.Y = append(series.Y, r.uniform[n-1-r.first()])
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
