package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"foretell/internal/fuse"
	"foretell/model"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

// A number that is not finite, in the features of one word or in a target, kept or
// streamed, is an error of an analysis. One of a word that cannot occur is, too.
func TestNotFiniteIsAnError(t *testing.T) {
	m, p := subject(t)
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, row := range []int{0, p.Rows() / 2, p.Rows() - 1} {
			x := Table{Data: make([]float64, 2*p.Rows()), Width: 2}
			for i := range x.Data {
				x.Data[i] = float64(i % 7)
			}
			good := Table{Data: append([]float64(nil), x.Data...), Width: 2}
			x.Data[2*row+1] = bad
			for _, keep := range []bool{false, true} {
				plans := map[string]Plan{
					"features": {Features: []Features{TableFeatures("x", x)}, Targets: []Target{Beliefs}, Keep: keep},
					"a target": {
						Features: []Features{TableFeatures("x", good)}, Targets: []Target{Beliefs, tableTarget("y", x)}, Keep: keep,
					},
				}
				for what, plan := range plans {
					for _, m := range []*model.Transformer[float32]{nil, m} {
						if _, err := Analyze(t.Context(), m, p, plan); !errors.Is(err, model.ErrNotFinite) {
							t.Errorf("%s with %v in row %d, kept %v: %v", what, bad, row, keep, err)
						}
					}
				}
				if _, err := Analyze(t.Context(), m, p, Plan{Features: []Features{TableFeatures("x", good)}, Keep: keep}); err != nil {
					t.Errorf("finite numbers, kept %v: %v", keep, err)
				}
			}
		}
	}
}

// A target's error is that of an analysis, of its shuffled words, of another convention's
// reading and of an examination.
func TestErrorsOfTargets(t *testing.T) {
	m, p := subject(t)
	failed := errors.New("no such target")
	bad := Target{Name: "bad", of: func(context.Context, *process.Prefixes) (Table, error) { return Table{}, failed }}
	if _, err := Shuffled(bad).Of(t.Context(), p); !errors.Is(err, failed) {
		t.Errorf("shuffled: %v", err)
	}
	if _, err := bad.Varies(t.Context(), p); !errors.Is(err, failed) {
		t.Errorf("varies: %v", err)
	}
	for _, keep := range []bool{false, true} {
		plan := Plan{Features: Stages("blocks.0.hook_resid_mid"), Targets: []Target{Beliefs, bad}, Keep: keep}
		if _, err := Analyze(t.Context(), m, p, plan); !errors.Is(err, failed) {
			t.Errorf("analysis, kept %v: %v", keep, err)
		}
	}
	plan := Plan{Features: Stages("blocks.0.hook_resid_mid"), Targets: []Target{Beliefs}, Keep: true}
	if _, err := analyze(t, m, p, plan).Under(t.Context(), Ours, bad); !errors.Is(err, failed) {
		t.Errorf("under another convention: %v", err)
	}
	if _, err := Examine(t.Context(), Subject{Model: m}, p, Question{Target: bad}); !errors.Is(err, failed) {
		t.Errorf("examination: %v", err)
	}
}

