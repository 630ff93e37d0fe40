package train

import (
	"context"
	"fmt"
	"strings"

	"foretell/internal/portable"
	"foretell/model"
	"foretell/process"
)

// Evaluation is a model's distance from the optimal predictor at one step, in nats.
// LossTrain is the loss of the objective, which may weight retrieval steps; all other
// values are means over the positions, weighted only by the position weights of the
// [Objective].
//
// LossEval is Floor plus KL. The model's expected cross-entropy is exactly the optimal
// predictor's cross-entropy plus the expected divergence from the optimal predictor.
// Only the divergence is estimated on held-out sequences, with less noise than the
// cross-entropy would have. With objective: exact, LossEval is not estimated: at the
// positions that are learned it is the expectation over all sequences.
type Evaluation struct {
	Step      int     `json:"step"`
	Tokens    int64   `json:"tokens"`
	LossTrain float64 `json:"loss/train"` // loss on the step's own batch; LossEval before the first step
	LossEval  float64 `json:"loss/eval"`  // Floor + KL; in an Observed evaluation, the loss on the observed tokens

	*Optimum // nil, and not in JSON, if the best possible prediction is not known

	// Chance is the loss of the best constant prediction, which consists of the frequencies
	// of the tokens: those under the process or, in an Observed evaluation, those among the
	// observed tokens.
	Chance float64 `json:"chance"`
	// GapClosed is (chance − loss)/(chance − floor), at most 1. It is negative while the
	// loss is above chance, as it often is before the first step. It is nil if chance equals
	// the floor up to rounding, so that there is nothing to learn, and if there is no floor.
	GapClosed    *float64  `json:"gap_closed,omitempty"`
	LR           float64   `json:"lr"`                    // the step's learning rate; for lbfgs always [Options.LR]
	GradNorm     float64   `json:"grad_norm"`             // gradient norm of the step, before clipping
	KLByPosition []float64 `json:"kl/position,omitempty"` // KL at positions 1 … n_ctx

	*Accuracy // nil, and not in JSON, if no accuracy is reported
	*Observed // nil, and not in JSON, if the best possible prediction is known
}

// Optimum is the part of an evaluation that needs the optimal predictor.
type Optimum struct {
	// KL is the divergence from the optimal next-token distribution to the model's, on
	// held-out sequences or, with objective: exact, over all sequences.
	KL           float64 `json:"kl"`
	Floor        float64 `json:"floor"`       // the optimal predictor's loss
	FloorIsExact bool    `json:"floor_exact"` // whether Floor is exact; otherwise it is estimated on held-out sequences
	// Memorised reports that the optimal predictor has memorised the single recording that
	// training and evaluation both draw from ([process.Recorder]). The floor then does not
	// limit the prediction of other recordings.
	Memorised bool `json:"memorised,omitempty"`
}

// noGap is the largest difference between chance and floor, or loss and floor, in nats,
// that counts as zero: floors are exact to about 1e-12.
const noGap = 1e-11

// NearChance reports whether the loss exceeds chance by at most chance − floor. The
// losses of the first steps often exceed it by more, and curves omit them. Without a
// floor the limit is twice chance.
func (e Evaluation) NearChance() bool {
	if e.Optimum == nil {
		return e.LossEval <= 2*e.Chance
	}
	return e.LossEval <= 2*e.Chance-e.Floor
}

// MeanOver returns a text that follows the word "losses" and describes the sequences over
// which the losses are averaged. The number of models with these losses is `models`; the
// number of these models with objective: exact is `exact`.
func MeanOver(exact, models int) string {
	switch exact {
	case 0:
		return "on held-out sequences"
	case models:
		return "averaged over all sequences by their probabilities (objective: exact)"
	}
	return "on held-out sequences, or averaged over all sequences where objective is exact"
}

// Row returns the loss, how it compares with the optimum or with chance, and the
// accuracy, in columns that align with other rows. With a step number in front it fits
// into 78 columns. A row with an accuracy therefore omits the floor, which is the same
// in all rows.
func (e Evaluation) Row() string {
	row := fmt.Sprintf("loss %.5f", e.LossEval)
	switch {
	case e.Observed != nil && e.LossValidation != nil:
		row += fmt.Sprintf("  validation %.5f  chance %.5f", *e.LossValidation, e.Chance)
	case e.Observed != nil && e.HeldOut:
		row += fmt.Sprintf("  training %.5f  chance %.5f", *e.LossWindows, e.Chance)
	case e.Observed != nil:
		row += fmt.Sprintf("  chance %.5f", e.Chance)
	case e.Memorised:
		row += "  " + e.GapText("%.1f %% learned")
	default:
		if e.Accuracy == nil {
			row += fmt.Sprintf("  floor %.5f", e.Floor)
		}
		row += fmt.Sprintf("  KL %-8.3g  %s", e.KL, e.GapText("%.1f %% learned"))
	}
	if e.Accuracy != nil {
		row += fmt.Sprintf("  accuracy %.1f %%", 100*e.Accuracy.Overall)
	}
	return row
}

