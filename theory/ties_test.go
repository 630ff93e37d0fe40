package theory

import (
	"testing"

	"foretell/process"
)

// Of decays that read a belief alike the least is the best: of one token no other than
// the last is summed. Where no belief varies the last token has the weight that it began
// with, too.
func TestGeometricTies(t *testing.T) {
	mess3, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	iid, err := process.IID(3)
	if err != nil {
		t.Fatal(err)
	}
	for _, degree := range []int{1, 3} {
		got, err := mustSums(t, mess3, 1, degree).Best(t.Context())
		if err != nil || got.Decay != 0 || got.Own != 1 || !(got.R2 > 0.999) {
			t.Errorf("degree %d: of one token %+v (%v)", degree, got, err)
		}
		got, err = mustSums(t, mess3, 1, degree).BestOwn(t.Context())
		if err != nil || got.Decay != 0 {
			t.Errorf("degree %d: of one token with its own weight %+v (%v)", degree, got, err)
		}
		got, err = mustSums(t, iid, 3, degree).BestOwn(t.Context())
		if err != nil || got != (GeometricReading{Decay: 0, Own: 1, R2: 1}) {
			t.Errorf("degree %d: of an iid process %+v (%v)", degree, got, err)
		}
	}
}
