package induction

import (
	"foretell/internal/random"
	"foretell/process"
)

// chains are sequences of a task whose lag is known, as many of each lag.
type chains struct {
	task
	process *process.Interleaved
	context int     // T, tokens of each
	tokens  []int32 // (N, T)
	lag     []int   // of each sequence
}

// newChains draws so many sequences of each lag, always the same.
func newChains(of task, each, context int) (*chains, error) {
	p, err := of.process()
	if err != nil {
		return nil, err
	}
	c := &chains{task: of, process: p, context: context}
	for k, lag := range of.lags() {
		for i := range each {
			sequence := make([]int32, context)
			err := drawChain(sequence, of.longest(), lag, random.New(1, "paper/induction", uint64(k), uint64(i)))
			if err != nil {
				return nil, err
			}
			c.tokens = append(c.tokens, sequence...)
			c.lag = append(c.lag, lag)
		}
	}
	return c, nil
}

// drawChain fills a sequence as Algorithm 1 does for a lag of a set whose largest is k̂.
// That of the set of this lag alone has only the lag's first tokens independent, so that
// the others of the first k̂ come before it.
func drawChain(sequence []int32, longest, lag int, src *random.Stream) error {
	alone, err := process.NewInterleaved(transition, []int{lag})
	if err != nil {
		return err
	}
	before := min(longest-lag, len(sequence))
	for t := range before {
		alone.Sample(sequence[t:t+1], src)
	}
	alone.Sample(sequence[before:], src)
	return nil
}

// count is N, the number of sequences.
func (c *chains) count() int { return len(c.lag) }

// sequence is one of them, (T).
func (c *chains) sequence(n int) []int32 { return c.tokens[n*c.context : (n+1)*c.context] }

// next is the true distribution of the token after the first t of sequence n: what the
// paper measures divergences from.
func (c *chains) next(n, t int, stationary []float64) []float64 {
	if t < c.longest() {
		return stationary
	}
	return transition[c.sequence(n)[t-c.lag[n]]]
}

// end is the first of the last positions, an eighth of all: the end of the sequence.
func (c *chains) end() int { return c.context - c.context/8 + 1 }