// learnable names the gap between chance and floor.
const learnable = "what can be learned"

// Summary returns the evaluation in lines of at most 76 columns, the result first.
func (e Evaluation) Summary() []string {
	lines := []string{e.GapText("%.1f %% of " + learnable)}
	switch {
	case e.Observed != nil && e.HeldOut:
		lines = append(lines, fmt.Sprintf("held-out loss %.5f, on training windows %.5f%s, chance %.5f",
			e.LossEval, *e.LossWindows, e.validated(), e.Chance))
	case e.Observed != nil:
		lines = append(lines, fmt.Sprintf("loss on training windows %.5f%s, chance %.5f",
			e.LossEval, e.validated(), e.Chance))
	default:
		lines = append(lines, fmt.Sprintf("loss %.5f, floor %.5f%s, chance %.5f, KL %.3g nats",
			e.LossEval, e.Floor, e.memorised(), e.Chance, e.KL))
	}
	return append(lines, e.accuracyTexts()...)
}

// validated returns the loss on the part for validation after a comma, or "" without one.
func (e Evaluation) validated() string {
	if e.LossValidation == nil {
		return ""
	}
	return fmt.Sprintf(", on validation %.5f", *e.LossValidation)
}

// memorised returns " (memorised)", which follows a floor, ceiling or gap, if the optimal
// predictor has memorised the recording; else "".
func (e Evaluation) memorised() string {
	if e.Optimum == nil || !e.Memorised {
		return ""
	}
	return " (memorised)"
}

// GapText formats the share of the gap that is closed, in per cent, or returns "nothing
// to learn" if there is no gap. If the loss is above chance, as it often is before the
// first step, it returns "worse than guessing". Without a floor it compares the loss with
// chance. A share below 100 % is
// never rounded up to 100 %, except where only rounding is left.
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
	if e.Optimum != nil && e.LossEval-e.Floor <= noGap {
		share = 100
	}
	full := fmt.Sprintf(format, 100.0)
	for less := 1e-9; share < 100 && less < 100 && fmt.Sprintf(format, share) == full; less *= 10 {
		share = min(share, 100-less)
	}
	return fmt.Sprintf(format, share) + e.memorised()
}

// AccuracyText returns the accuracy in words after the given prefix, or "" if no accuracy
// is reported.
func (e Evaluation) AccuracyText(before string) string {
	texts := e.accuracyTexts()
	if len(texts) == 0 {
		return ""
	}
	return before + strings.Join(texts, ", ")
}

// accuracyTexts returns the accuracy and, if there are any, the accuracy on retrieval
// steps; nil if no accuracy is reported.
func (e Evaluation) accuracyTexts() []string {
	a := e.Accuracy
	if a == nil {
		return nil
	}
	if e.Observed != nil {
		return []string{fmt.Sprintf("accuracy %.1f %% (most frequent token: %.1f %%)", 100*a.Overall, 100*a.Constant)}
	}
	texts := []string{fmt.Sprintf("accuracy %.1f %% of at most %.1f %%%s", 100*a.Overall, 100*a.Ceiling, e.memorised())}
	if a.Retrieval != nil {
		texts = append(texts, fmt.Sprintf("on retrieval steps %.1f %% of at most 100.0 %% (%d of them)",
			100**a.Retrieval, a.RetrievalCount))
	}
	return texts
}

// evaluator holds the held-out sequences and the optimal predictions on them.
type evaluator struct {
	sequences, length, alphabet int
	memorised                   bool // see [Optimum]

	inputs  []int32   // shape (sequences, length)
	optimal []float64 // (sequences, length, alphabet) next-token distributions
	floor   []float64 // floor at each position
	exact   bool
	chance  float64
	kl      []float64 // (sequences, length), filled by an evaluation
	guesses *guesses  // nil if accuracy is not reported
}

