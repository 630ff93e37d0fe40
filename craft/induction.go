package craft

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/strict"
	"foretell/process"
)

// Induction asks for a disentangled transformer of three layers that predicts an
// interleaved Markov chain of unknown lag (D'Angelo et al. 2025, Sec. 4 and App. G to J).
// Layer 1 extracts transition probabilities, layer 2 gathers those of the past, layer 3
// tells the lag from them and copies the token at that lag from the next one. In what
// follows positions count from 1, as they do there, and k̂ is the largest lag.
//
// # Layer 1
//
// One head gives source j the score (log P)_{s_j,s_i} ± λ at position i, + where
// i−j ∈ K. In the limit of λ it attends to token i−k with
//
//	p̃_{i,k} = P_{s_{i−k},s_i} / Σ_{r∈K, r<i} P_{s_{i−r},s_i},  k ∈ K,
//
// and its copy of the one-hot positions holds p̃_{i,k} in entry i−k. Up to min K there is
// no such source: it attends to all tokens j ≤ i, in proportion to P_{s_j,s_i}. (The
// paper has 0 there, save for i = 1.)
//
// # Layer 2
//
// Head h attends, to all alike, to the tokens j with k̂ < j ≤ i whose offset i−j is one
// of its own, which are W_h(i), n_h(i) many. Offsets are shared out so that no two
// tokens of a head hold different lags' transitions in one entry ([HeadPattern]): a
// contiguous set of K lags takes K heads, head h the offsets h−1 modulo K (Sec. 4.1),
// any other set [FewestHeads], which App. I leaves open. Without such a token a head
// attends to all of them, uniformly.
//
// # Layer 3
//
// Score ±λ, + where i−j+1 ∈ K, so that token j = i−k+1 is looked at for lag k, plus
//
//	S_k(i) = Σ_h β/n_h(i) · Σ_{m∈W_h(i)} p̃_{m,k}.
//
// See [ThirdLayer] for how. The output layer writes row s_{i−k+1} of P for the token that
// is copied: probabilities, not logits, which is why the model's output is
// "probabilities".
//
// # What holds at which position
//
// S_k(i) is as above as soon as every head has a token to attend to: where H heads take
// turns, from i = k̂+H on with the positional third layer and, as keys need one as well,
// from i = 2k̂+H−1 on with the masked one. What happens before that
// [Induction.ClosedForm] says. The weights of Eq. 3 are those of
// H·β/(i−k̂)·Σ_{m=k̂+1…i} p̃_{m,k}, which S_k(i) tends to; [PerTransition] is equal to
// them at every position.
type Induction struct {
	Chain *process.Interleaved // its P and its lags
	NCtx  int                  // the longest context in tokens; more than the largest lag
	// Heads is the number of heads of layer 2; 0 for as many as keep all transitions apart.
	// Fewer lose what the others would have gathered (Sec. 4.4), but that two lags need
	// only one (App. J). The number of the contiguous set around the lags takes that one's
	// pattern.
	Heads int
	// Third is "" for Transposed with two lags and one head, else for Masked with contiguous
	// lags and PerHead, else for Positional.
	Third   ThirdLayer
	Average Average // "" for PerHead
	Beta    float64 // β, how sharply the lag is told; the paper has 100
	Lambda  float64 // λ, how much a source is masked; the paper has 500
}

// ThirdLayer is how the third layer of an [Induction] adds up what the second one
// gathered for a lag. Head h has gathered p̂_h(i), the sum of its tokens' entries over
// n_h(i), and m̂_h(i), a copy of its attention.
type ThirdLayer string

const (
	// Masked is that of Sec. 4.1 and App. G, for the pattern of a contiguous set: the score
	// of source j is Σ_h p̂_h(i)ᵀ B m̂_h(j), B_{a,b} = β where a−b+1 is a multiple of the
	// number of heads. What head h of the source attends to is one class modulo that
	// number, which B shifts by one and completes.
	Masked ThirdLayer = "masked"
	// Positional is that of App. H and I, for any pattern: Σ_h p̂_h(i)ᵀ B_h e_j with
	// B_{h,aj} = β where j−1−a ≥ 0 is an offset of head h. The transition of lag k from
	// token m = i−x is in entry a = m−k, and x = j−1−a for j = i−k+1.
	Positional ThirdLayer = "positional"
	// Transposed is that of App. J, for two lags with one head, whose d = k̂−min K offsets
	// of every 2d are attended to: e_iᵀ B p̂(j) with B_{i,a} = β where
	// (i−a−2·min K+1) mod 2d < d, and −β elsewhere. The keys of the two lags are d apart, so
	// they have complementary halves of the tokens up to i−min K+1.
	Transposed ThirdLayer = "transposed"
)

