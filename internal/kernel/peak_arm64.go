package kernel

// peakFast runs the loop of PeakLoop with vector instructions if it can; ok reports
// whether it did.
func peakFast(rounds int) (flops int, ok bool) {
	if isa == generic || rounds < 1 {
		return 0, false
	}
	peakNEON(rounds)
	return 2 * 4 * 48 * rounds, true // two for each multiply-add and element
}

// peakNEON is 2·24·rounds multiply-adds of whole registers, in 24 chains:
//
//	for range 2 * rounds { for i := range 24 { acc[i] = fma(x, x, acc[i]) } }
//
//go:noescape
func peakNEON(rounds int)
