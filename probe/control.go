package probe

import (
	"slices"

	"foretell/internal/random"
	"foretell/process"
)

// Controlled is a regression beside its controls. A probe is never shown alone: a random model reaches a high R²
// too, and so may the next-token distribution on its own, without any belief behind it.
type Controlled struct {
	Trained   *Regression // targets on the activations
	Random    *Regression // targets on the activations of a random initialisation
	Shuffled  *Regression // targets dealt out to other rows: what the method finds where there is nothing
	NextToken *Regression // targets on the next-token distribution
}

// RegressControlled fits each of the targets ys (n, any) to the activations x (n, d), and once more for each control: to
// the activations untrained (n, any) of a random initialisation, to x with the rows of y shuffled by the seed of folds,
// and to the next-token distributions next (n, A). The weights and the folds are the same in all four. Errors and panics
// are those of [Regress].
func RegressControlled(x Table, ys []Table, untrained, next Table, weights []float64, folds Folds) ([]*Controlled, error) {
	targets := slices.Clone(ys)
	for _, y := range ys {
		y.check("y", -1)
		targets = append(targets, shuffleRows(y, folds.Seed))
	}
	trained, err := RegressEach(x, targets, weights, folds)
	if err != nil {
		return nil, err
	}
	random, err := RegressEach(untrained, ys, weights, folds)
	if err != nil {
		return nil, err
	}
	fromNext, err := RegressEach(next, ys, weights, folds)
	if err != nil {
		return nil, err
	}
	list := make([]*Controlled, len(ys))
	for i := range ys {
		list[i] = &Controlled{Trained: trained[i], Shuffled: trained[len(ys)+i], Random: random[i], NextToken: fromNext[i]}
	}
	return list, nil
}

// Shuffled returns targets dealt out to other words, for [Analyze]: what a regression finds in them it would find where
// there is nothing. Words that cannot occur take no part.
func Shuffled(p *process.Prefixes, targets Table) Table {
	targets.check("targets", p.Rows())
	var occurring []int
	for row, prob := range p.Prob {
		if prob > 0 {
			occurring = append(occurring, row)
		}
	}
	shuffled := Table{Data: slices.Clone(targets.Data), Width: targets.Width}
	shuffled.deal(targets, occurring, foldSeed)
	return shuffled
}

// shuffleRows returns the rows of t in a random order.
func shuffleRows(t Table, seed uint64) Table {
	shuffled := Table{Data: slices.Clone(t.Data), Width: t.Width}
	shuffled.deal(t, allRows(t.Rows()), seed)
	return shuffled
}

// deal gives the listed rows those of from in a random order.
func (t Table) deal(from Table, rows []int, seed uint64) {
	order := slices.Clone(rows)
	random.New(seed, "probe/shuffle").Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for i, row := range rows {
		copy(t.Row(row), from.Row(order[i]))
	}
}
