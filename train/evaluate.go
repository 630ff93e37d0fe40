package train

import (
	"context"
	"fmt"

	"foretell/internal/portable"
	"foretell/model"
	"foretell/process"
)

// Evaluation is a model's distance from the optimal predictor at one step, in
// nats. LossTrain is that of the objective, which may weigh events; everything else is
// averaged over the positions by their weights alone, see [Objective].
//
// LossEval is the floor plus KL: the expected cross-entropy of the model is
// exactly the optimal predictor's plus the expected divergence from it, and the
// divergence is what held-out sequences estimate with the least noise. With objective:
// exact it is no estimate but expected over all words, at the positions that are learned.
type Evaluation struct {
	Step      int     `json:"step"`
	Tokens    int64   `json:"tokens"`
	LossTrain float64 `json:"loss/train"` // of the step's own batch; LossEval before the first step
	LossEval  float64 `json:"loss/eval"`  // Floor + KL; of an Observed evaluation that of the tokens that came

	*Optimum // nil, and not in JSON, where the best possible prediction is not known

	// Chance is the loss of the best constant guess: for the process, or, of an Observed
	// evaluation, for the tokens that came, whose frequencies it knows.
	Chance float64 `json:"chance"`
	// GapClosed is (chance − loss)/(chance − floor), at most 1; below 0 where the loss is
	// above chance, as it often is before the first step, and nil where chance and floor
	// agree to rounding, so that there is nothing to learn, and where there is no floor.
	GapClosed    *float64  `json:"gap_closed,omitempty"`
	LR           float64   `json:"lr"`                    // of the step; with optimizer: lbfgs [Options.LR] at each
	GradNorm     float64   `json:"grad_norm"`             // of the step, before clipping
	KLByPosition []float64 `json:"kl/position,omitempty"` // KL at positions 1 … n_ctx

	*Accuracy // nil, and not in JSON, where none is reported
	*Observed // nil, and not in JSON, where the best possible prediction is known
}

// Optimum is what an evaluation has of the optimal predictor.
type Optimum struct {
	// from the optimal next-token distribution to the model's, on held-out sequences, or
	// over all words with objective: exact
	KL           float64 `json:"kl"`
	Floor        float64 `json:"floor"`       // the optimal predictor's loss
	FloorIsExact bool    `json:"floor_exact"` // otherwise estimated on the held-out sequences
	// Memorised says that the optimal predictor has memorised the one recording from which
	// training and evaluation draw ([process.Recorder]): the floor is no limit for a
	// prediction of another recording.
	Memorised bool `json:"memorised,omitempty"`
}

// noGap is the distance of floor and chance, in nats, up to which they are the same:
// floors are exact to about 1e-12.
const noGap = 1e-11

// NearChance says whether the loss is no further above chance than chance is above the
// floor, as those of the first steps often are: curves leave these out.
// Without a floor, a loss of up to twice chance is near it.
func (e Evaluation) NearChance() bool {
	if e.Optimum == nil {
		return e.LossEval <= 2*e.Chance
	}
	return e.LossEval <= 2*e.Chance-e.Floor
}

// MeanOver says over what the losses of so many models are means, of which exact have
// objective: exact; it stands behind "losses".
func MeanOver(exact, models int) string {
	switch exact {
	case 0:
		return "on held-out sequences"
	case models:
		return "expected over all words, by their probabilities (objective: exact)"
	}
	return "on held-out sequences, or expected over all words where objective is exact"
}

// Row says where the model stands, in columns for a row of several: its loss, what that
// is compared with, and the accuracy.
func (e Evaluation) Row() string {
	if e.Observed != nil {
		return e.observedText("  ") + e.AccuracyText("  ")
	}
	return fmt.Sprintf("loss %.5f  floor %.5f%s  chance %.5f  KL %-8.3g  %s%s",
		e.LossEval, e.Floor, e.memorised(), e.Chance, e.KL, e.GapText("gap closed %.1f %%"), e.AccuracyText("  "))
}

// Summary says the same as Row in a sentence.
func (e Evaluation) Summary() string {
	if e.Observed != nil {
		return e.observedText(", ") + e.AccuracyText("; ")
	}
	return fmt.Sprintf("loss %.5f, floor %.5f%s, chance %.5f, KL %.3g nats; %s%s",
		e.LossEval, e.Floor, e.memorised(), e.Chance, e.KL, e.GapText("%.1f %% of the gap closed"), e.AccuracyText("; "))
}

