package process

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// A sum counts as zero up to the given share of its terms, that share included.
func TestDropCancelledAtItsBound(t *testing.T) {
	v := []float64{1e-12, -1e-12, math.Nextafter(1e-12, 1), -math.Nextafter(1e-12, 1), 0, 3e-12, 1e-30}
	want := []float64{0, 0, v[2], v[3], 0, 3e-12, 1e-30}
	if got := dropCancelled(v, []float64{1, 1, 1, 1, 0, 2, 0}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A scale is raised by what is more than twice as large, and by nothing that is not
// finite.
func TestRaiseAtItsBound(t *testing.T) {
	for _, test := range []struct {
		v, want []float64
		raised  bool
	}{
		{[]float64{2, -2, 0}, []float64{1, 1, 0}, false},
		{[]float64{math.Nextafter(2, 3), 0.5, 0}, []float64{math.Nextafter(2, 3), 1, 0}, true},
		{[]float64{0, -3, 0}, []float64{1, 3, 0}, true},
		{[]float64{0, 0, 5e-324}, []float64{1, 1, 5e-324}, true},
		{[]float64{9, math.Inf(1), 0}, []float64{1, 1, 0}, false},
		{[]float64{9, math.Inf(-1), 0}, []float64{1, 1, 0}, false},
		{[]float64{9, math.NaN(), 0}, []float64{1, 1, 0}, false},
	} {
		scale := []float64{1, 1, 0}
		if raised := raise(scale, test.v); raised != test.raised || !slices.Equal(scale, test.want) {
			t.Errorf("by %v: %v (%v), want %v (%v)", test.v, scale, raised, test.want, test.raised)
		}
	}
}

// Scales are rounded to powers of two that are not smaller, the others by factors of 2⁵
// of the largest.
func TestRoundedScalesOfEachSize(t *testing.T) {
	for _, test := range []struct{ scale, want []float64 }{
		{[]float64{1}, []float64{1}},
		{[]float64{1, 0.5, 1. / 16, 1. / 32, 1. / 33, 1. / 1024, 0}, []float64{1, 1, 1, 1. / 32, 1. / 32, 1. / 1024, 1}},
		{[]float64{3, 0.25, 0.125, 0.1}, []float64{4, 4, 0.125, 0.125}},
	} {
		if got := rounded(slices.Clone(test.scale)); !slices.Equal(got, test.want) {
			t.Errorf("%v is rounded to %v, want %v", test.scale, got, test.want)
		}
	}
	for x, want := range map[float64]int{0: 0, 1: 0, 2: 1, 0.5: -1, 0.75: 0, 1.5: 1, 3: 2, 4: 2} {
		if got := exponent(x); got != want {
			t.Errorf("%v is at most 2^%d, want 2^%d", x, got, want)
		}
	}
}

// An interleaved chain has 1 to the most tokens, and lags from 1 to the longest.
func TestInterleavedAtItsLimits(t *testing.T) {
	uniform := func(n int) [][]float64 {
		return slices.Repeat([][]float64{slices.Repeat([]float64{1 / float64(n)}, n)}, n)
	}
	for what, test := range map[string]struct {
		P     [][]float64
		lags  []int
		wrong string // a part of the error, or nothing
	}{
		"one token":       {uniform(1), []int{1}, ""},
		"no token":        {nil, []int{1}, "P has 0 rows"},
		"most tokens":     {uniform(maxStates), []int{1}, ""},
		"too many tokens": {uniform(maxStates + 1), []int{1}, "rows, want 1 to"},
		"longest lag":     {uniform(2), []int{longestLag}, ""},
		"too long a lag":  {uniform(2), []int{longestLag + 1}, "lags[0] = "},
		"lag 0":           {uniform(2), []int{0}, "lags[0] = 0"},
		"a lag twice":     {uniform(2), []int{3, 1, 3}, "lags[0] and lags[2] are both 3"},
		"above 1":         {[][]float64{{1.5, -0.5}, {0, 1}}, []int{1}, "P[0][0] = 1.5"},
		"below 0":         {[][]float64{{1, 0}, {-0.5, 1.5}}, []int{1}, "P[1][0] = -0.5"},
		"not a number":    {[][]float64{{1, 0}, {math.NaN(), 1}}, []int{1}, "P[1][0] = NaN"},
		"a short row":     {[][]float64{{1, 0}, {1}}, []int{1}, "row 1 of P has 1 entries"},
		"a small sum":     {[][]float64{{1, 0}, {0.5, 0.4}}, []int{1}, "row 1 of P sums to 0.9"},
	} {
		_, err := NewInterleaved(test.P, test.lags)
		if test.wrong == "" && err != nil || test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
			t.Errorf("%s: %v, want %q", what, err, test.wrong)
		}
	}
}

// Of openings an error says what is wrong with them: either end, the length, or a number.
func TestParenthesesNameTheMistake(t *testing.T) {
	for _, test := range []struct {
		o    []float64
		want string
	}{
		{nil, "begins with 1 and ends with 0"},
		{[]float64{1}, "begins with 1 and ends with 0"},
		{[]float64{1, 0.5}, "begins with 1 and ends with 0"},
		{[]float64{0.5, 0}, "begins with 1 and ends with 0"},
		{[]float64{0.5, 0.5}, "begins with 1 and ends with 0"},
		{[]float64{math.NaN(), 0}, "begins with 1 and ends with 0"},
		{[]float64{1, math.NaN()}, "begins with 1 and ends with 0"},
		{[]float64{1, 1.5, 0}, "o[1] = 1.5"},
		{[]float64{1, 0.5, -0.5, 0}, "o[2] = -0.5"},
	} {
		if _, err := Parentheses(test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("o = %v: %v, want %q", test.o, err, test.want)
		}
	}
}

// The numbers of signals can have the ends of their ranges, and nothing beyond them.
func TestSignalsAtTheirLimits(t *testing.T) {
	delays := func(n int) []int { return slices.Repeat([]int{1}, n) }
	nan := math.NaN()
	for what, test := range map[string]struct {
		err  func() error
		good bool
	}{
		"one delay":         {func() error { return last(SwitchingDelay(delays(1), 0, 1)) }, true},
		"no delay":          {func() error { return last(SwitchingDelay(nil, 0, 1)) }, false},
		"most delays":       {func() error { return last(SwitchingDelay(delays(64), 0, 1)) }, true},
		"too many delays":   {func() error { return last(SwitchingDelay(delays(65), 0, 1)) }, false},
		"longest delay":     {func() error { return last(SwitchingDelay([]int{1024}, 0, 1)) }, true},
		"too long a delay":  {func() error { return last(SwitchingDelay([]int{1025}, 0, 1)) }, false},
		"delay 0":           {func() error { return last(SwitchingDelay([]int{1, 0}, 0, 1)) }, false},
		"keys often":        {func() error { return last(SwitchingDelay(delays(1), math.Nextafter(0.5, 0), 1)) }, true},
		"keys too often":    {func() error { return last(SwitchingDelay(delays(1), 0.5, 1)) }, false},
		"keys below 0":      {func() error { return last(SwitchingDelay(delays(1), -1e-9, 1)) }, false},
		"keys of NaN":       {func() error { return last(SwitchingDelay(delays(1), nan, 1)) }, false},
		"no value":          {func() error { return last(SwitchingDelay(delays(1), 0, 0)) }, false},
		"most values":       {func() error { return last(SwitchingDelay(delays(1), 0, 4096)) }, true},
		"too many values":   {func() error { return last(SwitchingDelay(delays(1), 0, 4097)) }, false},
		"values of three":   {func() error { return last(SwitchingDelay(delays(1), 0, 3)) }, false},
		"routing":           {func() error { return last(Routing(0, 1, 4)) }, true},
		"routing most":      {func() error { return last(Routing(0.5, 0.5, 4096)) }, true},
		"routing too many":  {func() error { return last(Routing(0, 1, 4097)) }, false},
		"routing too few":   {func() error { return last(Routing(0, 1, 3)) }, false},
		"set below 0":       {func() error { return last(Routing(-1e-9, 0.5, 4)) }, false},
		"always set":        {func() error { return last(Routing(1, 1e-9, 4)) }, false},
		"set of NaN":        {func() error { return last(Routing(nan, 0.5, 4)) }, false},
		"never apply":       {func() error { return last(Routing(0.5, 0, 4)) }, false},
		"apply too often":   {func() error { return last(Routing(0.5, 0.5000001, 4)) }, false},
		"apply of NaN":      {func() error { return last(Routing(0.5, nan, 4)) }, false},
		"brackets":          {func() error { return last(Brackets(0.5, 0.5, 1, 1)) }, true},
		"deepest brackets":  {func() error { return last(Brackets(0.5, 0.5, 64, 1)) }, true},
		"too deep brackets": {func() error { return last(Brackets(0.5, 0.5, 65, 1)) }, false},
		"flat brackets":     {func() error { return last(Brackets(0.5, 0.5, 0, 1)) }, false},
		"most tags":         {func() error { return last(Brackets(0.5, 0.5, 1, 4096)) }, true},
		"too many tags":     {func() error { return last(Brackets(0.5, 0.5, 1, 4097)) }, false},
		"no tag":            {func() error { return last(Brackets(0.5, 0.5, 1, 0)) }, false},
		"never open":        {func() error { return last(Brackets(0, 0.5, 1, 1)) }, false},
		"always open":       {func() error { return last(Brackets(1, 1e-9, 1, 1)) }, false},
		"never close":       {func() error { return last(Brackets(0.5, 0, 1, 1)) }, false},
		"close too often":   {func() error { return last(Brackets(0.5, 0.5000001, 1, 1)) }, false},
		"open of NaN":       {func() error { return last(Brackets(nan, 0.5, 1, 1)) }, false},
		"close of NaN":      {func() error { return last(Brackets(0.5, nan, 1, 1)) }, false},
	} {
		if err := test.err(); (err == nil) != test.good {
			t.Errorf("%s: %v", what, err)
		}
	}
}
