package signals

import (
	"fmt"
	"math"

	"foretell/claim"
	"foretell/internal/random"
	"foretell/model"
)

// The number of positions and shifts for which formulas are tried.
const (
	triedLength = 64 // the lecture's K
	triedShifts = 40 // offsets τ = 0 … 39
)

// triedWidths are the widths of the position embeddings with which formulas are tried:
// the widths of “Peaked Attention”, of the slide on RoPE, of the plotted kernels and of
// the homework, and a larger one.
var triedWidths = []int{2, 4, 8, 64, 128}

// sinusoidal returns the forward pass's sinusoidal embeddings of K positions, (K, d).
func sinusoidal(d int) ([][]float64, error) {
	m, err := model.Zero[float64](model.Config{
		DModel: d, NLayers: 1, NHeads: model.Heads{1}, NCtx: triedLength, DVocab: 1, AttnOnly: true,
		PositionalEmbeddingType: "sinusoidal",
	})
	if err != nil {
		return nil, err
	}
	const hook = "hook_pos_embed"
	_, cache, err := m.RunWithCache(make([]int32, triedLength), 1, hook)
	if err != nil {
		return nil, err
	}
	rows := make([][]float64, triedLength)
	for i := range rows {
		rows[i] = cache.Get(hook).Data[i*d : (i+1)*d]
	}
	return rows, nil
}

// wave returns ω_k, the frequency of plane k of position embeddings of width d.
func wave(k, d int) float64 { return math.Pow(10000, -2*float64(k)/float64(d)) }

// cosines returns Σ_k cos(m·ω_k) over the planes of position embeddings of width d.
func cosines(m float64, d int) float64 {
	sum := 0.0
	for k := range d / 2 {
		sum += math.Cos(m * wave(k, d))
	}
	return sum
}

// shifted returns M(shift)·p, where M acts on each plane by the matrix of “Relative
// Shifts”,
// (cos ωk, sin ωk; −sin ωk, cos ωk).
func shifted(p []float64, shift float64) []float64 {
	out := make([]float64, len(p))
	for k := range len(p) / 2 {
		sin, cos := math.Sincos(shift * wave(k, len(p)))
		out[2*k] = cos*p[2*k] + sin*p[2*k+1]
		out[2*k+1] = -sin*p[2*k] + cos*p[2*k+1]
	}
	return out
}

