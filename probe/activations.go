package probe

import (
	"context"
	"fmt"
	"math"
	"slices"

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

// Collect runs m over every word of p, whose length may not exceed n_ctx, and
// keeps the residual-stream activations of the given hook names, of width
// d_model. Another name is an error, and so are words or tokens that the model
// has no room for. The result does not depend on the number of workers.
//
// It holds the activations of all words in float64; [Analyze] does with their moments.
func Collect(m *model.Transformer[float32], p *process.Prefixes, stages []string, workers int) (*Activations, error) {
	if err := checkStages(m, stages); err != nil {
		return nil, err
	}
	a := &Activations{Prefixes: p, Width: m.Config.DModel, Stages: map[string][]float64{}, KL: make([]float64, p.Rows())}
	for _, name := range stages {
		a.Stages[name] = make([]float64, p.Rows()*a.Width)
	}
	hooks := slices.Clone(stages)
	for layer := range m.Config.NLayers {
		hooks = append(hooks, patternHook(layer))
	}
	total := newPatternMoments(m.Config, p.Length)
	err := Sweep(context.Background(), m, p, hooks, workers, func() (func(*Pass), func()) {
		patterns := newPatternMoments(m.Config, p.Length)
		visit := func(pass *Pass) {
			a.keep(pass, m.Config.DVocab)
			patterns.add(pass, p)
		}
		return visit, func() { total.merge(patterns) }
	})
	if err != nil {
		return nil, err
	}
	a.Patterns = total.patterns()
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

// keep writes the rows of a pass; no other pass writes them.
func (a *Activations) keep(pass *Pass, vocab int) {
	for _, run := range pass.Runs {
		for name, stage := range a.Stages {
			to := stage[run.Row*a.Width : (run.Row+run.N)*a.Width]
			for i, x := range pass.Activation(name).Data[run.Node*a.Width:][:len(to)] {
				to[i] = float64(x)
			}
		}
		for i := range run.N {
			a.KL[run.Row+i] = pass.divergence(a.Prefixes, run, i, vocab)
		}
	}
}

// divergence returns KL from the optimal next-token distribution after the i-th word
// of a run to the model's.
func (p *Pass) divergence(prefixes *process.Prefixes, run Run, i, vocab int) float64 {
	return model.Divergence(prefixes.NextTokens(run.Row+i), p.Logits[(run.Node+i)*vocab:][:vocab])
}

func patternHook(layer int) string { return fmt.Sprintf("blocks.%d.attn.hook_pattern", layer) }

// patternMoments are Σ p·A and Σ p·A² over words, by layer and head.
type patternMoments struct {
	heads  model.Heads
	length int
	sums   []float64 // (layers·heads, T, T, 2)
}

func newPatternMoments(c model.Config, length int) *patternMoments {
	heads := 0
	for _, n := range c.NHeads {
		heads += n
	}
	return &patternMoments{heads: c.NHeads, length: length, sums: make([]float64, heads*length*length*2)}
}

// add adds the new words of a pass.
func (s *patternMoments) add(pass *Pass, p *process.Prefixes) {
	T, from := s.length, 0
	for layer, heads := range s.heads {
		t := pass.Activation(patternHook(layer))
		sums, depth := s.sums[from:], t.Shape[3]
		for _, run := range pass.Runs {
			for i := range run.N {
				for h := range heads {
					pattern := t.Data[((run.Node+i)*heads+h)*depth:]
					to := sums[(h*T+run.Length-1)*T*2:]
					for source, x := range pattern[:run.Length] {
						x := float64(x)
						to[2*source] += p.Prob[run.Row+i] * x
						to[2*source+1] += p.Prob[run.Row+i] * x * x
					}
				}
			}
		}
		from += heads * T * T * 2
	}
}

func (s *patternMoments) merge(o *patternMoments) {
	for i, x := range o.sums {
		s.sums[i] += x
	}
}

// patterns returns means and standard deviations.
func (s *patternMoments) patterns() []Pattern {
	T, rest := s.length, s.sums
	var list []Pattern
	for layer, heads := range s.heads {
		for head := range heads {
			p := Pattern{Layer: layer, Head: head, T: T, Mean: make([]float64, T*T), SD: make([]float64, T*T)}
			for i := range T * T {
				p.Mean[i] = rest[2*i]
				p.SD[i] = math.Sqrt(max(0, rest[2*i+1]-rest[2*i]*rest[2*i]))
			}
			rest = rest[2*T*T:]
			list = append(list, p)
		}
	}
	return list
}
