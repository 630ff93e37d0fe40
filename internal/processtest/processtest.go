// Package processtest draws hidden Markov models and their words, for the tests of
// packages process and theory. Models are plain matrices, because the tests inside
// package process could not import a package that imports process. Matrices are indexed
// [token][state][next state].
package processtest

import (
	"math"
	"slices"
	"strconv"

	"pgregory.net/rapid"
)

// Numbered returns the names "0", "1", ….
func Numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// FromWeights returns the matrices of non-negative weights[i][z][j], each divided by the
// sum of its state i over (z, j).
func FromWeights(weights [][][]float64) [][][]float64 {
	matrices := make([][][]float64, len(weights[0]))
	for z := range matrices {
		matrices[z] = square(len(weights))
	}
	for i := range weights {
		total := 0.0
		for z := range weights[i] {
			for _, w := range weights[i][z] {
				total += w
			}
		}
		for z := range weights[i] {
			for j, w := range weights[i][z] {
				matrices[z][i][j] = w / total
			}
		}
	}
	return matrices
}

// square returns an n×n matrix of zeros.
func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// noWeights returns weights[i][z][j] of 0.
func noWeights(states, tokens int) [][][]float64 {
	weights := make([][][]float64, states)
	for i := range weights {
		weights[i] = make([][]float64, tokens)
		for z := range weights[i] {
			weights[i][z] = make([]float64, states)
		}
	}
	return weights
}

// Irreducible draws an irreducible HMM of up to four states and three tokens, about half
// of its edges missing. Edges around a ring make it irreducible.
func Irreducible(t *rapid.T) [][][]float64 {
	n := rapid.IntRange(1, 4).Draw(t, "states")
	a := rapid.IntRange(1, 3).Draw(t, "tokens")
	weights := noWeights(n, a)
	for i := range weights {
		for z := range weights[i] {
			for j := range weights[i][z] {
				weights[i][z][j] = float64(max(0, rapid.IntRange(-6, 6).Draw(t, "weight")))
			}
		}
		weights[i][rapid.IntRange(0, a-1).Draw(t, "ring token")][(i+1)%n] += 1
	}
	return FromWeights(weights)
}

// Reversible draws an HMM whose net matrix T is reversible, and therefore has real
// eigenvalues and a basis of eigenvectors: T[i,j] is W[i,j] over its row sum for a
// symmetric W of positive weights, so π_i T[i,j] = π_j T[j,i] with π the row sums. Each
// T[i,j] is then shared out over the tokens at random, differently for each (i, j), which
// leaves T as it is. Every row of every labelled matrix is positive.
func Reversible(t *rapid.T) [][][]float64 {
	n := rapid.IntRange(1, 6).Draw(t, "states")
	a := rapid.IntRange(1, 4).Draw(t, "tokens")
	weights := noWeights(n, a)
	share := rapid.Float64Range(0.01, 1)
	for i := range n {
		for j := range i + 1 {
			w := rapid.Float64Range(0.01, 1).Draw(t, "weight")
			for _, edge := range [][2]int{{i, j}, {j, i}} {
				shares, total := make([]float64, a), 0.0
				for z := range shares {
					shares[z] = share.Draw(t, "share")
					total += shares[z]
				}
				for z := range shares {
					weights[edge[0]][z][edge[1]] = w * shares[z] / total
				}
			}
		}
	}
	return FromWeights(weights)
}

// Model is an HMM, whose coordinates can be changed.
type Model interface {
	NumStates() int
	Alphabet() int
	Transition(token int) []float64 // row-major
	Right() []float64
}

// Scaled returns the matrices and r of h with row i of each matrix and entry i of r
// multiplied by factors[i], and column i divided by it: the same process in other
// coordinates.
func Scaled(h Model, factors []float64) (matrices [][][]float64, right []float64) {
	n := h.NumStates()
	right = h.Right()
	for z := range h.Alphabet() {
		m := square(n)
		for k, x := range h.Transition(z) {
			m[k/n][k%n] = x * (factors[k/n] / factors[k%n])
		}
		matrices = append(matrices, m)
	}
	for i, c := range factors {
		right[i] *= c
	}
	return matrices, right
}

