package process

// Part is a computation about a process. Its cost grows faster than the size of the
// process's matrices.
type Part string

// The computations that [Sizer] estimates. Package foretell/theory makes all of them
// except the notes.
const (
	PartLinear   Part = "linear filter"           // LinearFilter.R2 over 10 positions, and its steady state
	PartSpectrum Part = "spectrum"                // Layer.Spectrum
	PartNotes    Part = "notes"                   // [HMM.Check]
	PartWords    Part = "linear beliefs of words" // one step of the linear filter; each position takes one
)

// MostSpectral is the largest number of states of a process whose spectrum
// foretell/theory computes. That takes time proportional to their fourth power and memory
// proportional to their third.
const MostSpectral = 128

// Effort is the approximate cost of a computation about a process.
type Effort struct {
	Products float64 // products of two numbers; see [QuickProducts]
	Bytes    float64 // bytes of memory
}

// QuickProducts is approximately the number of products that take a second or two.
const QuickProducts = 2e9

// quickBytes is the memory, in bytes, that a computation may use if the user did not ask
// for the computation.
const quickBytes = 1 << 30

// Quick reports whether the effort is at most a second or two and 1 GB of memory.
func (e Effort) Quick() bool { return e.Products <= QuickProducts && e.Bytes <= quickBytes }

// Sizer is a process that estimates, from its size alone, the cost of computations
// about it.
type Sizer interface {
	// Effort estimates the cost of a computation. It is zero for a computation that is
	// not one of the Part constants.
	Effort(part Part) Effort
}

// Effort estimates the cost of a computation for n states and A tokens. The factors were
// measured. A step of the linear filter computes the eigenvalues of an A×A matrix and
// products of n×n matrices.
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
		if n > MostSpectral {
			return Effort{} // the spectrum is refused at once for this number of states
		}
		return Effort{Products: 8*n*n*n*n + n*n*a*a, Bytes: 2 * bytes * n * n * n}
	case PartNotes:
		return Effort{Products: 3 * n * n * n * a, Bytes: 2 * bytes * n * n}
	}
	return Effort{}
}
