package train

import (
	"cmp"
	"fmt"
	"slices"

	"foretell/internal/limit"
	"foretell/process"
)

// Memory returns the approximate number of bytes that training the resolved configuration
// c on p with the given number of workers needs. It is wrong by at most about a third. It
// is a float64, because impossible configurations need more bytes than an int can count.
// For share_prefixes: auto it assumes that prefixes are shared.
func (c Config) Memory(p process.Sampler, workers int) float64 {
	shares := c.Train.SharePrefixes == shareOn || c.Train.SharePrefixes == shareAuto
	return total(c.memory(p, workers, shares))
}

const int32Size, float32Size, float64Size = 4, 4, 8

// part is one part of the memory that training takes.
type part struct {
	bytes  float64
	fields string // the configuration fields that affect it most
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

// memory returns the parts of the memory that training c on p needs, with shared
// prefixes if shares is set.
func (c Config) memory(p process.Sampler, workers int, shares bool) []part {
	capacity := 0
	if shares || c.Train.Objective == objectiveExact {
		capacity = forestCapacity(c)
	}
	copies := 2 + c.Train.Moments() + numShards(c) // weights, transposed weights, moments, and a gradient for each shard
	if c.Train.Optimizer == "lbfgs" {
		copies += 4 // a gradient, the start of the search, and the direction in float64
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
		forest := c.forestSize(words, int32Size+float64Size) // each row also has an index and a divergence
		parts = append(parts, part{process.WordsSize(p.(process.Process), T) + forest, ofWords})
	case shares:
		rows := float64(B) * float64(T)
		if c.Train.SharePrefixes == shareAuto {
			rows *= shareBelow
		}
		parts = append(parts, part{c.sequencesSize(B) + c.forestSize(min(rows, words), 0), ofBatch})
	case c.Train.SharePrefixes == shareAuto: // a batch is drawn to decide whether to share
		parts = append(parts, part{float64(B) * float64(2*T+1) * int32Size, ofBatch})
	}
	return parts
}

// sequencesSize is the number of bytes that n sequences and their targets take.
func (c Config) sequencesSize(n int) float64 {
	o, numbers := c.Objective(), 3 // an input, a target and its weight
	if o.Optimal {
		numbers += c.Model.DVocab
	}
	return float64(n) * float64(o.Length()) * float64(numbers) * float32Size
}

// forestSize is the number of bytes that a forest with the given number of prefixes
// takes. The argument `more` is the number of additional bytes for each row. Every pass
// but the first begins with copied rows, up to the length of a sequence.
func (c Config) forestSize(prefixes, more float64) float64 {
	capacity := float64(forestCapacity(c))
	rows := prefixes * capacity / (capacity - float64(c.Objective().Length()) + 1)
	return rows * (float64(2*int32Size+float32Size*c.Model.DVocab) + more)
}

// evaluatorSize is the number of bytes that the held-out sequences take.
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

// checkMemory reports whether training with configuration c on process p shares prefixes.
// It returns an error if training needs more memory than the machine has.
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

// MemoryError reports that training needs more memory than the machine has. Lowering the
// numbers in Fields, or using fewer workers, reduces the need.
type MemoryError struct {
	Need, Have float64 // bytes; see [Config.Memory]
	Workers    int
	Fields     string // the fields with the largest effect, such as "model.d_model, n_layers, n_ctx"
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("train: this configuration needs about %s of memory with %d workers, and the machine has %s; "+
		"lower %s",
		limit.Size(e.Need), e.Workers, limit.Size(e.Have), e.Fields)
}
