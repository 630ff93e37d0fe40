package probe

import (
	"context"
	"slices"

	"foretell/internal/random"
	"foretell/process"
)

// Shuffled returns a target whose rows are assigned to random other prefixes. A
// regression on it shows the score that chance gives, where there is nothing to read.
// Prefixes that cannot occur keep their rows.
func Shuffled(t Target) Target {
	return Target{
		Name: t.Name + ", shuffled", Title: t.Title + ", shuffled",
		of: func(ctx context.Context, p *process.Prefixes) (Table, error) {
			table, err := t.Of(ctx, p)
			if err != nil {
				return Table{}, err
			}
			var occurring []int
			for row, prob := range p.Prob {
				if prob > 0 {
					occurring = append(occurring, row)
				}
			}
			return table.shuffled(occurring, foldSeed), nil
		},
	}
}

// shuffled returns a copy of the table in which the listed rows have changed places at
// random.
func (t Table) shuffled(rows []int, seed uint64) Table {
	to := Table{Data: slices.Clone(t.Data), Width: t.Width}
	for i, row := range shuffledRows(rows, random.New(seed, "probe/shuffle")) {
		copy(to.Row(rows[i]), t.Row(row))
	}
	return to
}

// shuffledRows returns the given row numbers in a random order.
func shuffledRows(rows []int, s *random.Stream) []int {
	order := slices.Clone(rows)
	s.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// allRows returns the row numbers 0 … n−1.
func allRows(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}
