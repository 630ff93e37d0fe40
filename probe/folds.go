package probe

import (
	"foretell/internal/random"
	"foretell/process"
)

// foldCount and foldSeed define the folds for holding out sequences or single prefixes.
// For sampled sequences the folds are instead the groups in which they were drawn.
const (
	foldCount = 5
	foldSeed  = 1
)

// dealt assigns n rows to the given number of folds in a shuffled order, so that fold
// sizes differ by at most one. The result is (n, count): 1 in the column of the row's
// fold, and 0 elsewhere.
func dealt(n, count int, seed uint64) Table {
	shares := Table{Data: make([]float64, n*count), Width: count}
	for i, row := range shuffledRows(allRows(n), random.New(seed, "probe/folds")) {
		shares.Row(row)[i%count] = 1
	}
	return shares
}

// sequenceShares assigns the full-length sequences to the folds. It divides each shorter
// prefix among the folds in proportion to the weights of the sequences that begin with
// it. A regression is then tested on sequences that it has not seen, although it has seen
// their prefixes. Sampled sequences are split in the same way. This is also how data is
// usually held out in the literature.
//
// Folds of single prefixes are stricter: a prefix that is held out is in no fit that
// predicts it. There are few prefixes at the first positions, and they have as much
// weight as the many later ones. So such folds test whether a probe generalises to a
// token that it never saw at that position.
func sequenceShares(p *process.Prefixes, weights []float64, count int, seed uint64) Table {
	from, to := p.Range(p.Length)
	sequences := dealt(to-from, count, seed)
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
	return mass
}

// groupShares uses the groups in which sampled sequences were drawn as folds. The groups
// are independent, so the spread over the folds measures the sampling error. A sequence
// that was drawn twice may be in two groups.
func groupShares(p *process.Prefixes) Table {
	shares := Table{Data: make([]float64, p.Rows()*p.Groups), Width: p.Groups}
	for row := range p.Rows() {
		for g, n := range p.Draws(row) {
			shares.Row(row)[g] = float64(n)
		}
		normalise(shares.Row(row))
	}
	return shares
}

// normalise makes the shares of a prefix sum to one. A prefix that cannot occur has
// weight 0 and goes to the first fold.
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

// weightsIn returns the part of each row's weight that is in the given fold.
func weightsIn(shares Table, fold int, weights []float64) []float64 {
	part := make([]float64, len(weights))
	for i, w := range weights {
		part[i] = w * shares.Row(i)[fold]
	}
	return part
}