// memorised marks a floor, a ceiling or a gap of an observer that has memorised the
// recording.
func (e Evaluation) memorised() string {
	if e.Optimum == nil || !e.Memorised {
		return ""
	}
	return " (memorised)"
}

// GapText says in a format how much of the gap is closed, in per cent, or that there is
// no gap. Where the loss is above chance, as it often is before the first step, nothing
// of the gap is closed, and it says so; where there is no floor it says how the loss
// compares with chance. A share below 100 % is not rounded up to it.
func (e Evaluation) GapText(format string) string {
	switch {
	case e.Observed != nil:
		return e.thanGuessing()
	case e.GapClosed == nil:
		return "nothing to learn"
	case *e.GapClosed < 0:
		return "worse than guessing"
	}
	share := 100 * *e.GapClosed
	for less := 1e-9; share < 100 && less < 100 && fmt.Sprintf(format, share) == fmt.Sprintf(format, 100.0); less *= 10 {
		share = min(share, 100-less)
	}
	return fmt.Sprintf(format, share) + e.memorised()
}

// AccuracyText says the accuracy in words, after what is to stand before it; it is empty
// where none is reported.
func (e Evaluation) AccuracyText(before string) string {
	a := e.Accuracy
	if a == nil {
		return ""
	}
	if e.Observed != nil {
		return fmt.Sprintf("%saccuracy %.1f %% (most frequent token: %.1f %%)", before, 100*a.Overall, 100*a.Constant)
	}
	text := fmt.Sprintf("%saccuracy %.1f %% of at most %.1f %%%s", before, 100*a.Overall, 100*a.Ceiling, e.memorised())
	if a.Retrieval != nil {
		text += fmt.Sprintf(", on retrieval steps %.1f %% of at most 100.0 %%", 100**a.Retrieval)
	}
	if a.RetrievalCount > 0 {
		text += fmt.Sprintf(" (%d of them)", a.RetrievalCount)
	}
	return text
}

// evaluator holds the sequences that are kept for evaluation and the optimal
// predictions on them.
type evaluator struct {
	sequences, length, alphabet int
	memorised                   bool // see [Optimum]

	inputs  []int32   // (sequences, length)
	optimal []float64 // (sequences, length, alphabet) next-token distributions
	floor   []float64 // by position
	exact   bool
	chance  float64
	kl      []float64 // (sequences, length), filled by an evaluation
	guesses *guesses  // nil where accuracy is not reported
}

// newEvaluator draws the held-out sequences and computes what the optimal predictor says
// of them. It is an error when ctx ends.
func newEvaluator(ctx context.Context, c Config, p process.Process) (*evaluator, error) {
	e := &evaluator{sequences: c.Train.EvaluateSequences, length: c.Model.NCtx, alphabet: p.Alphabet()}
	_, e.memorised = p.(process.Recorder)
	n := e.sequences * e.length
	e.inputs, e.kl = make([]int32, n), make([]float64, n)
	e.optimal = make([]float64, n*e.alphabet)
	newDrawer(p, c.Train.Seed, "train/evaluate", e.length).draw(e.inputs, make([]int32, n), 0, 0, e.sequences)

	entropy := make([]float64, e.length)
	predictor := p.Predictor()
	for i, token := range e.inputs {
		if i%e.length == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			predictor.Reset()
		}
		observe(predictor, token)
		next := e.next(i)
		predictor.Next(next)
		entropy[i%e.length] += portable.Entropy(next) / float64(e.sequences)
	}
	if err := e.setFloor(ctx, p, entropy); err != nil {
		return nil, err
	}
	if ceiler, ok := ceilingOf(c, p); ok {
		e.guesses = newGuesses(ctx, e, p, ceiler)
	}
	return e, ctx.Err()
}

// next returns the optimal prediction after the token of a row, (alphabet).
func (e *evaluator) next(row int) []float64 {
	return e.optimal[row*e.alphabet : (row+1)*e.alphabet]
}

