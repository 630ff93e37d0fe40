package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/figure"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

const (
	abcSeeds     = 100
	abcSteps     = 2000
	abcEvery     = 10   // steps between evaluations
	abcThreshold = 1e-4 // nats
	abcApart     = 0.1  // disparity from which two solutions count as different
)

// abcConfig is the seed's model: one layer of one head without MLP or norm, width
// 2, three positions. It does not state its training.
func abcConfig(seed uint64) train.Config {
	return train.Config{
		Process: train.ProcessConfig{Name: "periodic", Params: process.Params{"pattern": "ABC"}},
		Model: model.Config{
			DModel: 2, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3, AttnOnly: true, NormalizationType: "none",
		},
		Train: train.Options{Seed: seed, BatchSize: 8, NumSteps: abcSteps, LR: 0.03, EvaluateSequences: 1},
	}
}

// finalHook is the residual stream after the one block.
const finalHook = "blocks.0.hook_resid_post"

// abcContexts are the three sequences of the pattern, (3,3): their prefixes are
// all nine contexts.
var abcContexts = []int32{0, 1, 2, 1, 2, 0, 2, 0, 1}

// abcRun is a tiny transformer that was trained.
type abcRun struct {
	seed     uint64
	model    *model.Transformer[float32]
	steps    int     // until the cross-entropy was at most the threshold; 0 if it never was
	loss     float64 // at the end
	residual []float64
	logits   []float64 // (9,3)
	ablated  int       // contexts that are predicted right without what attention adds
}

// testABCIsLearned is A1.
func testABCIsLearned(s *Study, c *Claim) error {
	runs, err := trainABC(s)
	if err != nil {
		return err
	}
	var steps []int
	var losses []float64
	var rows [][]float64
	for _, r := range runs {
		if r.steps > 0 {
			steps = append(steps, r.steps)
		}
		losses = append(losses, r.loss)
	}
	slices.Sort(steps)
	slices.Sort(losses)
	classes := solutions(runs)
	for i, r := range runs {
		rows = append(rows, []float64{float64(r.seed), float64(r.steps), r.loss, float64(classes.of[i]), float64(r.ablated)})
	}
	switch {
	case len(steps) >= 95:
		c.Verdict = Holds
	case len(steps) > 0:
		c.Verdict = Differs
	default:
		c.Verdict = Fails
	}
	c.Obtained = fmt.Sprintf("%d of %d seeds reach 1e-4 within %d steps", len(steps), len(runs), abcSteps)
	if len(steps) > 0 {
		c.Obtained += fmt.Sprintf(", the median of them after %d; the median loss at the end is %.1e", steps[len(steps)/2], median(losses))
	}
	c.Obtained += "; " + classes.text
	c.Tables = append(c.Tables, classes.table)
	c.Setting = fmt.Sprintf("Adam at 0.03, %d steps of 8 sequences of three tokens, initial weights normal with standard deviation 0.57; the source states its seed, 1234, and no setting", abcSteps)
	c.Notes = append(c.Notes,
		"Two solutions are one up to rotation if, after the best rotation or reflection and each at its own scale, the final residuals of the nine contexts and the unembedding directions coincide: Procrustes disparity, 0 for the same, 1 for nothing in common.",
		fmt.Sprintf("Classes join solutions whose disparity to a member is below %g, so that members of one may be far apart. How many there are depends on that bound: classes, and seeds in the largest, are %s.", abcApart, strings.Join(classes.sensitivity, ", ")),
		"A change of basis by any invertible matrix, undone in the weights, leaves the predictions of this model, which has no norm, as they are; training does not leave it alone. Rotations are those changes that keep lengths. “Without attention” sets the attention's output to 0 and counts the contexts whose next token still has the greatest logit.")
	if err := s.addFigure(c, "steps", "How many of the seeds have reached a cross-entropy of 1e-4, by step.", abcStepsFigure(steps, len(runs))); err != nil {
		return err
	}
	if err := s.addFigure(c, "solutions", "The plane of the residual stream of the largest classes of solutions, one example each: the final residuals of the nine contexts, coloured by the token that follows, and as arrows the unembedding vectors of the three tokens, less their mean and to a scale of their own: directions count.", abcSolutionsFigure(runs, classes)); err != nil {
		return err
	}
	return s.addCSV(c, "seeds", []string{"seed", "steps_to_1e-4", "loss", "class", "right_without_attention"}, rows)
}

// trainABC trains all seeds, as many at a time as there are workers.
func trainABC(s *Study) ([]*abcRun, error) {
	runs := make([]*abcRun, abcSeeds)
	return runs, each(s.ctx, s.Workers, abcSeeds, func(i int) (err error) {
		runs[i], err = runABC(uint64(i + 1))
		return err
	})
}

func runABC(seed uint64) (*abcRun, error) {
	t, err := train.NewTrainer(abcConfig(seed), 1)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	r := &abcRun{seed: seed, model: t.Model}
	for t.At() < abcSteps {
		t.Step()
		if t.At()%abcEvery == 0 && r.steps == 0 && abcLoss(model.Convert[float64](t.Model)) <= abcThreshold {
			r.steps = t.At()
		}
	}
	m := model.Convert[float64](t.Model)
	r.loss = abcLoss(m)
	return r, r.look(m)
}

// abcLoss is the mean cross-entropy over the nine contexts.
func abcLoss(m *model.Transformer[float64]) float64 {
	logits, loss := m.Forward(model.NewWorkspace[float64](m.Config, 3), abcContexts, 3), 0.0
	for i, token := range abcContexts {
		loss -= math.Log(model.Probabilities(logits[3*i : 3*i+3])[(token+1)%3])
	}
	return loss / float64(len(abcContexts))
}

// look keeps what the comparison of solutions needs.
func (r *abcRun) look(m *model.Transformer[float64]) error {
	logits, cache, err := m.RunWithCache(abcContexts, 3, finalHook)
	if err != nil {
		return err
	}
	r.logits, r.residual = logits, cache.Get(finalHook).Data
	w := model.NewWorkspace[float64](m.Config, 3)
	w.HookNames = []string{"blocks.0.hook_attn_out"}
	w.Hook = func(t model.Tensor[float64]) { clear(t.Data) }
	alone := m.Forward(w, abcContexts, 3)
	for i, token := range abcContexts {
		if winner(alone[3*i:3*i+3]) == int(token+1)%3 {
			r.ablated++
		}
	}
	return nil
}

// winner is the token with the greatest logit.
func winner(logits []float64) int {
	best := 0
	for z, x := range logits {
		if x > logits[best] {
			best = z
		}
	}
	return best
}

func abcStepsFigure(steps []int, seeds int) *figure.Figure {
	x, y := []float64{0}, []float64{0}
	for i, n := range steps {
		x, y = append(x, float64(n), float64(n)), append(y, float64(i), float64(i+1))
	}
	x, y = append(x, abcSteps), append(y, float64(len(steps)))
	return &figure.Figure{
		Title: "How fast ABC is learned",
		Desc:  "A rising step function: seeds that have reached the threshold against steps of training.",
		Panels: [][]figure.Panel{{figure.Chart{
			X: figure.Axis{Label: "step"}, Y: figure.Axis{Label: "seeds at 1e-4", Include: []float64{0, float64(seeds)}},
			Series: []figure.Series{{X: x, Y: y}},
		}}},
	}
}
