package probe

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"foretell/model"
	"foretell/process"
)

// Activations is what a model makes of every word of a table of prefixes. Rows
// are those of the table.
type Activations struct {
	Prefixes *process.Prefixes
	Width    int                  // d_model
	Stages   map[string][]float64 // by hook name: (rows, d_model)
	KL       []float64            // (rows) from the optimal next-token distribution to the model's, in nats
	Patterns []Pattern            // by layer and head, layer by layer
}

// KLByPosition returns KL over the words of each length 1 … Prefixes.Length,
// each weighted by its probability.
func (a *Activations) KLByPosition() []float64 {
	kl := make([]float64, a.Prefixes.Length)
	for t := range kl {
		from, to := a.Prefixes.Range(t + 1)
		for row := from; row < to; row++ {
			kl[t] += a.Prefixes.Prob[row] * a.KL[row]
		}
	}
	return kl
}

// Pattern is the attention pattern of one head over all words, each weighted by
// its probability.
type Pattern struct {
	Layer, Head int
	T           int       // length of the longest words
	Mean        []float64 // (T,T): destination, source
	SD          []float64 // (T,T): standard deviation over the words
}

// passNodes bounds the words of one forward pass, but for those of one token
// more than a shared beginning.
const passNodes = 512

// Collect runs m over every word of p, whose length may not exceed n_ctx, and
// keeps the residual-stream activations of the given hook names, of width
// d_model. Another name is an error, and so are words or tokens that the model
// has no room for. The result does not depend on the number of workers.
func Collect(m *model.Transformer[float32], p *process.Prefixes, stages []string, workers int) (*Activations, error) {
	if p.Length > m.Config.NCtx {
		return nil, fmt.Errorf("probe: words of %d tokens do not fit n_ctx = %d", p.Length, m.Config.NCtx)
	}
	if p.Alphabet > m.Config.DVocab {
		return nil, fmt.Errorf("probe: the process has %d tokens, the model knows %d", p.Alphabet, m.Config.DVocab)
	}
	a := &Activations{Prefixes: p, Width: m.Config.DModel, Stages: map[string][]float64{}, KL: make([]float64, p.Rows())}
	for _, name := range stages {
		a.Stages[name] = make([]float64, p.Rows()*a.Width)
	}
	if err := checkStages(m, stages); err != nil {
		return nil, err
	}
	c := newCollector(m, a, stages)
	var group sync.WaitGroup
	for range max(1, workers) {
		group.Go(c.work)
	}
	group.Wait()
	a.Patterns = c.meanPatterns()
	return a, nil
}

// checkStages returns an error unless each of the names is of a residual-stream
// activation of m, (B,T,d_model).
func checkStages(m *model.Transformer[float32], stages []string) error {
	if len(stages) == 0 {
		return nil
	}
	_, cache, err := m.RunWithCache([]int32{0}, 1, stages...)
	if err != nil {
		return err
	}
	for _, name := range stages {
		if shape := cache.Get(name).Shape; len(shape) != 3 || shape[2] != m.Config.DModel {
			return fmt.Errorf("probe: %s is no activation of width d_model = %d: its shape is %v for one token", name, m.Config.DModel, shape)
		}
	}
	return nil
}

// collector shares the words out to workers. A pass runs over a tree: all words
// that continue one word of length stem, and that word's own beginnings. The
// latter belong to several passes and are kept by the first.
type collector struct {
	model   *model.Transformer[float32]
	out     *Activations
	hooks   []string // stages, and the patterns of every layer
	stem    int
	parents []int32 // of the nodes of every pass
	next    atomic.Int64
	// sums holds Σ p·A and Σ p·A² of each pass, (layers·heads, T, T, 2), so
	// that they can be added up in a fixed order.
	sums [][]float64
}

func newCollector(m *model.Transformer[float32], out *Activations, stages []string) *collector {
	c := &collector{model: m, out: out, hooks: slices.Clone(stages)}
	for layer := range m.Config.NLayers {
		c.hooks = append(c.hooks, fmt.Sprintf("blocks.%d.attn.hook_pattern", layer))
	}
	A, T, passes := out.Prefixes.Alphabet, out.Prefixes.Length, 1
	for c.stem < T-1 && process.NumPrefixes(A, T-c.stem) > passNodes {
		c.stem, passes = c.stem+1, passes*A
	}
	c.sums = make([][]float64, passes)
	for t := range c.stem {
		c.parents = append(c.parents, int32(t-1))
	}
	level := []int32{int32(c.stem - 1)}
	for range T - c.stem {
		var next []int32
		for _, parent := range level {
			for range A {
				next = append(next, int32(len(c.parents)))
				c.parents = append(c.parents, parent)
			}
		}
		level = next
	}
	return c
}

