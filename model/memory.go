package model

import (
	"fmt"
	"unsafe"

	"foretell/internal/limit"
)

// fitsMemory returns an error unless the machine has memory for the given number of
// floating-point numbers. The text `what` is the subject of the error message.
func fitsMemory[F Float](c Config, what string, numbers float64) error {
	var number F
	need, have := numbers*float64(unsafe.Sizeof(number)), limit.Memory()
	if have == 0 || need <= have {
		return nil
	}
	return fmt.Errorf("model: %s needs about %s of memory and the machine has %s; lower %s",
		what, limit.Size(need), limit.Size(have), c.MemoryFields())
}

// positions returns the size of the tables of sinusoids or rotations that a model holds
// in addition to its parameters, in numbers.
func (c Config) positions() float64 {
	switch c.PositionalEmbeddingType {
	case "sinusoidal":
		return float64(c.NCtx) * float64(c.DModel)
	case "rotary":
		return float64(c.NCtx) * float64(c.DHead)
	}
	return 0
}

// mostBytes returns an upper limit on the number of bytes in a weights file of the
// resolved configuration, in float64. The file's header has an entry for each parameter.
func (c Config) mostBytes() int64 {
	const entry, rest = 256, 4 << 20 // header bytes: for each parameter, and for the rest (such as the configuration)
	return int64(8*c.parameters()) + entry*int64(len(new(Weights[float64]).slots(c))) + rest
}
