package process

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// Within a small budget every process has the first of its exact floors, and says how far
// it got.
func TestFloorsWithinABudget(t *testing.T) {
	for _, row := range zoo {
		p, err := Build(row.name, row.params)
		if err != nil {
			t.Fatal(err)
		}
		bounded, ok := p.(Bounded)
		if !ok {
			continue // in closed form
		}
		const positions = 7
		exact := mustFloor(t, p, positions)
		for _, products := range []int64{0, 100, 10_000} {
			got, err := bounded.FloorWithin(t.Context(), positions, products)
			var spent *BudgetError
			if errors.As(err, &spent) {
				got = spent.Floor
				if n := len(got.ByPosition); n < 1 || n >= positions || !strings.HasSuffix(err.Error(), "ask for no more") {
					t.Errorf("%s, %d products: %d positions, %v", row.name, products, n, err)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if got.Chance != exact.Chance || !slices.Equal(got.ByPosition, exact.ByPosition[:len(got.ByPosition)]) {
				t.Errorf("%s, %d products: %v, want the beginning of %v", row.name, products, got, exact)
			}
		}
	}
}

// What is estimated is the exact floor, to four standard errors.
func TestEstimatedFloors(t *testing.T) {
	for _, name := range []string{"mess3", "even", "interleaved", "moon", "noisy"} {
		p, err := Build(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		exact := mustFloor(t, p, 8)
		s := Solved{Floor: Floor{ByPosition: slices.Clone(exact.ByPosition[:1])}, Exact: 1}
		if err := s.estimate(t.Context(), p, 8); err != nil {
			t.Fatal(err)
		}
		for i, h := range exact.ByPosition {
			if d := math.Abs(s.ByPosition[i] - h); d > 2*s.Error[i]+1e-12 || s.Error[i] > 0.02 {
				t.Errorf("%s at position %d: %g ± %g, want %g", name, i+1, s.ByPosition[i], s.Error[i], h)
			}
		}
	}
}

// A ceiling is exact where the floor is cheap, and else estimated from the first position
// on: that of a noisy signal goes to what is known with the phase, 1 − ε + ε/A.
func TestSolveCeiling(t *testing.T) {
	build := func(name string, params Params) Process {
		p, err := Build(name, params)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	exact, err := SolveCeiling(t.Context(), build("sine", nil), 5)
	want, _ := build("sine", nil).(Ceiler).Ceiling(t.Context(), 5)
	if err != nil || exact.Error != nil || exact.Sequences != 0 || !slices.Equal(exact.ByPosition, want.ByPosition) {
		t.Errorf("%+v, %v", exact, err)
	}
	p := build("noisy", Params{"process": Spec{Name: "sine"}})
	got, err := SolveCeiling(t.Context(), p, 30)
	if err != nil || got.Sequences != mostSequences || len(got.Error) != 30 {
		t.Fatalf("%+v, %v", got, err)
	}
	short, err := p.(Ceiler).Ceiling(t.Context(), 4)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range short.ByPosition {
		if math.Abs(got.ByPosition[i]-x) > 2*got.Error[i] {
			t.Errorf("position %d: %g ± %g, exactly %g", i+1, got.ByPosition[i], got.Error[i], x)
		}
	}
	if last := got.ByPosition[29]; math.Abs(last-(0.9+0.1/32)) > 1e-6 {
		t.Errorf("%g in the end", last)
	}
	if _, err := SolveCeiling(t.Context(), build("coin", nil), 3); err == nil {
		t.Error("a coin states no ceiling")
	}
}

// A process with beliefs beyond any budget is solved as far as the budget goes, and
// estimated from there on; what is too much even for that is one line.
func TestSolve(t *testing.T) {
	sine := Spec{Name: "sine", Params: Params{"period": 8.0, "levels": 6.0}}
	p, err := Build("noisy", Params{"process": sine})
	if err != nil {
		t.Fatal(err)
	}
	const products = 10_000_000
	s, err := solve(t.Context(), p, 40, products)
	if err != nil {
		t.Fatal(err)
	}
	if s.Exact < 4 || s.Exact >= 40 || len(s.ByPosition) != 40 || len(s.Error) != 40 || s.Sequences != mostSequences {
		t.Errorf("%d exact positions of %d from %d sequences", s.Exact, len(s.ByPosition), s.Sequences)
	}
	rate, half := rateOf(t, p)
	for i, h := range s.ByPosition {
		if (s.Error[i] == 0) != (i < s.Exact) || h < rate-half-s.Error[i] || i > 0 && h > s.ByPosition[i-1]+s.Error[i]+1e-9 {
			t.Errorf("position %d: %g ± %g after %g, of the rate %g", i+1, h, s.Error[i], s.ByPosition[max(0, i-1)], rate)
		}
	}
	if _, err := solve(t.Context(), p, 1<<24, products); err == nil || !strings.Contains(err.Error(), " positions are too many to estimate their floor, want at most ") {
		t.Errorf("%v", err)
	}
	if s, err := Solve(t.Context(), p, 3); err != nil || s.Exact != 3 || s.Sequences != 0 || !slices.Equal(s.Error, make([]float64, 3)) {
		t.Errorf("%+v, %v", s, err)
	}
}

// large has for every kind of process one that is larger than what can be enumerated, or
// nearly so.
var large = []zooRow{
	{name: "noisy", params: Params{"process": "sine"}},
	{name: "noisy", params: Params{"process": "factored"}},
	{name: "factored", params: Params{"first": "sine", "second": "mess3"}},
	{name: "mixture", params: Params{"components": []Spec{{Name: "mess3"}, {Name: "mess3", Params: Params{"x": 0.3}}}, "weights": []float64{1, 1}}},
	{name: "sine", params: Params{"period": 100.0, "levels": 16.0}},
	{name: "interleaved", params: Params{"lags": []float64{1, 200}}},
	{name: "random_chains", params: Params{"tokens": 60.0}},
	{name: "mackey_glass", params: Params{"points": 20_000.0}},
	{name: "brackets", params: Params{"tags": 4096.0}},
	{name: "parentheses", params: Params{"o": []float64{1, 0.3, 0.6, 0.2, 0}}},
	{name: "teddy_bear"},
	{name: "bloch_walk"},
}

// However large a process is, its floor at a context's positions is solved within a
// budget: of products, of memory, of what is estimated.
func TestLargeProcessesAreSolved(t *testing.T) {
	for _, row := range large {
		p, err := Build(row.name, row.params)
		if err != nil {
			t.Fatal(err)
		}
		s, err := solve(t.Context(), p, 65, 10_000_000)
		if err != nil || len(s.ByPosition) != 65 || len(s.Error) != 65 || s.Exact < 1 {
			t.Errorf("%s, %v: %d positions, %d exact, %v", row.name, row.params, len(s.ByPosition), s.Exact, err)
		}
		if i := slices.IndexFunc(s.ByPosition, math.IsNaN); i >= 0 {
			t.Errorf("%s: position %d is not a number", row.name, i+1)
		}
	}
}
