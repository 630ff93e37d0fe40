package induction

import (
	"foretell/internal/random"
	"foretell/process"
)

// chains holds sequences of a task whose true lag is known, the same number for each lag.
type chains struct {
	task
	p       [][]float64 // the transition matrix P
	process *process.Interleaved
	context int     // T, number of tokens in each sequence
	tokens  []int32 // (N, T)
	lag     []int   // true lag of each sequence
}

// newChains draws the given number of sequences of a matrix P for each lag, the same ones
// in every run.
func newChains(of task, p [][]float64, each, context int) *chains {
	return drawChains(of, p, each, context, func(k, i int) *random.Stream {
		return random.New(1, "paper/induction", uint64(k), uint64(i))
	})
}

// drawChains draws the given number of sequences of a matrix P for each lag. Sequence i
// of the lag with index k has the random numbers of stream(k, i).
func drawChains(of task, p [][]float64, each, context int, stream func(k, i int) *random.Stream) *chains {
	c := &chains{task: of, p: p, process: must(process.NewInterleaved(p, of.lags())), context: context}
	for k, lag := range of.lags() {
		alone := must(process.NewInterleaved(p, []int{lag}))
		for i := range each {
			sequence := make([]int32, context)
			drawChain(alone, sequence, min(of.longest()-lag, context), stream(k, i))
			c.tokens = append(c.tokens, sequence...)
			c.lag = append(c.lag, lag)
		}
	}
	return c
}

// drawChain fills a sequence by Algorithm 1, which draws the first k̂ tokens
// independently. The process alone has only the true lag and draws fewer tokens
// independently; their number is that lag. The given number of tokens is drawn before
// them, independently, too.
func drawChain(alone *process.Interleaved, sequence []int32, before int, src *random.Stream) {
	for t := range before {
		alone.Sample(sequence[t:t+1], src)
	}
	alone.Sample(sequence[before:], src)
}

// count returns N, the number of sequences.
func (c *chains) count() int { return len(c.lag) }

// sequence returns the T tokens of sequence n.
func (c *chains) sequence(n int) []int32 { return c.tokens[n*c.context : (n+1)*c.context] }

// next returns the true distribution of the token after the first t tokens of sequence
// n. The paper measures divergences from it.
func (c *chains) next(n, t int, stationary []float64) []float64 {
	if t < c.longest() {
		return stationary
	}
	return c.p[c.sequence(n)[t-c.lag[n]]]
}

// end returns the first position in the last eighth of the sequence.
func (c *chains) end() int { return c.context - c.context/8 + 1 }