// Sheared returns the matrices and r of h, whose r is all ones, in coordinates that are
// sheared at random.
func Sheared(t *rapid.T, h Model) (matrices [][][]float64, right []float64) {
	n := h.NumStates()
	// S is unit lower triangular with the entries s below the diagonal of its first column:
	// its inverse has −s there.
	s := make([]float64, n)
	for i := 1; i < n; i++ {
		s[i] = rapid.Float64Range(-2, 2).Draw(t, "shear")
	}
	for z := range h.Alphabet() {
		m, sheared := h.Transition(z), square(n)
		for i := range n {
			for j := range n {
				sheared[i][j] = m[i*n+j] + s[i]*m[j]
			}
			for k := 1; k < n; k++ {
				sheared[i][0] -= sheared[i][k] * s[k]
			}
			if math.Abs(sheared[i][0]) < 1e-15 { // the remainder of a difference that is 0
				sheared[i][0] = 0
			}
		}
		matrices = append(matrices, sheared)
	}
	for i := range s {
		right = append(right, 1+s[i])
	}
	return matrices, right
}

// Names of [Generalised] for an HMM in other coordinates, which the caller makes.
const (
	IsSheared = "sheared"
	IsPlain   = "plain" // the same numbers, as a generalised HMM
)

// Generalised draws which generalised HMM to test: [IsSheared], [IsPlain], or a process
// of the catalogue with its parameters.
func Generalised(t *rapid.T) (name string, params map[string]any) {
	name = rapid.SampledFrom([]string{
		IsSheared, IsSheared, IsSheared, IsPlain, IsPlain, IsPlain, "frdn", "bloch_walk", "moon",
	}).Draw(t, "process")
	draw := func(param string, low, high float64) {
		params[param] = rapid.Float64Range(low, high).Draw(t, param)
	}
	params = map[string]any{}
	switch name {
	case "moon":
		draw("alpha", 2, 3)
		draw("beta", 0.3, 0.8)
	case "frdn":
		// Away from whole turns, next to which two directions of a belief are nearly one and
		// its R² has no digits.
		draw("alpha", 1, 5)
		draw("lambda", 0.1, 0.3)
	case "bloch_walk":
		params["alpha"] = 1.0
		draw("beta", 2, 8)
	}
	return name, params
}

// Predictor is a predictor of a process's next token.
type Predictor interface {
	Next(dst []float64)
	Observe(token int) error
}

// DrawWord draws a word of at most length tokens that can occur, one step at a time
// through a new predictor.
func DrawWord(t *rapid.T, p Predictor, alphabet, length int) []int32 {
	next, word := make([]float64, alphabet), []int32{}
	for range rapid.IntRange(0, length).Draw(t, "length") {
		p.Next(next)
		var possible []int
		for z, q := range next {
			if q > 0 {
				possible = append(possible, z)
			}
		}
		z := rapid.SampledFrom(possible).Draw(t, "token")
		if err := p.Observe(z); err != nil {
			t.Fatalf("a token of positive probability: %v", err)
		}
		word = append(word, int32(z))
	}
	return word
}

// EachWord calls f with every word of one length that can occur, its probability and the
// distribution of the token after it. start returns a new predictor.
func EachWord[P Predictor](
	start func() P, alphabet, length int, f func(word []int32, prob float64, next []float64),
) {
	var grow func(word []int32, prob float64)
	grow = func(word []int32, prob float64) {
		predictor := start()
		for _, z := range word {
			if err := predictor.Observe(int(z)); err != nil {
				panic(err) // every token had positive probability
			}
		}
		next := make([]float64, alphabet)
		predictor.Next(next)
		if len(word) == length {
			f(word, prob, next)
			return
		}
		for z, q := range next {
			if q > 0 {
				grow(append(slices.Clone(word), int32(z)), prob*q)
			}
		}
	}
	grow(nil, 1)
}
