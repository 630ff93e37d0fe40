package induction

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/random"
	"foretell/paper/internal/numerals"
	"foretell/process"
)

// sampledNear is the largest share of non-positive cases at which the verdict is a
// difference in size and not a failure. It is our choice: the paper has no such cases.
const sampledNear = 0.01

// sampledClaim returns row I13, which tests D'Angelo et al. 2025, App. F, Fig. 14–16.
func (l *lab) sampledClaim() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I13", Kind: claim.Number,
		RuleCommit: "d5411bc",
		Setting: fmt.Sprintf("%s matrices for each alphabet; for each of 12 lags, %s sequences of %s tokens",
			numerals.Grouped(l.matrices), numerals.Grouped(l.sequences), numerals.Grouped(l.length)),
		Test: claim.Steps[sampled]{
			Measure: l.measureSampled, Judge: sampled.judge, Tabulate: sampled.tabulate, Draw: sampled.draw,
		}.Test,
	}, map[string]any{"lags": claimed, "small": alphabets[0], "large": alphabets[1], "near": 100 * sampledNear})
}

// sampled holds the cases of row I13, by alphabet. A case is a matrix with a true lag.
type sampled []sampledSize

// sampledSize holds the cases for one alphabet.
type sampledSize struct {
	tokens int
	values [][]float64   // [matrix][lag]: Eq. 9
	means  [][][]float64 // [matrix][true lag][lag], for the first matrices, which are drawn in the figure
}

// shownMatrices is the number of matrices in Fig. 15 and 16.
const shownMatrices = 10

func (l *lab) measureSampled(ctx context.Context, s *claim.Study) (sampled, error) {
	var m sampled
	for _, tokens := range alphabets {
		s.Tell(fmt.Sprintf("testing Claim 1 on sequences over an alphabet of %d", tokens))
		of := sampledSize{
			tokens: tokens, values: make([][]float64, l.matrices),
			means: make([][][]float64, min(shownMatrices, l.matrices)),
		}
		err := s.Each(ctx, l.matrices, func(_ context.Context, matrix int) error {
			means, err := l.sampleMatrix(tokens, matrix)
			if matrix < len(of.means) {
				of.means[matrix] = means
			}
			for k := range means {
				of.values[matrix] = append(of.values[matrix], advantage(means[k], k))
			}
			return err
		})
		if err != nil {
			return m, err
		}
		m = append(m, of)
	}
	return m, nil
}

// sampleMatrix returns the normalised transition probabilities of the last transition,
// averaged over sequences, for a matrix and each true lag: [true lag][lag].
func (e effort) sampleMatrix(tokens, matrix int) ([][]float64, error) {
	p, err := claimed.interleaved(tokens, flat, matrix)
	if err != nil {
		return nil, err
	}
	sampler, err := p.ChainSampler()
	if err != nil {
		return nil, err
	}
	var means [][]float64
	for k, lag := range p.Lags() {
		src := random.New(1, "paper/induction/claim1", uint64(tokens), uint64(matrix), uint64(k))
		means = append(means, e.sampleLag(p, sampler, lag, src))
	}
	return means, nil
}

// blockSequences is the number of sequences drawn at a time: a block with 1,000 tokens
// of each sequence fits the first-level cache.
const blockSequences = 40

// sampleLag is sampleMatrix for one true lag. It draws sequences in blocks, uses only the
// last tokens of a block, and keeps no block.
func (e effort) sampleLag(
	p *process.Interleaved, sampler *process.ChainSampler, lag int, src *random.Stream,
) []float64 {
	P, lags := p.P(), p.Lags()
	sums, at := make([]float64, len(lags)), make([]float64, len(lags))
	block := make([]uint8, e.length*blockSequences)
	for left := e.sequences; left > 0; left -= blockSequences {
		wide := min(left, blockSequences)
		dst := block[:e.length*wide]
		sampler.Fill(dst, wide, lag, src)
		last := len(dst) - wide
		for n := range wide {
			total := 0.0
			for r, l := range lags {
				at[r] = P[dst[last-l*wide+n]][dst[last+n]]
				total += at[r]
			}
			for r := range lags {
				sums[r] += at[r] / total
			}
		}
	}
	for r := range sums {
		sums[r] /= float64(e.sequences)
	}
	return sums
}

// all returns the values of Eq. 9 for an alphabet in ascending order.
func (s sampledSize) all() []float64 { return slices.Sorted(slices.Values(slices.Concat(s.values...))) }

