package kernel

import "golang.org/x/sys/cpu"

// detect returns the vector instruction sets of this machine, best first.
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

// halvesAVX512 reports whether this CPU executes a 512-bit instruction as two of 256
// bits. AMD's family 19h (Zen 4) does. All other CPUs are assumed to execute it as one,
// like Intel's and Zen 5 in family 1Ah; the mobile CPUs of that family also split it. The
// answer affects only speed.
func halvesAVX512() bool {
	vendor, family := cpuModel()
	return vendor == "AuthenticAMD" && family == 0x19
}

// cpuModel returns the vendor and family of this CPU as reported by CPUID.
func cpuModel() (vendor string, family uint32) {
	_, b, c, d := cpuid(0)
	signature, _, _, _ := cpuid(1)
	family = signature >> 8 & 0xf
	if family == 0xf {
		family += signature >> 20 & 0xff
	}
	return text(b) + text(d) + text(c), family
}

// text returns the four characters that a register holds, as in CPUID's vendor name.
func text(register uint32) string {
	return string([]byte{byte(register), byte(register >> 8), byte(register >> 16), byte(register >> 24)})
}

// cpuid executes CPUID with leaf in EAX and 0 in ECX.
//
//go:noescape
func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)