// newEvaluator draws the held-out sequences and computes the optimal predictions on them.
// It returns an error if ctx ends.
func newEvaluator(ctx context.Context, t Test, p process.Process) (*evaluator, error) {
	e := &evaluator{sequences: t.Sequences, length: t.Length, alphabet: p.Alphabet()}
	_, e.memorised = p.(process.Recorder)
	n := e.sequences * e.length
	e.inputs, e.kl = make([]int32, n), make([]float64, n)
	e.optimal = make([]float64, n*e.alphabet)
	t.draw(p, e.inputs, make([]int32, n))

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
	if ceiler, ok := p.(process.Ceiler); ok && t.Accuracy {
		e.guesses = newGuesses(ctx, e, p, ceiler)
	}
	return e, ctx.Err()
}

// next returns the optimal prediction, (alphabet), after the token at a row.
func (e *evaluator) next(row int) []float64 {
	return e.optimal[row*e.alphabet : (row+1)*e.alphabet]
}

// setFloor computes the exact floor at each position or, if enumeration is too large,
// the optimal predictor's mean entropy on the held-out sequences. The model predicts
// token t+1 at position t. No position predicts token 1, so its floor is left out. It
// returns an error if ctx ends.
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

// Evaluate measures the model's current weights. With objective: exact it uses all
// sequences, and held-out sequences only for the accuracy and for positions after the
// last one learned. If the best possible prediction is not known, it uses windows of the
// data ([Observed]). If ctx ends first, it returns ctx's error at once, like
// [Trainer.Step].
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

// evaluateHeldOut computes the divergences, and scores the guesses, on the held-out
// sequences.
func (t *Trainer) evaluateHeldOut(ctx context.Context) error {
	e := t.evaluator
	return t.forward(ctx, e.sequences, e.length, e.inputs, func(row int, logits []float32) { judge(e, row, logits) })
}

// judge records the divergence of the logits at a row from the optimal prediction, and
// scores their guess.
func judge[F model.Float](e *evaluator, row int, logits []F) {
	e.kl[row] = model.Divergence(e.next(row), logits)
	if e.guesses != nil {
		e.guesses.judge(row, likeliest(logits))
	}
}

// forward runs the model over inputs, (sequences, length). For each row it calls the
// function `see` with the logits, from several goroutines at once.
func (t *Trainer) forward(ctx context.Context, sequences, length int, inputs []int32,
	see func(row int, logits []float32),
) error {
	passes := (sequences + t.Plan.Pass - 1) / t.Plan.Pass
	return t.pool.run(ctx, passes, func(w *worker, i int) {
		first := i * t.Plan.Pass
		batch := min(t.Plan.Pass, sequences-first)
		from, to := first*length, (first+batch)*length
		logits := t.Model.Forward(w.workspace, inputs[from:to], batch)
		vocab := t.Config.Model.DVocab
		for row := from; row < to; row++ {
			see(row, logits[(row-from)*vocab:(row-from+1)*vocab])
		}
	})
}

// begun returns an evaluation with the fields that describe the training steps filled in.
func (t *Trainer) begun() Evaluation {
	return Evaluation{
		Step: t.step, Tokens: t.Tokens(), LossTrain: t.loss,
		LR: t.Config.Train.rate(max(1, t.step)), GradNorm: t.gradNorm,
	}
}

// summarize averages the divergences of an evaluation. The slice `exact`, if not nil, has
// the divergences at the first positions, which replace the averages there.
func (t *Trainer) summarize(exact []float64) Evaluation {
	result := t.begun()
	t.evaluator.summarize(&result, t.Plan.objective.Weights, exact)
	if t.step == 0 {
		result.LossTrain = result.LossEval
	}
	return result
}

// summarize fills in the averages over the sequences, weighted by position. For `exact`
// see [Trainer.summarize].
func (e *evaluator) summarize(result *Evaluation, weights, exact []float64) {
	result.Optimum = &Optimum{FloorIsExact: e.exact, Memorised: e.memorised}
	result.Chance, result.KLByPosition = e.chance, make([]float64, e.length)
	for i, kl := range e.kl {
		result.KLByPosition[i%e.length] += kl / float64(e.sequences)
	}
	copy(result.KLByPosition, exact)
	for i, weight := range weights {
		result.Floor += float64(weight * e.floor[i])
		result.KL += float64(weight * result.KLByPosition[i])
	}
	result.LossEval = result.Floor + result.KL
	if e.guesses != nil {
		result.Accuracy = e.guesses.accuracy(weights)
	}
	if gap := result.Chance - result.Floor; gap > noGap {
		closed := (result.Chance - result.LossEval) / gap
		result.GapClosed = &closed
	}
}
