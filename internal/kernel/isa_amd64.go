package kernel

import "golang.org/x/sys/cpu"

// detect lists the vector instruction sets of this machine, best first.
func detect() []instructionSet {
	x := &cpu.X86
	var sets []instructionSet
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasBMI2 {
		sets = append(sets, avx512)
	}
	if x.HasAVX2 && x.HasFMA && x.HasBMI2 {
		sets = append(sets, avx2)
	}
	return sets
}