// failures returns the share of cases that are not positive.
func (s sampledSize) failures() claim.Share {
	all := s.all()
	return claim.NewShare(len(slices.DeleteFunc(slices.Clone(all), func(v float64) bool { return v > 0 })), len(all))
}

// condition returns the verdict on an alphabet.
func (s sampledSize) condition() claim.Condition {
	failed, least := s.failures(), s.all()[0]
	c := claim.Condition{
		Name: fmt.Sprintf("|S| = %d", s.tokens), Verdict: claim.Holds, Converged: true,
		Obtained: fmt.Sprintf("%d of %s cases are not positive (a share of at most %.2g with 95 %% confidence); the "+
			"smallest value is %.4f",
			failed.K, numerals.Grouped(failed.N), failed.Interval.High, least),
		Effect: claim.Shared("share of cases in which Eq. 9 is not positive", failed),
	}
	switch {
	case failed.K == 0:
	case float64(failed.K) <= sampledNear*float64(failed.N):
		c.Verdict, c.Reason = claim.Differs, claim.Size
	default:
		c.Verdict = claim.Fails
	}
	return c
}

func (m sampled) judge() claim.Finding {
	return claim.NewFinding(claim.ConditionsOf(m, sampledSize.condition))
}

func (m sampled) tabulate(c *claim.Claim) {
	table := document.Frame{Title: "Eq. 9 over all matrices and lags", Columns: slices.Concat(
		document.Headed("", "tokens", "cases", "not positive"), document.Headed("%.2g", "share at most (95 %)"),
		document.Headed("%.4f", "smallest", "1 %", "median", "largest"),
	)}
	for _, of := range m {
		all, failed := of.all(), of.failures()
		quantile := func(p float64) float64 { return all[int(p*float64(len(all)-1))] }
		table.Row(of.tokens, numerals.Grouped(len(all)), failed.K, failed.Interval.High,
			quantile(0), quantile(0.01), quantile(0.5), quantile(1))
	}
	c.Tables = append(c.Tables, table.Table())
}

func (m sampled) draw(out *claim.Output) {
	chart := histogram("Eq. 9", "true lag minus the largest other")
	var charts []figure.Panel
	cases := document.Frame{Columns: document.Named("tokens", "matrix")}
	cases.Columns = append(cases.Columns, eachClaimed("lag_%d", "Eq. 9 for the true lag %d")...)
	for i, of := range m {
		chart.Series = append(chart.Series, binned(fmt.Sprintf("|S| = %d", of.tokens), i+1, of.all()))
		charts = append(charts, of.byLag())
		for matrix, values := range of.values {
			cases.Row(append([]any{of.tokens, matrix}, cells(values)...)...)
		}
	}
	out.Figure("advantage", figure.Row("Claim 1 on sampled sequences",
		"A histogram of values right of zero, and two charts in which the marks of the true lag are above the marks "+
			"of all other lags.", append([]figure.Panel{chart}, charts...)...))
	out.CSV("advantage", cases)
}

// eachClaimed returns a column for each lag of the set claimed, from a name and a meaning
// with a place for the lag.
func eachClaimed(name, meaning string) (list []document.Column) {
	for _, lag := range claimed.lags() {
		list = append(list, document.Column{Name: fmt.Sprintf(name, lag), Meaning: fmt.Sprintf(meaning, lag)})
	}
	return list
}

// cells returns numbers as cells of a row.
func cells(numbers []float64) []any {
	list := make([]any, len(numbers))
	for i, x := range numbers {
		list[i] = x
	}
	return list
}

// byLag returns the chart of Fig. 15 or 16.
func (s sampledSize) byLag() figure.Chart {
	truth := figure.Series{Name: "true lag", Style: figure.Scatter, Color: 3}
	others := figure.Series{Name: "other lags", Style: figure.Scatter, Open: true, Color: 4}
	names := make([]string, 0, len(claimed.lags()))
	for _, lag := range claimed.lags() {
		names = append(names, fmt.Sprint(lag))
	}
	for _, means := range s.means {
		for k, row := range means {
			for r, mean := range row {
				to := &others
				if r == k {
					to = &truth
				}
				to.Add(float64(k), mean)
			}
		}
	}
	return figure.Chart{
		Title: fmt.Sprintf("|S| = %d", s.tokens), X: figure.Axis{Label: "true lag", Names: names},
		Y: figure.Axis{Label: "mean normalised probability"}, Series: []figure.Series{others, truth},
	}
}
