package kernel

import (
	"fmt"
	"os"
	"strings"
)

// EnvISA is the environment variable that overrides the choice of the
// instruction set at start: generic, avx2, avx512half, avx512 or neon.
const EnvISA = "FORETELL_ISA"

// isa is the instruction set in use; isas are those of this machine, best first.
var (
	isa  instructionSet
	isas = append(detect(), generic)
)

// instructionSet is the instruction set of the float32 kernels. All of them
// give the same bits.
type instructionSet uint8

const (
	generic    instructionSet = iota // the Go loops
	avx2                             // AVX2 and FMA
	avx512half                       // avx512 by the tiles that suit units of 256 bits, two for each instruction
	avx512                           // AVX-512 F, BW, DQ and VL, besides those of avx2
	neon                             // arm64's vectors, which every arm64 has
)

func (s instructionSet) String() string {
	return [...]string{"generic", "avx2", "avx512half", "avx512", "neon"}[s]
}

// has512 says whether registers of 512 bits are in use.
func (s instructionSet) has512() bool { return s == avx512 || s == avx512half }

// init obeys EnvISA where it can. A command that wants to report a wrong value
// calls Select with it again.
func init() {
	if Select(os.Getenv(EnvISA)) != nil {
		isa = isas[0]
	}
}

// ISA names the instruction set in use: generic, avx2, avx512half, avx512 or neon.
func ISA() string { return isa.String() }

// Select changes the instruction set in use to the one named, or to the best
// of this machine if the name is empty. A name that is unknown or a set that
// this machine lacks is an error and changes nothing. It must not run beside a
// kernel.
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
