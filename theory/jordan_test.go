package theory

import (
	"foretell/process"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// jordanHMM is a jordanChain with its tokens drawn.
func jordanHMM(t *rapid.T) *process.HMM {
	h, _ := jordanChain(t)
	return h
}

// jordanBlock is a block of a real Jordan form: for im > 0 that of a pair.
type jordanBlock struct {
	re, im float64
	size   int
}

// jordanChain draws an HMM with a given Jordan form: T = 1π + εBJC, with J made of
// random blocks, B and C biorthogonal to each other and to 1 and π, and ε as large
// as keeps T positive. The blocks returned are those of εJ.
func jordanChain(t *rapid.T) (*process.HMM, []jordanBlock) {
	var blocks []jordanBlock
	n := 1
	for range rapid.IntRange(1, 3).Draw(t, "blocks") {
		b := jordanBlock{size: rapid.IntRange(1, 3).Draw(t, "size")}
		width := b.size
		if rapid.Bool().Draw(t, "pair") {
			b.re, b.im = float64(rapid.IntRange(-1, 1).Draw(t, "re")), 1
			width *= 2
		} else {
			b.re = float64(rapid.IntRange(-2, 2).Draw(t, "re")) / 2
		}
		if n+width > 8 {
			continue
		}
		n += width
		blocks = append(blocks, b)
	}
	jordan := mat.NewDense(n, n, nil)
	at := 1
	for _, b := range blocks {
		step := 1
		if b.im > 0 {
			step = 2
		}
		for k := range b.size {
			i := at + k*step
			for j := range step {
				jordan.Set(i+j, i+j, b.re)
				if k+1 < b.size {
					jordan.Set(i+j, i+j+step, 1)
				}
			}
			if b.im > 0 {
				jordan.Set(i, i+1, b.im)
				jordan.Set(i+1, i, -b.im)
			}
		}
		at += step * b.size
	}
	// The first column of B is 1, so that the first row of its inverse is a
	// left eigenvector; columns are made to sum to zero under uniform π.
	basis := mat.NewDense(n, n, nil)
	for j := range n {
		sum := 0.0
		for i := range n {
			x := 1.0
			if j > 0 {
				x = float64(rapid.IntRange(-3, 3).Draw(t, "basis"))
				if i == j {
					x += 6
				}
			}
			sum += x
			basis.Set(i, j, x)
		}
		for i := range n {
			if j > 0 {
				basis.Set(i, j, basis.At(i, j)-sum/float64(n))
			}
		}
	}
	if mat.Cond(basis, 2) > 100 {
		t.Skip("a basis of bad condition")
	}
	var inverse, product mat.Dense
	if err := inverse.Inverse(basis); err != nil {
		t.Skip("no basis")
	}
	product.Product(basis, jordan, &inverse)
	epsilon := 0.9 / float64(n) / max(1e-3, -mat.Min(&product))
	if largest := mat.Max(&product); largest > 0 {
		epsilon = min(epsilon, 0.9/float64(n)/largest)
	}
	for i, b := range blocks {
		blocks[i] = jordanBlock{b.re * epsilon, b.im * epsilon, b.size}
	}
	return emitting(t, n, func(i, j int) float64 { return 1/float64(n) + epsilon*product.At(i, j) }), blocks
}

// emitting shares each entry of T out over tokens at random.
func emitting(t *rapid.T, n int, net func(i, j int) float64) *process.HMM {
	tokens := rapid.IntRange(1, 3).Draw(t, "tokens")
	weights := make([][][]float64, n)
	for i := range weights {
		weights[i] = make([][]float64, tokens)
		for z := range weights[i] {
			weights[i][z] = make([]float64, n)
		}
		for j := range n {
			shares, total := make([]float64, tokens), 0.0
			for z := range shares {
				shares[z] = float64(rapid.IntRange(1, 5).Draw(t, "share"))
				total += shares[z]
			}
			for z, share := range shares {
				weights[i][z][j] = net(i, j) * share / total
			}
		}
	}
	return fromWeights(t, weights)
}
