package mess3

import (
	"math"
	"testing"

	"foretell/internal/random"
	"foretell/probe"
	"foretell/process"

	"pgregory.net/rapid"
)

// wantNear fails unless got is want to within 1e-9.
func wantNear(t rapid.TB, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// simplexTable returns n random points of the simplex, and where they lie in the
// plane.
func simplexTable(seed uint64, n int) (beliefs, plane probe.Table) {
	s := random.New(seed, "test/simplex")
	beliefs, plane = probe.Table{Width: 3}, probe.Table{Width: 2}
	for range n {
		a, b := s.Float64(), s.Float64()
		if a > b {
			a, b = b, a
		}
		beliefs.Data = append(beliefs.Data, a, b-a, 1-b)
		at := project([]float64{a, b - a, 1 - b})
		plane.Data = append(plane.Data, at[:]...)
	}
	return beliefs, plane
}

// orthonormal returns a random 3×3 orthogonal matrix by Gram–Schmidt.
func orthonormal(seed uint64) [3][3]float64 {
	s := random.New(seed, "test/orthonormal")
	var q [3][3]float64
	for i := range q {
		for j := range q[i] {
			q[i][j] = s.Normal()
		}
		for k := range i {
			dot := 0.0
			for j := range 3 {
				dot += q[i][j] * q[k][j]
			}
			for j := range 3 {
				q[i][j] -= dot * q[k][j]
			}
		}
		norm := math.Sqrt(q[i][0]*q[i][0] + q[i][1]*q[i][1] + q[i][2]*q[i][2])
		for j := range 3 {
			q[i][j] /= norm
		}
	}
	return q
}

// mess3Words are all words of up to a length.
func mess3Words(t *testing.T, length int) *process.Prefixes {
	t.Helper()
	h, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	return must(h.Prefixes(t.Context(), length))
}

// Points of the simplex in three dimensions, turned, scaled, and with a third
// coordinate that means nothing: align finds the turn that was planted, and the
// points come back as the simplex has them, but for the scale, which it keeps.
func TestAlignRecoversAPlantedTurn(t *testing.T) {
	words := mess3Words(t, 4)
	rapid.Check(t, func(t *rapid.T) {
		seed, scale := rapid.Uint64().Draw(t, "seed"), rapid.Float64Range(0.1, 10).Draw(t, "scale")
		n := words.Rows()
		beliefs, plane := simplexTable(seed, n)
		q, s := orthonormal(seed), random.New(seed, "test/noise")
		components := probe.Table{Width: 3}
		for i := range n {
			p := [3]float64{scale * plane.Data[2*i], scale * plane.Data[2*i+1], s.Normal()}
			for j := range 3 {
				components.Data = append(components.Data, p[0]*q[0][j]+p[1]*q[1][j]+p[2]*q[2][j])
			}
		}
		got, r2, err := align(t.Context(), words, components, beliefs)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range plane.Data {
			wantNear(t, "coordinate", got.Data[i], scale*x)
		}
		wantNear(t, "R²", r2, 1)
	})
}

// The turn stretches nothing: no distance grows, and of two components, which
// leave nothing to choose but a rotation or reflection, none changes. The
// components here have nothing to do with the targets.
func TestAlignKeepsDistances(t *testing.T) {
	words := mess3Words(t, 4)
	for _, width := range []int{2, 3, 5} {
		n := words.Rows()
		beliefs, _ := simplexTable(1, n)
		s := random.New(2, "test/components")
		components := probe.Table{Width: width}
		for range n * width {
			components.Data = append(components.Data, s.Normal())
		}
		got, _, err := align(t.Context(), words, components, beliefs)
		if err != nil {
			t.Fatal(err)
		}
		distance := func(table probe.Table, i, j int) float64 {
			sum := 0.0
			for k, x := range table.Row(i) {
				sum += (x - table.Row(j)[k]) * (x - table.Row(j)[k])
			}
			return math.Sqrt(sum)
		}
		for i := range n {
			for j := range i {
				before, after := distance(components, i, j), distance(got, i, j)
				if after > before+1e-12 || width == 2 && after < before-1e-12 {
					t.Errorf("%d components: points %d and %d were %v apart and are %v", width, i, j, before, after)
				}
			}
		}
	}
}

// A distribution is projected to its place relative to the centre: vertices are equally
// far from it and from each other.
func TestProject(t *testing.T) {
	centre := project([]float64{1. / 3, 1. / 3, 1. / 3})
	wantNear(t, "the centre", centre.length(), 0)
	var corners [3]point
	for i := range corners {
		vertex := make([]float64, 3)
		vertex[i] = 1
		corners[i] = project(vertex)
	}
	for i, c := range corners {
		next := corners[(i+1)%3]
		wantNear(t, "vertex to centre", c.length(), corners[0].length())
		wantNear(t, "edge", separation(c, next), math.Sqrt(3)*c.length())
	}
}

func TestCosine(t *testing.T) {
	for _, test := range []struct {
		a, b point
		want float64
	}{{point{3, 4}, point{3, 4}, 1}, {point{1, 0}, point{0, 2}, 0}, {point{0, 2}, point{0, -1}, -1}} {
		if got := cosine(test.a, test.b); got != test.want {
			t.Errorf("cosine of %v and %v is %v, want %v", test.a, test.b, got, test.want)
		}
	}
}
