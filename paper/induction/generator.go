package induction

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/random"
	"foretell/paper/internal/numerals"
	"foretell/process"

	"gonum.org/v1/gonum/stat/distuv"
)

// Constants of row I1's rule: the number of sequences for each lag, their length, and the
// level over all chi-square tests, one for each lag and sampler.
const (
	drawnSequences = 200_000
	drawnLength    = 5
	drawnLevel     = 0.001
)

// generator returns row I1, which tests D'Angelo et al. 2025, Algorithm 1 and Sec. 3.
func (l *lab) generator() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I1", Kind: claim.Identity, Severity: claim.Cosmetic,
		RuleCommit: "c00b82b", ChangedAfterResult: true,
		First: claim.FirstBy("c00b82b", drawn.judge),
		Test: claim.Steps[drawn]{
			Measure: measureDrawn, Judge: drawn.judge, Tabulate: drawn.tabulate, Draw: drawn.draw,
		}.Test,
	}, map[string]any{
		"lags": drawnTask, "length": drawnLength, "samples": numerals.Grouped(drawnSequences), "level": drawnLevel,
		"equal": numerals.Scientific(equal),
	})
}

// drawnTask is the set of lags of row I1, and drawnRows its matrix P. P is small, so that
// all sequences can be counted, and one of its entries is zero.
const drawnTask task = "1,2,3"

var drawnRows = [][]float64{{0.5, 0.3, 0.2}, {0.1, 0.6, 0.3}, {0.7, 0, 0.3}}

// drawn holds the measurements of row I1.
type drawn struct {
	tests      []drawnTest
	stationary float64 // largest difference of a token's distribution from π
}

// drawnTest is the test for a lag and a sampler. Its slices have one entry for each
// possible sequence.
type drawnTest struct {
	lag                  int
	sampler              string
	counts               []float64
	algorithm            []float64 // expected counts with X_{j−k}
	printed              []float64 // expected counts with X_{j−k+1}
	printedMass          float64   // sum of the printed product over all sequences
	pAlgorithm, pPrinted float64   // p values of the counts under these two
}

func measureDrawn(context.Context, *claim.Study) (drawn, error) {
	p := must(process.NewInterleaved(drawnRows, drawnTask.lags()))
	bulk := must(p.ChainSampler())
	m := drawn{}
	for k, lag := range p.Lags() {
		one := make([]float64, words())
		eachSequence(bulk, lag, uint64(k), func(word []int32) { one[number(word)]++ })
		for i, counts := range [][]float64{one, singly(lag, uint64(k))} {
			m.tests = append(m.tests, newDrawnTest(p, lag, []string{"in bulk", "one by one"}[i], counts))
		}
	}
	m.stationary = stationaryError(p)
	return m, nil
}

// words returns the number of possible sequences of drawnLength tokens.
func words() int { return int(math.Pow(float64(len(drawnRows)), drawnLength)) }

// number returns the index of a sequence: the number whose digits are its tokens.
func number(word []int32) int {
	n := 0
	for _, z := range word {
		n = n*len(drawnRows) + int(z)
	}
	return n
}

// word returns the sequence with the given index; see [number].
func word(n int) []int32 {
	list := make([]int32, drawnLength)
	for i := drawnLength - 1; i >= 0; i-- {
		list[i], n = int32(n%len(drawnRows)), n/len(drawnRows)
	}
	return list
}

// eachSequence draws sequences in bulk and calls the function do for each.
func eachSequence(bulk *process.ChainSampler, lag int, index uint64, do func(word []int32)) {
	tokens, one := make([]uint8, drawnSequences*drawnLength), make([]int32, drawnLength)
	bulk.Fill(tokens, drawnSequences, lag, random.New(1, "paper/induction/bulk", index))
	for n := range drawnSequences {
		for t := range one {
			one[t] = int32(tokens[t*drawnSequences+n])
		}
		do(one)
	}
}

// singly draws sequences for a true lag one by one, and counts how often each occurs.
func singly(lag int, index uint64) []float64 {
	alone := must(process.NewInterleaved(drawnRows, []int{lag}))
	counts, sequence := make([]float64, words()), make([]int32, drawnLength)
	src := random.New(1, "paper/induction/drawn", index)
	for range drawnSequences {
		drawChain(alone, sequence, drawnTask.longest()-lag, src)
		counts[number(sequence)]++
	}
	return counts
}

func newDrawnTest(p *process.Interleaved, lag int, sampler string, counts []float64) drawnTest {
	d := drawnTest{lag: lag, sampler: sampler, counts: counts}
	for n := range counts {
		algorithm, printed := likelihood(p, drawnTask, word(n), lag), likelihood(p, drawnTask, word(n), lag-1)
		d.printedMass += printed
		d.algorithm = append(d.algorithm, algorithm*drawnSequences)
		d.printed = append(d.printed, printed*drawnSequences)
	}
	d.pAlgorithm, d.pPrinted = chiSquare(counts, d.algorithm), chiSquare(counts, d.printed)
	return d
}

// likelihood returns the product of Sec. 3 for a sequence of a task. In its second
// factor, X_j depends on X_{j−back}.
func likelihood(p *process.Interleaved, of task, word []int32, back int) float64 {
	prob, longest, pi, P := 1.0, of.longest(), p.Stationary(), p.P()
	for t, z := range word {
		if t < longest {
			prob *= pi[z]
		} else {
			prob *= P[word[t-back]][z]
		}
	}
	return prob
}

