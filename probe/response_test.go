package probe

import (
	"fmt"
	"math"
	"testing"

	"foretell/craft"
	"foretell/process"
	"foretell/theory"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// response of a table of numbers for each word.
func response(t *testing.T, p *process.Prefixes, x Table) *Response {
	t.Helper()
	r, err := analyze(t, nil, p, Plan{Features: []Features{TableFeatures("x", x)}}).Response(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The constrained beliefs are a sum of corrections, one for each token: (Pr(S|z) − π)Tⁿ.
func TestResponseOfTheConstrainedBeliefs(t *testing.T) {
	for name, params := range map[string]process.Params{"mess3": {"x": 0.05, "a": 0.85}, "fractal2": nil, "noisy": {"process": "moon", "epsilon": 0.3}} {
		p, err := process.Build(name, params)
		if err != nil {
			t.Fatal(err)
		}
		h := p.(*process.HMM)
		prefixes := must(h.Prefixes(t.Context(), 5))
		got := response(t, prefixes, Table{Data: prefixes.Constrained, Width: prefixes.States})
		n := h.NumStates()
		for z := range h.Alphabet() {
			correction, err := h.Constrained([]int32{int32(z)})
			if err != nil {
				t.Fatal(err)
			}
			floats.Sub(correction, h.Stationary())
			for lag := range 5 {
				for length := lag + 1; length <= 5; length++ {
					wantClose(t, fmt.Sprint(name, z, lag, length), got.At(length, lag, z), correction, 1e-9)
				}
				var next mat.Dense
				next.Mul(mat.NewDense(1, n, correction), mat.NewDense(n, n, h.NetTransition()))
				correction = next.RawRowView(0)
			}
		}
		for length, r2 := range got.R2 {
			if !(r2 > 1-1e-9) {
				t.Errorf("%s: R² of words of %d tokens is %v", name, length+1, r2)
			}
		}
	}
}

// What the beliefs make of tokens is the linear filter, and its R² that of the filter.
func TestResponseOfTheBeliefsIsTheLinearFilter(t *testing.T) {
	for name, params := range map[string]process.Params{"mess3": {"x": 0.15, "a": 0.6}, "mess3_mixture": nil, "bloch_walk": nil} {
		p, err := process.Build(name, params)
		if err != nil {
			t.Fatal(err)
		}
		h := p.(*process.HMM)
		prefixes, filter := must(h.Prefixes(t.Context(), 5)), theory.Of(h).LinearFilter()
		got := response(t, prefixes, Table{Data: prefixes.Beliefs, Width: prefixes.States})
		first := h.Next(h.Stationary())
		for length := 1; length <= 5; length++ {
			for lag := range length {
				weights := filter.Weights(length, length-lag)
				mean := make([]float64, prefixes.States)
				for z, q := range first {
					floats.AddScaled(mean, q, weights[z*prefixes.States:][:prefixes.States])
				}
				for z := range first {
					want := floats.SubTo(make([]float64, prefixes.States), weights[z*prefixes.States:][:prefixes.States], mean)
					wantClose(t, fmt.Sprint(name, length, lag, z), got.At(length, lag, z), want, 1e-8)
				}
			}
		}
		r2, err := filter.R2(t.Context(), 5)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range r2 {
			wantClose(t, name+": R²", []float64{got.R2[i]}, []float64{r.Linear}, 1e-8)
		}
	}
}

// Of a model it is weighted least squares on one-hot tokens, from kept rows as from a
// pass, for any number of workers, and for words that cannot all occur.
func TestResponseAgainstDesign(t *testing.T) {
	for _, name := range []string{"mess3", "golden_mean"} {
		m, p := randomModel(t, models[1].config), must(build(t, name).Prefixes(t.Context(), 4))
		kept := analyze(t, m, p, Plan{Features: Stages(stages[0]), Targets: both, Keep: true})
		got, err := kept.Response(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for length := 1; length <= 4; length++ {
			fitted, r2 := byIndicators(t, p, kept.Table(0), length)
			from, to := p.Range(length)
			for row := from; row < to; row++ {
				if p.Prob[row] == 0 {
					continue
				}
				sum := make([]float64, got.Width)
				for lag, at := 0, row; lag < length; lag, at = lag+1, p.Parent(at) {
					floats.Add(sum, got.At(length, lag, p.LastToken(at)))
				}
				wantClose(t, fmt.Sprint(name, p.Tokens(row)), sum, fitted(row), 1e-8)
			}
			wantClose(t, name+": R²", []float64{got.R2[length-1]}, []float64{r2}, 1e-9)
			for lag := range length {
				mean := make([]float64, got.Width)
				for z, q := range got.prob[length-1][lag*p.Alphabet:][:p.Alphabet] {
					floats.AddScaled(mean, q, got.At(length, lag, z))
				}
				if size := floats.Norm(mean, 2); size > 1e-9 {
					t.Errorf("%s: the mean change at lag %d of %d tokens is %g", name, lag, length, size)
				}
			}
		}
		before := ""
		for _, workers := range []int{1, 3} {
			streamed, err := analyze(t, m, p, Plan{Features: Stages(stages[0]), Targets: both, Workers: workers}).Response(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			for i, change := range streamed.change {
				wantClose(t, name+": streamed", change.Data, got.change[i].Data, 1e-8)
			}
			if text := fmt.Sprint(streamed); before != "" && text != before {
				t.Errorf("%s: %d workers change bits", name, workers)
			} else {
				before = text
			}
		}
	}
}

// byIndicators fits features of words of a length by indicators of (lag, token) and 1,
// weighted, with a pseudo-inverse, and returns what is fitted to a row beyond the mean.
func byIndicators(t *testing.T, p *process.Prefixes, x Table, length int) (fitted func(row int) []float64, r2 float64) {
	t.Helper()
	from, to := p.Range(length)
	columns := length*p.Alphabet + 1
	design, target := mat.NewDense(to-from, columns, nil), mat.NewDense(to-from, x.Width, nil)
	mean := make([]float64, x.Width)
	for row := from; row < to; row++ {
		root := math.Sqrt(p.Prob[row])
		for lag, at := 0, row; lag < length; lag, at = lag+1, p.Parent(at) {
			design.Set(row-from, lag*p.Alphabet+p.LastToken(at), root)
		}
		design.Set(row-from, columns-1, root)
		floats.AddScaled(target.RawRowView(row-from), root, x.Row(row))
		floats.AddScaled(mean, p.Prob[row], x.Row(row))
	}
	var svd mat.SVD
	if !svd.Factorize(design, mat.SVDThin) {
		t.Fatal("no singular values")
	}
	var coef, predicted mat.Dense
	svd.SolveTo(&coef, target, svd.Rank(1e-9))
	predicted.Mul(design, &coef)
	residual, variance := 0.0, 0.0
	for row := from; row < to; row++ {
		root := math.Sqrt(p.Prob[row])
		for j, y := range target.RawRowView(row - from) {
			residual += math.Pow(y-predicted.At(row-from, j), 2)
			variance += math.Pow(y-root*mean[j], 2)
		}
	}
	return func(row int) []float64 {
		sum := make([]float64, x.Width)
		floats.AddScaled(sum, 1/math.Sqrt(p.Prob[row]), predicted.RawRowView(row-from))
		floats.Sub(sum, mean)
		return sum
	}, 1 - residual/variance
}

// Of Mess3 the constrained beliefs respond by ζⁿ along Pr(S|z) − π; sizes fall alike, and
// a fit that halves them halves both.
func TestProfileOfMess3(t *testing.T) {
	const zeta = 0.55
	h, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	p := must(h.Prefixes(t.Context(), 5))
	got := response(t, p, Table{Data: p.Constrained, Width: 3})
	corners := Table{Width: 3}
	for z := range int32(3) {
		source, err := h.Constrained([]int32{z})
		if err != nil {
			t.Fatal(err)
		}
		corners.Data = append(corners.Data, floats.SubTo(source, source, h.Stationary())...)
	}
	want := make([]float64, 5)
	for lag := range want {
		want[lag] = math.Pow(zeta, float64(lag))
	}
	wantClose(t, "profile", got.Profile(5, corners), want, 1e-9)
	size := floats.Norm(corners.Row(0), 2)
	sizes := floats.ScaleTo(make([]float64, 5), size, want)
	wantClose(t, "sizes", got.Sizes(5), sizes, 1e-9)

	half := got.Through(Fit{Coef: Table{Data: []float64{0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5}, Width: 3}, Intercept: []float64{7, 7, 7}})
	wantClose(t, "half", half.Sizes(5), floats.ScaleTo(make([]float64, 5), 0.5, sizes), 1e-9)
	wantPanic(t, "a fit to fewer columns", func() { got.Through(Fit{Coef: Table{Data: []float64{1, 2}, Width: 1}}) })
	wantPanic(t, "a vector too few", func() { got.Profile(5, Table{Data: corners.Data[:6], Width: 3}) })
	wantPanic(t, "a lag too great", func() { got.At(3, 3, 0) })
}

// With attention that does not look at tokens, a head that brings back token 1 responds
// by its attention; words that a convention leaves out have no response.
func TestResponseOfAHead(t *testing.T) {
	positions := craft.Numbered("position", 5)
	m := crafted(t, []craft.Score{{Query: craft.Always, Key: positions[1], Nats: -0.7}, {Query: positions[3], Key: positions[2], Nats: 1.5}})
	p := must(build(t, "mess3").Prefixes(t.Context(), 5))
	last := Convention{Positions: LastPosition, Equal: true, Test: InSample, Cutoff: Plain}
	for _, c := range []Convention{Ours, last} {
		a := analyze(t, m, p, Plan{Features: Stages(craftedStage), Targets: both, Convention: c, Patterns: true})
		got, err := a.Response(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for length := 1; length <= 5; length++ {
			if c == last && length < 5 {
				if !math.IsNaN(got.R2[length-1]) || got.At(length, 0, 1)[8] != 0 {
					t.Errorf("%d tokens under %s: R² %g", length, c, got.R2[length-1])
				}
				continue
			}
			for lag := range length {
				attention := a.Patterns[0].Mean[(length-1)*5+length-1-lag]
				var change []float64
				for z := range 3 {
					change = append(change, got.At(length, lag, z)[8])
				}
				wantClose(t, fmt.Sprint(c, length, lag), change, []float64{-attention / 3, 2 * attention / 3, -attention / 3}, 1e-5)
			}
		}
	}
	flat := response(t, p, Table{Data: make([]float64, p.Rows()), Width: 1})
	if !math.IsNaN(flat.R2[4]) || flat.Sizes(5)[0] != 0 {
		t.Errorf("what does not vary: %v, %v", flat.R2, flat.Sizes(5))
	}
}

// A pseudo-inverse is that of a covariance of any scale: directions without variance,
// compared with the largest, do not take part.
func TestPseudoSolveHasNoScale(t *testing.T) {
	for _, scale := range []float64{0x1p-40, 1, 0x1p40} {
		c := mat.NewSymDense(2, []float64{scale, scale, scale, scale * (1 + 0x1p-50)}) // rank 1, but for rounding
		b := mat.NewDense(2, 1, []float64{2 * scale, 2 * scale})
		x := pseudoSolve(c, b)
		if math.Abs(x.At(0, 0)-1) > 1e-9 || math.Abs(x.At(1, 0)-1) > 1e-9 {
			t.Errorf("scale %g: %v, want 1 and 1", scale, x.RawMatrix().Data)
		}
	}
}
