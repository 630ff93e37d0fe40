package kernel

import "golang.org/x/sys/cpu"

// detect lists the vector instruction sets of this machine, best first.
func detect() []instructionSet {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2:
		return nil
	case !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512DQ || !x.HasAVX512VL:
		return []instructionSet{avx2}
	case halvesAVX512():
		return []instructionSet{avx512half, avx512, avx2}
	}
	return []instructionSet{avx512, avx512half, avx2}
}

// halvesAVX512 says whether this CPU executes an instruction on 512 bits as two on 256.
// AMD's family 19h does, Zen 4. All others are taken to execute it whole, as Intel's do
// and Zen 5 in family 1Ah, but for its mobile CPUs, of the same family, which halve it,
// too. Speed alone depends on the answer.
func halvesAVX512() bool {
	vendor, family := cpuModel()
	return vendor == "AuthenticAMD" && family == 0x19
}

// cpuModel returns who made this CPU and its family, as CPUID has them.
func cpuModel() (vendor string, family uint32) {
	_, b, c, d := cpuid(0)
	signature, _, _, _ := cpuid(1)
	family = signature >> 8 & 0xf
	if family == 0xf {
		family += signature >> 20 & 0xff
	}
	return text(b) + text(d) + text(c), family
}

// text is the four characters of a register.
func text(register uint32) string {
	return string([]byte{byte(register), byte(register >> 8), byte(register >> 16), byte(register >> 24)})
}

// cpuid is the instruction CPUID with leaf in EAX and 0 in ECX.
//
//go:noescape
func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)
