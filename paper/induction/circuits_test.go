package induction

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// risen is a model of one head a layer on the lags 1 and 2 of which, snapshot by
// snapshot, the third layer looks at the lags' tokens, the first tells transitions apart
// and the third selects.
func risen(looks, extracts, selects []float64) followedModel {
	m := followedModel{name: "model"}
	for i := range looks {
		var sees attention
		for layer := range 3 {
			byLag := [][]float64{make([]float64, farthest+1), make([]float64, farthest+1)}
			for k := range byLag {
				switch layer {
				case 0:
					byLag[k][k+1] = extracts[i]
				case 2:
					byLag[k][k], byLag[k][1-k] = (looks[i]+selects[i])/2, (looks[i]-selects[i])/2
				}
			}
			sees = append(sees, [][][]float64{byLag})
		}
		m.at = append(m.at, moment{step: 100 * i, above: 0.1, sees: sees, lags: []int{1, 2}})
	}
	return m
}

// rested is a model that is so far above BMA when its training ends, with five observers.
func rested(above float64) followedModel {
	return followedModel{at: []moment{{}, {step: 100, above: above}}, windows: []float64{0.17, 0.15, 0.12, 0.1, 0.08}}
}

// Which observer is nearest, and how near it has to be on each side.
func TestNearestObserver(t *testing.T) {
	for _, test := range []struct {
		above       float64
		transitions int
		rests       bool
	}{
		{0.1719, 0, true},
		{0.1721, 0, false},
		{0.1519, 1, true},
		{0.1521, 1, false},
		{0.1471, 1, true},
		{0.1469, 1, false},
		{0.0819, 4, true},
		{0.0781, 4, true},
		{0.0779, 4, false},
		{0.01, 4, false},
	} {
		if transitions, rests := rested(test.above).observer(); transitions != test.transitions || rests != test.rests {
			t.Errorf("%g: last %d, %v; want %d, %v", test.above, transitions, rests, test.transitions, test.rests)
		}
	}
}

func TestCircuitsRule(t *testing.T) {
	inOrder := risen([]float64{0.1, 0.9, 0.9, 0.9}, []float64{0, 0, 0.5, 0.5}, []float64{0, 0, 0, 0.8})
	together := risen([]float64{0.1, 0.9}, []float64{0, 0.5}, []float64{0, 0.8})
	selectsFirst := risen([]float64{0.1, 0.9, 0.9}, []float64{0, 0, 0.5}, []float64{0, 0.8, 0.8})
	never := risen([]float64{0.1, 0.1}, []float64{0, 0}, []float64{0, 0})
	of := func(above float64, models ...followedModel) circuitry {
		printed := converged(rested(above), rested(above), rested(above))
		printed.Name = "the paper's setting"
		return circuitry{printed: printed, cells: []followedCell{{cell{example, oneHead, true}, converged(models...)}}}
	}
	resting := of(0.12, inOrder)
	resting.printed.Models = resting.printed.Models[:1]
	resting.cells[0].Models[0].Unconverged = "rests"
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, circuitry.judge, verdicts, []claimtest.Case[circuitry]{
		{Name: "as stated", M: of(0.1504, inOrder, together), Want: claim.Holds},
		{Name: "out of order", M: of(0.1504, selectsFirst), Want: claim.Differs},
		{Name: "one seed of two", M: of(0.1504, inOrder, selectsFirst), Want: claim.Holds}, // that kind is open
		{Name: "rests nowhere, no head", M: of(0.25, never), Want: claim.Fails},
		{Name: "between observers, no head", M: of(0.133, never), Want: claim.Fails},
		{Name: "learned, unconverged", M: resting, Want: claim.Open},
	})
	if at := never.halfway(moment.looks); at >= 0 {
		t.Errorf("what never rises comes half of the way at %d", at)
	}
	if at := inOrder.halfway(moment.selects); at != 3 {
		t.Errorf("half of the way at %d, want 3", at)
	}
}

// Snapshots are ever further apart, and the last is the end.
func TestSnapshots(t *testing.T) {
	list := recipe{steps: 1600}.snapshots()
	if len(list) != 16 || list[0] != 6 || list[15] != 1600 {
		t.Errorf("%v", list)
	}
	for i := 2; i < len(list); i++ {
		if list[i]-list[i-1] < list[i-1]-list[i-2] {
			t.Errorf("%v", list)
		}
	}
}
