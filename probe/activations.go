package probe

import (
	"fmt"
	"math"
	"slices"
	"strings"
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

// passWords bounds the sequences of one forward pass.
const passWords = 128

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
	c := &collector{model: m, out: a, stages: stages, pass: 1}
	for level := 0; level < p.Length && c.pass*p.Alphabet <= passWords; level++ {
		c.pass *= p.Alphabet
	}
	from, to := p.Range(p.Length)
	c.sums = make([][]float64, (to-from)/c.pass)
	var group sync.WaitGroup
	for range max(1, workers) {
		group.Go(c.work)
	}
	group.Wait()
	a.Patterns = c.patterns()
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

// collector shares the words of full length out to workers. Every shorter word
// is the beginning of some of them, and is read from the first of these: the
// model is causal.
type collector struct {
	model  *model.Transformer[float32]
	out    *Activations
	stages []string
	pass   int // full words in one forward pass, a power of A
	next   atomic.Int64
	// sums holds Σ p·A and Σ p·A² of each pass, (layers·heads, T, T, 2), so
	// that they can be added up in a fixed order.
	sums [][]float64
}

// work takes passes until none is left.
func (c *collector) work() {
	p, T := c.out.Prefixes, c.out.Prefixes.Length
	w := model.NewWorkspace[float32](c.model.Config, c.pass)
	tokens := make([]int32, c.pass*T)
	for {
		i := int(c.next.Add(1)) - 1
		if i >= len(c.sums) {
			return
		}
		first := i * c.pass
		for k := range c.pass {
			spell(tokens[k*T:(k+1)*T], first+k, p.Alphabet)
		}
		var sums []float64
		w.Hook = func(t model.Tensor[float32]) {
			if slices.Contains(c.stages, t.Name) {
				c.keep(t, first)
			}
			if strings.HasSuffix(t.Name, ".hook_pattern") {
				sums = append(sums, c.patternSums(t, first)...)
			}
		}
		logits := c.model.Forward(w, tokens, c.pass)
		c.sums[i] = sums
		c.keepKL(logits, first)
	}
}

// spell writes the index-th word of len(word) tokens.
func spell(word []int32, index, alphabet int) {
	for t := len(word) - 1; t >= 0; t-- {
		word[t] = int32(index % alphabet)
		index /= alphabet
	}
}

// eachNew calls f for each word that begins one of the sequences first …
// first+pass−1 and no earlier one: sequence k of the pass, the word's length and
// its row in the table.
func (c *collector) eachNew(first int, f func(k, length, row int)) {
	p := c.out.Prefixes
	for k := range c.pass {
		span := 1 // sequences that begin with the word
		for length := p.Length; length >= 1 && (first+k)%span == 0; length-- {
			from, _ := p.Range(length)
			f(k, length, from+(first+k)/span)
			span *= p.Alphabet
		}
	}
}

func (c *collector) keep(t model.Tensor[float32], first int) {
	d, T, stage := c.out.Width, c.out.Prefixes.Length, c.out.Stages[t.Name]
	c.eachNew(first, func(k, length, row int) {
		from := t.Data[(k*T+length-1)*d : (k*T+length)*d]
		to := stage[row*d : (row+1)*d]
		for j, x := range from {
			to[j] = float64(x)
		}
	})
}

func (c *collector) keepKL(logits []float32, first int) {
	p, V := c.out.Prefixes, c.model.Config.DVocab
	c.eachNew(first, func(k, length, row int) {
		at := (k*p.Length + length - 1) * V
		c.out.KL[row] = model.Divergence(p.NextTokens(row), logits[at:at+V])
	})
}

// patternSums returns Σ p·A and Σ p·A² over the new words of a pass, for each
// head of a layer.
func (c *collector) patternSums(t model.Tensor[float32], first int) []float64 {
	p, T, heads := c.out.Prefixes, c.out.Prefixes.Length, t.Shape[0]
	sums := make([]float64, heads*T*T*2)
	c.eachNew(first, func(k, length, row int) {
		for h := range heads {
			d := length - 1
			pattern := t.Data[((h*c.pass+k)*T+d)*T:]
			for s := range length {
				x, at := float64(pattern[s]), ((h*T+d)*T+s)*2
				sums[at] += p.Prob[row] * x
				sums[at+1] += p.Prob[row] * x * x
			}
		}
	})
	return sums
}

// patterns adds up the passes.
func (c *collector) patterns() []Pattern {
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
