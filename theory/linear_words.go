package theory

import (
	"context"

	"foretell/process"
)

// LinearPrefixes returns the linear beliefs of the prefixes in a table, (rows, n), as the
// [LinearFilter] of the process computes them, with zeros for a prefix that cannot occur.
// The result is nil if the process is not an HMM. The first call computes the beliefs,
// and the table keeps them. LinearPrefixes returns an error if ctx ends before they are
// computed. It is safe for concurrent use.
func LinearPrefixes(ctx context.Context, p *process.Prefixes) ([]float64, error) {
	h := p.HMM()
	if h == nil {
		return nil, nil
	}
	return p.Kept(ctx, "linear beliefs", func(ctx context.Context) ([]float64, error) {
		return Of(h).filter.followPrefixes(ctx, p)
	})
}

// followPrefixes computes the rows in order. Each prefix comes after the prefix without
// its last token.
func (f *LinearFilter) followPrefixes(ctx context.Context, p *process.Prefixes) ([]float64, error) {
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
			before := f.layer.pi
			if parent := p.Parent(row); parent >= 0 {
				before = rows[parent*n : (parent+1)*n]
			}
			f.advance(rows[row*n:(row+1)*n], before, position, p.LastToken(row))
		}
	}
	return rows, nil
}
