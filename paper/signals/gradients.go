package signals

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/model"
	"foretell/run"
)

const (
	// gradientWindows is the number of windows over which gradients are summed.
	gradientWindows = 512
	// dominates is the share of the gradient above which background dominates it.
	dominates = 0.5
)

// gradientNorms holds the norms of the two parts of a loss's gradient: the sum over
// background tokens and the sum over retrieval steps, with equal weights.
type gradientNorms struct{ background, retrieval float64 }

// share returns the background's part of the sum of both norms, if retrieval steps have
// the given weight.
func (g gradientNorms) share(weight float64) float64 {
	return g.background / (g.background + float64(weight*g.retrieval))
}

// gradientMoments are the moments of a training run at which gradients are measured.
var gradientMoments = []string{"before the first step", "after half of the steps", "after all steps"}

// gradients measures a network at [gradientMoments].
func (l *lab) gradients(ctx context.Context, s *claim.Study, n network) (list []gradientNorms, err error) {
	h, err := l.heldOut(n.signal)
	if err != nil {
		return nil, err
	}
	s.Tell("gradients of " + n.label())
	t := l.training(n)
	for _, step := range []int{0, t.Snapshots[0], -1} {
		m := model.Convert[float32](s.Trained(t).Model) // a copy, as Pack changes it
		if step >= 0 {
			if m, err = run.Snapshot(s.Dir(t), step); err != nil {
				return nil, err
			}
		}
		list = append(list, h.gradient(m))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// gradient returns the norms for the expected loss on arbitrary windows.
func (h *heldOut) gradient(m *model.Transformer[float32]) gradientNorms {
	background, retrieval := model.NewWeights[float32](m.Config), model.NewWeights[float32](m.Config)
	m.Pack()
	w := model.NewWorkspace[float32](m.Config, passWindows)
	for few := range slices.Chunk(h.any[:min(len(h.any), gradientWindows)/passWindows*passWindows], passWindows) {
		var tokens []int32
		var easy, hard []float32
		for _, window := range few {
			tokens = append(tokens, window.tokens...)
			steps := window.steps()
			for z, p := range window.next {
				hard = append(hard, float32(steps[z]))
				easy = append(easy, float32(p-steps[z]))
			}
		}
		for i, to := range []*model.Weights[float32]{background, retrieval} {
			m.ForwardLast(w, tokens, len(few))
			m.SoftCrossEntropy(w, [][]float32{easy, hard}[i])
			m.Backward(w, tokens, to)
		}
	}
	return gradientNorms{norm(background.Data), norm(retrieval.Data)}
}

// norm returns the Euclidean norm.
func norm(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// dominated judges the condition that without the loss weight, background dominates the
// gradient of the GPT: at every one of the moments.
func (t trade) dominated() claim.Condition {
	c := claim.Condition{Name: t.title + ", gradient dominated without the weight"}
	k := 0
	for i, g := range t.gradient {
		if g.share(1) > dominates {
			k++
		}
		if i > 0 {
			c.Obtained += ", "
		}
		c.Obtained += fmt.Sprintf("%.0f %% %s", 100*g.share(1), gradientMoments[i])
	}
	c.Obtained = "background's share of the gradient's norm is " + c.Obtained
	last := t.gradient[len(t.gradient)-1].share(1)
	c.Effect = claim.Over("background's share of the gradient's norm after all steps, equal weights", "",
		[]float64{last}).Against("the laboratory's bound", dominates)
	switch k {
	case len(t.gradient):
		c.Verdict = claim.Holds
	case 0:
		c.Verdict = claim.Fails
	default:
		c.Verdict, c.Reason = claim.Differs, claim.Conditions
	}
	return c.Judged("")
}

// gradientTable returns the background's share of the gradient, with one row for each
// signal and moment.
func (m trades) gradientTable() document.Frame {
	f := document.Frame{
		Title: "background's share of the gradient's norm, per cent, for a GPT trained with even weights",
		Columns: append(document.Headed("", "signal", "moment"), document.Headed("%.1f", "even weights",
			fmt.Sprintf("%d : 1", eventWeight))...),
	}
	for _, t := range m {
		for i, g := range t.gradient {
			f.Row(t.title, gradientMoments[i], 100*g.share(1), 100*g.share(eventWeight))
		}
	}
	return f
}
