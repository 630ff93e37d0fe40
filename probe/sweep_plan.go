package probe

import "foretell/process"

const (
	// passNodes bounds the words of one forward pass, their beginnings included,
	// unless a single word has more.
	passNodes = 512
	// groupPasses are the passes whose results are added up before they meet those
	// of others.
	groupPasses = 8
)

// leaves are the rows from ≤ row < to of words of full length, which one pass runs
// over.
type leaves struct{ from, to int }

// planPasses divides the words of full length into passes of at most limit nodes each,
// and returns the nodes of the largest.
func planPasses(p *process.Prefixes, limit int) (passes []leaves, largest int) {
	from, to := p.Range(p.Length)
	nodes := 0
	for row := from; row < to; row++ {
		more := p.Length // nodes that the word adds
		if row > from {
			more = apart(p, row-1, row)
		}
		if row == from || nodes+more > limit {
			passes = append(passes, leaves{row, row})
			nodes, more = 0, p.Length
		}
		passes[len(passes)-1].to++
		nodes += more
		largest = max(largest, nodes)
	}
	return passes, largest
}

// apart returns the number of tokens from the first that differs between two words of
// one length to the last.
func apart(p *process.Prefixes, a, b int) (tokens int) {
	for a != b {
		a, b = p.Parent(a), p.Parent(b)
		tokens++
	}
	return tokens
}

// level is the part of a position's rows that a pass runs over: from ≤ row < to, of
// which those before fresh belong to an earlier pass, too.
type level struct{ from, fresh, to int }

// levels returns the rows of a pass by position.
func (l leaves) levels(p *process.Prefixes) []level {
	levels := make([]level, p.Length)
	first, last := l.from, l.to-1
	before := l.from - 1 // the last row of the pass before
	if start, _ := p.Range(p.Length); before < start {
		before = -1
	}
	for t := p.Length - 1; t >= 0; t-- {
		levels[t] = level{first, first, last + 1}
		if before == first {
			levels[t].fresh = first + 1
		}
		first, last = p.Parent(first), p.Parent(last)
		if before >= 0 {
			before = p.Parent(before)
		}
	}
	return levels
}
