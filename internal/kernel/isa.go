package kernel

import (
	"fmt"
	"os"
	"strings"
)

// EnvISA is the environment variable that overrides the instruction set selected at
// start: generic, avx2, avx512half, avx512, neon, wasm or wasmexact.
const EnvISA = "FORETELL_ISA"

// isa is the instruction set in use. isas are the instruction sets of this machine, best
// first.
var (
	isa  instructionSet
	isas = append(detect(), generic)
)

// instructionSet is an instruction set for the float32 kernels. All of them produce the
// same bits.
type instructionSet uint8

const (
	generic    instructionSet = iota // the Go loops
	avx2                             // AVX2 and FMA
	avx512half                       // like avx512, but with tiles for CPUs that split 512-bit instructions
	avx512                           // AVX-512 F, BW, DQ and VL, in addition to avx2
	neon                             // vector instructions of arm64, available on every arm64 CPU
	wasm                             // WebAssembly with relaxed multiply-adds that round once here
	wasmExact                        // WebAssembly with multiply-adds in float64
)

func (s instructionSet) String() string {
	return [...]string{"generic", "avx2", "avx512half", "avx512", "neon", "wasm", "wasmexact"}[s]
}

// has512 reports whether 512-bit registers are in use.
func (s instructionSet) has512() bool { return s == avx512 || s == avx512half }

// init follows EnvISA if possible. A command that wants to report a wrong value calls
// Select with the same value again.
func init() {
	if Select(os.Getenv(EnvISA)) != nil {
		isa = isas[0]
	}
}

// ISA returns the name of the instruction set in use: generic, avx2, avx512half, avx512,
// neon, wasm or wasmexact.
func ISA() string { return isa.String() }

// Select changes the instruction set in use to the named one, or to the best one of this
// machine if name is empty. An unknown name, or a set that this machine lacks, is an
// error and changes nothing. Select must not run concurrently with a kernel.
func Select(name string) error {
	if name == "" {
		isa = isas[0]
		return nil
	}
	var have []string
	for _, s := range isas {
		if s.String() == name {
			isa = s
			return nil
		}
		have = append(have, s.String())
	}
	return fmt.Errorf("%s: instruction set %q is not one of this machine's: %s", EnvISA, name, strings.Join(have, ", "))
}
