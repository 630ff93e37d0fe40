package probe

import (
	"math"
	"strings"
	"testing"

	"foretell/internal/panics"
	"foretell/internal/random"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// normals returns a table of standard normal numbers.
func normals(seed uint64, rows, width int) Table {
	s := random.New(seed, "probe/test")
	t := Table{Data: make([]float64, rows*width), Width: width}
	for i := range t.Data {
		t.Data[i] = s.Normal()
	}
	return t
}

// times returns the product t·m of a (n, d) and a (d, k) table.
func times(t, m Table) Table {
	var product mat.Dense
	product.Mul(mat.NewDense(t.Rows(), t.Width, t.Data), mat.NewDense(m.Rows(), m.Width, m.Data))
	return Table{Data: product.RawMatrix().Data, Width: m.Width}
}

// rotation returns a random orthogonal (d, d) table.
func rotation(seed uint64, d int) Table {
	var qr mat.QR
	qr.Factorize(mat.NewDense(d, d, normals(seed, d, d).Data))
	var q mat.Dense
	qr.QTo(&q)
	return Table{Data: q.RawMatrix().Data, Width: d}
}

// offset adds c·(column + 1) to each column.
func offset(t Table, c float64) Table {
	for i := range t.Data {
		t.Data[i] += c * float64(i%t.Width+1)
	}
	return t
}

// integerWeights returns weights 0 … 3 and the table with each row that many times.
func integerWeights(t Table) (weights []float64, repeated Table) {
	repeated.Width = t.Width
	for i := range t.Rows() {
		w := i * 7 % 4
		weights = append(weights, float64(w))
		for range w {
			repeated.Data = append(repeated.Data, t.Row(i)...)
		}
	}
	return weights, repeated
}

// wantClose checks that two slices agree to a tolerance relative to the largest entry.
func wantClose(t rapid.TB, what string, got, want []float64, tolerance float64) {
	t.Helper()
	scale, worst := 0.0, 0.0
	for i := range want {
		scale = max(scale, math.Abs(want[i]))
		worst = max(worst, math.Abs(got[i]-want[i]))
		if math.IsNaN(got[i]) != math.IsNaN(want[i]) {
			worst = math.Inf(1)
		}
	}
	if len(got) != len(want) || !(worst <= tolerance*max(scale, 1e-300)) {
		t.Errorf("%s: off by %g of %g\n got %.6g\nwant %.6g", what, worst, scale, got[:min(len(got), 12)], want[:min(len(want), 12)])
	}
}

func wantPanic(t *testing.T, what string, f func()) {
	t.Helper()
	if message := panics.Text(f); !strings.HasPrefix(message, "probe: ") {
		t.Errorf("%s: panic %q, want one that begins with probe:", what, message)
	}
}

func principal(t testing.TB, x Table, weights []float64) *Principal {
	t.Helper()
	p, err := PrincipalComponents(x, weights)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// With unit weights the components are gonum's, which come from a singular value
// decomposition of the rows; its variances are normalised by n − 1.
func TestPrincipalComponentsAgainstGonum(t *testing.T) {
	const n, d = 700, 6
	x := offset(times(normals(1, n, d), normals(2, d, d)), 30)
	p := principal(t, x, nil)

	var reference stat.PC
	if !reference.PrincipalComponents(mat.NewDense(n, d, x.Data), nil) {
		t.Fatal("gonum's decomposition failed")
	}
	var vectors mat.Dense
	reference.VectorsTo(&vectors)
	variance := reference.VarsTo(nil)
	for i := range variance {
		variance[i] *= float64(n-1) / n
		want := mat.Col(nil, i, &vectors)
		fixSign(want)
		wantClose(t, "component", p.Components.Row(i), want, 1e-10)
	}
	wantClose(t, "variance", p.Variance, variance, 1e-12)
	for j, mean := range p.Mean {
		wantClose(t, "mean", []float64{mean}, []float64{stat.Mean(mat.Col(nil, j, mat.NewDense(n, d, x.Data)), nil)}, 1e-13)
	}
}

// An integer weight is as many rows.
func TestPrincipalComponentsWeights(t *testing.T) {
	x := offset(times(normals(3, 300, 4), normals(4, 4, 4)), 5)
	weights, repeated := integerWeights(x)
	got, want := principal(t, x, weights), principal(t, repeated, nil)
	wantClose(t, "mean", got.Mean, want.Mean, 1e-13)
	wantClose(t, "variance", got.Variance, want.Variance, 1e-12)
	wantClose(t, "components", got.Components.Data, want.Components.Data, 1e-10)
}

// A rotation of the rows changes neither the variances nor, but for signs, the
// coordinates; the coordinates have mean zero and are uncorrelated; a component's
// largest entry is positive.
func TestPrincipalComponentsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 8).Draw(t, "d")
		n := rapid.IntRange(d+2, 600).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		x := offset(times(normals(seed, n, d), normals(seed+1, d, d)), 3)
		weights := make([]float64, n)
		s := random.New(seed, "probe/weights")
		total := 0.0
		for i := range weights {
			weights[i] = s.Float64()
			total += weights[i]
		}
		p, err := PrincipalComponents(x, weights)
		if err != nil {
			t.Fatal(err)
		}
		rotated, err := PrincipalComponents(times(x, rotation(seed+2, d)), weights)
		if err != nil {
			t.Fatal(err)
		}
		wantClose(t, "variance after a rotation", rotated.Variance, p.Variance, 1e-11)

		projected := p.Project(x, d)
		products, want := make([]float64, d*d), make([]float64, d*d)
		means := make([]float64, d)
		for i, w := range weights {
			row := projected.Row(i)
			for a := range d {
				means[a] += w * row[a] / total
				for b := range d {
					products[a*d+b] += w * row[a] * row[b] / total
				}
			}
		}
		for a := range d {
			want[a*d+a] = p.Variance[a]
			largest := 0.0
			for _, c := range p.Components.Row(a) {
				if math.Abs(c) > math.Abs(largest) {
					largest = c
				}
			}
			if largest <= 0 {
				t.Errorf("component %d has %g for its largest entry", a, largest)
			}
		}
		wantClose(t, "covariance of the coordinates", products, want, 1e-10)
		for _, m := range means {
			if math.Abs(m) > 1e-10*math.Sqrt(p.Variance[0]) {
				t.Errorf("the coordinates have means %g", means)
			}
		}
		ratios := p.CumulativeRatio()
		if math.Abs(ratios[d-1]-1) > 1e-12 {
			t.Errorf("all components explain %g of the variance", ratios[d-1])
		}
	})
}

