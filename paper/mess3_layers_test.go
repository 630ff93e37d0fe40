package paper

import (
	"testing"

	"foretell/probe"
	"foretell/process"
)

// The scale of Eq. 5 is the factor that M3 finds over all words.
func TestScaleOfEq5(t *testing.T) {
	h, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	forms, err := compareForms(h)
	if err != nil {
		t.Fatal(err)
	}
	scale, err := scaleOfEq5(h)
	if err != nil {
		t.Fatal(err)
	}
	wantNear(t, "the scale", scale, forms.factor)
}

func TestInOrder(t *testing.T) {
	fit := func(trained, random float64) fits {
		return fits{Controlled: &probe.Controlled{
			Trained: &probe.Regression{HeldOut: probe.Score{MSE: trained}}, Random: &probe.Regression{HeldOut: probe.Score{MSE: random}},
		}}
	}
	for _, test := range []struct {
		what              string
		constrained, full fits
		first, later      bool
		scale             float64
	}{
		{"constrained better", fit(1, 9), fit(2, 9), true, false, 1},
		{"full better", fit(3, 9), fit(2, 9), false, true, 1},
		{"full better, but for the scale", fit(3, 9), fit(2, 9), true, false, 0.5},
		{"no better than untrained", fit(1, 1), fit(1, 0.5), false, false, 1},
	} {
		st := &stage{constrained: test.constrained, full: test.full}
		if first, later := st.inOrder(true, test.scale), st.inOrder(false, test.scale); first != test.first || later != test.later {
			t.Errorf("%s: %t as first stage, %t as a later one", test.what, first, later)
		}
	}
}
