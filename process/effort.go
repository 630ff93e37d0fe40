package process

// Part is a part of what is known of a process whose cost grows faster than its matrices.
type Part string

// The parts that [Sizer] estimates.
const (
	PartLinear   Part = "linear filter"           // [LinearFilter.R2] over 10 positions, and its steady state
	PartSpectrum Part = "spectrum"                // [HMM.Spectrum]
	PartNotes    Part = "notes"                   // [HMM.Check]
	PartWords    Part = "linear beliefs of words" // a step of the filter, as [HMM.Linear] takes for each position
)

// Effort is about what a part of what is known of a process takes.
type Effort struct {
	Products float64 // a second allows about [QuickProducts]
	Bytes    float64 // of memory
}

// QuickProducts is about how many products a second or two allow.
const QuickProducts = 2e9

// quickBytes is the memory that a part may take without being asked for.
const quickBytes = 1 << 30

// Quick says whether the effort is one of a second or two and of less than 1 GB.
func (e Effort) Quick() bool { return e.Products <= QuickProducts && e.Bytes <= quickBytes }

// Sizer is a process that estimates, from its size alone, what parts of what is known of
// it take.
type Sizer interface {
	// Effort estimates a part. It is zero for a part that it does not know.
	Effort(part Part) Effort
}

// Effort estimates a part for n states and A tokens. The factors are measured: a step of
// the filter takes the eigenvalues of an A×A matrix and products of n×n ones.
func (h *HMM) Effort(part Part) Effort {
	const positions, bytes = 10, 8
	n, a := float64(h.NumStates()), float64(h.Alphabet())
	step := Effort{Products: 8*n*n*n + 2*a*a*a + 2*n*a*(n+a), Bytes: bytes * (6*a*a + 4*n*n + 4*n*a)}
	switch part {
	case PartLinear:
		return Effort{Products: positions * step.Products, Bytes: step.Bytes + positions*bytes*(2*n*n+n*a)}
	case PartWords:
		return step
	case PartSpectrum:
		if n > mostSpectral {
			return Effort{} // which is refused at once
		}
		return Effort{Products: 8*n*n*n*n + n*n*a*a, Bytes: 2 * bytes * n * n * n}
	case PartNotes:
		return Effort{Products: 3 * n * n * n * a, Bytes: 2 * bytes * n * n}
	}
	return Effort{}
}
