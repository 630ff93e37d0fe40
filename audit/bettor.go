package audit

import "slices"

// A Bettor predicts a sequence of symbols, each before it is seen. The symbols are the
// equal parts of [0, 1] that ranks fall into, numbered from 0, the lowest. Under the
// hypothesis all have the same probability, so a Bettor gains wherever its predictions
// are better than uniform ones. A *contexttree.Tree is a Bettor.
type Bettor interface {
	// Alphabet returns the number of symbols, at least 2.
	Alphabet() int
	// Next fills dst, of length Alphabet, with the probabilities of the next symbol. They
	// are positive, sum to 1, and depend only on what was observed.
	Next(dst []float64)
	// Observe learns the next symbol. An error ends the audit.
	Observe(symbol int) error
	// Restart declares a gap in the sequence, where a rank is missing.
	Restart()
}

// counter is the Bettor of Krichevsky and Trofimov 1981: the probability of a symbol is
// its share of the symbols seen in the same context, after half an observation of each.
// The context is the symbol lag steps earlier. If that is unknown, all probabilities are
// equal. A lag of 0 means that all symbols have one context.
type counter struct {
	alphabet, lag int
	counts        []float64 // alphabet for each context
	past          []int     // the last lag symbols, in a ring; −1 is unknown
	next          int       // the place of the oldest
}

func newCounter(alphabet, lag int) *counter {
	contexts := 1
	if lag > 0 {
		contexts = alphabet
	}
	return &counter{
		alphabet: alphabet, lag: lag,
		counts: make([]float64, contexts*alphabet), past: slices.Repeat([]int{-1}, lag),
	}
}

func (c *counter) Alphabet() int { return c.alphabet }

func (c *counter) Next(dst []float64) {
	counts, total := c.context(), float64(c.alphabet)/2
	for _, n := range counts {
		total += n
	}
	for i := range dst {
		dst[i] = 1 / float64(c.alphabet)
		if counts != nil {
			dst[i] = (counts[i] + 0.5) / total
		}
	}
}

// context returns the counts of the present context, nil if it is not known.
func (c *counter) context() []float64 {
	context := 0
	if c.lag > 0 {
		context = c.past[c.next]
	}
	if context < 0 {
		return nil
	}
	return c.counts[context*c.alphabet : (context+1)*c.alphabet]
}

func (c *counter) Observe(symbol int) error {
	if counts := c.context(); counts != nil {
		counts[symbol]++
	}
	c.remember(symbol)
	return nil
}

func (c *counter) Restart() { c.remember(-1) }

func (c *counter) remember(symbol int) {
	if c.lag > 0 {
		c.past[c.next] = symbol
		c.next = (c.next + 1) % c.lag
	}
}

// law is a Bettor's prediction as a distribution on [0, 1]: uniform within each part.
type law struct {
	bettor Bettor
	edges  []float64 // of the parts, from 0 to 1
	below  []float64 // the probability below each edge, for the next rank
}

// newLaw divides [0, 1] at edges; if they are nil, into equal parts.
func newLaw(bettor Bettor, edges []float64) *law {
	parts := bettor.Alphabet()
	if edges == nil {
		edges = equalParts(parts)
	}
	return &law{bettor: bettor, edges: edges, below: make([]float64, parts+1)}
}

// predict asks the bettor for its next prediction.
func (l *law) predict() {
	l.bettor.Next(l.below[1:])
	for i := 1; i < len(l.below); i++ {
		l.below[i] += l.below[i-1]
	}
}

// cdf is the predicted probability of [0, v].
func (l *law) cdf(v float64) float64 {
	i := part(l.edges, v)
	share := (v - l.edges[i]) / (l.edges[i+1] - l.edges[i])
	return l.below[i] + share*(l.below[i+1]-l.below[i])
}
