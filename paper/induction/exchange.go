package induction

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/internal/random"
	"foretell/model"
)

// intervention replaces an activation of a model while it runs over a sequence. The
// replacement is of another sequence, or of the construction.
type intervention struct {
	name  string
	layer int // from 0
	// pattern replaces the layer's attention by the construction's attention on a sequence.
	// Otherwise the outputs of the layer's heads are replaced, at all positions, by the
	// model's own outputs on another sequence.
	pattern bool
	// inverted takes the attention in proportion to 1/P at the lags; see
	// [exchange.inverted].
	inverted bool
}

// interventions are the interventions of row I21. In the construction, each of them
// decides which lag the third layer selects.
var interventions = []intervention{
	{name: "attention of layer 1", layer: 0, pattern: true},
	{name: "output of layer 1", layer: 0},
	{name: "output of layer 2", layer: 1},
	{name: "attention of layer 3", layer: 2, pattern: true},
}

// afterwards is an intervention that was added after the first result. The rule of row
// I21 does not have it, and the construction has other attention.
var afterwards = intervention{name: "inverted attention of layer 1", layer: 0, pattern: true, inverted: true}

// applied are all interventions, [afterwards] last.
var applied = append(slices.Clone(interventions), afterwards)

// exchange holds sequences between which activations are exchanged.
type exchange struct {
	*chains
	each     int                 // number of sequences of each lag
	optimal  []float64           // (N, T, A): the optimal predictions
	patterns map[int][][]float64 // the construction's attention by layer, of the first head: (T, T) for each sequence
}

// exchangeSeed is the seed of the sequences between which activations are exchanged.
const exchangeSeed = 21

// exchange draws new sequences of a problem, the given number for each lag, and runs the
// construction over them. There must be at least two lags and two sequences of each.
func (l *lab) exchange(
	ctx context.Context, s *claim.Study, of problem, each int,
) (*exchange, *model.Transformer[float64], error) {
	c := drawChains(of.task, of.variant.p(), each, of.context, func(k, i int) *random.Stream {
		return random.New(exchangeSeed, "paper/induction/exchange", uint64(k), uint64(i))
	})
	x := &exchange{chains: c, each: each, optimal: c.predictions(c.process.Predictor())}
	hand := must(constructionOf(c.p, of.lags(), of.context).Transformer())
	return x, hand, x.run(ctx, s, hand)
}

// run sets the construction's attention.
func (x *exchange) run(ctx context.Context, s *claim.Study, hand *model.Transformer[float64]) error {
	x.patterns = map[int][][]float64{}
	names := patternNames(hand.Config)
	for _, iv := range interventions {
		if iv.pattern {
			x.patterns[iv.layer] = make([][]float64, x.count())
		}
	}
	return s.Each(ctx, x.count(), func(_ context.Context, n int) error {
		_, cache, err := hand.RunWithCache(x.sequence(n), 1, names...)
		if err != nil {
			return err
		}
		for layer, of := range x.patterns {
			of[n] = cache.Get(names[layer]).Data[:x.context*x.context]
		}
		return nil
	})
}

// inverted returns the attention (T, T) of a first layer that attends to the tokens at
// all lags in proportion to 1/P instead of P, on sequence n. A position before all lags
// attends to itself.
func (x *exchange) inverted(n int) []float64 {
	attention, sequence := make([]float64, x.context*x.context), x.sequence(n)
	for i := range sequence {
		row, total := attention[i*x.context:][:i+1], 0.0
		for _, lag := range x.lags() {
			if lag <= i {
				row[i-lag] = 1 / x.p[sequence[i-lag]][sequence[i]]
				total += row[i-lag]
			}
		}
		if total == 0 {
			row[i], total = 1, 1
		}
		for j := range row {
			row[j] /= total
		}
	}
	return attention
}

// attention returns the attention with which an intervention replaces the model's, on
// sequence n.
func (x *exchange) attention(iv intervention, n int) []float64 {
	if iv.inverted {
		return x.inverted(n)
	}
	return x.patterns[iv.layer][n]
}

