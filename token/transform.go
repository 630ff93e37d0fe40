package token

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/kernel"
	"foretell/internal/portable"
	"foretell/internal/strict"
)

// longestBlock is the largest number of samples in a block of a transform. The DFT and
// the DCT multiply by a square matrix with this number of rows.
const longestBlock = 1024

// Transform is an orthonormal change of basis for blocks of Len samples. It preserves
// sums of squares (Parseval), so the mean squared error of the coefficients equals the
// mean squared error of the samples. Its results have the same bits on every
// architecture. It may be used concurrently.
type Transform struct {
	name string
	n    int
	// For the DFT and the DCT: analysis[j*n+k] is sample j of basis vector k, and synthesis
	// is the transposed matrix.
	analysis, synthesis []float64
	scaling             []float64 // for a wavelet: the taps of its low-pass filter
}

// transformKind is an entry of the table of transforms.
type transformKind struct {
	name  string
	basis func(n, k, j int) float64 // sample j of basis vector k
	taps  func() []float64
}

var transformKinds = []transformKind{
	{name: "dft", basis: dftBasis},
	{name: "dct", basis: dctBasis},
	{name: "haar", taps: haarTaps},
	{name: "daubechies4", taps: daubechies4Taps},
}

// TransformNames returns the names that [NewTransform] accepts.
func TransformNames() []string {
	names := make([]string, len(transformKinds))
	for i, kind := range transformKinds {
		names[i] = kind.name
	}
	return names
}

// NewTransform returns a transform for blocks of n samples, 1 ≤ n ≤ 1024:
//
//   - "dft": the real discrete Fourier transform. The basis vectors are a constant, then
//     a cosine and a sine for each frequency 2πk/n, and for even n a vector of
//     alternating signs;
//   - "dct": the cosine transform DCT-II, with basis vectors cos(πk(j+½)/n);
//   - "haar": the Haar wavelet, with one level of sums and differences after another
//     while the length is even;
//   - "daubechies4": the Daubechies wavelet with four taps and two vanishing moments. It
//     treats the block as periodic, with one level after another while the length is even
//     and at least 4.
//
// The coefficients of wavelets are ordered from coarse to fine: the final low-pass
// coefficients first, the finest details in the second half. A wavelet of a single sample
// is the sample itself. It returns an error if the name is unknown, if n is out of range,
// or, for a wavelet, if n > 1 is odd or smaller than the number of taps.
func NewTransform(name string, n int) (*Transform, error) {
	at := slices.IndexFunc(transformKinds, func(kind transformKind) bool { return kind.name == name })
	if at < 0 {
		return nil, fmt.Errorf("token: unknown transform %q: %s", name, strict.Choice(name, TransformNames()))
	}
	if n < 1 || n > longestBlock {
		return nil, fmt.Errorf("token: a block of %d samples for a transform is outside [1, %d]", n, longestBlock)
	}
	kind, t := transformKinds[at], &Transform{name: name, n: n}
	if kind.taps == nil {
		t.analysis, t.synthesis = make([]float64, n*n), make([]float64, n*n)
		for k := range n {
			for j := range n {
				t.synthesis[k*n+j] = kind.basis(n, k, j)
			}
		}
		kernel.Transpose(t.analysis, n, t.synthesis, n, n, n)
		return t, nil
	}
	t.scaling = kind.taps()
	if n > 1 && !t.splits(n) {
		return nil, fmt.Errorf("token: %s needs a block with an even number of samples, at least %d; got %d",
			name, len(t.scaling), n)
	}
	return t, nil
}

// Name returns the name of the transform for [NewTransform].
func (t *Transform) Name() string { return t.name }

// Len returns the number of samples in a block.
func (t *Transform) Len() int { return t.n }

// Forward writes the coefficients of the blocks of x, one block after the other, to dst.
// It panics unless dst and x have the same length, a multiple of Len. They must not
// overlap.
func (t *Transform) Forward(dst, x []float64) {
	t.apply(dst, x, t.analysis, t.analyse)
}

// Inverse writes to dst the samples whose coefficients are c, in the order of Forward.
func (t *Transform) Inverse(dst, c []float64) {
	t.apply(dst, c, t.synthesis, t.synthesise)
}

// apply multiplies each block by the matrix or, if the matrix is nil, calls the function
// levels of a wavelet.
func (t *Transform) apply(dst, x, matrix []float64, levels func(dst, x, scratch []float64)) {
	if len(x)%t.n != 0 || len(dst) != len(x) {
		panic(fmt.Sprintf("token: cannot transform %d samples into %d in blocks of %d; "+
			"want the same number, a multiple of the block", len(x), len(dst), t.n))
	}
	if matrix != nil {
		kernel.Gemm(len(x)/t.n, t.n, t.n, x, t.n, 1, matrix, t.n, dst, t.n, false)
		return
	}
	scratch := make([]float64, t.n)
	for at := 0; at < len(x); at += t.n {
		levels(dst[at:at+t.n], x[at:at+t.n], scratch)
	}
}

// turn returns the sine and the cosine of 2π·part/whole, for part ≥ 0.
func turn(part, whole int) (sin, cos float64) {
	return portable.Sincos(2 * math.Pi * float64(part%whole) / float64(whole))
}

// dftBasis returns sample j of the kth of the vectors 1, cos ωj, sin ωj, cos 2ωj, … with
// ω = 2π/n, scaled to norm 1.
func dftBasis(n, k, j int) float64 {
	frequency := (k + 1) / 2
	sin, cos := turn(frequency*j, n)
	switch {
	case frequency == 0 || 2*frequency == n:
		return cos / math.Sqrt(float64(n))
	case k%2 == 1:
		return cos * math.Sqrt(2/float64(n))
	}
	return sin * math.Sqrt(2/float64(n))
}

// dctBasis returns sample j of cos(πk(j+½)/n), scaled to norm 1.
func dctBasis(n, k, j int) float64 {
	_, cos := turn(k*(2*j+1), 4*n)
	if k == 0 {
		return 1 / math.Sqrt(float64(n))
	}
	return cos * math.Sqrt(2/float64(n))
}
