package craft

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/strict"
	"foretell/process"
)

// Induction has the parameters of a three-layer disentangled transformer that predicts an
// interleaved Markov chain of unknown lag (D'Angelo et al. 2025, Sec. 4 and App. G to J).
// Layer 1 extracts transition probabilities. Layer 2 gathers these for past tokens. Layer
// 3 infers the lag from them and copies the token that precedes the next token by that
// lag. Below, positions count from 1, as in the paper, and s_i is the token at position
// i. K is the set of lags and k̂ the largest lag. P_{a,b} is the probability that token b
// follows token a at the chain's lag.
//
// # Layer 1
//
// At position i, one head gives source j the score (log P)_{s_j,s_i} ± λ, with + if i−j ∈
// K. In the limit of large λ the head attends to token i−k with weight
//
//	p̃_{i,k} = P_{s_{i−k},s_i} / Σ_{r∈K, r<i} P_{s_{i−r},s_i},  k ∈ K,
//
// and the head's copy of the one-hot positions holds p̃_{i,k} in entry i−k. Up to
// position min K there is no such source, and the head attends to all tokens j ≤ i in
// proportion to P_{s_j,s_i}. (The paper has 0 there, except for i = 1.)
//
// # Layer 2
//
// Head h attends uniformly to the set W_h(i) of n_h(i) tokens: the tokens j with k̂ < j ≤
// i whose offset i−j is assigned to the head. Offsets are assigned to heads so that a
// head never adds transitions of different lags in the same entry ([HeadPattern]). A
// contiguous set of n lags takes n heads, where head h has the offsets h−1 modulo n (Sec.
// 4.1). For any other set [FewestHeads] finds the assignment, which App. I leaves open.
// If W_h(i) is empty, the head attends uniformly to all tokens.
//
// # Layer 3
//
// The score of source j at position i is ±λ, with + if i−j+1 ∈ K, so that lag k selects
// token j = i−k+1, plus
//
//	S_k(i) = Σ_h β/n_h(i) · Σ_{m∈W_h(i)} p̃_{m,k}.
//
// [ThirdLayer] describes how this is computed. The output layer writes row s_{i−k+1} of P
// for the copied token. These are probabilities and not logits, so the model's output is
// "probabilities".
//
// # Where the formulas hold
//
// S_k(i) is as above once every head has a token to attend to. If H heads take turns,
// this holds from i = k̂+H on with the positional third layer. With the masked third
// layer it holds from i = 2k̂+H−1 on, because there the heads of the keys also need a
// token. [Induction.ClosedForm] covers the earlier positions. The attention weights of
// the paper's Eq. 3 use H·β/(i−k̂)·Σ_{m=k̂+1…i} p̃_{m,k}, to which S_k(i) converges. With
// [PerTransition] layer 3 has the weights of Eq. 3 at every position.
type Induction struct {
	Chain *process.Interleaved // the process to predict; only its P and its lags are used
	NCtx  int                  // the longest context in tokens; more than the largest lag
	// Heads is the number of heads of layer 2; 0 for the number that keeps all transitions
	// apart. Fewer heads lose the transitions that the others would have gathered (Sec.
	// 4.4), except that one head is enough for two lags (App. J). The number of heads of the
	// contiguous set around the lags is also allowed, and selects the pattern of that set
	// ([Hull]).
	Heads int
	// Third is the third layer. "" chooses Transposed for two lags and one head. Otherwise
	// it chooses Masked if the lags are contiguous and Average is PerHead, and Positional if
	// not.
	Third   ThirdLayer
	Average Average // "" means PerHead
	Beta    float64 // β, how sharply layer 3 selects the lag; 100 in the paper
	Lambda  float64 // λ, how strongly a source is masked; 500 in the paper
}

// ThirdLayer is the way in which the third layer of an [Induction] sums what the second
// layer gathered for a lag. At position i, head h has gathered p̂_h(i), the average of
// the p̃ that layer 1 extracted at its n_h(i) tokens, and m̂_h(i), a copy of its
// attention weights.
type ThirdLayer string

const (
	// Masked is the layer of Sec. 4.1 and App. G, for the pattern of a contiguous set. The
	// score of source j is Σ_h p̂_h(i)ᵀ B m̂_h(j), with B_{a,b} = β if a−b+1 is a multiple
	// of the number of heads. At the source, head h attends to the tokens of one class
	// modulo the number of heads. B shifts this class by one and extends it to all
	// positions.
	Masked ThirdLayer = "masked"
	// Positional is the layer of App. H and I, for any pattern: Σ_h p̂_h(i)ᵀ B_h e_j, where
	// e_j is the one-hot position j, and B_{h,aj} = β if j−1−a ≥ 0 is an offset of head h.
	// This works because token m = i−x has p̃_{m,k} in entry a = m−k, and for the source j =
	// i−k+1 of lag k, j−1−a is the offset x.
	Positional ThirdLayer = "positional"
	// Transposed is the layer of App. J, for two lags with one head, which attends to d of
	// every 2d offsets, where d = k̂−min K. The score is e_iᵀ B p̂(j), where e_i is the
	// one-hot position i, B_{i,a} = β if (i−a−2·min K+1) mod 2d < d, and −β otherwise. The
	// sources of the two lags are d positions apart, so they have gathered complementary
	// halves of the tokens up to i−min K+1.
	Transposed ThirdLayer = "transposed"
)