// Rows on a line have one component.
func TestPrincipalComponentsOfALine(t *testing.T) {
	x := Table{Width: 3}
	for i := range 100 {
		x.Data = append(x.Data, 1+float64(i), 2-2*float64(i), 3)
	}
	p := principal(t, x, nil)
	wantClose(t, "component", p.Components.Row(0), []float64{-1 / math.Sqrt(5), 2 / math.Sqrt(5), 0}, 1e-13)
	wantClose(t, "variance", p.Variance, []float64{5 * (100*100 - 1) / 12.0, 0, 0}, 1e-12)
	wantClose(t, "cumulative ratio", p.CumulativeRatio(), []float64{1, 1, 1}, 1e-13)
	if got := p.Project(x, 1); got.Width != 1 || got.Rows() != 100 {
		t.Errorf("projected to (%d, %d)", got.Rows(), got.Width)
	}
}

func TestPrincipalComponentsRefuses(t *testing.T) {
	x := normals(1, 10, 2)
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		x.Data[5] = bad
		if _, err := PrincipalComponents(x, nil); err == nil || err.Error() != "probe: column 1 of x holds numbers that are not finite" {
			t.Errorf("error %v", err)
		}
	}
	x = normals(1, 10, 2)
	wantPanic(t, "no rows", func() { _, _ = PrincipalComponents(Table{Width: 2}, nil) })
	wantPanic(t, "half a row", func() { _, _ = PrincipalComponents(Table{Data: x.Data, Width: 3}, nil) })
	wantPanic(t, "too few weights", func() { _, _ = PrincipalComponents(x, make([]float64, 9)) })
	wantPanic(t, "weights all zero", func() { _, _ = PrincipalComponents(x, make([]float64, 10)) })
	wantPanic(t, "a negative weight", func() { _, _ = PrincipalComponents(x, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, -1}) })
	wantPanic(t, "too many components", func() { principal(t, x, nil).Project(x, 3) })
}
