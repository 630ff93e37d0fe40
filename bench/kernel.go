package bench

import (
	"fmt"
	"math"
	"time"

	"foretell/internal/kernel"
	"foretell/internal/random"
)

// KernelResult is one kernel's speed on one core.
type KernelResult struct {
	Kernel string  `json:"kernel"`
	Shape  string  `json:"shape"`
	Micros float64 `json:"us"`               // median of one call
	GFLOPS float64 `json:"gflops,omitempty"` // for matrix products
	// Peak is the rate of multiply-adds in registers on one core, for the kernel's number
	// type. Measurements of it alternate with the calls, as in a [TrainResult].
	Peak       float64 `json:"peak_gflops,omitempty"`
	NsPerEntry float64 `json:"ns_per_element,omitempty"` // for other kernels
	ISA        string  `json:"isa"`
}

// KernelResults are the results for several kernels and shapes.
type KernelResults []KernelResult

// Speed describes the speed of the kernel: for matrix products relative to the peak, for
// other kernels as the time per element.
func (r KernelResult) Speed() string {
	if r.GFLOPS > 0 {
		return fmt.Sprintf("%.1f GFLOP/s, %.0f %% of the peak, %.0f", r.GFLOPS, 100*r.GFLOPS/r.Peak, r.Peak)
	}
	return fmt.Sprintf("%.2f ns per element", r.NsPerEntry)
}

// timed is a kernel with operands of a fixed shape: the number of floating-point
// operations or of elements in one call, and a function that makes the call.
type timed struct {
	name, shape     string
	flops, elements float64
	call            func()
}

// Kernels times the kernels with operands of the shapes in the reference models, each for
// the given duration, on one core.
func Kernels(each time.Duration) KernelResults {
	var list KernelResults
	for _, k := range kernels() {
		list = append(list, k.time(each, 1))
	}
	return append(list, secondMoments(96, 67).time(each, 0.5), secondMoments(96, 576).time(each, 0.5))
}

// callWindow is the time between measurements of the peak. It is shorter than a
// scheduler's time slice, so that most windows are undisturbed.
const callWindow = time.Millisecond

// time calls the kernel repeatedly for a duration. part is the peak rate for the kernel's
// number type, as a fraction of the peak rate for float32.
func (k timed) time(each time.Duration, part float64) KernelResult {
	k.call()
	found, _ := inTurn(each, callWindow, 1, func() error { // the call returns no error
		k.call()
		return nil
	})
	seconds := found.median.Seconds()
	r := KernelResult{Kernel: k.name, Shape: k.shape, Micros: 1e6 * seconds, ISA: kernel.ISA()}
	if k.flops > 0 {
		r.GFLOPS, r.Peak = k.flops/seconds/1e9, part*found.peak/1e9
	} else {
		r.NsPerEntry = 1e9 * seconds / k.elements
	}
	return r
}

func kernels() []timed {
	const rows = 160
	var list []timed
	for _, s := range [][3]int{{rows, 64, 64}, {rows, 256, 64}, {rows, 64, 256}, {rows, 32, 128}, {rows, 3, 64}} {
		list = append(list, product(s[0], s[1], s[2], false), product(s[0], s[1], s[2], true))
	}
	list = append(list, elementwise(rows*256)...)
	return append(list, attention(10, 64), attention(64, 16), attention(128, 32))
}

// product returns the kernel x·W with the shapes (m,k) and (k,n). If gradient is true, it
// returns xᵀ·y with the shapes (m,k) and (m,n), which computes the gradient of W.
func product(m, n, k int, gradient bool) timed {
	x, flops := numbers(m*k), 2*float64(m)*float64(n)*float64(k)
	if gradient {
		y, w := numbers(m*n), make([]float32, k*n)
		return timed{
			"xᵀ·y", fmt.Sprintf("(%d,%d)ᵀ·(%d,%d)", m, k, m, n), flops, 0,
			func() { kernel.Gemm(k, n, m, x, 1, k, y, n, w, n, false) },
		}
	}
	w, y := numbers(k*n), make([]float32, m*n)
	return timed{
		"x·W", fmt.Sprintf("(%d,%d)·(%d,%d)", m, k, k, n), flops, 0,
		func() { kernel.Gemm(m, n, k, x, k, 1, w, n, y, n, false) },
	}
}

