package induction

import (
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/craft"
	"foretell/figure"
	"foretell/internal/random"
	"foretell/paper/internal/numerals"
	"foretell/process"
)

// mostLag is the largest lag of the sets that rows go through one by one.
const mostLag = 8

// contiguous is I3: D'Angelo et al. 2025, Sec. 4.1 and App. G.
func (l *lab) contiguous() claim.Row {
	return claim.Row{
		ID: "I3", Kind: claim.Identity, Source: cite + "Proposition 1, Sec. 4.1, App. G",
		Quote: "“For any T ≥ k̂ there exists a three-layer disentangled transformer T̃ with K heads in the second layer” " +
			"whose output is Eq. 3; “we get h_iᵀÃ⁽³⁾h_{i−k+1} = Σ_h β/(T_{h,i}+1) Σ_n p̃_{k̂+h+nK,k} + λ […] for large T […] " +
			"we recover the weights in Eq. (3)” (Sec. 4.1; a construction: no model, no error bars)",
		Statement: "Three layers of concatenated heads compute the predictor of Eq. 3 for contiguous lags: each layer's " +
			"attention has its closed form.",
		Expected: fmt.Sprintf(rule+". Weights through the forward pass in float64 with β = %d and λ = %d, every contiguous "+
			"set of lags up to %d, at every position", numerals.Scientific(equal), paperBeta, paperLambda, mostLag),
		RuleCommit: "c216138", ChangedAfterResult: true,
		Test: claim.Steps[contiguousForms]{
			Measure: l.measureContiguous, Judge: contiguousForms.judge, Tabulate: contiguousForms.tabulate,
			Draw: contiguousForms.draw,
		}.Test,
	}
}

// contiguousForms is what I3 finds.
type contiguousForms struct {
	construct
	tokens []int32
	shown  *craft.InductionForm // what the example of the paper attends to
	limit  []limitGap
}

// limitGap is how far the construction is from Eq. 3 after so many tokens: the total
// variation between the weights of lags, mean over sequences.
type limitGap struct {
	tokens    float64
	variation [len(limitBetas)]float64
}

// limitBetas are the β of the construction whose limit is shown; the last is the paper's.
var limitBetas = [...]float64{1, 10, paperBeta}

func (l *lab) measureContiguous(ctx context.Context, s *claim.Study) (contiguousForms, error) {
	m := contiguousForms{construct: construct{setting: l.constructedSetting()}}
	trials, err := trialsOf(contiguousUpTo(mostLag))
	if err != nil {
		return m, err
	}
	err = m.compare(trials, func(c craft.Induction) []craft.Induction {
		exact, one := c, c
		exact.Average, one.Heads, one.Third = craft.PerTransition, 1, craft.Masked
		return []craft.Induction{c, exact, one}
	})
	if err != nil {
		return m, err
	}
	if m.formulas, err = contiguousFormulas(trials); err != nil {
		return m, err
	}
	if m.limit, err = limitGaps(); err != nil {
		return m, err
	}
	if m.along, err = l.constructedAlong(ctx, s, example, contiguousModels); err != nil {
		return m, err
	}
	return m, m.show()
}

// contiguousModels are the constructions that I3 compares along the sequence.
func contiguousModels(c craft.Induction) []asked {
	exact, one := c, c
	exact.Average = craft.PerTransition
	one.Heads = 1
	return []asked{
		{name: "construction, 3 heads", Induction: c},
		{name: "Eq. 3 exactly", Induction: exact},
		{name: "construction, 1 head", Induction: one},
	}
}

