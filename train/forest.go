package train

import (
	"cmp"
	"slices"
)

// A forest holds sequences as trees of their prefixes. Each prefix is one row, however
// many sequences begin with it. The targets of the row are the sum of the targets of
// these sequences. The rows are cut into passes of at most `capacity` rows. A pass that
// begins in the middle of a tree first copies the prefixes of its first row. A sequence's
// targets are added to the rows of the pass in which the sequence ends, so the complete
// targets of a prefix are the sum over its copies.
//
// Sequences must be added in sorted order. A new row is then made exactly where a
// sequence departs from the previous one, and the rows of each pass depend on the
// sequences alone.
type forest struct {
	capacity, vocab int

	tokens, parents []int32   // (rows); a parent's index is relative to the first row of its pass
	targets         []float32 // (rows,V): Σ w_t·m_t, see Objective
	starts          []int     // first row of each pass
	path            []int32   // rows of the current sequence, relative to the first row of the pass
	word            []int32   // tokens of the current sequence
}

func newForest(capacity, vocab int) *forest { return &forest{capacity: capacity, vocab: vocab} }

// clear removes all sequences.
func (f *forest) clear() {
	f.tokens, f.parents, f.targets = f.tokens[:0], f.parents[:0], f.targets[:0]
	f.starts, f.path, f.word = f.starts[:0], f.path[:0], f.word[:0]
}

// passes returns the number of passes.
func (f *forest) passes() int { return len(f.starts) }

// pass returns the rows of pass i.
func (f *forest) pass(i int) (tokens, parents []int32, targets []float32) {
	from, to := f.starts[i], len(f.tokens)
	if i+1 < len(f.starts) {
		to = f.starts[i+1]
	}
	return f.tokens[from:to], f.parents[from:to], f.targets[from*f.vocab : to*f.vocab]
}

// add adds a sequence and returns how many of its prefixes were already in the forest.
func (f *forest) add(word []int32) (shared int) {
	shared = commonPrefix(f.word, word)
	f.word = append(f.word[:shared], word[shared:]...)
	f.path = f.path[:shared]
	for t := shared; t < len(word); t++ {
		if len(f.starts) == 0 || len(f.tokens)-f.starts[len(f.starts)-1] == f.capacity {
			f.begin(t)
		}
		f.grow(word[t])
	}
	return shared
}

// begin starts a pass with copies of the rows for the first t tokens of the current
// sequence.
func (f *forest) begin(t int) {
	f.starts, f.path = append(f.starts, len(f.tokens)), f.path[:0]
	for _, token := range f.word[:t] {
		f.grow(token)
	}
}

// grow appends a row for the next token of the current sequence.
func (f *forest) grow(token int32) {
	parent := int32(-1)
	if n := len(f.path); n > 0 {
		parent = f.path[n-1]
	}
	f.path = append(f.path, int32(len(f.tokens)-f.starts[len(f.starts)-1]))
	f.tokens = append(f.tokens, token)
	f.parents = append(f.parents, parent)
	n := len(f.targets)
	f.targets = slices.Grow(f.targets, f.vocab)[:n+f.vocab]
	clear(f.targets[n:])
}

// row returns the row for the first t+1 tokens of the sequence added last.
func (f *forest) row(t int) int { return f.starts[len(f.starts)-1] + int(f.path[t]) }

// at returns the targets, (V), for the first t+1 tokens of the sequence added last.
func (f *forest) at(t int) []float32 {
	row := f.row(t)
	return f.targets[row*f.vocab : (row+1)*f.vocab]
}

// forestRows is the largest number of rows in a pass over trees. It is the number of rows
// in a large model's pass over sequences, whatever the size of the model: shards consist
// of whole passes, so this number affects the bits. It is at least the length of two
// sequences, so that a pass that begins with a copied prefix has room for new rows.
func (p *Plan) forestRows() int { return max(passRowsOfLarge, 2*p.config.Model.NCtx) }

// treeRows is the largest number of rows in a pass over the trees of a batch. It is at
// most the rows of a shard, so that few prefixes still give every worker something to do.
func (p *Plan) treeRows() int {
	ofShard := p.config.Train.BatchSize * p.objective.Length() / p.Shards
	return min(p.forestRows(), max(2*p.config.Model.NCtx, ofShard))
}

// sequence returns sequence i of inputs, which holds sequences of T tokens.
func sequence(inputs []int32, i int32, T int) []int32 { return inputs[int(i)*T : int(i+1)*T] }

// commonPrefix returns the length of the longest common prefix of two sequences.
func commonPrefix(a, b []int32) int {
	n := min(len(a), len(b))
	for t := range n {
		if a[t] != b[t] {
			return t
		}
	}
	return n
}

// sortSequences sets the slice `order` to the indices of the sequences, sorted by tokens
// and then by index.
func sortSequences(order, inputs []int32) {
	T := len(inputs) / len(order)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		if c := slices.Compare(sequence(inputs, i, T), sequence(inputs, j, T)); c != 0 {
			return c
		}
		return cmp.Compare(i, j)
	})
}
