package probe

import "foretell/process"

// SequenceFolds divides the sequences of full length among the folds, and each shorter word in proportion to the
// sequences that begin with it, by probability: a regression is tested on sequences that it has not seen, whose
// beginnings it has. This is how a set of sampled sequences is split, and how the field holds data out.
//
// The folds of rows that [Folds] makes on its own are stricter: a word that is held out is in no fit that predicts it.
// With few words at the first positions, which hold as much weight as the many later ones, that asks how a probe
// carries over to a token that it never saw at that position.
func SequenceFolds(p *process.Prefixes, count int, seed uint64) Folds {
	return sequenceFolds(p, p.Prob, count, seed)
}

// sequenceFolds is SequenceFolds for sequences of other weights than their probability.
func sequenceFolds(p *process.Prefixes, weights []float64, count int, seed uint64) Folds {
	from, to := p.Range(p.Length)
	sequences := Folds{Count: count, Seed: seed}.assign(to - from)
	mass := Table{Data: make([]float64, p.Rows()*count), Width: count} // weight by fold
	for i := range sequences.Rows() {
		for f, share := range sequences.Row(i) {
			mass.Row(from + i)[f] = share * weights[from+i]
		}
	}
	for length := p.Length; length > 1; length-- {
		from, to := p.Range(length)
		for row := from; row < to; row++ {
			for f, m := range mass.Row(row) {
				mass.Row(p.Parent(row))[f] += m
			}
		}
	}
	for row := range mass.Rows() {
		normalise(mass.Row(row))
	}
	return Folds{Count: count, Seed: seed, Shares: mass}
}

// groupFolds divides sampled sequences by the groups that they were drawn in. These are independent, so the spread
// over the folds tells how far the sample may be off; a sequence that was drawn twice may be in two of them.
func groupFolds(p *process.Prefixes) Folds {
	shares := Table{Data: make([]float64, p.Rows()*p.Groups), Width: p.Groups}
	for row := range p.Rows() {
		for g, n := range p.Draws(row) {
			shares.Row(row)[g] = float64(n)
		}
		normalise(shares.Row(row))
	}
	return Folds{Count: p.Groups, Shares: shares}
}

// normalise makes shares sum to one; a word that cannot occur, of weight 0, goes to the first fold.
func normalise(shares []float64) {
	total := 0.0
	for _, m := range shares {
		total += m
	}
	if total == 0 {
		shares[0] = 1
		return
	}
	for f := range shares {
		shares[f] /= total
	}
}
