package process

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

func mustFloor(t testing.TB, p Process, positions int) Floor {
	t.Helper()
	floor, err := p.Floor(t.Context(), positions)
	if err != nil {
		t.Fatal(err)
	}
	return floor
}

// More context never hurts where the process is stationary, chance is what position 1
// can reach, and the rate is below every position.
func floorsFall(t *testing.T, p Process, floor Floor, within float64, drifts bool) {
	t.Helper()
	if math.Abs(floor.Chance-floor.ByPosition[0]) > 1e-12 {
		t.Errorf("chance is %g and the floor at position 1 is %g", floor.Chance, floor.ByPosition[0])
	}
	for i := 1; i < len(floor.ByPosition); i++ {
		if !drifts && floor.ByPosition[i] > floor.ByPosition[i-1]+1e-12 {
			t.Errorf("the floor rises at position %d: %v", i+1, floor.ByPosition)
		}
	}
	last := floor.ByPosition[len(floor.ByPosition)-1]
	if rate, halfWidth := rateOf(t, p); rate-halfWidth > last || !(halfWidth > 0 && halfWidth < within) {
		t.Errorf("the entropy rate is %g ± %g, the floor at position 10 is %g", rate, halfWidth, last)
	}
}

// The floors agree with Σ_w Pr(w)·H(next | w) over words, by the predictor alone.
func floorsAreEntropies(t *testing.T, p Process, floor Floor, positions int) {
	t.Helper()
	for position := 1; position <= positions; position++ {
		want := 0.0
		eachWord(p, position-1, func(_ []int32, prob float64, next []float64) { want += prob * stat.Entropy(next) })
		if got := floor.ByPosition[position-1]; math.Abs(got-want) > 1e-12 {
			t.Errorf("the floor at position %d is %.15g, over words it is %.15g", position, got, want)
		}
	}
}

// floorsSettle holds of a process that is not stationary, whose floors may rise: in the
// long run they are the entropy rate.
func floorsSettle(t *testing.T, p Process) {
	t.Helper()
	floor := mustFloor(t, p, 1000)
	last := floor.ByPosition[999]
	if rate, halfWidth := rateOf(t, p); math.Abs(rate-last) > 1e-12 || !(halfWidth > 0 && halfWidth < 1e-6) {
		t.Errorf("the entropy rate is %g ± %g, the floor at position 1000 is %g", rate, halfWidth, last)
	}
}

// Chance is the entropy of the tokens' frequencies over the positions.
func chanceIsOfTheTokens(t *testing.T, p Process, positions int) {
	t.Helper()
	frequencies := make([]float64, p.Alphabet())
	for n := range positions {
		eachWord(p, n, func(_ []int32, prob float64, next []float64) {
			floats.AddScaled(frequencies, prob/float64(positions), next)
		})
	}
	floor := mustFloor(t, p, positions)
	if want := stat.Entropy(frequencies); math.Abs(floor.Chance-want) > 1e-12 {
		t.Errorf("chance is %.15g, over words it is %.15g", floor.Chance, want)
	}
}

// The ceilings agree with Σ_w Pr(w)·max_z Pr(z | w) over words, and retrieval steps with
// those of words.
func ceilingsAreExpectations(t *testing.T, p Process, positions int) {
	t.Helper()
	with, ok := p.(Ceiler)
	if !ok {
		return
	}
	ceiling, err := with.Ceiling(t.Context(), positions)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := with.Ceiling(t.Context(), 0); err == nil {
		t.Error("a ceiling of no position")
	}
	program, marks := p.(Retriever)
	if marks != (ceiling.Retrieval != nil) {
		t.Errorf("retrieval steps by position: %v", ceiling.Retrieval)
	}
	for n := range positions {
		best, retrieval := 0.0, 0.0
		eachWord(p, n, func(word []int32, prob float64, next []float64) {
			best += prob * slices.Max(next)
			for z, q := range next {
				if !marks {
					break
				}
				step := q > 0 && retrieves(t, program, append(slices.Clone(word), int32(z)))
				if step {
					retrieval += prob * q
				}
				if foreseen := foresees(t, p, word, z); foreseen != step {
					t.Errorf("after %v, is the token %d a retrieval step: %v, foreseen: %v", word, z, step, foreseen)
				}
			}
		})
		if got := ceiling.ByPosition[n]; math.Abs(got-best) > 1e-12 {
			t.Errorf("the ceiling at position %d is %.15g, over words it is %.15g", n+1, got, best)
		}
		if marks && math.Abs(ceiling.Retrieval[n]-retrieval) > 1e-12 {
			t.Errorf("position %d is a retrieval step with probability %.15g, over words %.15g", n+1, ceiling.Retrieval[n], retrieval)
		}
	}
}

// retrieves says whether the last token of a word is a retrieval step.
func retrieves(t *testing.T, s Retriever, word []int32) bool {
	t.Helper()
	steps, err := s.Retrievals(word)
	if err != nil {
		t.Fatal(err)
	}
	return steps[len(steps)-1]
}

// foresees says whether a token after a word would be a retrieval step, as the
// predictor has it.
func foresees(t *testing.T, p Process, word []int32, token int) bool {
	t.Helper()
	predictor, ok := p.Predictor().(RetrievalPredictor)
	if !ok {
		t.Fatal("the predictor does not know retrieval steps")
	}
	for _, z := range word {
		if err := predictor.Observe(int(z)); err != nil {
			t.Fatal(err)
		}
	}
	return predictor.Retrieves(token)
}

func floorsAreKnown(t *testing.T, row zooRow, p Process, floor Floor) {
	t.Helper()
	for position, want := range row.floorAt {
		if got := floor.ByPosition[position-1]; math.Abs(got-want) > sixDigits {
			t.Errorf("the floor at position %d is %.7f, want %.6f", position, got, want)
		}
	}
	for i, want := range row.floors {
		if got := floor.ByPosition[i]; math.Abs(got-want) > sixDigits {
			t.Errorf("the floor at position %d is %.7f, want %.6f", i+1, got, want)
		}
	}
	if rate, halfWidth := rateOf(t, p); row.rate != 0 && math.Abs(rate-row.rate) > sixDigits+halfWidth {
		t.Errorf("the entropy rate is %.7f ± %.1e, want %.6f", rate, halfWidth, row.rate)
	}
}

// The mean floor over a window of positions, as the zoo's table states it.
func TestRRXORMeanFloor(t *testing.T) {
	h, err := RRXOR(0.5, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	floor := mustFloor(t, h, 10)
	if mean := stat.Mean(floor.ByPosition[1:], nil); math.Abs(mean-0.586501) > sixDigits {
		t.Errorf("the mean floor of positions 2 to 10 is %.7f, want 0.586501", mean)
	}
}
