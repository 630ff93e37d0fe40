package train

import (
	"cmp"
	"fmt"
	"slices"

	"foretell/internal/limit"
	"foretell/process"
)

// Memory returns about how many bytes it takes to train c, which is resolved, on p with
// a number of workers: what is held, to within a third; a float64, because impossible
// configurations ask for more than an int can count. With share_prefixes: auto it is as
// if prefixes were shared.
func (c Config) Memory(p process.Sampler, workers int) float64 {
	shares := c.Train.SharePrefixes == shareOn || c.Train.SharePrefixes == shareAuto
	return total(c.memory(p, workers, shares))
}

const int32Size, float32Size, float64Size = 4, 4, 8

// part is part of the memory of a training.
type part struct {
	bytes  float64
	fields string // of the configuration on which it depends most
}

func total(parts []part) (bytes float64) {
	for _, p := range parts {
		bytes += p.bytes
	}
	return bytes
}

func greatest(parts []part) part {
	return slices.MaxFunc(parts, func(a, b part) int { return cmp.Compare(a.bytes, b.bytes) })
}

// memory are the parts of what training c on p takes, where it shares prefixes or not.
func (c Config) memory(p process.Sampler, workers int, shares bool) []part {
	capacity := 0
	if shares || c.Train.Objective == objectiveExact {
		capacity = forestCapacity(c)
	}
	copies := 2 + c.Train.Moments() + numShards(c) // weights, transposed, gradients
	if c.Train.Optimizer == "lbfgs" {
		copies += 4 // a gradient, where the search began, and the direction in float64
	}
	weights := float64(copies) * float64(c.Model.Parameters())
	workspaces := float64(workers) * c.Model.WorkspaceSize(workspaceRoom(c, capacity))
	parts := []part{
		{float32Size * (float64(weights) + float64(workspaces)), "model." + c.Model.MemoryFields()},
		{float64(workers) * c.sequencesSize(passSize(c)), "model.n_ctx, d_vocab"},
		{c.evaluatorSize(p), "train.evaluate_sequences, model.n_ctx"},
	}
	const ofWords, ofBatch = "model.n_ctx, d_vocab", "train.batch_size, model.n_ctx, d_vocab"
	T, B := c.Objective().Length(), c.Train.BatchSize
	words := float64(process.NumPrefixes(p.Alphabet(), T))
	switch {
	case c.Train.Objective == objectiveExact:
		forest := c.forestSize(words, int32Size+float64Size) // with a row of the table and a divergence
		parts = append(parts, part{process.WordsSize(p.(process.Process), T) + forest, ofWords})
	case shares:
		rows := float64(B) * float64(T)
		if c.Train.SharePrefixes == shareAuto {
			rows *= shareBelow
		}
		parts = append(parts, part{c.sequencesSize(B) + c.forestSize(min(rows, words), 0), ofBatch})
	case c.Train.SharePrefixes == shareAuto: // a batch is drawn to see whether they are shared
		parts = append(parts, part{float64(B) * float64(2*T+1) * int32Size, ofBatch})
	}
	return parts
}

// sequencesSize is how many bytes n sequences with what is asked of them take.
func (c Config) sequencesSize(n int) float64 {
	o, numbers := c.Objective(), 3 // an input, a target and its weight
	if o.Optimal {
		numbers += c.Model.DVocab
	}
	return float64(n) * float64(o.Length()) * float64(numbers) * float32Size
}

// forestSize is how many bytes a forest of so many prefixes takes, with more of each row;
// all passes but the first begin with rows that there are already, as long as a sequence.
func (c Config) forestSize(prefixes, more float64) float64 {
	capacity := float64(forestCapacity(c))
	rows := prefixes * capacity / (capacity - float64(c.Objective().Length()) + 1)
	return rows * (float64(2*int32Size+float32Size*c.Model.DVocab) + more)
}

// evaluatorSize is how many bytes the held-out sequences take.
func (c Config) evaluatorSize(p process.Sampler) float64 {
	if _, known := p.(process.Process); !known {
		return c.observerSize(p)
	}
	row := int32Size + float64Size*(p.Alphabet()+1)
	if _, ok := ceilingOf(c, p); ok {
		row += 2*float64Size + p.Alphabet()
	}
	return float64(c.Train.EvaluateSequences) * float64(c.Model.NCtx) * float64(row)
}

// checkMemory returns whether training c on p shares prefixes, and an error if that needs
// more memory than the machine has.
func checkMemory(c Config, p process.Sampler, workers int) (shares bool, err error) {
	for _, shares := range []bool{false, true} {
		if shares && !sharesPrefixes(c, p) {
			return false, nil
		}
		parts := c.memory(p, workers, shares)
		if need, have := total(parts), limit.Memory(); have != 0 && need > have {
			return false, &MemoryError{Need: need, Have: have, Workers: workers, Fields: greatest(parts).fields}
		}
	}
	return true, nil
}

// MemoryError says that a training needs more memory than the machine has. With smaller
// numbers in some fields of the configuration it would do with less, and so would it with
// fewer workers.
type MemoryError struct {
	Need, Have float64 // bytes; see [Config.Memory]
	Workers    int
	Fields     string // those on which most depends, such as "model.d_model, n_layers, n_ctx"
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("train: this configuration needs about %s of memory with %d workers and the machine has %s; "+
		"lower %s",
		limit.Size(e.Need), e.Workers, limit.Size(e.Have), e.Fields)
}
