package kernel

// PeakLoop runs rounds > 0 of independent multiply-adds entirely in registers of the
// instruction set in use, and returns the number of floating-point operations, two for
// each multiply-add and element. Its timing gives the peak performance with which kernels
// are compared.
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
