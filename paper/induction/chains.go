package induction

import (
	"foretell/internal/random"
	"foretell/process"
)

// chains holds sequences of a task whose true lag is known, the same number for each lag.
type chains struct {
	task
	process *process.Interleaved
	context int     // T, number of tokens in each sequence
	tokens  []int32 // (N, T)
	lag     []int   // true lag of each sequence
}

// newChains draws the given number of sequences for each lag, the same ones in every run.
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

// drawChain fills a sequence by Algorithm 1 for the given true lag, in a set with the
// given longest lag (k̂). Algorithm 1 draws the first k̂ tokens independently. A process
// whose only lag is the true one draws fewer tokens independently (their number is that
// lag), so k̂ − lag independent tokens are drawn before it starts.
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
	return transition[c.sequence(n)[t-c.lag[n]]]
}

// end returns the first position in the last eighth of the sequence.
func (c *chains) end() int { return c.context - c.context/8 + 1 }
