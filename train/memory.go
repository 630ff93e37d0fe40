package train

import (
	"cmp"
	"fmt"
	"slices"

	"foretell/internal/limit"
	"foretell/process"
)

const int32Size, float32Size, float64Size = 4, 4, 8

// MemoryPart is one part of the memory that training takes.
type MemoryPart struct {
	What   string  `json:"what"` // such as "held-out sequences"
	Bytes  float64 `json:"bytes"`
	Fields string  `json:"fields"` // the configuration fields that affect it most
}

// setMemory sets the parts of the memory, and their sum.
func (p *Plan) setMemory() {
	const ofPass = "model.n_ctx, d_vocab"
	p.Memory = []MemoryPart{
		{"weights and passes", p.passesSize(), "model." + p.config.Model.MemoryFields()},
		{"batches", float64(p.Workers) * p.sequencesSize(p.Pass), ofPass},
		{"held-out sequences", p.test().size(), "train.evaluate_sequences, model.n_ctx"},
	}
	const ofBatch = "train.batch_size, " + ofPass
	switch {
	case p.objective.Exact:
		p.Memory = append(p.Memory, MemoryPart{"all sequences", p.wordsSize(), ofPass})
	case p.SharesPrefixes:
		p.Memory = append(p.Memory, MemoryPart{"trees of prefixes", p.treesSize(), ofBatch})
	case p.SharePrefixes == shareAuto: // a batch is drawn to decide whether to share
		tokens := float64(p.config.Train.BatchSize) * float64(2*p.objective.Length()+1)
		p.Memory = append(p.Memory, MemoryPart{"first batch", tokens * int32Size, ofBatch})
	}
	p.Bytes = 0
	for _, part := range p.Memory {
		p.Bytes += part.Bytes
	}
}

// passesSize is the number of bytes that the weights, their copies and the workspaces
// take.
func (p *Plan) passesSize() float64 {
	o := p.config.Train
	copies := 2 + o.Moments() + p.Shards // weights, transposed weights, moments, and a gradient for each shard
	if o.Optimizer == "lbfgs" {
		copies += 4 // a gradient, the start of the search, and the direction in float64
	}
	if o.Stop != nil {
		copies++ // the weights of the best evaluation
	}
	weights := float64(copies) * float64(p.Parameters)
	workspaces := float64(p.Workers) * p.config.Model.WorkspaceSize(p.Room)
	return float32Size * (float64(weights) + float64(workspaces))
}

// sequencesSize is the number of bytes that n sequences and their targets take.
func (p *Plan) sequencesSize(n int) float64 {
	numbers := 3 // an input, a target and its weight
	if p.objective.Optimal {
		numbers += p.config.Model.DVocab
	}
	return float64(n) * float64(p.objective.Length()) * float64(numbers) * float32Size
}

// wordsSize is the number of bytes that the prefixes of all sequences and their forest
// take. Each row of the forest also has an index and a divergence.
func (p *Plan) wordsSize() float64 {
	table := process.WordsSize(p.process.(process.Process), p.objective.Length())
	return table + float64(p.forestSize(p.numWords(), int32Size+float64Size))
}

// treesSize is the number of bytes that a batch and the trees of its prefixes take.
func (p *Plan) treesSize() float64 {
	batch := p.config.Train.BatchSize
	rows := float64(batch) * float64(p.objective.Length())
	if p.SharePrefixes == shareAuto {
		rows *= shareBelow
	}
	return float64(p.sequencesSize(batch)) + float64(p.forestSize(min(rows, p.numWords()), 0))
}

// numWords is the number of prefixes of all sequences.
func (p *Plan) numWords() float64 {
	return float64(process.NumPrefixes(p.process.Alphabet(), p.objective.Length()))
}

// forestSize is the number of bytes that a forest with the given number of prefixes
// takes. The argument `more` is the number of additional bytes for each row. Every pass
// but the first begins with copied rows, up to the length of a sequence.
func (p *Plan) forestSize(prefixes, more float64) float64 {
	capacity := float64(p.PassRows)
	rows := prefixes * capacity / (capacity - float64(p.objective.Length()) + 1)
	return rows * (float64(2*int32Size+float32Size*p.config.Model.DVocab) + more)
}

// checkMemory returns a [*MemoryError] if the plan needs more memory than the machine
// has.
func (p *Plan) checkMemory() error {
	if p.Machine == 0 || p.Bytes <= p.Machine {
		return nil
	}
	return &MemoryError{Need: p.Bytes, Have: p.Machine, Workers: p.Workers, Fields: p.greatest().Fields}
}

// greatest returns the largest part of the memory.
func (p *Plan) greatest() MemoryPart {
	return slices.MaxFunc(p.Memory, func(a, b MemoryPart) int { return cmp.Compare(a.Bytes, b.Bytes) })
}

// MemoryError reports that training needs more memory than the machine has. Lowering the
// numbers in Fields, or using fewer workers, reduces the need.
type MemoryError struct {
	Need, Have float64 // bytes; see [Plan]
	Workers    int
	Fields     string // the fields with the largest effect, such as "model.d_model, n_layers, n_ctx"
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("train: this configuration needs about %s of memory with %d workers, and the machine has %s; "+
		"lower %s",
		limit.Size(e.Need), e.Workers, limit.Size(e.Have), e.Fields)
}
