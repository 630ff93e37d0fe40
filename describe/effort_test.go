package describe

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"foretell/document"
	"foretell/process"
)

// Nothing of a process of the catalogue is left out, with its own parameters.
func TestTheCatalogueIsComputedWhole(t *testing.T) {
	for _, entry := range process.Catalogue() {
		s := mustNamed(t, entry.Name, nil)
		if _, err := s.Optimum(); err != nil {
			continue // a recording
		}
		for _, part := range []process.Part{process.PartLinear, process.PartSpectrum, process.PartNotes} {
			if reason, err := s.leftOut(mustOptimum(t, s), part); reason != "" || err != nil {
				t.Errorf("%s, %s: %q, %v", entry.Name, part, reason, err)
			}
		}
		if reason := linearLeftOut(mustOptimum(t, s), 10); reason != "" {
			t.Errorf("%s: %s", entry.Name, reason)
		}
	}
}

// What goes with the square and the cube of 65,536 tokens is left out everywhere, and
// refused where there is no memory for it.
func TestLargeProcessesAreShownInPart(t *testing.T) {
	s := mustNamed(t, "iid", process.Params{"n": 65536.0})
	d, err := Process(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if d.Linear != nil || d.LinearError != "" || d.NotComputed[process.PartLinear] == "" {
		t.Errorf("%+v, %q, %v", d.Linear, d.LinearError, d.NotComputed)
	}
	if math.Abs(d.EntropyRate-math.Log(65536)) > 1e-9 {
		t.Errorf("the entropy rate is %v", d.EntropyRate)
	}
	var text strings.Builder
	_ = document.Text(d.text)(&text)
	if !strings.Contains(text.String(), "linear filter\tnot computed: 1 state and 65536 tokens need ") {
		t.Error("the text does not say so")
	}
	b, err := Beliefs(t.Context(), s, []int32{0, 65535})
	if err != nil || b.Linear != nil || b.NotComputed == nil || len(b.Constrained) != 3 {
		t.Errorf("%+v, %v", b.NotComputed, err)
	}
	if _, err := Geometry(t.Context(), mustOptimum(t, s)); err == nil || !strings.Contains(err.Error(), " are too many to draw") {
		t.Errorf("the geometry: %v", err)
	}
	s.All = true
	if _, err := s.leftOut(sized{mustOptimum(t, s)}, process.PartLinear); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("all is not refused: %v", err)
	}
}

// sized is a process for none of whose parts there is memory.
type sized struct{ process.Process }

func (sized) Effort(process.Part) process.Effort { return process.Effort{Bytes: 1e30} }

// A description ends with its context.
func TestDescribeEnds(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	end()
	for _, name := range []string{"mess3", "even", "interleaved", "sine"} {
		if err := mustNamed(t, name, nil).Forms(ctx, "").Write(io.Discard, ".json"); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