// work takes passes until none is left.
func (c *collector) work() {
	A, T, nodes := c.out.Prefixes.Alphabet, c.model.Config.NCtx, len(c.parents)
	w := model.NewWorkspace[float32](c.model.Config, (nodes+T-1)/T)
	tokens := make([]int32, nodes)
	for i := range tokens[c.stem:] {
		tokens[c.stem+i] = int32(i % A)
	}
	w.HookNames = c.hooks
	for {
		pass := int(c.next.Add(1)) - 1
		if pass >= len(c.sums) {
			return
		}
		spell(tokens[:c.stem], pass, A)
		w.Hook = func(t model.Tensor[float32]) {
			if stage, ok := c.out.Stages[t.Name]; ok {
				c.keep(stage, t, pass)
			} else {
				c.sums[pass] = append(c.sums[pass], c.patternSums(t, pass)...)
			}
		}
		c.keepKL(c.model.ForwardTree(w, tokens, c.parents), pass)
	}
}

// spell writes the index-th word of len(word) tokens.
func spell(word []int32, index, alphabet int) {
	for t := len(word) - 1; t >= 0; t-- {
		word[t] = int32(index % alphabet)
		index /= alphabet
	}
}

// eachRun calls f for the words of a pass that no earlier pass has, by runs of
// words of one length that follow each other: their first node in the pass, the
// row of that in the table, and how many they are.
func (c *collector) eachRun(pass int, f func(node, row, n int)) {
	p := c.out.Prefixes
	span := len(c.sums) // passes that share the beginning
	for t := range c.stem {
		span /= p.Alphabet
		if from, _ := p.Range(t + 1); pass%span == 0 {
			f(t, from+pass/span, 1)
		}
	}
	node, n := c.stem, p.Alphabet
	for t := c.stem; t < p.Length; t++ {
		from, _ := p.Range(t + 1)
		f(node, from+pass*n, n)
		node, n = node+n, n*p.Alphabet
	}
}

func (c *collector) keep(stage []float64, t model.Tensor[float32], pass int) {
	d := c.out.Width
	c.eachRun(pass, func(node, row, n int) {
		to := stage[row*d : (row+n)*d]
		for i, x := range t.Data[node*d : (node+n)*d] {
			to[i] = float64(x)
		}
	})
}

func (c *collector) keepKL(logits []float32, pass int) {
	p, V := c.out.Prefixes, c.model.Config.DVocab
	c.eachRun(pass, func(node, row, n int) {
		for i := range n {
			c.out.KL[row+i] = model.Divergence(p.NextTokens(row+i), logits[(node+i)*V:(node+i+1)*V])
		}
	})
}

// patternSums returns Σ p·A and Σ p·A² over the new words of a pass, for each
// head of a layer.
func (c *collector) patternSums(t model.Tensor[float32], pass int) []float64 {
	p, T, heads := c.out.Prefixes, c.out.Prefixes.Length, t.Shape[1]
	sums := make([]float64, heads*T*T*2)
	c.eachRun(pass, func(node, row, n int) {
		length, _ := p.Position(row)
		d := length - 1
		for i := range n {
			for h := range heads {
				pattern := t.Data[((node+i)*heads+h)*T:]
				for s := range d + 1 {
					x, at := float64(pattern[s]), ((h*T+d)*T+s)*2
					sums[at] += p.Prob[row+i] * x
					sums[at+1] += p.Prob[row+i] * x * x
				}
			}
		}
	})
	return sums
}

// meanPatterns adds up the passes.
func (c *collector) meanPatterns() []Pattern {
	T := c.out.Prefixes.Length
	total := make([]float64, len(c.sums[0]))
	for _, sums := range c.sums {
		for i, x := range sums {
			total[i] += x
		}
	}
	var list []Pattern
	for layer, heads := range c.model.Config.NHeads {
		for head := range heads {
			p := Pattern{Layer: layer, Head: head, T: T, Mean: make([]float64, T*T), SD: make([]float64, T*T)}
			for i := range T * T {
				p.Mean[i] = total[2*i]
				p.SD[i] = math.Sqrt(max(0, total[2*i+1]-total[2*i]*total[2*i]))
			}
			total = total[2*T*T:]
			list = append(list, p)
		}
	}
	return list
}
