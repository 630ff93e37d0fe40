package process

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// numbered returns the names "0", "1", ….
func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// fromWeights divides non-negative weights[i][z][j] by their sums over (z, j) and
// makes the HMM.
func fromWeights(t interface{ Fatalf(string, ...any) }, weights [][][]float64) *HMM {
	n, a := len(weights), len(weights[0])
	matrices := make([][][]float64, a)
	for z := range matrices {
		matrices[z] = make([][]float64, n)
		for i := range matrices[z] {
			matrices[z][i] = make([]float64, n)
		}
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
	h, err := New("random", numbered(a), numbered(n), matrices)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return h
}

// anyHMM draws an irreducible HMM of up to four states and three tokens, about
// half of its edges missing. Edges around a ring make it irreducible.
func anyHMM(t *rapid.T) *HMM {
	n := rapid.IntRange(1, 4).Draw(t, "states")
	a := rapid.IntRange(1, 3).Draw(t, "tokens")
	weights := make([][][]float64, n)
	for i := range weights {
		weights[i] = make([][]float64, a)
		for z := range weights[i] {
			weights[i][z] = make([]float64, n)
			for j := range weights[i][z] {
				weights[i][z][j] = float64(max(0, rapid.IntRange(-6, 6).Draw(t, "weight")))
			}
		}
		weights[i][rapid.IntRange(0, a-1).Draw(t, "ring token")][(i+1)%n] += 1
	}
	return fromWeights(t, weights)
}

// reversibleHMM draws an HMM whose net matrix T is reversible, and therefore has
// real eigenvalues and a basis of eigenvectors: T[i,j] is W[i,j] over its row sum for
// a symmetric W of positive weights, so π_i T[i,j] = π_j T[j,i] with π the row sums. Each
// T[i,j] is then shared out over the tokens at random, differently for each (i, j),
// which leaves T as it is. Every row of every labelled matrix is positive.
func reversibleHMM(t *rapid.T) *HMM {
	n := rapid.IntRange(1, 6).Draw(t, "states")
	a := rapid.IntRange(1, 4).Draw(t, "tokens")
	weights := make([][][]float64, n)
	for i := range weights {
		weights[i] = make([][]float64, a)
		for z := range weights[i] {
			weights[i][z] = make([]float64, n)
		}
	}
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
	return fromWeights(t, weights)
}

// drawWord draws a word of at most length tokens that h can emit, one step at a
// time through the predictor.
func drawWord(t *rapid.T, h *HMM, length int) []int32 {
	p, next, word := h.Predictor(), make([]float64, h.Alphabet()), []int32{}
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
