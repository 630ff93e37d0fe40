package series

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"foretell/model"
	"foretell/process"
	"foretell/run"
	"foretell/train"
)

// Transformer forecasts the cell of the next value by a transformer of two layers, from
// up to 32 values since the last missing one. It is trained on the cells of the longest
// stretch of the past without a missing value, or on the last 200,000 values of it. The
// last seventh of them is not trained on and chooses the weights ([train.Stop]). It has
// no forecasts of several steps.
type Transformer struct {
	// Seed is the seed of the weights and batches.
	Seed uint64
}

const (
	mostTrained  = 200_000 // values that a transformer learns from
	longestPrior = 32      // values that it sees
	shortest     = 8       // values that it sees of a short series
	keptToChoose = 1. / 7  // share of the values that chooses its weights
)

// Name returns "transformer".
func (Transformer) Name() string { return "transformer" }

// Fit returns an error if there are fewer than 70 values without a gap.
func (f Transformer) Fit(ctx context.Context, past Past) (Model, error) {
	c, err := f.config(past)
	if err != nil {
		return nil, err
	}
	trainer, err := train.NewTrainer(ctx, c, train.Setup{})
	if err != nil {
		return nil, err
	}
	defer trainer.Close()
	if err := trainer.Train(ctx); err != nil {
		return nil, err
	}
	trained, step, err := trainer.Result()
	if err != nil {
		return nil, err
	}
	m := &attentive{model: trained, cells: past.Cells, step: step}
	for _, x := range past.Values[max(0, len(past.Values)-2*longestPrior):] {
		m.Observe(x)
	}
	return m, nil
}

// config returns the configuration of the training on a past.
func (f Transformer) config(past Past) (c train.Config, err error) {
	record := longestRecord(past)
	record = record[max(0, len(record)-mostTrained):]
	context := min(longestPrior, int(keptToChoose*float64(len(record)))-2)
	if context < shortest {
		return c, fmt.Errorf("%s: %d values without a gap are too few", f.Name(), len(record))
	}
	levels := past.Cells.Levels()[0]
	signal := make([]float64, len(record))
	for i, z := range record {
		signal[i] = float64(z)
	}
	c.Process = process.Spec{Name: "recording", Params: process.Params{
		"signal": signal, "levels": float64(levels), "range": []float64{0, float64(levels - 1)},
		"holdout": 0., "validation": keptToChoose,
	}}
	c.Model = model.Config{
		DModel: 64, NLayers: 2, NHeads: model.Heads{4}, DMLP: 256, NCtx: context,
		NormalizationType: "LN", InitializerRange: 0.02,
	}
	c.Train = train.Options{
		Seed: f.Seed, BatchSize: 32, NumSteps: 3000, LR: 1e-3, WarmupSteps: 50,
		EvaluateEvery: 50, EvaluateSequences: 256, Stop: &train.Stop{Patience: 6},
	}
	return c, nil
}

// attentive is a trained transformer with the cells that it has seen last.
type attentive struct {
	model *model.Transformer[float32]
	cells *Cells
	step  int     // at which its weights were kept
	past  []int32 // the cells since the last missing value, or the last n_ctx of them
}

func (m *attentive) Name() string { return fmt.Sprintf("%s(%d steps)", Transformer{}.Name(), m.step) }

func (m *attentive) Observe(x float64) {
	if math.IsNaN(x) {
		m.past = m.past[:0]
		return
	}
	cell, _, _ := m.cells.cell(x)
	if m.past = append(m.past, int32(cell)); len(m.past) > m.model.Config.NCtx {
		m.past = append(m.past[:0], m.past[1:]...)
	}
}

// Forecast returns nothing right after a missing value.
func (m *attentive) Forecast(h int) []Distribution {
	all := make([]Distribution, h)
	if len(m.past) == 0 {
		return all
	}
	logits, err := m.model.Logits(m.past)
	if err != nil {
		return all // the past has 1 to n_ctx tokens, so this does not happen
	}
	all[0] = m.cells.Distribution(softmax(logits[len(logits)-m.cells.Levels()[0]:]))
	return all
}

// softmax returns the probabilities with the given logits.
func softmax(logits []float32) []float64 {
	most, sum := math.Inf(-1), 0.0
	for _, l := range logits {
		most = max(most, float64(l))
	}
	p := make([]float64, len(logits))
	for z, l := range logits {
		p[z] = math.Exp(float64(l) - most)
		sum += p[z]
	}
	for z := range p {
		p[z] /= sum
	}
	return p
}

// Train trains the transformer on the cells of all values, as a run in the folder
// dir/transformer. It resumes a run that was stopped there, and does nothing if the run
// is complete.
func (r *Report) Train(ctx context.Context, dir string, seed uint64) error {
	c, err := Transformer{Seed: seed}.config(Past{Values: r.series.Values, Cells: r.cells})
	if err != nil {
		return err
	}
	_, err = run.Ensure(ctx, filepath.Join(dir, "transformer"), c, run.Options{})
	return err
}
