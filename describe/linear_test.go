package describe

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/process"
	"foretell/theory"
)

// A description has what the filter says, of a process that has one.
func TestDescribeLinear(t *testing.T) {
	for _, name := range []string{"mess3", "z1r", "even", "rrxor", "moon", "bloch_walk", "mess3_mixture", "iid", "coin"} {
		s := mustNamed(t, name, nil)
		d, err := Process(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		_, filtered := s.Process.(*process.HMM)
		if filtered != (d.Linear != nil) || d.LinearError != "" {
			t.Errorf("%s: linear %v, %q", name, d.Linear, d.LinearError)
		}
		if d.Linear == nil {
			continue
		}
		if _, err := json.Marshal(d.Linear); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if (d.Linear.Steady == nil) != (d.Linear.NoSteady != "") || len(d.Linear.ByPosition) == 0 {
			t.Errorf("%s: %+v", name, d.Linear)
		}
		for i, r := range d.Linear.ByPosition {
			if r.Position != i+1 || r.Linear < r.Constrained-1e-12 || r.Linear > 1 {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if most := min(d.Spectrum.Heads.Belief, mostHeadFits+1); len(d.Linear.Heads) != most {
			t.Errorf("%s: how near %d numbers of heads come, want %d", name, len(d.Linear.Heads), most)
		}
	}
}

// What is described of Mess3 is what the process says.
func TestDescribeLinearOfMess3(t *testing.T) {
	s := mustNamed(t, "mess3", process.Params{"x": 0.5})
	d, err := Process(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	filter := theory.Of(s.Process.(*process.HMM)).LinearFilter()
	steady, err := filter.Steady(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r2, err := filter.SteadyR2(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l := d.Linear
	if l.Steady.Decays[0] != [2]float64{real(steady.Decays[0]), 0} || *l.Steady.R2 != r2 ||
		!slices.Equal(slices.Concat(l.Steady.Gain...), steady.Gain) ||
		!slices.Equal(slices.Concat(l.Steady.Transfer...), steady.Transfer) {
		t.Errorf("%+v", l.Steady)
	}
	if len(l.Heads) != 2 || !(l.Heads[1].R2 > 0.96) || len(l.Heads[1].Profiles) != 1 || len(l.Heads[1].Profiles[0]) != 10 {
		t.Errorf("%+v", l.Heads)
	}
	if len(l.Geometric) != 2 || l.Geometric[1].Degree != 3 || l.Geometric[0].Length != 7 {
		t.Errorf("%+v", l.Geometric)
	}
}

// Along a word the linear beliefs are those of the process, and π before any token.
func TestTraceHasLinearBeliefs(t *testing.T) {
	p := mustOptimum(t, mustNamed(t, "mess3", nil))
	trace, err := Beliefs(t.Context(), Subject{Process: p}, []int32{0, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	want, err := theory.Of(p.(*process.HMM)).Linear(t.Context(), []int32{0, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(trace.Linear) != 4 || !slices.Equal(trace.Linear[3], want) || math.Abs(trace.Linear[0][0]-1./3) > 1e-15 {
		t.Errorf("%v, want %v at the end", trace.Linear, want)
	}
}

// The picture has a panel for each geometry, in the triangle, in the plane, and of two
// states one under the other.
func TestGeometryHasLinearBeliefs(t *testing.T) {
	for name, rows := range map[string]int{"mess3": 1, "teddy_bear": 1, "even": 3} {
		f, err := Geometry(t.Context(), mustOptimum(t, mustNamed(t, name, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Panels) != rows || len(f.Panels[0]) != 4-rows && rows == 1 || !strings.Contains(f.Title, "linear beliefs") {
			t.Errorf("%s: %q with %d panels", name, f.Title, len(f.Panels[0]))
		}
	}
}