func elementwise(n int) []timed {
	x, y, slope, dy := numbers(n), make([]float32, n), numbers(n), numbers(n)
	shape, size := fmt.Sprintf("(%d)", n), float64(n)
	const d = 64
	rows := n / d
	mean, rstd, w, b := make([]float32, rows), make([]float32, rows), numbers(d), numbers(d)
	dw, db := make([]float32, d), make([]float32, d)
	m, v := make([]float32, n), make([]float32, n)
	return []timed{
		{"GELU", shape, 0, size, func() { kernel.Activate(kernel.GELU, y, x) }},
		{"GELU and its slope", shape, 0, size, func() { kernel.ActivateSlope(kernel.GELU, y, slope, x) }},
		{"GELU backward, by its slope", shape, 0, size, func() { kernel.Product(y, dy, slope) }},
		{
			"layer norm", fmt.Sprintf("(%d,%d)", rows, d), 0, size,
			func() { kernel.LayerNorm(y, mean, rstd, x, w, b, rows, d, 1e-5) },
		},
		{"layer norm backward", fmt.Sprintf("(%d,%d)", rows, d), 0, size, func() {
			clear(y)
			kernel.LayerNormBackward(y, dw, db, dy, x, mean, rstd, w, rows, d)
		}},
		{"Adam", shape, 0, size, func() {
			kernel.Adam(y, dy, m, v, kernel.AdamParams{LR: 1e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Step: 1})
		}},
		{"add", shape, 0, size, func() { kernel.Add(y, x) }},
	}
}

// attention returns a kernel for one head of width h over one sequence of T positions,
// forward and backward. The operations count only the unmasked half.
func attention(T, h int) timed {
	q, k, v, dz := numbers(T*h), numbers(T*h), numbers(T*h), numbers(T*h)
	z, pattern := make([]float32, T*h), make([]float32, T*T)
	dq, dk, dv := make([]float32, T*h), make([]float32, T*h), make([]float32, T*h)
	scratch := make([]float32, kernel.AttentionScratch(T, h))
	scale := float32(1 / math.Sqrt(float64(h)))
	half := float64(T) * float64(T+1) / 2
	return timed{"attention, both ways", fmt.Sprintf("T = %d, h = %d", T, h), 2 * 6 * half * float64(h), 0, func() {
		kernel.Attention(z, h, pattern, nil, q, k, v, h, scratch, T, h, scale)
		kernel.AttentionBackward(dq, dk, dv, dz, h, pattern, q, k, v, h, scratch, T, h, scale)
	}}
}

// secondMoments returns a kernel that adds rows z of n float64, with weights w, to the
// sum Σw·z and the upper triangle of Σw·zᵀz, like an analysis in package probe. The
// operations count only the triangle.
func secondMoments(rows, n int) timed {
	x := make([]float64, rows*n)
	for i, v := range numbers(len(x)) {
		x[i] = float64(v)
	}
	sum, c, z := make([]float64, n), make([]float64, n*n), make([]float64, kernel.PanelsLen(rows, n))
	flops := float64(rows) * float64(n) * float64(n+1)
	return timed{"Σw·zᵀz, float64", fmt.Sprintf("(%d,%d)", rows, n), flops, 0, func() {
		for r := range rows {
			kernel.GramRow(z, rows, r, sum, x[r*n:][:n], 0.5)
		}
		kernel.Gram(c, n, z, rows, rows, n)
	}}
}

// numbers returns n normally distributed numbers.
func numbers(n int) []float32 {
	s, x := random.New(1, "bench/numbers"), make([]float32, n)
	for i := range x {
		x[i] = float32(s.Normal())
	}
	return x
}
