package kernel

import "golang.org/x/sys/cpu"

// detect lists the vector instruction sets of this machine, best first.
func detect() []instructionSet {
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA || !x.HasBMI2 {
		return nil
	}
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
		return []instructionSet{avx512, avx2}
	}
	return []instructionSet{avx2}
}
