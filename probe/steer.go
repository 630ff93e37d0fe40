package probe

import (
	"context"
	"math"
	"slices"
	"sort"

	"foretell/internal/parallel"
	"foretell/internal/random"
	"foretell/model"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Steered is the effect of an intervention on predictions, over pairs of a prefix and a
// target prefix. Its divergences, in nats, are from the optimal next-token distribution
// after the target to the model's prediction after the prefix. Errors are standard errors
// over independent groups of pairs.
type Steered struct {
	Unchanged Estimate `json:"unchanged"` // the prefix's activation is not changed
	Shortest  Moved    `json:"shortest"`  // the change is the shortest that makes the regression read the target belief
	Likeliest Moved    `json:"likeliest"` // the same, but shortest in units of the activations' spread
}

// Moved is the effect that moving activations has on predictions.
type Moved struct {
	Along    Estimate `json:"along"`    // after a move to the point where the regression reads the target belief
	Random   Estimate `json:"random"`   // after a move by the same distance in a random direction
	Distance Estimate `json:"distance"` // length of the moves, in the units of the activations
}

// prefixPair is a prefix (Word) and a target prefix (Target), both as rows of a table. An
// intervention changes the activation after the first prefix so that it encodes the
// belief after the second.
type prefixPair struct{ Word, Target int }

// steerGroups is the number of groups of pairs: pair i is in group i mod steerGroups.
const steerGroups = 8

// drawPairs draws n pairs of prefixes of equal length, each prefix by its probability.
// The pairs go through the lengths in turn, so that all lengths have the same weight, as
// in averages over prefixes.
func drawPairs(p *process.Prefixes, n int, seed uint64) []prefixPair {
	upTo := make([]float64, p.Rows()) // cumulative Prob over the prefixes of each length
	for row, prob := range p.Prob {
		if _, index := p.Position(row); index > 0 {
			prob += upTo[row-1]
		}
		upTo[row] = prob
	}
	pairs := make([]prefixPair, n)
	for i := range pairs {
		// Each group of pairs goes through all lengths.
		from, to := p.Range(1 + i/steerGroups%p.Length)
		s := random.New(seed, "probe/pairs", uint64(i))
		draw := func() int {
			u := s.Float64() * upTo[to-1]
			return from + sort.Search(to-from-1, func(k int) bool { return upTo[from+k] > u })
		}
		pairs[i] = prefixPair{Word: draw(), Target: draw()}
	}
	return pairs
}

// steer is [Analysis.SteerEach] at one stage, for the given pairs. It panics if the
// features are not a single stage.
func (a *Analysis) steer(ctx context.Context, target Target, on Features, pairs []prefixPair, seed uint64) (
	*Steered, error,
) {
	shortest, likeliest, err := a.levers(ctx, target, on)
	if err != nil {
		return nil, err
	}
	s := steering{
		model: a.model, prefixes: a.Prefixes, hook: a.entry(on).Stages[0], targets: a.tables[a.targetIndex(target)],
		seed: seed, pairs: pairs, found: make([]steeredPair, len(pairs)), shortest: shortest, likeliest: likeliest,
	}
	batches := s.batches()
	err = parallel.With(ctx, a.Plan.Workers, len(batches), func() func(int) error {
		w := model.NewWorkspace[float32](a.model.Config, steerBatch)
		return func(i int) error {
			s.run(w, batches[i])
			return nil
		}
	})
	return s.summary(), err
}

// lever turns a change of a fit's prediction into a change of activations that produces
// it.
type lever struct {
	read func(y, x []float64) // writes the fit's prediction from an activation to y (k)
	back Table                // (k, d): a change y of the prediction needs the change y·back of the activation
}

// newLevers returns the shortest and the likeliest lever of a fit. Each finds δ = Σ_i
// c_i·s_i·v_i with the least |c|, where v_i are the directions that the fit uses and λ_i
// their variances; s_i is 1 for the shortest and √λ_i for the likeliest.
func newLevers(fit Fit, spectrum *spectralFits) (shortest, likeliest lever) {
	ones, roots := make([]float64, fit.Rank), make([]float64, fit.Rank)
	for i := range fit.Rank {
		ones[i], roots[i] = 1, math.Sqrt(spectrum.values[i])
	}
	return newLever(fit, spectrum.vectors, ones), newLever(fit, spectrum.vectors, roots)
}

// deadDirection defines which directions of the target are not read at all: their
// singular value in Coef, relative to the largest, is at most this. An example is the sum
// of all beliefs, which is always one.
const deadDirection = 1e-6

// newLever inverts a fit within the given directions v_i (rows), each in units of its
// scale.
func newLever(fit Fit, directions Table, scales []float64) lever {
	d, k, r := fit.Coef.Rows(), fit.Coef.Width, len(scales)
	l := lever{read: fit.predictor(), back: Table{Data: make([]float64, k*d), Width: d}}
	if r == 0 {
		return l
	}
	read := mat.NewDense(r, k, nil) // the change of the prediction for a step s_i·v_i
	for i, scale := range scales {
		for b := range k {
			for a, v := range directions.Row(i) {
				read.Set(i, b, read.At(i, b)+scale*v*fit.Coef.Row(a)[b])
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(read, mat.SVDThin) {
		panic("probe: a singular value decomposition did not converge")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	for n, value := range values {
		if !(value > deadDirection*values[0]) {
			break
		}
		for b := range k {
			for i, scale := range scales {
				floats.AddScaled(l.back.Row(b), v.At(b, n)/value*u.At(i, n)*scale, directions.Row(i))
			}
		}
	}
	return l
}

// change returns the δ that has to be added to activation x for the fit to predict the
// target.
func (l lever) change(x, target []float64) []float64 {
	read := make([]float64, len(target))
	l.read(read, x)
	delta := make([]float64, len(x))
	for b, y := range target {
		floats.AddScaled(delta, y-read[b], l.back.Row(b))
	}
	return delta
}

// steering is an intervention in progress.
type steering struct {
	model               *model.Transformer[float32]
	prefixes            *process.Prefixes
	hook                string
	targets             Table // (rows, k)
	seed                uint64
	shortest, likeliest []lever // one lever, or one for each length
	pairs               []prefixPair
	found               []steeredPair
}

// steeredPair holds the results for one pair.
type steeredPair struct {
	unchanged           float64
	shortest, likeliest movedPair
}

type movedPair struct{ along, random, distance float64 }

// steerBatch is the number of pairs in one forward pass.
const steerBatch = 32

// batches returns the indices of the pairs, in batches of prefixes of equal length.
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

// run computes the results for the pairs of a batch.
func (s *steering) run(w *model.Workspace[float32], batch []int) {
	var tokens []int32
	for _, i := range batch {
		tokens = append(tokens, s.prefixes.Tokens(s.pairs[i].Word)...)
	}
	w.HookNames = []string{s.hook}
	for k, kl := range s.forward(w, tokens, batch, nil) {
		s.found[batch[k]].unchanged = kl
	}
	position := min(len(tokens)/len(batch), len(s.shortest)) - 1
	s.move(w, tokens, batch, s.shortest[position], func(p *steeredPair) *movedPair { return &p.shortest })
	s.move(w, tokens, batch, s.likeliest[position], func(p *steeredPair) *movedPair { return &p.likeliest })
}

// move computes the results for the pairs of a batch: with a lever, and with moves of the
// same length in random directions.
func (s *steering) move(
	w *model.Workspace[float32], tokens []int32, batch []int, l lever, of func(*steeredPair) *movedPair,
) {
	along := s.forward(w, tokens, batch, func(i int, x []float64) []float64 {
		delta := l.change(x, s.targets.Row(s.pairs[i].Target))
		of(&s.found[i]).distance = floats.Norm(delta, 2)
		return delta
	})
	random := s.forward(w, tokens, batch, func(i int, x []float64) []float64 {
		return randomMove(s.seed, i, len(x), of(&s.found[i]).distance)
	})
	for k, i := range batch {
		of(&s.found[i]).along, of(&s.found[i]).random = along[k], random[k]
	}
}

// randomMove returns a vector with the given number of entries and the given length. Its
// direction is uniformly random, determined by the seed and the index of a pair. The
// length is the length of the lever's move, so that only the direction differs.
func randomMove(seed uint64, pair, size int, length float64) []float64 {
	stream, delta := random.New(seed, "probe/steer", uint64(pair)), make([]float64, size)
	for a := range delta {
		delta[a] = stream.Normal()
	}
	floats.Scale(length/floats.Norm(delta, 2), delta)
	return delta
}

// forward runs the model on a batch, after adding the vector that the function change
// returns to the activation of each prefix's last token; nothing is added if the function
// is nil. It returns, for each pair, the divergence from the optimal prediction after the
// target.
func (s *steering) forward(
	w *model.Workspace[float32], tokens []int32, batch []int, change func(i int, x []float64) []float64,
) []float64 {
	T, V := len(tokens)/len(batch), s.model.Config.DVocab
	w.Hook = nil
	if change != nil {
		w.Hook = func(t model.Tensor[float32]) {
			x := make([]float64, t.Shape[2])
			for k, i := range batch {
				row := t.Row(k, T-1)
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

// summary averages the results over the pairs.
func (s *steering) summary() *Steered {
	estimate := func(of func(steeredPair) float64) Estimate {
		sums, counts := make([]float64, steerGroups), make([]float64, steerGroups)
		for i, pair := range s.found {
			sums[i%steerGroups] += of(pair)
			counts[i%steerGroups]++
		}
		return Ratio(sums, counts)
	}
	moved := func(of func(steeredPair) movedPair) Moved {
		return Moved{
			Along:    estimate(func(p steeredPair) float64 { return of(p).along }),
			Random:   estimate(func(p steeredPair) float64 { return of(p).random }),
			Distance: estimate(func(p steeredPair) float64 { return of(p).distance }),
		}
	}
	return &Steered{
		Unchanged: estimate(func(p steeredPair) float64 { return p.unchanged }),
		Shortest:  moved(func(p steeredPair) movedPair { return p.shortest }),
		Likeliest: moved(func(p steeredPair) movedPair { return p.likeliest }),
	}
}

// spread returns the root-mean-square distance of activations from their mean, a scale
// for the distances in [Moved].
func (p *Principal) spread() float64 { return math.Sqrt(floats.Sum(p.Variance)) }