// ThirdLayers lists the third layers.
var ThirdLayers = []ThirdLayer{Masked, Positional, Transposed}

// Average is what an [Induction] divides its sums of p̃ by.
type Average string

const (
	// PerHead divides by the number of tokens that a head attends to, as the paper's
	// softmax does.
	PerHead Average = "head"
	// PerTransition divides by the number c of all transitions that the heads gather, up to
	// i−k̂: where n of them are a head's own, it attends to each with 1/c and to the first
	// token with (c−n)/c, by a score of λ + log(c−n). What that token holds is e_1 whatever
	// the tokens are, so that the third layer can take it off again by position. The weights
	// are then those of Eq. 3 at every position i > k̂, with H·β for its β, and uniform for
	// i ≤ k̂. It takes a Positional third layer.
	PerTransition Average = "transition"
)

// Averages lists the averages.
var Averages = []Average{PerHead, PerTransition}

// induction is an Induction with everything filled in.
type induction struct {
	Induction
	lags    []int // ascending
	longest int   // k̂
	tokens  int
	pattern HeadPattern // −1 also for heads that are left out
}

// resolve fills in what is left open, or says what is wrong.
func (c Induction) resolve() (*induction, error) {
	if c.Chain == nil {
		return nil, fmt.Errorf("induction: no chain to predict")
	}
	lags := c.Chain.Lags()
	r := &induction{Induction: c, lags: lags, longest: slices.Max(lags), tokens: c.Chain.Alphabet()}
	if err := r.checkNumbers(); err != nil {
		return nil, err
	}
	if r.Average == "" {
		r.Average = PerHead
	}
	if err := r.chooseThird(); err != nil {
		return nil, err
	}
	if err := r.choosePattern(); err != nil {
		return nil, err
	}
	return r, r.checkMasks()
}

// masked is how far below all open sources a masked one has to be: e^−50 is nothing in
// float64.
const masked = 50

// checkMasks returns an error if λ does not mask. Scores of layer 3 spread by H·β, or by
// 2β where signs differ, and those of layer 1 by the logarithms of P, of which the least
// is −λ: 2λ has to be that much and more.
func (r *induction) checkMasks() error {
	what, spread := "beta·heads", r.Beta*float64(r.pattern.Heads)
	if r.Third == Transposed {
		what, spread = "2·beta", 2*r.Beta
	}
	if least := (spread + masked) / 2; r.Lambda < least {
		return fmt.Errorf("induction: lambda = %g is too small beside %s = %g: a masked token could be attended to; "+
			"give at least %g", r.Lambda, what, spread, least)
	}
	smallest := 1.0
	for _, row := range r.Chain.P() {
		smallest = min(smallest, slices.Min(row))
	}
	if least := (min(-math.Log(smallest), masked) + masked) / 2; r.Lambda < least {
		return fmt.Errorf("induction: lambda = %g is too small beside the logarithm of P's smallest entry, %g: a masked "+
			"token could be attended to; give at least %.4g", r.Lambda, smallest, math.Ceil(least))
	}
	return nil
}

// Bounds of what is asked for.
const (
	longestInduction = 1 << 12 // tokens
	largestFactor    = 1e6     // of β and λ
)

func (r *induction) checkNumbers() error {
	if r.NCtx < 2 || r.NCtx > longestInduction {
		return fmt.Errorf("induction: n_ctx = %d is outside [2, %d]", r.NCtx, longestInduction)
	}
	if r.longest >= r.NCtx {
		return fmt.Errorf("induction: lag %d leaves no transition in a context of n_ctx = %d tokens; give more than %d",
			r.longest, r.NCtx, r.longest)
	}
	for _, x := range []struct {
		name  string
		value float64
	}{{"beta", r.Beta}, {"lambda", r.Lambda}} {
		if !(x.value > 0 && x.value <= largestFactor) {
			return fmt.Errorf("induction: %s = %g is outside (0, %g]", x.name, x.value, float64(largestFactor))
		}
	}
	if r.Heads < 0 {
		return fmt.Errorf("induction: heads = %d is negative; leave it out for as many as it takes", r.Heads)
	}
	return nil
}