// setFloor takes the exact floor of the positions, or, where enumeration is
// out of reach, the optimal predictor's mean entropy on the held-out sequences.
// The prediction at position t is of token t+1, so the floor of token 1, which
// no position predicts, is left out. It is an error when ctx ends.
func (e *evaluator) setFloor(ctx context.Context, p process.Process, entropy []float64) error {
	floor, err := p.Floor(ctx, e.length+1)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e.exact = err == nil; e.exact {
		e.floor, e.chance = floor.ByPosition[1:], floor.Chance
		return nil
	}
	e.floor = entropy
	marginal := make([]float64, e.alphabet)
	for i, q := range e.optimal {
		marginal[i%e.alphabet] += q / float64(e.sequences*e.length)
	}
	e.chance = portable.Entropy(marginal)
	return nil
}

// Evaluate measures the model as it stands: on all words with objective: exact, and on
// the held-out sequences where those leave something to be known; where the best possible
// prediction is not known, on windows of the data ([Observed]). When ctx ends before that
// it returns ctx's error at once, as [Trainer.Step] does.
func (t *Trainer) Evaluate(ctx context.Context) (Evaluation, error) {
	if t.observer != nil {
		return t.observe(ctx)
	}
	e := t.evaluator
	if t.exact == nil || t.exact.words.Length < e.length || e.guesses != nil {
		if err := t.evaluateHeldOut(ctx); err != nil {
			return Evaluation{}, err
		}
	}
	var exact []float64
	if t.exact != nil {
		var err error
		if exact, err = t.evaluateExact(ctx); err != nil {
			return Evaluation{}, err
		}
	}
	return t.summarize(exact), nil
}

// evaluateHeldOut fills in the divergences, and judges the guesses, on the held-out
// sequences.
func (t *Trainer) evaluateHeldOut(ctx context.Context) error {
	e := t.evaluator
	return t.forward(ctx, e.sequences, e.length, e.inputs, func(row int, logits []float32) {
		e.kl[row] = model.Divergence(e.next(row), logits)
		if e.guesses != nil {
			e.guesses.judge(row, logits)
		}
	})
}

// forward runs the model over sequences of a length, inputs (sequences, length), and
// calls see with the logits at each row, from several goroutines at once.
func (t *Trainer) forward(ctx context.Context, sequences, length int, inputs []int32,
	see func(row int, logits []float32),
) error {
	passes := (sequences + t.pass - 1) / t.pass
	return t.pool.run(ctx, passes, func(w *worker, i int) {
		first := i * t.pass
		batch := min(t.pass, sequences-first)
		from, to := first*length, (first+batch)*length
		logits := t.Model.Forward(w.workspace, inputs[from:to], batch)
		vocab := t.Config.Model.DVocab
		for row := from; row < to; row++ {
			see(row, logits[(row-from)*vocab:(row-from+1)*vocab])
		}
	})
}

// begun returns an evaluation with what it has of the steps.
func (t *Trainer) begun() Evaluation {
	return Evaluation{
		Step: t.step, Tokens: t.Tokens(), LossTrain: t.loss, LR: t.Config.Train.rate(max(1, t.step)), GradNorm: t.gradNorm,
	}
}

// summarize sums up the divergences of an evaluation. At the first positions they may be
// known exactly.
func (t *Trainer) summarize(exact []float64) Evaluation {
	e := t.evaluator
	result := t.begun()
	result.Optimum = &Optimum{FloorIsExact: e.exact, Memorised: e.memorised}
	result.Chance, result.KLByPosition = e.chance, make([]float64, e.length)
	for i, kl := range e.kl {
		result.KLByPosition[i%e.length] += kl / float64(e.sequences)
	}
	copy(result.KLByPosition, exact)
	for i, weight := range t.objective.Weights {
		result.Floor += float64(weight * e.floor[i])
		result.KL += float64(weight * result.KLByPosition[i])
	}
	result.LossEval = result.Floor + result.KL
	if t.step == 0 {
		result.LossTrain = result.LossEval
	}
	if e.guesses != nil {
		result.Accuracy = e.guesses.accuracy(t.objective.Weights)
	}
	if gap := result.Chance - result.Floor; gap > noGap {
		closed := (result.Chance - result.LossEval) / gap
		result.GapClosed = &closed
	}
	return result
}