// ThirdLayers lists the choices of [ThirdLayer].
var ThirdLayers = []ThirdLayer{Masked, Positional, Transposed}

// Average selects the number by which an [Induction] divides its sums of p̃.
type Average string

const (
	// PerHead divides by the number of tokens that a head attends to, as the paper's softmax
	// does.
	PerHead Average = "head"
	// PerTransition divides by the number c of all transitions that the heads gather, at
	// most i−k̂. A head that gathers n of these transitions attends to each of its n tokens
	// with weight 1/c, and to the first token with weight (c−n)/c, by a score of λ +
	// log(c−n). For the first token, layer 1 always extracts the one-hot position e_1, so
	// the third layer can subtract it by position. The attention weights of layer 3 then
	// equal Eq. 3 at every position i > k̂, with H·β for the β of Eq. 3, and are uniform for
	// i ≤ k̂. It requires a Positional third layer.
	PerTransition Average = "transition"
)

// Averages lists the choices of [Average].
var Averages = []Average{PerHead, PerTransition}

// induction is an Induction with all fields filled in.
type induction struct {
	Induction
	lags    []int // the lags, ascending
	longest int   // the largest lag, k̂
	tokens  int
	pattern HeadPattern // −1 for an offset without a head, also if its head is omitted
}

// resolve fills in the fields that the caller left empty, or returns an error.
func (c Induction) resolve() (*induction, error) {
	if c.Chain == nil {
		return nil, fmt.Errorf("induction: Chain is nil; give the chain to predict")
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

// masked is the margin, in nats, by which the score of a masked source must be below the
// scores of all sources that are not masked: e^−50 is negligible in float64.
const masked = 50

// checkMasks returns an error if λ is too small to mask. The scores of layer 3 differ by
// up to H·β, or 2β for Transposed, where they can be negative. The scores of layer 1
// differ by up to the largest magnitude of log P, at most λ. 2λ must exceed each of these
// differences by the margin `masked`.
func (r *induction) checkMasks() error {
	what, spread := "beta·heads", r.Beta*float64(r.pattern.Heads)
	if r.Third == Transposed {
		what, spread = "2·beta", 2*r.Beta
	}
	if least := (spread + masked) / 2; r.Lambda < least {
		return fmt.Errorf("induction: lambda = %g is too small for %s = %g: a masked token could receive attention; "+
			"give at least %g", r.Lambda, what, spread, least)
	}
	smallest := 1.0
	for _, row := range r.Chain.P() {
		smallest = min(smallest, slices.Min(row))
	}
	if least := (min(-math.Log(smallest), masked) + masked) / 2; r.Lambda < least {
		return fmt.Errorf("induction: lambda = %g is too small for the logarithm of P's smallest entry, %g: a masked "+
			"token could receive attention; give at least %.4g", r.Lambda, smallest, math.Ceil(least))
	}
	return nil
}

// Limits of the parameters.
const (
	longestInduction = 1 << 12 // largest n_ctx, in tokens
	largestFactor    = 1e6     // largest β and λ
)

func (r *induction) checkNumbers() error {
	if r.NCtx < 2 || r.NCtx > longestInduction {
		return fmt.Errorf("induction: n_ctx = %d is outside [2, %d]", r.NCtx, longestInduction)
	}
	if r.longest >= r.NCtx {
		return fmt.Errorf("induction: lag %d leaves no transition in a context of n_ctx = %d tokens; "+
			"give an n_ctx above %d", r.longest, r.NCtx, r.longest)
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
		return fmt.Errorf("induction: heads = %d is negative; leave it out for the number that the lags need", r.Heads)
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
		return fmt.Errorf("induction: average = %q needs a positional third layer, not a %s one", r.Average, r.Third)
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

// choosePattern distributes the offsets among the requested number of heads.
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
		return fmt.Errorf("induction: heads = %d is more than the %d that these lags need; give at most %[2]d",
			r.Heads, fewest.Heads)
	default:
		return fmt.Errorf("induction: heads = %d cannot be used with these lags; give at most %d, "+
			"or %d for the pattern of the contiguous set around them", r.Heads, fewest.Heads, hull.Heads)
	}
	return nil
}

// reduced returns the pattern with only the given number of heads: those with the most
// offsets. Of heads with the same number of offsets it keeps the first.
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

// attends reports whether head h of layer 2 attends from position i to token j to gather
// its transitions. From here to the end of the file, positions count from 0.
func (r *induction) attends(h, i, j int) bool {
	return r.longest <= j && j <= i && r.pattern.Head(i-j) == h
}

// gathered returns, for each head, the number of tokens to which it attends from position
// i, and the sum of these numbers.
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

// factor returns the factor by which averages of p̃ are multiplied: β, or H·β with
// PerTransition and H heads.
func (r *induction) factor() float64 {
	if r.Average == PerTransition {
		return r.Beta * float64(r.pattern.Heads)
	}
	return r.Beta
}
