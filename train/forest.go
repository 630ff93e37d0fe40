package train

import (
	"cmp"
	"slices"
)

// forest is sequences as the trees of their prefixes: each prefix is one row, however
// many sequences begin with it, and its targets are the sum of theirs. The rows are cut
// into passes of at most capacity. A pass that begins in the middle of a tree begins with
// copies of the prefixes of its first row. A sequence's targets go to the rows of the
// pass that it ends in, copies or not: what a prefix has is the sum over its copies.
//
// Sequences come in the order of their tokens. So a row is new where a sequence parts
// from the one before, and which rows a pass has is a matter of the sequences alone.
type forest struct {
	capacity, vocab int

	tokens, parents []int32   // (rows); a parent is counted from its pass's first row
	targets         []float32 // (rows,V): Σ w_t·m_t
	starts          []int     // of the passes, by row
	path            []int32   // the rows of the sequence that is being added, from the pass's first
	word            []int32   // its tokens
}

func newForest(capacity, vocab int) *forest { return &forest{capacity: capacity, vocab: vocab} }

// clear makes the forest one of no sequences.
func (f *forest) clear() {
	f.tokens, f.parents, f.targets = f.tokens[:0], f.parents[:0], f.targets[:0]
	f.starts, f.path, f.word = f.starts[:0], f.path[:0], f.word[:0]
}

// passes returns their number.
func (f *forest) passes() int { return len(f.starts) }

// pass returns the rows of pass i.
func (f *forest) pass(i int) (tokens, parents []int32, targets []float32) {
	from, to := f.starts[i], len(f.tokens)
	if i+1 < len(f.starts) {
		to = f.starts[i+1]
	}
	return f.tokens[from:to], f.parents[from:to], f.targets[from*f.vocab : to*f.vocab]
}

// add adds a sequence, whose prefixes may be there already, and returns how many were.
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

// begin begins a pass with the first t rows of the path.
func (f *forest) begin(t int) {
	f.starts, f.path = append(f.starts, len(f.tokens)), f.path[:0]
	for _, token := range f.word[:t] {
		f.grow(token)
	}
}

// grow appends a row to the path.
func (f *forest) grow(token int32) {
	parent := int32(-1)
	if n := len(f.path); n > 0 {
		parent = f.path[n-1]
	}
	f.path = append(f.path, int32(len(f.tokens)-f.starts[len(f.starts)-1]))
	f.tokens, f.parents = append(f.tokens, token), append(f.parents, parent)
	n := len(f.targets)
	f.targets = slices.Grow(f.targets, f.vocab)[:n+f.vocab]
	clear(f.targets[n:])
}

// row returns the row of the prefix of t+1 tokens of the sequence added last.
func (f *forest) row(t int) int { return f.starts[len(f.starts)-1] + int(f.path[t]) }

// at returns the targets (V) of that row.
func (f *forest) at(t int) []float32 {
	row := f.row(t)
	return f.targets[row*f.vocab : (row+1)*f.vocab]
}

// forestRows is how many rows a pass over trees has at most: those of a large model's
// plain pass, since the passes are what shards consist of, and enough for a sequence to
// go on by as much as it is long.
func forestRows(c Config) int { return max(passRowsOfLarge, 2*c.Model.NCtx) }

// forestCapacity is how many rows a pass over the trees of a configuration has at most.
// Where they are of a batch it has no more than a shard, so that few prefixes still are
// work for all.
func forestCapacity(c Config) int {
	if c.Train.Objective == objectiveExact {
		return forestRows(c)
	}
	return min(forestRows(c), max(2*c.Model.NCtx, c.Train.BatchSize*c.Objective().Length()/numShards(c)))
}

// sequence returns sequence i of several of T tokens.
func sequence(inputs []int32, i int32, T int) []int32 { return inputs[int(i)*T : int(i+1)*T] }

// commonPrefix returns how many tokens two words begin with alike.
func commonPrefix(a, b []int32) int {
	n := min(len(a), len(b))
	for t := range n {
		if a[t] != b[t] {
			return t
		}
	}
	return n
}

// sortSequences makes order that of sequences by their tokens, those that are equal by
// their number.
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
