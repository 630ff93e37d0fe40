package signals

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// glassRecording is the number of points of the recording on which the transformers of S7
// are trained.
const glassRecording = 300_000

// glassTraining returns a training run on Mackey–Glass with the given context length.
func (p profile) glassTraining(tokens int) claim.Training {
	return claim.Training{
		Name: fmt.Sprintf("mackey-glass-long-k%d", tokens), Label: fmt.Sprintf("Mackey–Glass, K = %d", tokens),
		Config: train.Config{
			Process: process.Spec{Name: mackeyGlass.name, Params: process.Params{"points": glassRecording}},
			Model: model.Config{
				DModel: 64, NLayers: 3, NHeads: model.Heads{4}, NCtx: tokens, PositionalEmbeddingType: "rotary",
				InitializerRange: 0.02,
			},
			Train: train.Options{
				Seed: 1, BatchSize: 64, NumSteps: p.glassSteps, LR: 3e-3, LRSchedule: "cosine", WarmupSteps: 100,
				Betas: []float64{0.9, 0.95}, EvaluateEvery: max(1, p.glassSteps/4), EvaluateSequences: 256,
			},
		},
	}
}

// glassWindows are the context lengths of the transformers of S7.
var glassWindows = []int{16, 24, 25, 26, 32, 64}

const (
	// barelyEnough and comfortable are the lecture's words on K = 32 and K = 64.
	barelyEnough, comfortable = 32, 64
	// mostKept is the largest part of the gain of 64 tokens over the last token alone that
	// 25 tokens may have, if x[n−25] is needed.
	mostKept = 0.5
)

// seenBy holds the predictions of a transformer with the given context length, on a
// recording that it has not seen.
type seenBy struct {
	tokens int
	guesses
}

// measureTrained measures the transformers on a recording that they have not seen,
// quantised like the recording that they were trained on. All are judged on the same
// tokens, as is a prediction from the last token alone.
func (m *windowed) measureTrained(ctx context.Context, s *claim.Study, p profile) error {
	x, g := recorded(lookBack, glassRecording)
	record, places := unseenWindows(g, p.windows, comfortable)
	last := newForecaster(record, places, 1, g.levels)
	last.learn(g.tokens(x), 1)
	m.last = last.byTokens(1)[1]
	m.trained = make([]seenBy, len(glassWindows))
	return s.Each(ctx, len(glassWindows), func(_ context.Context, i int) error {
		k := glassWindows[i]
		m.trained[i] = seenBy{k, guesses{hits: hitsAt(s.Trained(p.glassTraining(k)).Model, record, places)}}
		return nil
	})
}

// of returns the predictions of the transformer with the given context length; ok is
// false if the profile does not train it.
func (m windowed) of(tokens int) (found seenBy, ok bool) {
	for _, t := range m.trained {
		if t.tokens == tokens {
			return t, true
		}
	}
	return found, false
}

// ofTransformers judges the same statement as [windowed.impossible], by the transformer
// with the longest context that does not contain x[n−25].
func (m windowed) ofTransformers() claim.Condition {
	c := claim.Condition{Name: fmt.Sprintf("Mackey–Glass, K = %d, transformer", lookBack), Obtained: "no model"}
	t, ok := m.of(lookBack)
	if !ok {
		return c.Judged(claim.NotTrained)
	}
	share, se := t.accuracy()
	c.Verdict, c.Reason = above(share, se)
	c.Obtained = fmt.Sprintf("the transformer predicts %.1f ± %.1f %% of the unseen recording",
		100*share, 100*inErrors*se)
	return c.Judged("")
}

// againstComfortable judges the same statement by two transformers that are trained
// alike, with 25 and with 64 tokens: if x[n−25] is needed, the shorter window has at most
// half of the longer one's gain over the last token alone.
func (m windowed) againstComfortable() claim.Condition {
	c := claim.Condition{
		Name: fmt.Sprintf("Mackey–Glass, K = %d against K = %d", lookBack, comfortable), Obtained: "no model",
	}
	short, hasShort := m.of(lookBack)
	long, hasLong := m.of(comfortable)
	if !hasShort || !hasLong {
		return c.Judged(claim.NotTrained)
	}
	a, _ := short.accuracy()
	b, _ := long.accuracy()
	last, _ := m.last.accuracy()
	c.Obtained = fmt.Sprintf("%.1f %% from %d tokens, %.1f %% from %d, %.1f %% from the last token alone",
		100*a, lookBack, 100*b, comfortable, 100*last)
	if gain, se := m.last.gain(long.guesses); gain <= inErrors*se {
		return c.Judged(fmt.Sprintf("the transformer with %d tokens is not above the last token alone", comfortable))
	}
	c.Effect = claim.Over(fmt.Sprintf("gain of %d tokens over the last token alone, divided by the gain of %d",
		lookBack, comfortable), "", []float64{(a - last) / (b - last)}).Against("the laboratory's bound", mostKept)
	c.Verdict, c.Reason = overHalf(short.hits, long.hits, m.last.hits)
	return c.Judged("")
}

// overHalf returns the verdict on whether the first predictions have more than the part
// [mostKept] of the second ones' gain over the third ones, all of the same tokens.
func overHalf(short, long, last []bool) (claim.Verdict, claim.Reason) {
	one := map[bool]float64{true: 1}
	over := make([]float64, len(short))
	for i := range over {
		over[i] = one[short[i]] - mostKept*one[long[i]] - (1-mostKept)*one[last[i]]
	}
	switch more, se := meanError(over); {
	case more > inErrors*se:
		return claim.Corrected, ""
	case more <= -inErrors*se:
		return claim.Holds, ""
	}
	return claim.Open, claim.Power
}

// barely judges the lecture's “barely enough”: 32 tokens predict more than 25 and less
// than 64.
func (m windowed) barely() claim.Condition {
	c := claim.Condition{Name: fmt.Sprintf("Mackey–Glass, K ≈ %d barely enough", barelyEnough), Obtained: "no model"}
	short, hasShort := m.of(lookBack)
	middle, hasMiddle := m.of(barelyEnough)
	long, hasLong := m.of(comfortable)
	if !hasShort || !hasMiddle || !hasLong {
		return c.Judged(claim.NotTrained)
	}
	more, se := short.gain(middle.guesses)
	most, seMost := middle.gain(long.guesses)
	c.Obtained = fmt.Sprintf("%d tokens predict %.1f ± %.1f points more than %d, and %d tokens %.1f ± %.1f points "+
		"more than %d (errors over windows; one model each)", barelyEnough, 100*more, 100*inErrors*se, lookBack,
		comfortable, 100*most, 100*inErrors*seMost, barelyEnough)
	c.Verdict, c.Reason = claim.Open, claim.Power
	switch {
	case more > inErrors*se && most > inErrors*seMost:
		c.Verdict, c.Reason = claim.Holds, ""
	case more < -inErrors*se || most < -inErrors*seMost:
		c.Verdict, c.Reason = claim.Fails, ""
	}
	return c.Judged("")
}

// transformer returns the accuracy, in per cent, of the transformer with a context of k
// tokens, or "–".
func (m windowed) transformer(k int) any {
	t, ok := m.of(k)
	if !ok {
		return "–"
	}
	share, _ := t.accuracy()
	return 100 * share
}
