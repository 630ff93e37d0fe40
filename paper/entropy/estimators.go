package entropy

import (
	"math/bits"
	"slices"

	"foretell/internal/portable"
)

// The estimators that every cell has, and their names.
const (
	byTree = iota
	byMatches
	byPlugIn1
	byPlugIn3
	byPlugIn6
	byPlugIn10
	byPatterns
	estimators
)

var names = [estimators]string{
	"context tree", "match lengths", "plug-in 1", "plug-in 3", "plug-in 6", "plug-in 10", "ordinal patterns",
}

// orders are the orders of the plug-in estimators, from byPlugIn1 on.
var orders = []int{1, 3, 6, 10}

// patternOrder is the number of symbols of the pattern that comes before.
const patternOrder = 6

// plugIn is the plug-in estimate of order k of a sequence of more than k symbols: the
// entropy of a symbol given the k before it, by relative frequencies, in nats. It is the
// difference of the entropies of words of k+1 and of k symbols.
func plugIn(x []int32, alphabet, k int) float64 {
	words := uint64(1) // of k+1 symbols
	for range k + 1 {
		high, low := bits.Mul64(words, uint64(alphabet))
		if high > 0 {
			panic("entropy: words of this length have no number")
		}
		words = low
	}
	codes, code := make([]uint64, 0, len(x)), uint64(0)
	for i, symbol := range x {
		code = code%(words/uint64(alphabet))*uint64(alphabet) + uint64(symbol)
		if i >= k {
			codes = append(codes, code)
		}
	}
	return conditional(codes, uint64(alphabet))
}

// patterns is the entropy of an ordinal pattern of m+1 symbols given the pattern of its
// first m, by relative frequencies, in nats: the difference of two permutation entropies
// (Bandt and Pompe 2002). Equal symbols are ordered by time. Symbols are ordered by their
// numbers, which have no meaning for most processes.
func patterns(x []int32, m int) float64 {
	var codes []uint64
	for i := m; i < len(x); i++ {
		code := uint64(0)
		for j := range m + 1 {
			larger := 0 // earlier symbols of the word that are larger: these numbers are the pattern
			for _, before := range x[i-m : i-m+j] {
				if before > x[i-m+j] {
					larger++
				}
			}
			code = code*uint64(j+1) + uint64(larger)
		}
		codes = append(codes, code)
	}
	return conditional(codes, uint64(m+1))
}

// conditional is the entropy of code mod last given code div last, by relative
// frequencies, in nats. It sorts the codes.
func conditional(codes []uint64, last uint64) float64 {
	slices.Sort(codes)
	sum, word, before := 0.0, 0.0, 0.0
	for i, code := range codes {
		word++
		before++
		end := i+1 == len(codes)
		if end || codes[i+1] != code {
			sum -= float64(word * portable.Log(word))
			word = 0
		}
		if end || codes[i+1]/last != code/last {
			sum += float64(before * portable.Log(before))
			before = 0
		}
	}
	return max(0, sum/float64(len(codes)))
}

// matchEstimate is the estimate of the first n symbols by match lengths with a window
// that grows, in nats: the reciprocal of the mean of Λ_i/ln i over i = 2 … n, where Λ_i
// is 1 more than the length of the longest word that begins at i and also began before i
// (Grassberger 1989; Kontoyiannis et al. 1998). previous is [longestPrevious] of a
// sequence that begins with these symbols. A match ends where the n symbols end.
func matchEstimate(previous []int32, n int) float64 {
	sum := 0.0
	for i := 1; i < n; i++ {
		sum += float64(1+min(int(previous[i]), n-i)) / portable.Log(float64(i+1))
	}
	return float64(n-1) / sum
}

// longestPrevious returns for each i the length of the longest word that begins at i and
// also began before i; the two may overlap. It takes linear time, by the suffix automaton
// of the sequence (Blumer et al. 1985).
func longestPrevious(x []int32, alphabet int) []int32 {
	a := automaton{
		alphabet: alphabet, next: make([]int32, alphabet), link: []int32{-1}, length: make([]int32, 1),
		first: make([]int32, 1),
	}
	for i, symbol := range x {
		a.append(int32(i), symbol)
	}
	previous, state, n := make([]int32, len(x)), int32(0), 0
	for i := range x {
		for i+n < len(x) {
			longer := a.next[int(state)*alphabet+int(x[i+n])]
			if a.first[longer] >= int32(i+n) {
				break // it ends here for the first time
			}
			state, n = longer, n+1
		}
		previous[i] = int32(n)
		if n > 0 {
			if n--; int32(n) == a.length[a.link[state]] {
				state = a.link[state]
			}
		}
	}
	return previous
}

// automaton has a state for each set of words that end at the same places. State 0 is the
// empty word, to which no symbol leads.
type automaton struct {
	alphabet     int
	next         []int32 // [state·alphabet + symbol], or 0
	link, length []int32 // the state of the longest suffix that ends elsewhere, too; the longest word
	first        []int32 // the place where the words end for the first time
	last         int32   // the state of the whole sequence
}

// add adds a state with transitions.
func (a *automaton) add(link, length, first int32, next []int32) int32 {
	a.next = append(a.next, next...)
	a.link = append(a.link, link)
	a.length = append(a.length, length)
	a.first = append(a.first, first)
	return int32(len(a.link) - 1)
}

// append adds the symbol at place i.
func (a *automaton) append(i, symbol int32) {
	whole := a.add(0, i+1, i, make([]int32, a.alphabet))
	p := a.last
	a.last = whole
	to := func() *int32 { return &a.next[int(p)*a.alphabet+int(symbol)] }
	for ; p >= 0 && *to() == 0; p = a.link[p] {
		*to() = whole
	}
	if p < 0 {
		return
	}
	q := *to()
	if a.length[q] > a.length[p]+1 { // its shorter words now end at one more place
		long := int(q)
		q = a.add(a.link[long], a.length[p]+1, a.first[long], a.next[long*a.alphabet:(long+1)*a.alphabet])
		for ; p >= 0 && *to() == int32(long); p = a.link[p] {
			*to() = q
		}
		a.link[long] = q
	}
	a.link[whole] = q
}