// The sequences from which activations are taken for sequence n.

// itself is the same sequence.
func (x *exchange) itself(n int) int { return n }

// fellow is another sequence with the same lag.
func (x *exchange) fellow(n int) int { return n/x.each*x.each + (n+1)%x.each }

// donor is a sequence with another lag; the other lags take turns.
func (x *exchange) donor(n int) int {
	lags, i := len(x.lags()), n%x.each
	return (n/x.each+1+i%(lags-1))%lags*x.each + i
}

// reading is what a model does at the positions from judgedFrom on, for a wanted lag of
// each sequence.
type reading struct {
	follows float64 // share of predictions that follow the wanted lag, see [exchange.follows]
	looks   float64 // share of positions at which layer 3 attends to the wanted lag's token most, of all lags' tokens
	above   float64 // D_KL(BMA ‖ model) in nats, where BMA has the evidence of the sequence itself
}

// sums are the counts and the total that a reading is computed from.
type sums struct {
	compared, followed, positions, looked int
	above                                 float64
}

// add adds the sums of other sequences.
func (c *sums) add(more sums) {
	c.compared, c.followed = c.compared+more.compared, c.followed+more.followed
	c.positions, c.looked = c.positions+more.positions, c.looked+more.looked
	c.above += more.above
}

// count sums a prediction, if it is compared.
func (c *sums) count(follows, compared bool) {
	if compared {
		c.compared++
	}
	if follows && compared {
		c.followed++
	}
}

func (c sums) reading() reading {
	positions := float64(c.positions)
	return reading{
		follows: float64(c.followed) / float64(c.compared),
		looks:   float64(c.looked) / positions, above: c.above / positions,
	}
}

// follows reports whether a prediction after token t of a sequence, counted from 0,
// follows a lag: of the rows of P for the tokens at all lags, the row for this lag is
// nearest to the prediction, by D_KL(row ‖ prediction). If the same token is at another
// lag, too, the prediction cannot tell them apart, and is not to be compared.
func (x *exchange) follows(sequence []int32, t, lag int, predicted []float64) (follows, compared bool) {
	token := sequence[t+1-lag]
	least := divergence(x.p[token], predicted)
	follows = true
	for _, other := range x.lags() {
		if other == lag {
			continue
		}
		at := sequence[t+1-other]
		if at == token {
			return false, false
		}
		follows = follows && least < divergence(x.p[at], predicted)
	}
	return follows, true
}

// read runs a model over all sequences, with an intervention or, if it is nil, without.
// The function from gives the sequence from which activations are taken. Its lag is the
// wanted lag.
func read[F model.Float](
	ctx context.Context, s *claim.Study, x *exchange, m *model.Transformer[F], iv *intervention, from func(n int) int,
) (reading, error) {
	passes := make([]sums, (x.count()+pass-1)/pass)
	err := s.Each(ctx, len(passes), func(_ context.Context, i int) (err error) {
		passes[i], err = readPass(x, m, iv, from, i*pass, min((i+1)*pass, x.count()))
		return err
	})
	var total sums
	for _, p := range passes {
		total.add(p)
	}
	return total.reading(), err
}

// readPass is [read] for the sequences from first to last−1.
func readPass[F model.Float](
	x *exchange, m *model.Transformer[F], iv *intervention, from func(n int) int, first, last int,
) (sum sums, err error) {
	of := changed[F]{tokens: x.tokens[first*x.context : last*x.context], batch: last - first}
	if iv != nil {
		of = change(x, m, *iv, from, first, last)
	}
	lastLayer := patternNames(m.Config)[m.Config.NLayers-1]
	var attention []F
	w := model.NewWorkspace[F](m.Config, of.batch)
	w.HookNames = append([]string{lastLayer}, of.hooks...)
	w.Hook = func(t model.Tensor[F]) {
		if slices.Contains(of.hooks, t.Name) {
			of.replace(t)
		}
		if t.Name == lastLayer {
			attention = slices.Clone(t.Data)
		}
	}
	logits := m.Forward(w, of.tokens, of.batch)
	if err := model.CheckLogits(logits, m.Config.DVocab); err != nil {
		return sum, fmt.Errorf("after an intervention: %w", err)
	}
	rows, square := x.context*m.Config.DVocab, x.context*x.context
	for i := range last - first {
		sum.add(readSequence(x, first+i, x.lag[from(first+i)], logits[i*rows:][:rows], attention[i*square:][:square]))
	}
	return sum, nil
}

