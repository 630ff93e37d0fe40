package process

import (
	"testing"

	"foretell/internal/processtest"

	"pgregory.net/rapid"
)

// fromWeights returns the HMM of non-negative weights[i][z][j]; see
// [processtest.FromWeights].
func fromWeights(t interface{ Fatalf(string, ...any) }, weights [][][]float64) *HMM {
	return ofMatrices(t, processtest.FromWeights(weights))
}

func ofMatrices(t interface{ Fatalf(string, ...any) }, matrices [][][]float64) *HMM {
	h, err := New("random", processtest.Numbered(len(matrices)), processtest.Numbered(len(matrices[0])), matrices)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return h
}

// anyHMM draws an irreducible HMM; see [processtest.Irreducible].
func anyHMM(t *rapid.T) *HMM { return ofMatrices(t, processtest.Irreducible(t)) }

// reversibleHMM draws an HMM whose net matrix is reversible; see
// [processtest.Reversible].
func reversibleHMM(t *rapid.T) *HMM { return ofMatrices(t, processtest.Reversible(t)) }

// drawWord draws a word of at most length tokens that h can emit.
func drawWord(t *rapid.T, h *HMM, length int) []int32 {
	return processtest.DrawWord(t, h.Predictor(), h.Alphabet(), length)
}

// pathSums is the brute force that beliefs and floors are checked against: for every
// word up to a length, the probability of the word and of the state after it (for a
// generalised HMM πT^w r and πT^w), summed over every path of states, one product a
// path.
type pathSums struct {
	length int
	a, n   int
	right  []float64
	joint  [][]float64 // [word length][word·n + state]
}

func sumPaths(h *HMM, length int) pathSums {
	s := pathSums{length: length, a: h.Alphabet(), n: h.NumStates(), right: h.right}
	words := 1
	for range length + 1 {
		s.joint = append(s.joint, make([]float64, words*s.n))
		words *= s.a
	}
	var walk func(depth, word, state int, p float64)
	walk = func(depth, word, state int, p float64) {
		s.joint[depth][word*s.n+state] += p
		if depth == length {
			return
		}
		for z, m := range h.matrices {
			for j, q := range m[state*s.n : (state+1)*s.n] {
				if q != 0 {
					walk(depth+1, word*s.a+z, j, p*q)
				}
			}
		}
	}
	for i, p := range h.pi {
		walk(0, 0, i, p)
	}
	return s
}

// prob returns the probability of a word, and its joint row over the last state.
func (s pathSums) prob(length, word int) (float64, []float64) {
	row := s.joint[length][word*s.n : (word+1)*s.n]
	total := 0.0
	for i, p := range row {
		total += p * s.right[i]
	}
	return total, row
}

// digits returns the tokens of a word given as a number of base a.
func digits(word, a, length int) []int32 {
	tokens := make([]int32, length)
	for t := length - 1; t >= 0; t-- {
		tokens[t] = int32(word % a)
		word /= a
	}
	return tokens
}

func mustMess3(t testing.TB, x, a float64) *HMM {
	t.Helper()
	h, err := Mess3(x, a)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
