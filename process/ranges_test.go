package process

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/panics"
)

// Every constructor takes the ends of its ranges that belong to them, and nothing beyond.
func TestConstructorRanges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	mess3, even := mustMess3(t, 0.15, 0.6), must(Even(0.5))
	row := []float64{0.5, 0.5}
	list := func(n int, x float64) []float64 { return slices.Repeat([]float64{x}, n) }
	rows := func(n int) [][]float64 { return slices.Repeat([][]float64{row}, n) }
	for what, try := range map[string]struct {
		make func() error
		good bool
	}{
		"iid of 1":            {func() error { return last(IID(1)) }, true},
		"iid of 0":            {func() error { return last(IID(0)) }, false},
		"iid of -1":           {func() error { return last(IID(-1)) }, false},
		"iid of too many":     {func() error { return last(IID(maxIIDTokens + 1)) }, false},
		"coin of 0":           {func() error { return last(NewCoin(0, 1)) }, false},
		"coin of no tails":    {func() error { return last(NewCoin(1, 0)) }, false},
		"coin of NaN":         {func() error { return last(NewCoin(nan, 1)) }, false},
		"coin of much":        {func() error { return last(NewCoin(1e6, 1e6)) }, true},
		"coin of more":        {func() error { return last(NewCoin(1e6+1, 1)) }, false},
		"frdn":                {func() error { return last(FRDN(1, 0.4)) }, true},
		"frdn of half":        {func() error { return last(FRDN(1, 0.5)) }, false},
		"frdn of none":        {func() error { return last(FRDN(1, 0)) }, false},
		"frdn of far":         {func() error { return last(FRDN(1e6+1, 0.4)) }, false},
		"frdn of far back":    {func() error { return last(FRDN(-1e6-1, 0.4)) }, false},
		"frdn of NaN":         {func() error { return last(FRDN(nan, 0.4)) }, false},
		"bloch walk":          {func() error { return last(BlochWalk(0, 1e-10)) }, true},
		"bloch walk in place": {func() error { return last(BlochWalk(1, 0)) }, false},
		"bloch walk of NaN":   {func() error { return last(BlochWalk(nan, 1)) }, false},
		"bloch walk of much":  {func() error { return last(BlochWalk(inf, 1)) }, false},
		"bloch walk far":      {func() error { return last(BlochWalk(1e151, 1)) }, false},
		"parentheses":         {func() error { return last(Parentheses([]float64{1, 0.5, 0})) }, true},
		"parentheses of two":  {func() error { return last(Parentheses([]float64{1, 0})) }, true},
		"parentheses of one":  {func() error { return last(Parentheses([]float64{1})) }, false},
		"no parentheses":      {func() error { return last(Parentheses(nil)) }, false},
		"open at the end":     {func() error { return last(Parentheses([]float64{1, 0.5})) }, false},
		"closed at first":     {func() error { return last(Parentheses([]float64{0.5, 0})) }, false},
		"beyond 1":            {func() error { return last(Parentheses([]float64{1, 1.5, 0})) }, false},
		"too deep": {func() error {
			return last(Parentheses(slices.Concat([]float64{1}, list(maxStates, 0.5), []float64{0})))
		}, false},
		"periodic":            {func() error { return last(Periodic("ab")) }, true},
		"periodic of nothing": {func() error { return last(Periodic("")) }, false},
		"too long a period":   {func() error { return last(Periodic(strings.Repeat("a", maxStates) + "b")) }, false},
		"mapped":              {func() error { return last(Mapped(mess3, []int{1, 0, 1})) }, true},
		"mapped to a gap":     {func() error { return last(Mapped(mess3, []int{2, 0, 2})) }, true},
		"mapped below 0":      {func() error { return last(Mapped(mess3, []int{1, 0, -1})) }, false},
		"mapped beyond":       {func() error { return last(Mapped(mess3, []int{1, 0, maxIIDTokens})) }, false},
		"mapped in part":      {func() error { return last(Mapped(mess3, []int{1, 0})) }, false},
		"mapped twice":        {func() error { return last(Mapped(mess3, []int{1, 0, 1, 0})) }, false},
		"markov":              {func() error { return last(Markov(rows(2), 1)) }, true},
		"markov of two":       {func() error { return last(Markov(rows(4), 2)) }, true},
		"markov of none":      {func() error { return last(Markov(rows(1), 0)) }, false},
		"markov of eleven":    {func() error { return last(Markov(rows(1<<11), 11)) }, false},
		"a row too few":       {func() error { return last(Markov(rows(3), 2)) }, false},
		"a row too many":      {func() error { return last(Markov(rows(5), 2)) }, false},
		"no rows":             {func() error { return last(Markov(nil, 1)) }, false},
		"empty rows":          {func() error { return last(Markov([][]float64{{}}, 1)) }, false},
		"a ragged row":        {func() error { return last(Markov([][]float64{row, {1}}, 1)) }, false},
		"a row of NaN":        {func() error { return last(Markov([][]float64{row, {nan, 1}}, 1)) }, false},
		"a row below 0":       {func() error { return last(Markov([][]float64{row, {-0.5, 1.5}}, 1)) }, false},
		"too many words":      {func() error { return last(Markov(slices.Repeat([][]float64{list(1000, 1e-3)}, 1000), 9)) }, false},
		"mixture":             {func() error { return last(Mixture([]float64{1, 3}, mess3, mess3)) }, true},
		"mixture of one":      {func() error { return last(Mixture([]float64{2}, mess3)) }, true},
		"mixture of none":     {func() error { return last(Mixture(nil)) }, false},
		"a weight too few":    {func() error { return last(Mixture([]float64{1}, mess3, mess3)) }, false},
		"a weight of 0":       {func() error { return last(Mixture([]float64{1, 0}, mess3, mess3)) }, false},
		"a weight below 0":    {func() error { return last(Mixture([]float64{1, -1}, mess3, mess3)) }, false},
		"a weight of NaN":     {func() error { return last(Mixture([]float64{1, nan}, mess3, mess3)) }, false},
		"an infinite weight":  {func() error { return last(Mixture([]float64{1, inf}, mess3, mess3)) }, false},
		"two alphabets":       {func() error { return last(Mixture(row, mess3, even)) }, false},
		"noisy":               {func() error { return last(Noisy(mess3, 0.5)) }, true},
		"noisy of NaN":        {func() error { return last(Noisy(mess3, nan)) }, false},
		"noisy below 0":       {func() error { return last(Noisy(mess3, -0.1)) }, false},
		"noisy beyond 1":      {func() error { return last(Noisy(mess3, 1.1)) }, false},
		"even of NaN":         {func() error { return last(Even(nan)) }, false},
		"golden mean beyond":  {func() error { return last(GoldenMean(1.5)) }, false},
		"z1r below":           {func() error { return last(Z1R(-0.5)) }, false},
		"sns of NaN":          {func() error { return last(SNS(0.5, nan)) }, false},
		"sine of no period":   {func() error { return last(Sine(0, 4)) }, false},
		"sine of one level":   {func() error { return last(Sine(4, 1)) }, false},
		"sine":                {func() error { return last(Sine(4, 2)) }, true},
	} {
		if err := try.make(); (err == nil) != try.good {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Names of words tell words apart, with points between tokens of two digits.
func TestWordNames(t *testing.T) {
	for _, alphabet := range []int{2, 10, 11} {
		seen := map[string]bool{}
		for word := range alphabet * alphabet {
			seen[stateName(word, alphabet, 2)] = true
		}
		if len(seen) != alphabet*alphabet {
			t.Errorf("%d words of %d tokens have %d names", alphabet*alphabet, alphabet, len(seen))
		}
	}
	if a, b := stateName(7, 10, 3), stateName(7, 11, 3); a != "007" || b != "0.0.7" {
		t.Errorf("%s and %s", a, b)
	}
}

// The words of a program are tokens of its alphabet, its floors and ceilings are of one
// position at least, and only programs with delays have a longest one.
func TestSymbolicRefuses(t *testing.T) {
	delays := must(SwitchingDelay([]int{2, 5, 3}, 0.1, 4))
	routing := must(Routing(0.1, 0.2, 4))
	brackets := must(Brackets(0.2, 0.2, 2, 2))
	if delays.LongestDelay() != 5 || routing.LongestDelay() != 0 || brackets.LongestDelay() != 0 {
		t.Errorf("the longest delays are %d, %d and %d", delays.LongestDelay(), routing.LongestDelay(), brackets.LongestDelay())
	}
	for _, s := range []*Symbolic{delays, routing, brackets} {
		for _, bad := range []int32{-1, int32(s.Alphabet()), math.MaxInt32} {
			if steps, err := s.Retrievals([]int32{bad}); err == nil || steps != nil {
				t.Errorf("%s: token %d has the steps %v", s.Name(), bad, steps)
			}
		}
		for _, positions := range []int{0, -1} {
			if _, err := s.Floor(t.Context(), positions); err == nil {
				t.Errorf("%s: a floor of %d positions", s.Name(), positions)
			}
			if _, err := s.Ceiling(t.Context(), positions); err == nil {
				t.Errorf("%s: a ceiling of %d positions", s.Name(), positions)
			}
		}
		floor, ceiling := must(s.Floor(t.Context(), 1)), must(s.Ceiling(t.Context(), 1))
		if len(floor.ByPosition) != 1 || len(ceiling.ByPosition) != 1 {
			t.Errorf("%s: %v and %v at one position", s.Name(), floor, ceiling)
		}
		wantPanics(t, s.Name(), func() { s.Predictor().Next(make([]float64, s.Alphabet()+1)) })
	}
	coin := must(NewCoin(1, 1))
	wantPanics(t, "coin", func() { coin.Predictor().Next(make([]float64, 1)) })
	for _, positions := range []int{0, -1, longestCoin + 1} {
		if _, err := coin.Floor(t.Context(), positions); err == nil {
			t.Errorf("a coin's floor of %d positions", positions)
		}
	}
}

func wantPanics(t *testing.T, what string, f func()) {
	t.Helper()
	if !panics.Does(f) {
		t.Errorf("%s: no panic", what)
	}
}

// What is computed of words and limits ends with its context.
func TestEndsWithItsContext(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	h, generalised := mustMess3(t, 0.15, 0.6), must(Moon(0.6, 0.7))
	for what, try := range map[string]func() error{
		"prefixes":                    func() error { return last(h.Prefixes(over, 4)) },
		"words":                       func() error { return last(Words(over, h, 4)) },
		"words of a generalised one":  func() error { return last(Words(over, generalised, 4)) },
		"limits":                      func() error { return last(h.Limits(over)) },
		"limits of a generalised one": func() error { return last(generalised.Limits(over)) },
		"floor":                       func() error { return last(h.Floor(over, 8)) },
		"ceiling":                     func() error { return last(h.Ceiling(over, 8)) },
	} {
		if err := try(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
