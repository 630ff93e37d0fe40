package probe

import "foretell/process"

const (
	// passNodes bounds the number of prefixes in one forward pass, which are its nodes. Only
	// the prefixes of a single sequence may exceed it.
	passNodes = 512
	// groupPasses is the number of passes whose results are summed before they are added to
	// the results of other groups.
	groupPasses = 8
)

// leaves are the full-length prefixes of one pass, rows from ≤ row < to.
type leaves struct{ from, to int }

// planPasses divides the full-length prefixes into passes of at most the given number of
// nodes each, and returns the number of nodes of the largest pass.
func planPasses(p *process.Prefixes, limit int) (passes []leaves, largest int) {
	from, to := p.Range(p.Length)
	nodes := 0
	for row := from; row < to; row++ {
		more := p.Length // number of nodes that this prefix adds
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

// apart compares the prefixes in rows a and b, which have equal length. It returns the
// number of tokens from their first difference to the end.
func apart(p *process.Prefixes, a, b int) (tokens int) {
	for a != b {
		a, b = p.Parent(a), p.Parent(b)
		tokens++
	}
	return tokens
}

// level is the range of rows at one position that a pass runs over: from ≤ row < to. The
// rows from ≤ row < fresh also belong to an earlier pass.
type level struct{ from, fresh, to int }

// levels returns the range of rows of a pass at each position.
func (l leaves) levels(p *process.Prefixes) []level {
	levels := make([]level, p.Length)
	first, last := l.from, l.to-1
	before := l.from - 1 // the last row of the previous pass
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