// Linear beliefs end with their context.
func TestInterruptedTargets(t *testing.T) {
	_, p := subject(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Linear.Of(over, p); !errors.Is(err, context.Canceled) {
		t.Errorf("linear beliefs: %v", err)
	}
	for n := range 50 {
		if _, err := SampleWords(fuse.New(n+1), build(t, "mess3"), 3, 50, 1); !errors.Is(err, context.Canceled) {
			t.Fatalf("sampled words after %d questions: %v", n, err)
		}
	}
}

// What moments say of residuals and variances is what their rows say, wherever the mean
// of the target lies that the variance is about.
func TestResidualsOfMoments(t *testing.T) {
	const rows, d, k = 40, 3, 2
	x, y, weights := normals(1, rows, d), normals(2, rows, k), randomWeights(3, rows)
	for _, offset := range []float64{0, 2.5, -4} {
		shift := make([]float64, d+k)
		for j := range shift {
			shift[j] = offset * float64(1+j)
		}
		fit := Fit{Coef: normals(4, d, k), Intercept: []float64{0.5, -1}}
		mean := []float64{1.5, -0.75} // of shifted columns
		m := momentsOf([]Table{x, y}, shift, weights)
		for _, columns := range []columns{{0, 2}, {0, 1}, {1, 2}} {
			part := Fit{Intercept: fit.Intercept[columns.from:columns.to]}
			part.Coef.Width = columns.to - columns.from
			for a := range d {
				part.Coef.Data = append(part.Coef.Data, fit.Coef.Row(a)[columns.from:columns.to]...)
			}
			got := m.residuals(part, d, columns, mean[columns.from:columns.to])
			var residual, variance []float64
			for b := columns.from; b < columns.to; b++ {
				r, v := 0.0, 0.0
				for i, w := range weights {
					target, predicted := y.Row(i)[b]-shift[d+b], fit.Intercept[b]
					for a := range d {
						predicted += (x.Row(i)[a] - shift[a]) * fit.Coef.Row(a)[b]
					}
					r += w * (target - predicted) * (target - predicted)
					v += w * (target - mean[b]) * (target - mean[b])
				}
				residual, variance = append(residual, r), append(variance, v)
			}
			what := fmt.Sprint(offset, columns)
			wantClose(t, what+": residual", got.residual, residual, 1e-9)
			wantClose(t, what+": variance", got.variance, variance, 1e-9)
			wantClose(t, what+": weight", []float64{got.weight}, []float64{floats.Sum(weights)}, 1e-12)
		}
	}
}

// Without a model there is no divergence, and an activation that no pass was asked for
// is a mistake of the caller.
func TestWithoutAModel(t *testing.T) {
	m, p := subject(t)
	a := analyze(t, nil, p, Plan{Features: []Features{NextTokenFeatures(p)}, Targets: []Target{Beliefs}})
	if kl := a.KL(); !math.IsNaN(kl.Mean) || a.KLByPosition() != nil {
		t.Errorf("divergence %v, by position %v", kl, a.KLByPosition())
	}
	err := Sweep(t.Context(), m, p, nil, 1, func() (func(*Pass), func()) {
		return func(pass *Pass) {
			wantPanic(t, "an activation that was not asked for", func() { pass.Activation("hook_embed") })
		}, func() {}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every pass of a plan keeps to the bound of nodes, unless one word is longer, with all
// words of full length in their order, and no pass has room for the word that follows.
func TestPlannedPasses(t *testing.T) {
	_, p := subject(t)
	from, to := p.Range(p.Length)
	for _, limit := range []int{1, p.Length, p.Length + 1, 12, 40, 1 << 20} {
		passes, largest := planPasses(p, limit)
		at, most := from, 0
		for i, pass := range passes {
			nodes := func(l leaves) (n int) {
				words := map[string]bool{}
				for row := l.from; row < l.to; row++ {
					tokens := p.Tokens(row)
					for length := 1; length <= len(tokens); length++ {
						words[fmt.Sprint(tokens[:length])] = true
					}
				}
				return len(words)
			}
			n := nodes(pass)
			most = max(most, n)
			if pass.from != at || pass.to <= pass.from || n > max(limit, p.Length) {
				t.Fatalf("limit %d, pass %d: rows %d to %d of %d nodes, want from %d", limit, i, pass.from, pass.to, n, at)
			}
			if at = pass.to; at < to && nodes(leaves{pass.from, at + 1}) <= limit {
				t.Errorf("limit %d, pass %d: there is room for another word", limit, i)
			}
		}
		if at != to || largest != most {
			t.Errorf("limit %d: up to row %d of %d, %d nodes of %d", limit, at, to, largest, most)
		}
	}
}

// R² of what does not vary is null in a report, and any other number is itself.
func TestFiniteAsJSON(t *testing.T) {
	for x, want := range map[Finite]string{
		0: "0", -1.5: "-1.5", 1e300: "1e+300", Finite(math.Inf(1)): "null", Finite(math.Inf(-1)): "null",
	} {
		if got, err := json.Marshal(x); err != nil || string(got) != want {
			t.Errorf("%v is %s (%v), want %s", x, got, err, want)
		}
	}
	if got, err := json.Marshal(Finite(math.NaN())); err != nil || string(got) != "null" {
		t.Errorf("NaN is %s (%v)", got, err)
	}
}
