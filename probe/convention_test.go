package probe

import (
	"fmt"
	"math"
	"testing"

	"foretell/process"
)

// Each convention against a direct computation over the rows of the collected table:
// least squares by QR in the principal components above the cut-off, for each fold and
// position, and the score by its definition.
func TestConventionsAgainstRows(t *testing.T) {
	m, p := randomModel(t, models[0].config), must(build(t, "mess3").Prefixes(t.Context(), 5))
	a, err := Collect(m, p, stages, 1)
	if err != nil {
		t.Fatal(err)
	}
	x, y := table(t, Stage(stages[1]), a), beliefs(p)[0]
	for _, text := range []string{
		"piotrowski2025", "equal,plain", "plain", "plain,last", "plain,word", "plain,word,last,equal", "1e-2", "1e-2,each", "1e-2,each,equal,word", "piotrowski2025,each,1e-3",
	} {
		c, err := ParseConvention(text)
		if err != nil {
			t.Fatal(err)
		}
		plan := Plan{Features: Stages(stages[1]), Targets: []Target{Beliefs}, Convention: c, Workers: 2}
		got := analyze(t, m, p, plan).Regress(Beliefs, Stage(stages[1]))
		r2, mse := rowByRow(p, x, y, c)
		if math.Abs(got.R2-r2) > 1e-8 || math.Abs(got.MSE-mse) > 1e-8*mse {
			t.Errorf("%s: R² %.12g, MSE %.12g, row by row %.12g, %.12g", text, got.R2, got.MSE, r2, mse)
		}
		if fits := len(got.Fits); c.Positions != EachPosition && fits != 1 || c.Positions == EachPosition && (fits != 5 || len(got.ByPosition) != 5) {
			t.Errorf("%s: %d fits", text, fits)
		}
	}
}

func rowByRow(p *process.Prefixes, x, y Table, c Convention) (r2, mse float64) {
	residual, variance, total := 0.0, 0.0, 0.0
	for position := 1; position <= p.Length; position++ {
		from, to := p.Range(position)
		switch {
		case c.Positions == LastPosition && position < p.Length:
			continue
		case c.Positions == Pooled && position < p.Length:
			continue
		case c.Positions == Pooled:
			from = 0
		}
		weights := make([]float64, p.Rows())
		for row := from; row < to; row++ {
			length, _ := p.Position(row)
			weights[row] = p.Prob[row]
			if c.Equal {
				weights[row] = math.Pow(3, -float64(length))
			}
		}
		var shares Table
		switch {
		case c.HoldOut == ByWord:
			shares = dealt(p.Rows(), foldCount, foldSeed)
		case c.Equal:
			shares = sequenceShares(p, equalWeights(p), foldCount, foldSeed)
		default:
			shares = SequenceFolds(p, foldCount, foldSeed).Shares
		}
		mean, _ := y.weightedMean("y", weights)
		for f := range foldCount {
			seen, held := make([]float64, len(weights)), make([]float64, len(weights))
			for row, w := range weights {
				held[row] = w * shares.Row(row)[f]
				seen[row] = w - held[row]
				if c.HoldOut == InSample {
					seen[row] = w
				}
			}
			predicted := fitRows(x, y, seen, c.Cutoff)
			for row, w := range held {
				total += w
				for b, v := range y.Row(row) {
					residual += w * (v - predicted.Row(row)[b]) * (v - predicted.Row(row)[b])
					variance += w * (v - mean[b]) * (v - mean[b])
				}
			}
		}
	}
	return 1 - residual/variance, residual / total / float64(y.Width)
}

// fitRows predicts all rows by a fit to those with a weight.
func fitRows(x, y Table, weights []float64, cutoff float64) Table {
	components, err := PrincipalComponents(x, weights)
	if err != nil {
		panic(err)
	}
	rank := 0
	for rank < x.Width && components.Variance[rank] > max(cutoff*components.Variance[0], 1e-15) {
		rank++
	}
	z := Table{Width: rank + 1}
	projected := components.Project(x, max(rank, 1))
	for i := range x.Rows() {
		z.Data = append(append(z.Data, projected.Row(i)[:rank]...), 1)
	}
	return times(z, leastSquares(Table{Width: rank, Data: without(z)}, y, weights))
}

// without leaves out the last column.
func without(z Table) (data []float64) {
	for i := range z.Rows() {
		data = append(data, z.Row(i)[:z.Width-1]...)
	}
	return data
}

// All sequences equal are those that can occur: of golden_mean 3 of the 4 words of two
// tokens.
func TestEqualWeights(t *testing.T) {
	p := must(build(t, "golden_mean").Prefixes(t.Context(), 2)) // 0 1 00 01 10 11
	wantClose(t, "weights", equalWeights(p), []float64{2. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 0}, 1e-15)
}

