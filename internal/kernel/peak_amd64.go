package kernel

// peakFast runs the loop of PeakLoop with vector instructions if it can; ok reports
// whether it did.
func peakFast(rounds int) (flops int, ok bool) {
	const perRound = 2 * 48 // operations for each element: two for each multiply-add in a round
	switch {
	case isa == generic || rounds < 1:
		return 0, false
	case isa.has512():
		peakAVX512(rounds)
		return 16 * perRound * rounds, true
	default:
		peakAVX2(rounds)
		return 8 * perRound * rounds, true
	}
}

// peak is 4·12·rounds multiply-adds of whole registers, in 12 chains:
//
//	for range 4 * rounds { for i := range 12 { acc[i] = fma(x, x, acc[i]) } }

//go:noescape
func peakAVX512(rounds int)

//go:noescape
func peakAVX2(rounds int)