// chiSquare returns the p value of counts given the expected counts. It is 0 if an
// impossible sequence was drawn, or if the totals differ.
func chiSquare(counts, expected []float64) float64 {
	chi2, cells, total, all := 0.0, 0, 0.0, 0.0
	for i, want := range expected {
		total, all = total+want, all+counts[i]
		if want > 0 {
			chi2 += (counts[i] - want) * (counts[i] - want) / want
			cells++
		} else if counts[i] > 0 {
			return 0
		}
	}
	if math.Abs(total-all) > 1e-6*all {
		return 0
	}
	return distuv.ChiSquared{K: float64(cells - 1)}.Survival(chi2)
}

// stationaryError returns the largest difference of a token's distribution from π, over
// all positions and lags.
func stationaryError(p *process.Interleaved) float64 {
	worst, pi := 0.0, p.Stationary()
	for _, lag := range p.Lags() {
		for t := range drawnLength {
			at := make([]float64, len(pi))
			for n := range words() {
				at[word(n)[t]] += likelihood(p, drawnTask, word(n), lag)
			}
			for z, q := range pi {
				worst = max(worst, math.Abs(at[z]-q))
			}
		}
	}
	return worst
}

func (m drawn) judge() claim.Finding {
	f := claim.Finding{Verdict: claim.Fails}
	level, follows, printed, worst := drawnLevel/float64(len(m.tests)), true, true, 1.0
	for _, d := range m.tests {
		follows, printed = follows && d.pAlgorithm >= level, printed && d.pPrinted >= level
		worst = min(worst, d.pAlgorithm)
		f.Conditions = append(f.Conditions, d.condition(level))
	}
	f.Effect = claim.Exactly("smallest p value against the product with X_{j−k}", "", worst)
	rest := fmt.Sprintf("; each token has the distribution π within %.1e", m.stationary)
	switch {
	case !(m.stationary <= equal):
		f.Obtained = "tokens do not have the distribution π" + rest
	case printed:
		f.Verdict, f.Obtained = claim.Holds, "sequences have the printed likelihood"+rest
	case follows:
		f.Verdict = claim.Corrected
		f.Effect = claim.Exactly(fmt.Sprintf("sum of the printed product over all sequences of %d tokens", drawnLength),
			"", m.tests[0].printedMass).Against("a probability", 1)
		f.Obtained = fmt.Sprintf("sequences of Algorithm 1 have the likelihood with X_{j−k} (smallest p value %.2g). "+
			"With the printed X_{j−k+1}, a token of lag 1 would depend on itself, and the product is not a "+
			"probability: over all sequences of %d tokens it sums to %.4f. For a larger lag k, the printed product "+
			"is the likelihood of lag k−1",
			worst, drawnLength, m.tests[0].printedMass) + rest
	default:
		f.Obtained = "sequences follow neither product" + rest
	}
	return f
}

// condition returns the verdict on one lag and sampler.
func (d drawnTest) condition(level float64) claim.Condition {
	c := claim.Condition{
		Name: fmt.Sprintf("lag %d, %s", d.lag, d.sampler), Verdict: claim.Fails, Converged: true,
		Obtained: fmt.Sprintf("p = %.2g with X_{j−k}, %.2g with X_{j−k+1}", d.pAlgorithm, d.pPrinted),
		Effect:   claim.Exactly("p value with X_{j−k}", "", d.pAlgorithm),
	}
	switch {
	case d.pPrinted >= level:
		c.Verdict = claim.Holds
	case d.pAlgorithm >= level:
		c.Verdict = claim.Corrected
	}
	return c
}

func (m drawn) tabulate(c *claim.Claim) {
	table := document.Frame{
		Title: fmt.Sprintf("all sequences of %d tokens, counted among %s samples",
			drawnLength, numerals.Grouped(drawnSequences)),
		Columns: slices.Concat(
			document.Headed("", "lag", "sampler"), document.Headed("%.3g", "p with X_{j−k}", "p with X_{j−k+1}"),
			document.Headed("%.4f", "sum of the printed product"),
		),
	}
	for _, d := range m.tests {
		table.Row(d.lag, d.sampler, d.pAlgorithm, d.pPrinted, d.printedMass)
	}
	c.Tables = append(c.Tables, table.Table())
}

func (m drawn) draw(out *claim.Output) {
	var panels []figure.Panel
	words := document.Frame{Columns: document.Named("lag", "word", "count", "expected", "expected_printed")}
	for _, d := range m.tests {
		if d.sampler != m.tests[0].sampler {
			continue
		}
		panels = append(panels, d.chart())
		for n, count := range d.counts {
			words.Row(d.lag, n, count, d.algorithm[n], d.printed[n])
		}
	}
	out.Figure("words", figure.Row("The likelihood of Algorithm 1",
		"For each lag, the marks for the product with X_{j−k} are on the diagonal, and the marks for the printed "+
			"product are off it.", panels...))
	out.CSV("words", words)
}

// chart returns a chart with a mark for each sequence.
func (d drawnTest) chart() figure.Chart {
	algorithm := figure.Series{Name: "X_{j−k}", Style: figure.Scatter, Color: 1}
	printed := figure.Series{Name: "printed", Style: figure.Scatter, Open: true, Color: 2}
	for n, count := range d.counts {
		if count > 0 && d.algorithm[n] > 0 {
			algorithm.Add(d.algorithm[n], count)
		}
		if count > 0 && d.printed[n] > 0 {
			printed.Add(d.printed[n], count)
		}
	}
	return figure.Chart{
		Title: fmt.Sprintf("lag %d", d.lag), X: figure.Axis{Label: "expected", Log: true},
		Y: figure.Axis{Label: "counted", Log: true}, Series: []figure.Series{printed, algorithm},
	}
}
