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

	// Each slice has one element for each number N of flips seen, up to longestFlips. The
	// first is for N = 0, or for N = 1 in a model without BOS.
	kl, klError []float64 // divergence from the posterior in nats: mean over sequences, and its standard error
	uniform     []float64 // total variation distance between the attention and uniform attention
	// information that the flips seen carry about the next flip, in nats: the loss of the
	// best constant guess minus the loss of the posterior
	information []float64
}

// over returns the part of one of these slices with from ≤ N ≤ to.
func (r *predictions) over(of []float64, from, to int) []float64 {
	return of[max(0, from-r.first()) : to+1-r.first()]
}

// within returns the divergence averaged over all N with from ≤ N ≤ to.
func (r *predictions) within(from, to int) float64 { return stat.Mean(r.over(r.kl, from, to), nil) }

// missed returns the share of the information in the flips that the model does not use,
// for from ≤ N ≤ to: 0 for the posterior, 1 for a model that always predicts the mean of
// the prior.
func (r *predictions) missed(from, to int) float64 {
	return r.within(from, to) / stat.Mean(r.over(r.information, from, to), nil)
}

// learnable returns what a model can learn for from ≤ N ≤ to: the information in the
// flips, and how much of it an observer of only the last k flips misses. Flips are
// exchangeable, so the last k of many flips carry as much information as k flips alone.
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

// mistaken returns the cost of a wrong prior in nats, averaged over N = 0 … flips. Coins
// are drawn from p, but the predictions are those for the assumed prior.
func (p prior) mistaken(assumed prior, flips int) float64 {
	byHeads, cost := []float64{1}, 0.0 // probabilities of 0 … N heads
	for n := range flips + 1 {
		next := make([]float64, n+2)
		for heads, prob := range byHeads {
			q, wrong := p.predictive(heads, n), assumed.predictive(heads, n)
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

// nearest returns the smallest cost of a wrong prior for coins drawn from p, in nats, and
// the one of the other priors that has this cost; see [prior.mistaken].
func (p prior) nearest(flips int) (least float64, assumed prior) {
	least = math.Inf(1)
	for _, other := range priors {
		if cost := p.mistaken(other, flips); other != p && cost < least {
			least, assumed = cost, other
		}
	}
	return least, assumed
}

// writtenError is the error for which [profile.predictWritten] builds the construction of
// C5.
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

// predict runs the model on sampled sequences and compares its predictions with the
// posterior. The number of sequences must be a multiple of passSequences.
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

// predictUntrained returns the divergence of the randomly initialised model from the
// posterior, averaged over N = 0 … trainedFlips.
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

// addDistances computes, at each position, the total variation distance between the
// attention in a pattern (B,1,T,T) and uniform attention over the tokens so far. It
// divides each distance by the number of sequences and adds it to the position's element
// of dst.
func addDistances(dst []float64, pattern model.Tensor[float32], sequences int) {
	T := len(dst)
	for row := range len(pattern.Data) / T {
		n, distance := row%T+1, 0.0
		for _, x := range pattern.Data[row*T : row*T+n] {
			distance += math.Abs(float64(x)-1/float64(n)) / 2
		}
		dst[n-1] += distance / float64(sequences)
	}
}

// diverge returns, after each token of the sequences (B,T), the divergence of the
// prediction in logits (B,T,V) from the process's exact prediction, in nats.
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

// informationOf returns, for n = 1 … T, how much information the first n tokens carry
// about the next token, in nats.
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