// contiguousFormulas works the formulas of Sec. 4.1 and App. G through.
func contiguousFormulas(trials []trial) ([]formula, error) {
	several := trials[:0:0]
	for _, t := range trials {
		if len(t.lags) > 1 {
			several = append(several, t)
		}
	}
	var list []formula
	for _, x := range []struct {
		formula
		trials []trial
		check  func(t trial) (float64, string, float64, error)
	}{
		{formula{
			place: "Sec. 4.1, App. G: limit of layer 1", printed: "1 if i = j = 1, 0 where i−j is no lag",
			right: "P_{s_j,s_i}/Σ_{r≤i} P_{s_r,s_i} at i ≤ min K, where no lag has a source",
		}, trials, firstRows},
		{formula{
			place: "App. G: softmax of layer 2", printed: "1[(i−j−h+1) mod K = 0] / Σ_{m≤i} 1[(m−j−h+1) mod K = 0]",
			right: "1[(i−j−h+1) mod K = 0, j > k̂] / Σ_{m≤i} of the same with m for j; 1/i where that is 0",
		}, trials, gatherRows},
		{formula{
			place: "Sec. 4.1, App. G: score of layer 3", printed: "Σ_h β/(T_{h,i}+1) Σ_n p̃_{k̂+h+nK,k} + λ, T_{h,i} = " +
				"⌊(i−k̂−h)/K⌋",
			right: "the same for i ≥ 2k̂+K−1; before, a head is empty for the query (T_{h,i}+1 = 0) or for the key, " +
				"whose mask is then 1/j everywhere",
		}, several, scoreRows},
		{formula{
			place: "Eq. 15: B⁽³⁾", printed: "−β where (i−j−K+1) mod K ≠ 0",
			right: "0 there, as in Sec. 4.1; with −β it is the same predictor with 2β, since p̃ sum to 1",
		}, several, signedRows},
		{formula{
			place: "Proposition 1", printed: "for any T ≥ k̂ the output is Eq. 3 (whose proof is for large T; 0/0 at T = k̂)",
			right: "true for any T > k̂ with another layer 2: each head gives 1/(T−k̂) to each of its tokens and the rest " +
				"to token 1, which layer 3 takes off by position; β there is Kβ here",
		}, several, equation3Rows},
	} {
		f, err := try(x.formula, x.trials, x.check)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return append(list, sampleCount(several)), nil
}

// closed returns the construction of a trial with its form by the forward pass and by the
// formulas.
func (t trial) closed() (c craft.Induction, got, want *craft.InductionForm, err error) {
	if c, err = t.tried(); err != nil {
		return c, nil, nil, err
	}
	if want, err = c.ClosedForm(t.tokens); err != nil {
		return c, nil, nil, err
	}
	got, err = passOf(c, t.tokens)
	return c, got, want, err
}

// firstRows is the limit of layer 1.
func firstRows(t trial) (float64, string, float64, error) {
	_, got, want, err := t.closed()
	if err != nil {
		return 0, "", 0, err
	}
	printed := craft.FillInduction(len(t.tokens), func(i, j int) float64 {
		switch {
		case i >= t.lags[0]:
			return want.Extract[i][j]
		case i == 0 && j == 0:
			return 1
		}
		return 0
	})
	off, where := firstOff(printed, got.Extract, 0)
	return off, where, gap(want.Extract, got.Extract, 0), nil
}

// gatherRows is the softmax of layer 2 as App. G writes it.
func gatherRows(t trial) (float64, string, float64, error) {
	_, got, want, err := t.closed()
	if err != nil {
		return 0, "", 0, err
	}
	K := len(t.lags)
	for h := range got.Gather {
		printed := craft.FillInduction(len(t.tokens), func(i, j int) float64 {
			if j > i || (i-j-h)%K != 0 {
				return 0
			}
			count := 0.0
			for m := range i + 1 {
				if (m-j-h)%K == 0 {
					count++
				}
			}
			return 1 / count
		})
		if off, where := firstOff(printed, got.Gather[h], t.longest()); off > wrong {
			return off, fmt.Sprintf(", head %d", h+1) + where, gap(want.Gather[h], got.Gather[h], 0), nil
		}
	}
	return 0, "", 0, nil
}

// scoreRows is the score of layer 3 at the positions where the formula is defined.
func scoreRows(t trial) (float64, string, float64, error) {
	_, got, want, err := t.closed()
	if err != nil {
		return 0, "", 0, err
	}
	K, from := len(t.lags), t.longest()+len(t.lags)-1
	printed := craft.FillInduction(len(t.tokens), func(int, int) float64 { return 0 })
	for i := from; i < len(t.tokens); i++ {
		weights := t.weights(func(k int) float64 { return triedBeta * t.perHead(want.Extract, i, k) })
		for n, k := range t.lags {
			printed[i][i-k+1] = weights[n]
		}
	}
	off, where := firstOff(printed, got.Select, from)
	return off, where, gap(printed, got.Select, 2*t.longest()+K-2), nil
}

// perHead is Σ_h 1/(T_{h,i}+1) Σ_n p̃_{k̂+h+nK,k} at position i, from 0.
func (t trial) perHead(p [][]float64, i, k int) float64 {
	K, sum := len(t.lags), 0.0
	for h := 1; h <= K; h++ {
		T, part := (i+1-t.longest()-h)/K, 0.0
		for n := 0; n <= T; n++ {
			token := t.longest() + h + n*K - 1
			part += p[token][token-k]
		}
		sum += part / float64(T+1)
	}
	return sum
}

// weights are the softmax of the lags' scores.
func (t trial) weights(score func(k int) float64) []float64 {
	scores := make([]float64, len(t.lags))
	for n, k := range t.lags {
		scores[n] = score(k)
	}
	return softmax(scores)
}

// signedRows is Eq. 15, whose −β is no 0.
func signedRows(t trial) (float64, string, float64, error) {
	c, got, _, err := t.closed()
	if err != nil {
		return 0, "", 0, err
	}
	signed := func(blocks *craft.InductionMatrices) {
		for _, b := range blocks.Sum {
			for _, row := range b {
				for j, x := range row {
					if x == 0 {
						row[j] = -c.Beta
					}
				}
			}
		}
	}
	from := 2*t.longest() + len(t.lags) - 2
	printed, err := passWith(c, t.tokens, signed)
	if err != nil {
		return 0, "", 0, err
	}
	off, where := firstOff(printed.Select, got.Select, from)
	c.Beta /= 2
	half, err := passWith(c, t.tokens, signed)
	if err != nil {
		return 0, "", 0, err
	}
	return off, where, gap(half.Select, got.Select, from), nil
}

// equation3Rows compares the construction with Eq. 3 from the first transition on, and
// one that is Eq. 3 from k̂ tokens on, where weights are uniform.
func equation3Rows(t trial) (float64, string, float64, error) {
	c, got, want, err := t.closed()
	if err != nil {
		return 0, "", 0, err
	}
	eq3 := t.equation3(want.Extract, c.Beta*float64(len(t.lags)))
	off, where := firstOff(eq3, got.Select, t.longest())
	c.Average = craft.PerTransition
	exact, err := passOf(c, t.tokens)
	if err != nil {
		return 0, "", 0, err
	}
	return off, where, gap(eq3, exact.Select, t.longest()-1), nil
}

// equation3 is the attention of the third layer by Eq. 3, from k̂ tokens on.
func (t trial) equation3(p [][]float64, beta float64) [][]float64 {
	all := craft.FillInduction(len(t.tokens), func(int, int) float64 { return 0 })
	for i := t.longest() - 1; i < len(t.tokens); i++ {
		weights := t.weights(func(k int) float64 {
			sum := 0.0
			for m := t.longest(); m <= i; m++ {
				sum += p[m][m-k]
			}
			return beta * sum / math.Max(float64(i+1-t.longest()), 1)
		})
		for n, k := range t.lags {
			all[i][i-k+1] = weights[n]
		}
	}
	return all
}

// sampleCount is Sec. 4.4's number of samples of one head.
func sampleCount(trials []trial) formula {
	f := formula{
		place: "Sec. 4.4: samples of one head", printed: "one head uses (T−k̂−1)/K + 1 samples",
		right: "⌊(T−k̂−1)/K⌋ + 1",
	}
	for _, t := range trials {
		K := float64(len(t.lags))
		for T := t.longest() + 1; T <= len(t.tokens); T++ {
			drawn := 0.0
			for j := T; j > t.longest(); j -= len(t.lags) {
				drawn++
			}
			printed := float64(T-t.longest()-1)/K + 1
			if printed != drawn && f.counter == "" {
				f.counter = fmt.Sprintf("%s, T = %d: %g, not %g", t, T, drawn, printed)
				f.off = math.Abs(printed - drawn)
			}
			f.left = worse(f.left, math.Abs(math.Floor(float64(T-t.longest()-1)/K)+1-drawn))
		}
	}
	return f
}

// limitGaps is how the construction nears Eq. 3 along the sequence.
func limitGaps() ([]limitGap, error) {
	const sequences = 64
	c, err := construction(example.lags(), paperLength)
	if err != nil {
		return nil, err
	}
	gaps := make([]limitGap, paperLength-example.longest())
	for n := range sequences {
		t := trial{example.lags(), make([]int32, paperLength)}
		c.Chain.Sample(t.tokens, random.New(3, "paper/induction", uint64(n)))
		for b, beta := range limitBetas {
			c.Beta = beta
			form, err := c.ClosedForm(t.tokens)
			if err != nil {
				return nil, err
			}
			eq3 := t.equation3(form.Extract, beta*float64(len(t.lags)))
			for i := range gaps {
				row := i + t.longest()
				gaps[i].tokens = float64(row + 1)
				for j := range eq3[row] {
					gaps[i].variation[b] += math.Abs(eq3[row][j]-form.Select[row][j]) / 2 / sequences
				}
			}
		}
	}
	return gaps, nil
}

// show keeps what the example of the paper attends to along a short sequence.
func (m *contiguousForms) show() error {
	const length = 24
	c, err := construction(example.lags(), length)
	if err != nil {
		return err
	}
	alone, err := process.NewInterleaved(transition, []int{2})
	if err != nil {
		return err
	}
	m.tokens = make([]int32, length)
	alone.Sample(m.tokens, random.New(4, "paper/induction"))
	m.shown, err = passOf(c, m.tokens)
	return err
}

func (m contiguousForms) tabulate(c *claim.Claim) {
	m.construct.tabulate(c)
	table := claim.Table{
		Title: fmt.Sprintf("lags %s: total variation of the construction's weights of lags from those of Eq. 3 with Kβ, "+
			"mean "+
			"over sequences", example),
		Columns: []string{"tokens"},
	}
	for _, beta := range limitBetas {
		table.Columns = append(table.Columns, fmt.Sprintf("β = %g", beta))
	}
	for _, g := range m.limit {
		if T := int(g.tokens); T&(T-1) == 0 {
			row := []string{fmt.Sprint(T)}
			for _, x := range g.variation {
				row = append(row, fmt.Sprintf("%.2g", x))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	c.Tables = append(c.Tables, table)
	c.Notes = append(c.Notes,
		"Misprints without consequence: the denominators of layer 1 sum over r ∈ K where i−r ∈ K is meant; p̃ goes into "+
			"element S+i−k, not S+T−k; the sums of layer 2 begin at j = k̂+1, not k̂, and those of layer 3 (Sec. 4.2) at 1, for "+
			"i−k+1 can be less than k̂; there k* is the argmax of Σ_{j≤i}, not Σ_{j<i}; W̃_O has d_3 columns, not Σ_l d_l.",
		"“Absorbing K into the temperature β”: the construction with β is Eq. 3 with Kβ, so that β = 100 and three "+
			"heads are Eq. 3 with 300.")
}

func (m contiguousForms) draw(out *claim.Output) {
	m.along.draw(out)
	maps := []figure.Panel{pattern("layer 1", m.shown.Extract)}
	for h, p := range m.shown.Gather {
		maps = append(maps, pattern(fmt.Sprintf("layer 2, head %d", h+1), p))
	}
	maps = append(maps, pattern("layer 3", m.shown.Select))
	f := figure.Row("The construction attends", "Patterns of destinations by sources: p̃ on three diagonals, every third "+
		"token, and one of three diagonals.", maps[0], maps[len(maps)-1])
	f.Panels = append(f.Panels, maps[1:len(maps)-1])
	out.Figure("maps", fmt.Sprintf("Attention of the constructed transformer, lags %s, on a sequence of lag 2: layers "+
		"1 and "+
		"3 above, the three heads of layer 2 below. Up to k̂ = 3 and somewhat beyond, heads of layer 2 that have nothing "+
		"to attend to attend to everything.", example), f)
	out.Figure("limit", "How the construction nears Eq. 3: heads of layer 2 divide by how many transitions they have, "+
		"which differ by one at most.", m.limitFigure())
	var rows [][]float64
	for _, g := range m.limit {
		rows = append(rows, append([]float64{g.tokens}, g.variation[:]...))
	}
	out.CSV("limit", []string{"tokens", "beta_1", "beta_10", "beta_100"}, rows)
}

// limitFigure draws the way to the limit for each β.
func (m contiguousForms) limitFigure() *figure.Figure {
	chart := figure.Chart{
		X: figure.Axis{Label: "tokens", Log: true}, Y: figure.Axis{Label: "total variation from Eq. 3", Log: true},
	}
	for b, beta := range limitBetas {
		series := figure.Series{Name: fmt.Sprintf("β = %g", beta)}
		for _, g := range m.limit {
			if g.variation[b] > equal {
				series.X, series.Y = append(series.X, g.tokens), append(series.Y, g.variation[b])
			}
		}
		chart.Series = append(chart.Series, series)
	}
	return figure.Single("Towards Eq. 3", "Curves that fall with the length, one for each β.", chart)
}

// pattern draws an attention pattern.
func pattern(title string, z [][]float64) figure.Panel {
	names := make([]string, len(z))
	for i := range names {
		names[i] = fmt.Sprint(i + 1)
	}
	return figure.HeatMap{
		Title: title, Z: z, Rows: names, Cols: names, Lower: true, Range: [2]float64{0, 1}, X: "source", Y: "destination",
	}
}