func TestParseConvention(t *testing.T) {
	for text, want := range map[string]string{
		"ours":                            "held out by sequence, weighted by probability, all positions together, cut-off by cross-validation",
		"piotrowski2025":                  "in sample, all sequences equal, all positions together, plain least squares",
		"piotrowski2025,last,word,1e-6":   "held out by word, all sequences equal, last position, cut-off 1e-06",
		"last,piotrowski2025":             "in sample, all sequences equal, all positions together, plain least squares",
		"equal,each,plain":                "held out by sequence, all sequences equal, a fit for each position, plain least squares",
		"piotrowski2025,probability,ours": "held out by sequence, weighted by probability, all positions together, cut-off by cross-validation",
		"in-sample,sequence,nested":       "held out by sequence, weighted by probability, all positions together, cut-off by cross-validation",
		"last,pooled":                     "held out by sequence, weighted by probability, all positions together, cut-off by cross-validation",
	} {
		c, err := ParseConvention(text)
		if err != nil || c.String() != want {
			t.Errorf("%s: %s, %v", text, c, err)
		}
	}
	for text, want := range map[string]string{
		"seed002": `"seed002" is not one of ours, piotrowski2025, probability, equal, pooled, last, each, sequence, word, in-sample, nested, plain, or a cut-off such as 1e-6`,
		"":        `"" is not one of ours, piotrowski2025, probability, equal, pooled, last, each, sequence, word, in-sample, nested, plain, or a cut-off such as 1e-6`,
		"1e-13":   "the cut-off 1e-13 is outside [1e-12, 1)",
		"last,1":  "the cut-off 1 is outside [1e-12, 1)",
		"nan": `"nan" is not one of ours, piotrowski2025, probability, equal, pooled, last, each, ` +
			"sequence, word, in-sample, nested, plain, or a cut-off such as 1e-6",
	} {
		if _, err := ParseConvention(text); fmt.Sprint(err) != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// A process that forgets all but its last k tokens has beliefs that these tell exactly,
// and no fewer do.
func TestMarkovFeatures(t *testing.T) {
	m, p := randomModel(t, models[0].config), must(build(t, "golden_mean").Prefixes(t.Context(), 5))
	a := analyze(t, m, p, Plan{Features: []Features{MarkovFeatures(p, 1), MarkovFeatures(p, 2), MarkovFeatures(p, 3)}, Targets: both})
	if r := reading(a, 0, 0); math.Abs(r.R2-1) > 1e-12 {
		t.Errorf("R² of golden_mean's beliefs from the last token is %v", r.R2)
	}
	p = must(build(t, "mess3").Prefixes(t.Context(), 5))
	a = analyze(t, m, p, Plan{Features: []Features{MarkovFeatures(p, 1), MarkovFeatures(p, 2), MarkovFeatures(p, 3)}, Targets: both})
	last := 0.5
	for k := range 3 {
		r := reading(a, k, 0)
		if !(r.R2 > last) || r.R2 > 0.9999 {
			t.Errorf("R² of mess3's beliefs from the last %d tokens is %v, from fewer %v", k+1, r.R2, last)
		}
		last = r.R2
	}
	// One-hot: the words with the same last two tokens, and no others, have the same
	// column.
	f, seen := MarkovFeatures(p, 2), map[string]int{}
	for row := range p.Rows() {
		x := make([]float64, f.width)
		f.row(x, row)
		column := -1
		for j, v := range x {
			if v == 1 && column < 0 {
				column = j
			} else if v != 0 {
				t.Fatalf("%v has %v", p.Tokens(row), x)
			}
		}
		tokens := p.Tokens(row)
		key := fmt.Sprint(tokens[max(0, len(tokens)-2):])
		if before, ok := seen[key]; ok && before != column {
			t.Errorf("%s has the columns %d and %d", key, before, column)
		}
		seen[key] = column
	}
	if len(seen) != f.width {
		t.Errorf("%d columns for %d contexts", f.width, len(seen))
	}
}

// What is read is a convention: its cut-off is one, and a word more changes what it
// says alone.
func FuzzParseConvention(f *testing.F) {
	for _, text := range []string{"ours", "piotrowski2025,last", "1e-6", "nan", ",", "equal,equal"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseConvention(text)
		if err != nil {
			return
		}
		if c.Cutoff != 0 && !(c.Cutoff >= Plain && c.Cutoff < 1) {
			t.Errorf("%q: cut-off %v", text, c.Cutoff)
		}
		last, err := ParseConvention(text + ",last")
		if c.Positions = LastPosition; err != nil || last != c {
			t.Errorf("%q and last is %v, %v", text, last, err)
		}
	})
}