func (r *induction) contiguous() bool { return r.longest-r.lags[0]+1 == len(r.lags) }

func (r *induction) chooseThird() error {
	switch {
	case r.Third != "":
	case len(r.lags) == 2 && r.Heads == 1:
		r.Third = Transposed
	case r.contiguous() && r.Average == PerHead:
		r.Third = Masked
	default:
		r.Third = Positional
	}
	switch {
	case !slices.Contains(ThirdLayers, r.Third):
		return fmt.Errorf("induction: third_layer = %s", strict.NotOneOf(string(r.Third), texts(ThirdLayers)))
	case !slices.Contains(Averages, r.Average):
		return fmt.Errorf("induction: average = %s", strict.NotOneOf(string(r.Average), texts(Averages)))
	case r.Third != Positional && r.Average == PerTransition:
		return fmt.Errorf("induction: average = %q takes a positional third layer, not a %s one", r.Average, r.Third)
	case r.Third == Transposed && len(r.lags) != 2:
		return fmt.Errorf("induction: third_layer = %q is for two lags with one head, not for %d", r.Third, len(r.lags))
	case r.Third == Transposed && r.Heads > 1:
		return fmt.Errorf("induction: third_layer = %q is for one head, not for %d", r.Third, r.Heads)
	}
	return nil
}

func texts[S ~string](list []S) []string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = string(x)
	}
	return words
}

// choosePattern shares the offsets out among the heads that are asked for.
func (r *induction) choosePattern() error {
	if r.Third == Transposed {
		d := r.longest - r.lags[0]
		r.pattern = HeadPattern{Of: slices.Repeat([]int{-1}, 2*d), Heads: 1}
		clear(r.pattern.Of[:d])
		return nil
	}
	hull := Hull(r.lags)
	fewest := hull
	if r.Third == Positional && r.Heads != hull.Heads {
		if found := FewestHeads(r.lags); found.Heads < hull.Heads {
			fewest = found
		}
	}
	switch {
	case r.Heads == 0 || r.Heads == fewest.Heads:
		r.pattern = fewest
	case r.Heads == hull.Heads:
		r.pattern = hull
	case r.Heads < fewest.Heads:
		r.pattern = fewest.reduced(r.Heads)
	case r.Heads > hull.Heads:
		return fmt.Errorf("induction: heads = %d is more than the %d that keep all transitions of these lags apart",
			r.Heads, fewest.Heads)
	default:
		return fmt.Errorf("induction: heads = %d: %d keep all transitions of these lags apart, and %d the contiguous set's; "+
			"more than the one and other than the other has nothing to do", r.Heads, fewest.Heads, hull.Heads)
	}
	return nil
}

// reduced returns a pattern of so many heads: those with the most offsets, of these the
// first.
func (p HeadPattern) reduced(heads int) HeadPattern {
	size := make([]int, p.Heads)
	for _, h := range p.Of {
		size[h]++
	}
	order := make([]int, p.Heads)
	for h := range order {
		order[h] = h
	}
	slices.SortStableFunc(order, func(a, b int) int { return size[b] - size[a] })
	keep := slices.Sorted(slices.Values(order[:heads]))
	out := HeadPattern{Of: make([]int, len(p.Of)), Heads: heads}
	for i, h := range p.Of {
		out.Of[i] = slices.Index(keep, h)
	}
	return out
}

// attends reports whether head h of layer 2 attends to token j from i as a token with
// transitions. Positions count from 0 here and below.
func (r *induction) attends(h, i, j int) bool {
	return r.longest <= j && j <= i && r.pattern.Head(i-j) == h
}

// gathered returns how many tokens each head attends to from i, and how many in all.
func (r *induction) gathered(i int) (byHead []int, all int) {
	byHead = make([]int, r.pattern.Heads)
	for j := r.longest; j <= i; j++ {
		if h := r.pattern.Head(i - j); h >= 0 {
			byHead[h]++
			all++
		}
	}
	return byHead, all
}

// factor is what a sum of p̃ over its count is multiplied by.
func (r *induction) factor() float64 {
	if r.Average == PerTransition {
		return r.Beta * float64(r.pattern.Heads)
	}
	return r.Beta
}
