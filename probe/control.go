package probe

import "foretell/internal/random"

// Controlled is a regression beside its controls. A probe is never shown alone: a random model reaches a high R²
// too, and so may the next-token distribution on its own, without any belief behind it.
type Controlled struct {
	Trained   *Regression // targets on the activations
	Random    *Regression // targets on the activations of a random initialisation
	Shuffled  *Regression // targets dealt out to other rows: what the method finds where there is nothing
	NextToken *Regression // targets on the next-token distribution
}

// RegressControlled fits the targets y (n, k) to the activations x (n, d), and once more for each control: to the
// activations untrained (n, any) of a random initialisation, to x with the rows of y shuffled by the seed of folds, and
// to the next-token distributions next (n, A). The weights and the folds are the same in all four. Errors and panics
// are those of [Regress].
func RegressControlled(x, y, untrained, next Table, weights []float64, folds Folds) (*Controlled, error) {
	y.check("y", -1)
	shuffled := shuffleRows(y, folds.Seed)
	var c Controlled
	for _, part := range []struct {
		result **Regression
		x, y   Table
	}{
		{&c.Trained, x, y},
		{&c.Random, untrained, y},
		{&c.Shuffled, x, shuffled},
		{&c.NextToken, next, y},
	} {
		var err error
		if *part.result, err = Regress(part.x, part.y, weights, folds); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

// shuffleRows returns the rows of t in a random order.
func shuffleRows(t Table, seed uint64) Table {
	order := allRows(t.Rows())
	random.New(seed, "probe/shuffle").Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	shuffled := Table{Data: make([]float64, 0, len(t.Data)), Width: t.Width}
	for _, i := range order {
		shuffled.Data = append(shuffled.Data, t.Row(i)...)
	}
	return shuffled
}