// readSequence reads a model's logits (T, A) and the attention (T, T) of its last layer's
// head on sequence n.
func readSequence[F model.Float](x *exchange, n, wanted int, logits, attention []F) (sum sums) {
	sequence, a := x.sequence(n), len(x.p)
	for t := judgedFrom - 1; t < x.context; t++ {
		row := logits[t*a:][:a]
		sum.positions++
		sum.above += model.Divergence(x.optimal[(n*x.context+t)*a:][:a], row)
		sum.count(x.follows(sequence, t, wanted, model.Probabilities(row)))
		if looksAt(attention[t*x.context:][:t+1], x.lags(), wanted) {
			sum.looked++
		}
	}
	return sum
}

// looksAt reports whether attention from its last source's position is largest at the
// token of a lag, of the tokens of all lags.
func looksAt[F model.Float](attention []F, lags []int, wanted int) bool {
	t := len(attention) - 1
	for _, lag := range lags {
		if lag != wanted && attention[t+1-lag] >= attention[t+1-wanted] {
			return false
		}
	}
	return true
}

// changed is a pass in which activations are replaced.
type changed[F model.Float] struct {
	tokens  []int32 // (batch, T); sequences whose activations are used come last
	batch   int
	hooks   []string
	replace func(t model.Tensor[F])
}

// change prepares an intervention on the sequences from first to last−1; see [read].
func change[F model.Float](
	x *exchange, m *model.Transformer[F], iv intervention, from func(n int) int, first, last int,
) changed[F] {
	c := changed[F]{tokens: slices.Clone(x.tokens[first*x.context : last*x.context]), batch: last - first}
	if iv.pattern {
		c.hooks = []string{patternNames(m.Config)[iv.layer]}
		c.replace = func(t model.Tensor[F]) {
			for b := range c.batch {
				attend(t, b, x.attention(iv, from(first+b)))
			}
		}
		return c
	}
	for n := first; n < last; n++ {
		c.tokens = append(c.tokens, x.sequence(from(n))...)
	}
	c.batch *= 2
	hook, stay := headOutputs(m.Config, iv.layer)
	c.hooks, c.replace = []string{hook}, func(t model.Tensor[F]) { swap(t, stay) }
	return c
}

// attend writes an attention pattern (T, T) to all heads of sequence b in t, (B, H, T,
// T).
func attend[F model.Float](t model.Tensor[F], b int, pattern []float64) {
	for h := range t.Shape[1] {
		to := t.Data[(b*t.Shape[1]+h)*len(pattern):][:len(pattern)]
		for i, x := range pattern {
			to[i] = F(x)
		}
	}
}

// headOutputs returns the hook with the outputs of a layer's heads. Where heads append to
// the stream, the first columns of the activation are the layer's input, and stay is
// their number.
func headOutputs(c model.Config, layer int) (hook string, stay int) {
	if c.AddsToStream() {
		return fmt.Sprintf("blocks.%d.hook_attn_out", layer), 0
	}
	return fmt.Sprintf("blocks.%d.hook_resid_post", layer), c.Width(layer)
}

// swap replaces the rows of the first half of the sequences in t, (B, T, d), by the rows
// of the second half, except for the first columns.
func swap[F model.Float](t model.Tensor[F], stay int) {
	half, d := len(t.Data)/2, t.Shape[2]
	for row := 0; row < half; row += d {
		copy(t.Data[row+stay:row+d], t.Data[half+row+stay:])
	}
}
