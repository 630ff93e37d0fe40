package process

import (
	"context"
)

// Linear returns the linear beliefs of the prefixes, (rows, n), as the [LinearFilter] of
// the process computes them, with zeros for a prefix that cannot occur. The result is nil
// if the process has no filter. The first call computes the beliefs. Linear returns an
// error if ctx ends before they are computed. It is safe for concurrent use.
func (p *Prefixes) Linear(ctx context.Context) ([]float64, error) {
	if p.filter == nil {
		return nil, nil
	}
	return p.linear.Get(ctx, p.filterWords)
}

// filterWords computes the rows in order. Each prefix comes after the prefix without its
// last token.
func (p *Prefixes) filterWords(ctx context.Context) ([]float64, error) {
	n := p.States
	rows := make([]float64, p.Rows()*n)
	for position := 1; position <= p.Length; position++ {
		from, to := p.Range(position)
		for row := from; row < to; row++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
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
	return rows, nil
}
