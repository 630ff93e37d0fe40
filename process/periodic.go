package process

import (
	"errors"
)

var periodicEntry = Entry{
	Name:    "periodic",
	Kind:    "hmm",
	Params:  []Param{{"pattern", "ABC", "a text, one letter per token", "the pattern that is repeated"}},
	Summary: "a pattern that repeats forever, starting at a random letter",
	New:     func(p Params) (Sampler, error) { return asSampler(Periodic(p.Text("pattern"))) },
}

// Periodic returns the process that repeats a pattern forever and starts at any of its
// letters with equal probability. Each distinct letter is a token, numbered in order of
// first appearance: for "ABC", A is 0, B is 1 and C is 2. State k precedes letter k of
// the pattern, counted from 0.
func Periodic(pattern string) (*HMM, error) {
	const name = "periodic"
	letters := []rune(pattern)
	n := len(letters)
	if n == 0 {
		return nil, errors.New("periodic: pattern is empty: want at least one letter, such as ABC")
	}
	number := map[rune]int{}
	var tokens []string
	for _, letter := range letters {
		if _, ok := number[letter]; !ok {
			number[letter] = len(tokens)
			tokens = append(tokens, string(letter))
		}
	}
	if err := checkSize(name, n, len(tokens)); err != nil {
		return nil, err
	}
	matrices := make([][][]float64, len(tokens))
	for z := range matrices {
		matrices[z] = zeros(n)
	}
	for k, letter := range letters {
		matrices[number[letter]][k][(k+1)%n] = 1
	}
	return New(name, tokens, numbers(n), matrices)
}