func inner(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// overPositions calls check with the position embeddings of each width, and returns its
// largest result.
func overPositions(check func(d int, p [][]float64) float64) (worst float64, err error) {
	for _, d := range triedWidths {
		p, err := sinusoidal(d)
		if err != nil {
			return 0, err
		}
		worst = larger(worst, check(d, p))
	}
	return worst, nil
}

// larger returns the larger of a and b, or NaN if one of them is NaN.
func larger(a, b float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	return max(a, b)
}

func sinusoidDefinition() (formula, error) {
	left, err := overPositions(func(d int, p [][]float64) (worst float64) {
		for i := range p {
			for k := range d / 2 {
				sin, cos := math.Sincos(float64(i) * wave(k, d))
				worst = larger(worst, larger(math.Abs(p[i][2*k]-sin), math.Abs(p[i][2*k+1]-cos)))
			}
		}
		return worst
	})
	return formula{
		slide:   "Sinusoidal Position Embeddings",
		printed: "p_i[2k] = sin(iω_k), p_i[2k+1] = cos(iω_k)", left: left,
	}, err
}

func relativeShift() (formula, error) {
	left, err := overPositions(func(_ int, p [][]float64) (worst float64) {
		for i := range p {
			for j := range p {
				turned := shifted(p[i], float64(j-i))
				for c, x := range p[j] {
					worst = larger(worst, math.Abs(turned[c]-x))
				}
			}
		}
		return worst
	})
	return formula{
		slide: "Relative Shifts", printed: "p_ω(i+k) = (cos ωk, sin ωk; −sin ωk, cos ωk)·p_ω(i)", left: left,
	}, err
}

func dotProduct() (formula, error) {
	left, err := overPositions(func(d int, p [][]float64) (worst float64) {
		for i := range p {
			for j := range p {
				worst = larger(worst, math.Abs(inner(p[i], p[j])-cosines(float64(i-j), d)))
			}
		}
		return worst
	})
	return formula{slide: "Dot Products Encode Offsets", printed: "p_i·p_j = Σ_k cos((i−j)ω_k)", left: left}, err
}

// uniquePositions searches for two equal position embeddings.
func uniquePositions() (formula, error) {
	same, err := overPositions(func(_ int, p [][]float64) (worst float64) {
		for i := range p {
			for j := range i {
				if d := inner(p[i], p[i]) - inner(p[i], p[j]); !(d > misprinted) {
					worst = 1
				}
			}
		}
		return worst
	})
	return formula{
		slide: "Sinusoidal Position Embeddings", printed: "each position has a unique feature", off: same,
	}, err
}

// rotatedKeys tries keys M(τ)·p_j for all τ below triedShifts, and finds where their dot
// products with the last position's query peak.
func rotatedKeys() (formula, error) {
	astray := 0.0
	left, err := overPositions(func(d int, p [][]float64) (worst float64) {
		i := triedLength - 1
		for tau := range triedShifts {
			best, at := math.Inf(-1), 0
			for j := range p {
				score := inner(p[i], shifted(p[j], float64(tau)))
				worst = larger(worst, math.Abs(score-cosines(float64(i-j-tau), d)))
				if score > best {
					best, at = score, i-j
				}
			}
			if at != tau {
				astray = 1
			}
		}
		return worst
	})
	return formula{
		slide: "Dot Products Select Positions", printed: "q_i·k_j = Σ_k cos((i−j−τ)ω_k), which peaks at i−j = τ",
		off: astray, left: left,
	}, err
}

// The offset of “Peaked Attention”, and the position that attends.
const (
	peakOffset   = 3
	peakPosition = 5 // the last of six positions; offset 3 is the third
)

// peakedScore returns q_i·k_j of “Peaked Attention”: p_i = (cos iω, sin iω), W_Q = I, and
// W_K as printed or transposed.
func peakedScore(i, j int, omega float64, transposed bool) float64 {
	sin, cos := math.Sincos(peakOffset * omega)
	if transposed {
		sin = -sin
	}
	sinI, cosI := math.Sincos(float64(i) * omega)
	sinJ, cosJ := math.Sincos(float64(j) * omega)
	return cosI*(cos*cosJ+sin*sinJ) + sinI*(-sin*cosJ+cos*sinJ)
}

// printedRotation checks to which offset the printed W_K, and its transpose, move the
// peak, for random frequencies.
func printedRotation() (formula, error) {
	f := formula{
		slide: "Peaked Attention", printed: "W_K = (cos 3ω, sin 3ω; −sin 3ω, cos 3ω) with p_i = (cos iω, sin iω)",
		right: "its transpose, (cos 3ω, −sin 3ω; sin 3ω, cos 3ω)",
	}
	draw := random.New(8, "paper/signals/positions")
	for range 100 {
		omega := math.Pi * draw.Float64()
		for i := range triedLength {
			for j := range i + 1 {
				want := math.Cos(float64(i-j-peakOffset) * omega)
				f.left = larger(f.left, math.Abs(peakedScore(i, j, omega, true)-want))
			}
		}
	}
	const omega = math.Pi / 6
	got := peakedScore(peakOffset, 0, omega, false)
	f.off = math.Abs(got - 1)
	f.instead = claim.Exactly("q·k at the intended offset 3 of “Peaked Attention”, W_K as printed, ω = π/6", "", got).
		Beside("printed", 1)
	f.counter = fmt.Sprintf("ω = π/6, i = 3, j = 0: q·k = cos(6ω) = %.3g, not 1; q·k is cos((i−j+3)ω), and its peak, "+
		"j = i+3, is masked", got)
	return f, nil
}

// belowOneOtherwise checks the slide's statement that the cosine is below 1 at every
// other offset, for frequencies that meet the condition that it leaves out.
func belowOneOtherwise() (formula, error) {
	const omega = 2 * math.Pi / 3
	f := formula{
		slide: "Peaked Attention", printed: "cos((i−j−3)ω) < 1 for all other j",
		condition: "if no mω with 0 < m < K is a multiple of 2π, as for ω < 2π/K or ω = 1 (there, 44 positions away, " +
			"1 − cos(44) is 0.00016)",
		counter: fmt.Sprintf("ω = 2π/3, i = 3: the value is 1 at j = 0 and %.6g at j = 3, the position itself, so "+
			"both have the same attention with any gain; so it is for every ω = 2π·p/m",
			peakedScore(3, 3, omega, true)),
	}
	draw := random.New(8, "paper/signals/aliases")
	for range 1000 {
		K := 2 + int(draw.Float64()*1000)
		omega := 2 * math.Pi / float64(K) * draw.Float64()
		for m := 1; m < K; m++ { // 1 − cos x = 2 sin² x/2, without cancellation
			if s := math.Sin(float64(m) * omega / 2); !(s*s > 0) {
				f.off, f.left = 1, 1
			}
		}
	}
	return f, nil
}
