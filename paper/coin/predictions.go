package coin

import (
	"context"
	"math"

	"foretell/craft"
	"foretell/internal/random"
	"foretell/model"
	"foretell/probe"
	"foretell/process"

	"gonum.org/v1/gonum/stat"
)

// predictions are what a model says on sequences that it has not seen, beside the
// posterior.
type predictions struct {
	learner

	// After N = 0 … longestFlips flips, or from 1 without BOS:
	kl, klError []float64 // divergence from the posterior in nats, mean over sequences and its standard error
	uniform     []float64 // total variation between the attention and uniform attention
	information []float64 // what the flips tell of the next one, in nats: chance less the floor
}

// over are the places of from ≤ N ≤ to.
func (r *predictions) over(of []float64, from, to int) []float64 {
	return of[max(0, from-r.first()) : to+1-r.first()]
}

// within is the mean divergence over from ≤ N ≤ to.
func (r *predictions) within(from, to int) float64 { return stat.Mean(r.over(r.kl, from, to), nil) }

// missed is the share of what the flips tell that the model does not use, over from ≤ N
// ≤ to: 0 for the posterior, 1 for a model that keeps to the prior's mean.
func (r *predictions) missed(from, to int) float64 {
	return r.within(from, to) / stat.Mean(r.over(r.information, from, to), nil)
}

// learnable is what there is to learn over from ≤ N ≤ to. Flips are exchangeable, so
// that the last k of more tell what k flips tell.
func (r *predictions) learnable(from, to int) probe.Learnable {
	told := r.over(r.information, from, to)
	l := probe.Learnable{Information: stat.Mean(told, nil)}
	for k := 1; k <= probe.PlateauTokens; k++ {
		last := r.over(r.information, k, k)[0]
		beyond := 0.0
		for _, x := range told {
			beyond += max(0, x-last) / float64(len(told))
		}
		l.Plateaus = append(l.Plateaus, beyond)
	}
	return l
}

// mistaken is what it costs, in nats and in the mean over N = 0 … flips, to predict the
// coins of a prior as if they were those of another.
func (p prior) mistaken(as prior, flips int) float64 {
	byHeads, cost := []float64{1}, 0.0 // probabilities of 0 … N heads
	for n := range flips + 1 {
		next := make([]float64, n+2)
		for heads, prob := range byHeads {
			q, wrong := p.predictive(heads, n), as.predictive(heads, n)
			cost += prob * (q*math.Log(q/wrong) + (1-q)*math.Log((1-q)/(1-wrong))) / float64(flips+1)
			next[heads] += prob * (1 - q)
			next[heads+1] += prob * q
		}
		byHeads = next
	}
	return cost
}

// predictive is the posterior's probability of heads after so many of n flips.
func (p prior) predictive(heads, n int) float64 {
	return (p.a + float64(heads)) / (p.a + p.b + float64(n))
}

// nearest is the least that it costs to predict the coins of a prior as those of
// another of the three, and that one.
func (p prior) nearest(flips int) (least float64, as prior) {
	least = math.Inf(1)
	for _, other := range priors {
		if cost := p.mistaken(other, flips); other != p && cost < least {
			least, as = cost, other
		}
	}
	return least, as
}

// writtenError is what is asked of the construction of C5.
const writtenError = 1e-6

// predictWritten makes the construction of C5 for the first prior, in the precision of
// the trained ones, and measures it.
func (p profile) predictWritten(ctx context.Context) (predictions, error) {
	l := learner{prior: priors[0], positions: "written by hand", bos: true} // from no seed
	m, err := craft.Coin{A: l.a, B: l.b, NCtx: longestFlips + 1, Error: writtenError}.Transformer()
	if err != nil {
		return predictions{}, err
	}
	coin, err := process.NewCoin(l.a, l.b)
	if err != nil {
		return predictions{}, err
	}
	return l.predict(ctx, model.Convert[float32](m), coin.WithBOS(), p.sequences)
}

// passSequences go through a model together.
const passSequences = 16

// predict runs the model over as many sampled sequences, a multiple of passSequences.
func (l learner) predict(ctx context.Context, m *model.Transformer[float32], p process.Process, sequences int) (
	predictions, error,
) {
	T := m.Config.NCtx
	r := predictions{learner: l, kl: make([]float64, T), uniform: make([]float64, T)}
	w := model.NewWorkspace[float32](m.Config, passSequences)
	w.HookNames = []string{"blocks.0.attn.hook_pattern"}
	w.Hook = func(t model.Tensor[float32]) { addDistances(r.uniform, t, sequences) }
	tokens, squares := make([]int32, passSequences*T), make([]float64, T)
	for first := 0; first < sequences; first += passSequences {
		for b := range passSequences {
			p.Sample(tokens[b*T:(b+1)*T], random.New(1, "paper/coin", uint64(first+b)))
		}
		divergences, err := diverge(m.Forward(w, tokens, passSequences), p, tokens, T)
		if err != nil {
			return r, err
		}
		for i, kl := range divergences {
			r.kl[i%T] += kl / float64(sequences)
			squares[i%T] += kl * kl / float64(sequences)
		}
	}
	for n, square := range squares {
		r.klError = append(r.klError, math.Sqrt(max(0, square-r.kl[n]*r.kl[n])/float64(sequences)))
	}
	var err error
	r.information, err = informationOf(ctx, p, T)
	return r, err
}

// predictUntrained is the divergence, within the contexts of training, of the model as
// it was before training.
func (l learner) predictUntrained(ctx context.Context, c model.Config, p process.Process, sequences int) (
	float64, error,
) {
	m, err := model.New[float32](c, l.seed)
	if err != nil {
		return 0, err
	}
	r, err := l.predict(ctx, m, p, sequences)
	return r.within(0, trainedFlips), err
}

// addDistances adds up, by position, how far each attention of a pattern (B,1,T,T) is
// from uniform over the tokens so far, as a share of so many sequences.
func addDistances(to []float64, pattern model.Tensor[float32], sequences int) {
	T := len(to)
	for row := range len(pattern.Data) / T {
		n, distance := row%T+1, 0.0
		for _, x := range pattern.Data[row*T : row*T+n] {
			distance += math.Abs(float64(x)-1/float64(n)) / 2
		}
		to[n-1] += distance / float64(sequences)
	}
}

// diverge returns the divergence, in nats, from what the process predicts after each
// token of sequences (B,T) to the logits there (B,T,V).
func diverge(logits []float32, p process.Process, tokens []int32, T int) ([]float64, error) {
	V, predictor := p.Alphabet(), p.Predictor()
	next, list := make([]float64, V), make([]float64, len(tokens))
	for i, token := range tokens {
		if i%T == 0 {
			predictor.Reset()
		}
		if err := predictor.Observe(int(token)); err != nil {
			return nil, err
		}
		predictor.Next(next)
		list[i] = model.Divergence(next, logits[V*i:V*i+V])
	}
	return list, nil
}

// informationOf is what the first 1 … T tokens tell of the one that follows, in nats.
func informationOf(ctx context.Context, p process.Process, T int) ([]float64, error) {
	floor, err := p.Floor(ctx, T+1)
	if err != nil {
		return nil, err
	}
	information := make([]float64, T)
	for n := range information {
		information[n] = floor.Chance - floor.ByPosition[n+1]
	}
	return information, nil
}
