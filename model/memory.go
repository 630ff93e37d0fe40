package model

import (
	"fmt"
	"unsafe"

	"foretell/internal/limit"
)

// fitsMemory returns an error if the machine has no room for so many numbers of what.
func fitsMemory[F Float](c Config, what string, numbers float64) error {
	var number F
	need, have := numbers*float64(unsafe.Sizeof(number)), limit.Memory()
	if have == 0 || need <= have {
		return nil
	}
	return fmt.Errorf("model: %s needs about %s of memory and the machine has %s; lower %s",
		what, limit.Size(need), limit.Size(have), c.MemoryFields())
}

// MemoryFields names the fields of a configuration on which its memory depends most, as
// a message may advise to lower them.
func (c Config) MemoryFields() string {
	if c.Flat() {
		return "d_model, d_mlp, n_ctx"
	}
	if c.Concatenates() {
		return "n_heads, n_layers, n_ctx"
	}
	return "d_model, n_layers, n_ctx"
}

// positions returns how many numbers a model holds for positions beside its parameters.
func (c Config) positions() float64 {
	switch c.PositionalEmbeddingType {
	case "sinusoidal":
		return float64(c.NCtx) * float64(c.DModel)
	case "rotary":
		return float64(c.NCtx) * float64(c.DHead)
	}
	return 0
}

// mostBytes bounds the file of the weights of a resolved configuration, in the greater
// precision: its header names each parameter with its shape and its place.
func (c Config) mostBytes() int64 {
	const entry, rest = 256, 4 << 20 // of the header; the rest leaves room for a configuration
	return int64(8*c.parameters()) + entry*int64(len(new(Weights[float64]).slots(c))) + rest
}
