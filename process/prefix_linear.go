package process

import "sync"

// linearBeliefs are computed when they are first asked for: a table may have a gigabyte
// of them, and few want them.
type linearBeliefs struct {
	once sync.Once
	rows []float64
}

// Linear returns the linear beliefs of the words, (rows, n): what the [LinearFilter] of
// the process makes of them, and zeros for a word that cannot occur. It is nil where the
// process has no filter. The first call computes them; it is safe for concurrent use.
func (p *Prefixes) Linear() []float64 {
	p.linear.once.Do(func() {
		if p.filter != nil {
			p.linear.rows = p.filterWords()
		}
	})
	return p.linear.rows
}

// filterWords goes through the rows, each after that of the word without its last token.
func (p *Prefixes) filterWords() []float64 {
	n := p.States
	rows := make([]float64, p.Rows()*n)
	for position := 1; position <= p.Length; position++ {
		from, to := p.Range(position)
		for row := from; row < to; row++ {
			if p.Prob[row] == 0 {
				continue
			}
			before := p.filter.h.pi
			if parent := p.Parent(row); parent >= 0 {
				before = rows[parent*n : (parent+1)*n]
			}
			p.filter.advance(rows[row*n:(row+1)*n], before, position, p.LastToken(row))
		}
	}
	return rows
}
