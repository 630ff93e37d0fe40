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

// predictions compares a model's predictions with the posterior's, on sequences that the
// model was not trained on.
type predictions struct {
	learner

	// Indexed by N = 0 … longestFlips flips; without BOS, index 0 is N = 1.
	kl, klError []float64 // divergence from the posterior in nats: mean over sequences, standard error of the mean
	uniform     []float64 // total variation distance between the attention and uniform attention
	information []float64 // information about the next flip in the flips so far, in nats: chance minus the floor
}

// over returns the part of a list with from ≤ N ≤ to.
func (r *predictions) over(of []float64, from, to int) []float64 {
	return of[max(0, from-r.first()) : to+1-r.first()]
}

// within returns the mean divergence over from ≤ N ≤ to.
func (r *predictions) within(from, to int) float64 { return stat.Mean(r.over(r.kl, from, to), nil) }

// missed returns the share of the flips' information that the model does not use, over
// from ≤ N ≤ to: 0 for the posterior, 1 for a model that always predicts the prior's
// mean.
func (r *predictions) missed(from, to int) float64 {
	return r.within(from, to) / stat.Mean(r.over(r.information, from, to), nil)
}

// learnable returns what there is to learn over from ≤ N ≤ to. Flips are exchangeable, so
// the last k of many flips carry as much information as k flips alone.
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

// mistaken returns the cost of a wrong prior, in nats and averaged over N = 0 … flips:
// coins are drawn from the prior p, and predicted with the posterior for the prior as.
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

// predictive returns the posterior predictive probability of heads, given the number of
// heads among n flips.
func (p prior) predictive(heads, n int) float64 {
	return (p.a + float64(heads)) / (p.a + p.b + float64(n))
}

// nearest returns the other prior whose predictions are the least costly mistake for
// coins drawn from p, and that cost in nats; see [prior.mistaken].
func (p prior) nearest(flips int) (least float64, as prior) {
	least = math.Inf(1)
	for _, other := range priors {
		if cost := p.mistaken(other, flips); other != p && cost < least {
			least, as = cost, other
		}
	}
	return least, as
}

// writtenError is the error for which the construction of C5 is built.
const writtenError = 1e-6

// predictWritten builds the construction of C5 for the first prior, in the precision of
// the trained models, and measures it.
func (p profile) predictWritten(ctx context.Context) (predictions, error) {
	l := learner{prior: priors[0], positions: "written by hand", bos: true} // it has no seed
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

// passSequences is the number of sequences in one forward pass.
const passSequences = 16

// predict runs the model on the given number of sampled sequences, a multiple of
// passSequences.
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

// predictUntrained returns the divergence of the model before its training, averaged
// over the contexts of training.
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

// addDistances adds to each position the total variation distance between the attention
// in a pattern (B,1,T,T) and uniform attention over the tokens so far. It divides each
// distance by the number of sequences.
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

// diverge returns, after each token of sequences (B,T), the divergence in nats of the
// logits (B,T,V) from the process's prediction.
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

// informationOf returns how much information the first 1 … T tokens carry about the token
// that follows, in nats.
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
