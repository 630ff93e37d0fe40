package kernel

// PeakLoop runs rounds > 0 of independent multiply-adds that never leave the
// registers of the instruction set in use, and returns the number of
// floating-point operations, two for each multiply-add and element. Timed, it
// is the peak that kernels are measured against.
func PeakLoop(rounds int) (flops int) {
	if flops, ok := peakFast(rounds); ok {
		return flops
	}
	var acc [lanes]float32
	for range rounds {
		for l := range acc {
			acc[l] = fma32(acc[l], 0.5, 1)
		}
	}
	return 2 * lanes * rounds
}
