package train

import (
	"fmt"

	"foretell/internal/limit"
)

// Memory returns the bytes that training c with a number of workers needs, to
// within the small change; a float64, because impossible configurations ask for
// more than an int can count.
func (c Config) Memory(workers int) float64 {
	const float32Size, float64Size = 4, 8
	workspaces := float64(workers) * c.Model.WorkspaceSize(passSize(c))
	copies := 2 + 2 + numShards(c) // weights, transposed, moments, gradients
	if c.Train.Optimizer == "lbfgs" {
		copies += 2*lbfgsMemory + 2
	}
	if c.Train.Objective != "" {
		workspaces += float64(workers) * float64(passSize(c)) * float64(c.Model.NCtx) * float64(c.Model.DVocab)
	}
	held := float64(c.Train.EvaluateSequences) * float64(c.Model.NCtx) * float64(c.Model.DVocab+1)
	return float32Size*(float64(copies)*float64(c.Model.Parameters())+workspaces) + float64Size*held
}

// checkMemory returns an error if training c needs more memory than the
// machine has.
func checkMemory(c Config, workers int) error {
	need, have := c.Memory(workers), limit.Memory()
	if have == 0 || need <= have {
		return nil
	}
	return &MemoryError{Need: need, Have: have, Workers: workers, Fields: c.Model.MemoryFields()}
}

// MemoryError says that a training needs more memory than the machine has. A
// smaller model would do with less, and so would fewer workers.
type MemoryError struct {
	Need, Have float64 // bytes; see [Config.Memory]
	Workers    int
	Fields     string // those of the model that need most, such as "d_model, n_layers, n_ctx"
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("train: this configuration needs about %s of memory with %d workers and the machine has %s; "+
		"lower model.%s",
		limit.Size(e.Need), e.Workers, limit.Size(e.Have), e.Fields)
}
