package probe

import (
	"context"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"foretell/internal/random"
	"foretell/model"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Steered is what an intervention does to predictions: the divergence, in nats, from the optimal next-token
// distribution of the target belief to the model's, over pairs of a word and a target. Errors are standard errors over
// independent groups of pairs.
type Steered struct {
	Along     Estimate `json:"along"`     // the word's activation is moved until the regression reads the target belief
	Random    Estimate `json:"random"`    // it is moved as far in a random direction
	Unchanged Estimate `json:"unchanged"` // it is left alone
	Distance  Estimate `json:"distance"`  // how far it is moved, in the units of the activations
}

// Pair is a word and another whose belief it is to be given, rows of a table.
type Pair struct{ Word, Target int }

// steerGroups are the groups of pairs: pair i is in group i mod steerGroups.
const steerGroups = 8

// DrawPairs draws n pairs of words of one length, each by its probability, at lengths that take turns: an intervention
// is weighted as the words are.
func DrawPairs(p *process.Prefixes, n int, seed uint64) []Pair {
	upTo := make([]float64, p.Rows()) // Σ Prob over a length's words up to each
	for row, prob := range p.Prob {
		if _, index := p.Position(row); index > 0 {
			prob += upTo[row-1]
		}
		upTo[row] = prob
	}
	pairs := make([]Pair, n)
	for i := range pairs {
		// Each group goes through all lengths.
		from, to := p.Range(1 + i/steerGroups%p.Length)
		s := random.New(seed, "probe/pairs", uint64(i))
		draw := func() int {
			u := s.Float64() * upTo[to-1]
			return from + sort.Search(to-from-1, func(k int) bool { return upTo[from+k] > u })
		}
		pairs[i] = Pair{Word: draw(), Target: draw()}
	}
	return pairs
}

// Steer intervenes on m at a stage of the residual stream, whose regression to beliefs is given (by the fit of a word's
// length where there is one for each). It changes the activation of a word's last token by the least-norm δ within the
// directions of the regression with
//
//	δ·Coef = target − predicted,
//
// so that the regression reads the target belief, runs the rest of the model, and compares its prediction with the
// optimal one of the target belief. If the model predicts by what the regression reads, its prediction follows. A random
// direction of the same length and no change are the controls.
//
// It is an error when the stage is none of width d_model, and when ctx is done. The result does not depend on the number
// of workers.
func Steer(ctx context.Context, m *model.Transformer[float32], p *process.Prefixes, hook string, r *Reading, pairs []Pair, seed uint64, workers int) (*Steered, error) {
	if err := fits(m, p); err != nil {
		return nil, err
	}
	if err := checkStages(m, []string{hook}); err != nil {
		return nil, err
	}
	s := steering{model: m, prefixes: p, hook: hook, seed: seed, pairs: pairs, found: make([]steeredPair, len(pairs))}
	for _, fit := range r.Fits {
		s.levers = append(s.levers, newLever(fit))
	}
	batches := s.batches()
	var next atomic.Int64
	var group sync.WaitGroup
	for range max(1, workers) {
		group.Go(func() {
			w := model.NewWorkspace[float32](m.Config, steerBatch)
			for i := next.Add(1) - 1; int(i) < len(batches) && ctx.Err() == nil; i = next.Add(1) - 1 {
				s.run(w, batches[i])
			}
		})
	}
	group.Wait()
	return s.summary(), ctx.Err()
}

// lever turns a change of what a fit reads into the change of activations that brings it about.
type lever struct {
	fit  Fit
	back Table // (k, d): the pseudo-inverse of Coef
}

// deadDirection is the singular value of Coef, relative to the largest, up to which a direction of the targets is not
// read at all, as that in which all beliefs agree because they sum to one.
const deadDirection = 1e-6

func newLever(fit Fit) lever {
	d, k := fit.Coef.Rows(), fit.Coef.Width
	l := lever{fit: fit, back: Table{Data: make([]float64, k*d), Width: d}}
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(d, k, fit.Coef.Data), mat.SVDThin) {
		panic("probe: a singular value decomposition did not converge")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	for i, value := range values {
		if !(value > deadDirection*values[0]) {
			break
		}
		for b := range k {
			for a := range d {
				l.back.Row(b)[a] += v.At(b, i) * u.At(a, i) / value
			}
		}
	}
	return l
}

// change returns δ for an activation and a target.
func (l lever) change(x, target []float64) []float64 {
	read := make([]float64, len(target))
	l.fit.predictRow(read, x)
	delta := make([]float64, len(x))
	for b, y := range target {
		floats.AddScaled(delta, y-read[b], l.back.Row(b))
	}
	return delta
}

// steering is an intervention under way.
type steering struct {
	model    *model.Transformer[float32]
	prefixes *process.Prefixes
	hook     string
	seed     uint64
	levers   []lever // one, or one for each length
	pairs    []Pair
	found    []steeredPair
}

type steeredPair struct{ along, random, unchanged, distance float64 }

// steerBatch is the number of pairs in one forward pass.
const steerBatch = 32

// batches returns the pairs, by their indices, in batches of words of one length.
func (s *steering) batches() (list [][]int) {
	byLength := make([][]int, s.prefixes.Length+1)
	for i, pair := range s.pairs {
		length, _ := s.prefixes.Position(pair.Word)
		byLength[length] = append(byLength[length], i)
	}
	for _, indices := range byLength {
		list = slices.AppendSeq(list, slices.Chunk(indices, steerBatch))
	}
	return list
}

// run fills in what is found of the pairs of a batch.
func (s *steering) run(w *model.Workspace[float32], batch []int) {
	var tokens []int32
	for _, i := range batch {
		for _, z := range s.prefixes.Tokens(s.pairs[i].Word) {
			tokens = append(tokens, int32(z))
		}
	}
	length := len(tokens) / len(batch)
	l := s.levers[min(length, len(s.levers))-1]
	w.HookNames = []string{s.hook}
	along := s.forward(w, tokens, batch, func(i int, x []float64) []float64 {
		delta := l.change(x, s.prefixes.Belief(s.pairs[i].Target))
		s.found[i].distance = floats.Norm(delta, 2)
		return delta
	})
	sideways := s.forward(w, tokens, batch, func(i int, x []float64) []float64 {
		stream, delta := random.New(s.seed, "probe/steer", uint64(i)), make([]float64, len(x))
		for a := range delta {
			delta[a] = stream.Normal()
		}
		floats.Scale(s.found[i].distance/floats.Norm(delta, 2), delta)
		return delta
	})
	unchanged := s.forward(w, tokens, batch, nil)
	for k, i := range batch {
		s.found[i].along, s.found[i].random, s.found[i].unchanged = along[k], sideways[k], unchanged[k]
	}
}

// forward runs the model with the last activation of each word moved by what change says, and returns the divergence
// from the optimal prediction of each target.
func (s *steering) forward(w *model.Workspace[float32], tokens []int32, batch []int, change func(i int, x []float64) []float64) []float64 {
	T, V := len(tokens)/len(batch), s.model.Config.DVocab
	w.Hook = nil
	if change != nil {
		w.Hook = func(t model.Tensor[float32]) {
			d := t.Shape[2]
			x := make([]float64, d)
			for k, i := range batch {
				row := t.Data[(k*T+T-1)*d:][:d]
				for a, v := range row {
					x[a] = float64(v)
				}
				for a, v := range change(i, x) {
					row[a] = float32(x[a] + v)
				}
			}
		}
	}
	logits := s.model.Forward(w, tokens, len(batch))
	kl := make([]float64, len(batch))
	for k, i := range batch {
		kl[k] = model.Divergence(s.prefixes.NextTokens(s.pairs[i].Target), logits[(k*T+T-1)*V:][:V])
	}
	return kl
}

// summary averages over the pairs.
func (s *steering) summary() *Steered {
	estimate := func(of func(steeredPair) float64) Estimate {
		sums, counts := make([]float64, steerGroups), make([]float64, steerGroups)
		for i, pair := range s.found {
			sums[i%steerGroups] += of(pair)
			counts[i%steerGroups]++
		}
		return ratio(sums, counts)
	}
	return &Steered{
		Along:     estimate(func(p steeredPair) float64 { return p.along }),
		Random:    estimate(func(p steeredPair) float64 { return p.random }),
		Unchanged: estimate(func(p steeredPair) float64 { return p.unchanged }),
		Distance:  estimate(func(p steeredPair) float64 { return p.distance }),
	}
}

// Spread returns the root-mean-square distance of activations from their mean, by which distances are judged.
func (p *Principal) Spread() float64 { return math.Sqrt(floats.Sum(p.Variance)) }
