package describe

import (
	"fmt"
	"testing"

	"foretell/figure"
	"foretell/process"
)

// The parts of a recording are counted, and each has its own piece of the curve: no
// sample is in two pieces, and none is left out.
func TestPartsOfARecording(t *testing.T) {
	s := mustNamed(t, "recording", process.Params{"validation": 0.25})
	d, err := Process(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if r := d.Recording; r.Samples != 48 || r.HeldOut != 10 || r.Validation != 12 {
		t.Errorf("%+v", r)
	}
	const want = "12 samples before those, on which train.stop chooses the step; training never draws from them"
	if fact := d.recordingFacts()[2]; fact.Name != "validation" || fact.Value != want {
		t.Errorf("%+v", fact)
	}
	r := s.Process.(*process.Recording)
	got, next := "", 0.0
	for _, series := range recordPanel(r.Record(), r.Levels(), 12, 10).(figure.Chart).Series {
		got += fmt.Sprintf("%s: %g to %g\n", series.Name, series.X[0], series.X[len(series.X)-1])
		if series.X[0] != next || len(series.X) != len(series.Y) {
			t.Errorf("%s begins at %g, want %g", series.Name, series.X[0], next)
		}
		next = series.X[len(series.X)-1] + 1
	}
	if want := "recording, quantised: training draws its windows here: 0 to 25\n" +
		"for validation: 26 to 37\nheld out: 38 to 47\n"; got != want {
		t.Errorf("got\n%s want\n%s", got, want)
	}
}
