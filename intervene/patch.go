package intervene

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/internal/parallel"
	"foretell/model"
	"foretell/process"
)

// Patching specifies what [Patch] does.
type Patching struct {
	Hook string // the activation to replace, one of [Hooks]
	// Rows are the rows of the map: layers or, if the hook has heads, heads. nil means every
	// layer or every head.
	Rows []Row
	// Positions are the columns of the map, each patched separately; nil means every
	// position.
	Positions []int
	// Scored are the positions whose predictions are scored and averaged; nil means only
	// the last position.
	Scored []int
	// Attribution requests the first-order estimate in addition to the exact values.
	Attribution bool
	// Fixed are activations that keep given values in every pass (clean, corrupt and
	// patched) and for every sequence, even at sites that are patched. The map is then the
	// map of the model with these activations fixed.
	Fixed   []Fixed
	Workers int // goroutines that share the work; the result does not depend on it
}

// Fixed is an activation with given values.
type Fixed struct {
	Site             // at one position and, if the hook has heads, one head
	Values []float64 // of shape (d) or (h), or for attention patterns (position+1), by source
}

// Patch replaces activations over corrupt sequences by their values over clean sequences,
// and returns how much each replacement recovers: for each layer (or head) and position
// separately, and for all positions together.
//
// Predictions are scored by KL in nats from the optimal prediction of a process after the
// clean sequence or, if source is nil, from the model's own prediction after the clean
// sequence.
//
// Patch returns an error if the sequences do not fit the model or differ in length, if a
// clean sequence cannot occur, if the model has no such hook, layer, head or position, if
// the model computes NaN or infinity ([model.ErrNotFinite]), or if ctx is done.
func Patch[F model.Float](
	ctx context.Context, m *model.Transformer[F], source process.Process, pairs Pairs, plan Patching,
) (*Map, error) {
	p, err := newPatcher(m, source, pairs, plan)
	if err != nil {
		return nil, err
	}
	groups := make([]sums, pairs.groups())
	err = parallel.Each(ctx, plan.Workers, len(groups), func(g int) error {
		groups[g] = newSums(len(p.sites))
		for i := g; i < len(pairs.Pairs); i += len(groups) {
			if err := p.addPair(ctx, &groups[g], pairs.Pairs[i], max(1, plan.Workers/len(groups))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p.finish(pairs, groups), nil
}

// patcher is a [Patching] that has been checked against its model.
type patcher[F model.Float] struct {
	plan      Patching
	model     *model.Transformer[F]
	source    process.Process
	length    int
	rows      []Row
	positions []int
	scored    []int
	sites     []place // for each row: one site for each position, then one for all positions
	fixed     []place
	hooks     []string
}

// Row is a layer, or one head of a layer. Layers and heads count from 0.
type Row struct {
	Layer int
	Head  int // [All] if the hook has no heads
}

func newPatcher[F model.Float](
	m *model.Transformer[F], source process.Process, pairs Pairs, plan Patching,
) (*patcher[F], error) {
	length, err := pairs.check()
	if err != nil {
		return nil, err
	}
	for _, pair := range pairs.Pairs {
		for _, word := range [][]int32{pair.Clean, pair.Corrupt} {
			if err := checkWord(m.Config, word); err != nil {
				return nil, err
			}
		}
	}
	p := &patcher[F]{
		plan: plan, model: m, source: source, length: length,
		positions: plan.Positions, scored: plan.Scored,
	}
	if err := checkAlphabet(m.Config, source); err != nil {
		return nil, err
	}
	if p.scored == nil {
		p.scored = []int{length - 1}
	}
	if p.positions == nil {
		for t := range length {
			p.positions = append(p.positions, t)
		}
	}
	for _, t := range p.scored {
		if t < 0 || t >= length {
			return nil, wrong("scored position %d is outside [0, %d]", t, length-1)
		}
	}
	if err := p.place(); err != nil {
		return nil, err
	}
	if err := p.fix(); err != nil {
		return nil, err
	}
	return p, p.checkAttribution()
}

// checkAlphabet returns an error if a process has tokens that the model does not know. A
// nil process has no tokens.
func checkAlphabet(c model.Config, source process.Process) error {
	if source != nil && source.Alphabet() > c.DVocab {
		return wrong("the process has %d tokens, but the model has d_vocab = %d", source.Alphabet(), c.DVocab)
	}
	return nil
}

// EachRow lists the layers of a model or, if byHead is true, all heads of all layers. The
// configuration c must be resolved ([model.Config.Resolve]).
func EachRow(c model.Config, byHead bool) (rows []Row) {
	for layer := range c.NLayers {
		for head := 0; byHead && head < c.NHeads[layer]; head++ {
			rows = append(rows, Row{layer, head})
		}
		if !byHead {
			rows = append(rows, Row{layer, All})
		}
	}
	return rows
}

// place sets the rows of the map and its sites.
func (p *patcher[F]) place() error {
	c := p.model.Config
	byHead, err := ByHead(c, p.plan.Hook)
	if err != nil {
		return err
	}
	if p.rows = p.plan.Rows; p.rows == nil {
		p.rows = EachRow(c, byHead)
	}
	if len(p.rows) == 0 {
		return wrong("the model has no layers, and so no %s", p.plan.Hook)
	}
	for _, r := range p.rows {
		for _, t := range append(slices.Clip(p.positions), All) {
			at, err := locate(c, Site{p.plan.Hook, r.Layer, r.Head, t}, p.length)
			if err != nil {
				return err
			}
			p.sites = append(p.sites, at)
		}
	}
	p.hooks = hooksAt(p.sites)
	return nil
}

// fix checks and locates the fixed activations.
func (p *patcher[F]) fix() error {
	for _, f := range p.plan.Fixed {
		at, err := locate(p.model.Config, f.Site, p.length)
		if err != nil {
			return wrong("fixed: %w", err)
		}
		if at.position == All || at.layout != byPosition && at.head == All {
			return wrong("fixed: %s: give one position and, if the hook has heads, one head", f.Site)
		}
		if want := at.numbers(p.model.Config, f.Site); len(f.Values) != want {
			return wrong("fixed: %s has %d numbers, and %d are given", f.Site, want, len(f.Values))
		}
		p.fixed = append(p.fixed, at)
	}
	for _, name := range hooksAt(p.fixed) {
		if !slices.Contains(p.hooks, name) {
			p.hooks = append(p.hooks, name)
		}
	}
	return nil
}

// The indices of the sequences in each pass: the clean sequence, the corrupt sequence,
// then one corrupt sequence for each patched site.
const (
	cleanWord, corruptWord = 0, 1
	firstPatched           = 2
)

// addPair adds the results of a pair at all sites to the sums in `to`.
func (p *patcher[F]) addPair(ctx context.Context, to *sums, pair Pair, workers int) error {
	most := max(1, sideBySide(p.model.Config, p.length)-firstPatched)
	chunks := slices.Collect(slices.Chunk(p.sites, most))
	outcomes := make([]outcome, len(chunks))
	err := parallel.Each(ctx, workers, len(chunks), func(i int) (err error) {
		outcomes[i], err = p.chunk(pair, chunks[i])
		return err
	})
	if err != nil {
		return err
	}
	all := outcomes[0]
	for _, o := range outcomes[1:] {
		all.patched = append(all.patched, o.patched...)
	}
	if p.plan.Attribution {
		if all.slope, err = p.attribute(pair); err != nil {
			return err
		}
	}
	to.add(all, pair.Weight)
	return nil
}

// outcome is the result for a pair: the KL of the clean sequence, of the corrupt sequence
// and, for each site, of the patched sequence. The field slope holds, for each site, the
// first-order estimate of the patched sequence's KL minus the corrupt sequence's KL.
type outcome struct {
	clean, corrupt float64
	patched, slope []float64
}

// chunk patches some sites, each in a separate copy of the corrupt sequence.
func (p *patcher[F]) chunk(pair Pair, sites []place) (outcome, error) {
	pass := newPass(p.model, p.length, firstPatched+len(sites), p.hooks)
	pass.add(pair.Clean)
	for range 1 + len(sites) {
		pass.add(pair.Corrupt)
	}
	pass.run(func(t model.Tensor[F]) {
		for i, at := range sites {
			if at.hook == t.Name {
				replace(t, at, firstPatched+i, cleanWord)
			}
		}
		p.writeFixed(t, pass.words)
	})
	score, err := p.scorer(pass, pair)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{clean: score(cleanWord), corrupt: score(corruptWord)}
	for i := range sites {
		kl := score(firstPatched + i)
		if math.IsNaN(kl) || math.IsInf(kl, 0) {
			return o, fmt.Errorf("intervene: the model computes NaN or infinity when %s is patched", sites[i].hook)
		}
		o.patched = append(o.patched, kl)
	}
	return o, nil
}

// replace copies the numbers at a place from one sequence of a pass to another.
func replace[F model.Float](t model.Tensor[F], at place, to, from int) {
	var sources [][]F
	at.rows(t.Shape, from, func(_, first, end int) { sources = append(sources, t.Data[first:end]) })
	at.rows(t.Shape, to, func(_, first, end int) {
		copy(t.Data[first:end], sources[0])
		sources = sources[1:]
	})
}

// writeFixed writes the fixed values into an activation, for each of the given number of
// sequences.
func (p *patcher[F]) writeFixed(t model.Tensor[F], words int) {
	for i, at := range p.fixed {
		if at.hook != t.Name {
			continue
		}
		for b := range words {
			at.rows(t.Shape, b, func(_, from, to int) {
				for j, x := range p.plan.Fixed[i].Values {
					t.Data[from+j] = F(x)
				}
			})
		}
	}
}

// scorer returns a function that computes a sequence's KL, averaged over the scored
// positions.
func (p *patcher[F]) scorer(pass *pass[F], pair Pair) (func(word int) float64, error) {
	for _, word := range []int{cleanWord, corruptWord} {
		if err := pass.check(word); err != nil {
			return nil, err
		}
	}
	best, err := p.reference(pass, pair)
	return func(word int) float64 {
		kl := 0.0
		for i, t := range p.scored {
			kl += model.Divergence(best[i], pass.at(word, t)) / float64(len(p.scored))
		}
		return kl
	}, err
}

// reference returns, for each scored position, the distribution that predictions are
// compared with: the optimal prediction after the clean sequence or, if no process is
// known, the model's own prediction after that sequence.
func (p *patcher[F]) reference(pass *pass[F], pair Pair) (best [][]float64, err error) {
	if p.source == nil {
		for _, t := range p.scored {
			best = append(best, model.Probabilities(pass.at(cleanWord, t)))
		}
		return best, nil
	}
	all, err := optima(p.source, pair.Clean)
	for _, t := range p.scored {
		if err == nil {
			best = append(best, all[t])
		}
	}
	return best, err
}

// optima returns the optimal prediction after each token of a sequence. It returns an
// error if the sequence cannot occur.
func optima(source process.Process, word []int32) (next [][]float64, err error) {
	predictor := source.Predictor()
	for t, z := range word {
		if err := predictor.Observe(int(z)); err != nil {
			return nil, wrong("the clean sequence cannot occur: %w", err)
		}
		next = append(next, make([]float64, source.Alphabet()))
		predictor.Next(next[t])
	}
	return next, nil
}
