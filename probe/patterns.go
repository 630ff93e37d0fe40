package probe

import (
	"fmt"
	"math"

	"foretell/model"
	"foretell/process"
)

// Pattern is the mean attention pattern of one head over all prefixes, weighted by
// probability.
type Pattern struct {
	Layer, Head int
	T           int       // length of the longest prefixes
	Mean        []float64 // (T,T): destination, source
	SD          []float64 // (T,T): standard deviation over the prefixes
}

func patternHook(layer int) string { return fmt.Sprintf("blocks.%d.attn.hook_pattern", layer) }

// patternMoments are Σ p·A and Σ p·A² over prefixes, by layer and head, where p is a
// prefix's probability and A its attention.
type patternMoments struct {
	heads  model.Heads
	length int
	sums   []float64 // (heads of all layers, T, T, 2)
}

func newPatternMoments(c model.Config, length int) *patternMoments {
	heads := 0
	for _, n := range c.NHeads {
		heads += n
	}
	return &patternMoments{heads: c.NHeads, length: length, sums: make([]float64, heads*length*length*2)}
}

// hooks returns the hook names of the patterns of each layer.
func (s *patternMoments) hooks() (hooks []string) {
	for layer := range s.heads {
		hooks = append(hooks, patternHook(layer))
	}
	return hooks
}

// add adds the attention of the prefixes in pass.Spans.
func (s *patternMoments) add(pass *Pass, p *process.Prefixes) {
	T, from := s.length, 0
	for layer, heads := range s.heads {
		t := pass.Activation(patternHook(layer))
		sums := s.sums[from:]
		for _, span := range pass.Spans {
			for i := range span.N {
				for h := range heads {
					pattern := t.Row(span.Node+i, h, 0)
					to := sums[(h*T+span.Length-1)*T*2:]
					for source, x := range pattern[:span.Length] {
						x := float64(x)
						to[2*source] += p.Prob[span.Row+i] * x
						to[2*source+1] += p.Prob[span.Row+i] * x * x
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

// patterns returns the mean pattern of each head and its standard deviation.
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
