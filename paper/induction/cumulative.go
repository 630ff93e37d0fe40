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

	"gonum.org/v1/gonum/stat"
)

const (
	// fewTransitions is the number of transitions that counts as few in row I14's rule. It
	// is our choice: the paper gives no number.
	fewTransitions  = 20
	cumulativeMost  = 100 // number of matrices
	cumulativeShown = 13  // the true lag of the sequence that is drawn
)

// cumulative returns row I14, which tests D'Angelo et al. 2025, Fig. 17 and 18.
func (l *lab) cumulative() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I14", Kind: claim.Picture,
		Setting:    fmt.Sprintf("sequences of %s tokens", numerals.Grouped(l.length)),
		RuleCommit: "b28b104", ChangedAfterResult: true,
		First: claim.FirstBy("86b2785", cumulated.first),
		Test: claim.Steps[cumulated]{
			Measure: l.measureCumulative, Judge: cumulated.judge, Tabulate: cumulated.tabulate, Draw: cumulated.draw,
		}.Test,
	}, map[string]any{
		"lags": claimed, "matrices": cumulativeMost, "few": fewTransitions,
		"shown": cumulativeShown,
	})
}

// cumulated holds the measurements of row I14, by alphabet.
type cumulated []cumulatedSize

// cumulatedSize holds the measurements for an alphabet. The true lag leads at a
// transition if its cumulative average is the largest.
type cumulatedSize struct {
	tokens  int
	from    []float64   // for each sequence, the first transition from which the true lag leads permanently
	leads   []float64   // by transition: share of sequences in which the true lag leads
	average [][]float64 // for the sequence that is drawn: (transitions, lags)
}

func (l *lab) measureCumulative(ctx context.Context, s *claim.Study) (cumulated, error) {
	var m cumulated
	for _, tokens := range alphabets {
		of := cumulatedSize{tokens: tokens, leads: make([]float64, l.length-claimed.longest())}
		all := make([][]lead, min(l.matrices, cumulativeMost))
		err := s.Each(ctx, len(all), func(_ context.Context, matrix int) (err error) {
			all[matrix], err = l.cumulateMatrix(tokens, matrix)
			return err
		})
		if err != nil {
			return m, err
		}
		of.average = all[0][slices.Index(claimed.lags(), cumulativeShown)].average
		for _, r := range slices.Concat(all...) {
			of.from = append(of.from, r.from())
			for t, leads := range r.leads {
				if leads {
					of.leads[t] += 1 / float64(len(claimed.lags())*len(all))
				}
			}
		}
		m = append(m, of)
	}
	return m, nil
}

// lead holds, for one sequence, the transitions at which the true lag leads (has the
// largest cumulative average) and, for the first matrix, all averages.
type lead struct {
	leads   []bool      // for each transition, whether the true lag leads
	average [][]float64 // (transitions, lags)
}

// from returns the first transition, counted from 1, from which the true lag leads
// permanently, or the number of transitions plus one if it does not lead at the last
// transition.
func (r lead) from() float64 {
	at := len(r.leads)
	for at > 0 && r.leads[at-1] {
		at--
	}
	return float64(at + 1)
}

// cumulateMatrix draws one sequence for each true lag from a matrix, and returns the
// result for each.
func (e effort) cumulateMatrix(tokens, matrix int) ([]lead, error) {
	p, err := claimed.interleaved(tokens, flat, matrix)
	if err != nil {
		return nil, err
	}
	sampler, err := p.ChainSampler()
	if err != nil {
		return nil, err
	}
	var runs []lead
	drawn, word := make([]uint8, e.length), make([]int32, e.length)
	for k, lag := range p.Lags() {
		src := random.New(1, "paper/induction/cumulative", uint64(tokens), uint64(matrix), uint64(k))
		sampler.Fill(drawn, 1, lag, src)
		for t, z := range drawn {
			word[t] = int32(z)
		}
		rows, err := p.NormalisedTransitions(word)
		if err != nil {
			return nil, err
		}
		runs = append(runs, cumulate(rows, k, matrix == 0))
	}
	return runs, nil
}

// cumulate returns the transitions at which the true lag leads, that is, has the
// largest sum of normalised transition probabilities. If keep is set, it also returns
// the averages.
func cumulate(rows [][]float64, truth int, keep bool) lead {
	sums, r := make([]float64, len(rows[0])), lead{}
	for t, row := range rows {
		for l, p := range row {
			sums[l] += p
		}
		r.leads = append(r.leads, advantage(sums, truth) > 0)
		if keep {
			average := make([]float64, len(sums))
			for l, sum := range sums {
				average[l] = sum / float64(t+1)
			}
			r.average = append(r.average, average)
		}
	}
	return r
}

// soon and last return the shares of sequences in which the true lag leads permanently
// from fewTransitions on, and in which it leads at the last transition.
func (s cumulatedSize) soon() claim.Share { return within(s.from, fewTransitions) }
func (s cumulatedSize) last() claim.Share { return within(s.from, float64(len(s.leads))) }

// median returns the median transition from which the true lag leads permanently.
func (s cumulatedSize) median() float64 {
	return stat.Quantile(0.5, stat.Empirical, sorted(s.from), nil)
}

func (m cumulated) judge() claim.Finding {
	var conditions []claim.Condition
	for _, s := range m {
		soon, last := s.soon(), s.last()
		c := claim.Condition{
			Name: fmt.Sprintf("|S| = %d", s.tokens), Verdict: claim.Fails, Converged: true,
			Obtained: fmt.Sprintf("of %s sequences, the true lag leads permanently from transition %d on in %.0f %%, "+
				"and at the last one in %.1f %%; in half of them it leads permanently from transition %.0f on",
				numerals.Grouped(soon.N), fewTransitions,
				percent(soon), percent(last), s.median()),
			Effect: claim.Shared(fmt.Sprintf("share of sequences in which the true lag leads permanently from "+
				"transition %d", fewTransitions), soon),
		}
		switch {
		case soon.K == soon.N:
			c.Verdict = claim.Holds
		case s.median() <= fewTransitions:
			c.Verdict, c.Reason = claim.Differs, claim.Size
		}
		conditions = append(conditions, c)
	}
	return claim.NewFinding(conditions)
}

func percent(s claim.Share) float64 { return 100 * float64(s.K) / float64(s.N) }

func (m cumulated) tabulate(c *claim.Claim) {
	table := document.Frame{
		Title: "share of sequences in which the true lag has the largest cumulative average, in percent",
		Columns: slices.Concat(document.Headed("", "tokens"),
			document.Headed("%.1f", "transition 1", "5", "10", "20", "50", "100", "200", "500", "last")),
	}
	for _, s := range m {
		row := []any{s.tokens}
		for _, t := range []int{1, 5, 10, 20, 50, 100, 200, 500, math.MaxInt} {
			row = append(row, 100*s.leads[min(t, len(s.leads))-1])
		}
		table.Row(row...)
	}
	c.Tables = append(c.Tables, table.Table())
}

func (m cumulated) draw(out *claim.Output) {
	var panels []figure.Panel
	share := figure.Chart{
		Title: "true lag leads", X: figure.Axis{Label: "transition", Log: true},
		Y: figure.Axis{Label: "share of sequences", Include: []float64{0, 1}},
	}
	transitions := document.Frame{Columns: document.Named("tokens", "transition", "share_leading")}
	transitions.Columns = append(transitions.Columns, eachClaimed("average_lag_%d",
		"cumulative average of lag %d, in the sequence that is drawn")...)
	for i, s := range m {
		panels = append(panels, s.chart())
		name := fmt.Sprintf("|S| = %d", s.tokens)
		share.Series = append(share.Series, labelled{name: name, color: i + 3, along: s.leads}.from(1))
		for t, leads := range s.leads {
			transitions.Row(append([]any{s.tokens, t + 1, leads}, cells(s.average[t])...)...)
		}
	}
	out.Figure("cumulative", figure.Row("Cumulative averages",
		"Two charts of lines that separate, with the true lag's on top, and two lines that rise to one.",
		append(panels, share)...))
	out.CSV("cumulative", transitions)
}

// chart returns the chart of Fig. 17 or 18.
func (s cumulatedSize) chart() figure.Chart {
	chart := figure.Chart{
		Title: fmt.Sprintf("|S| = %d, true lag %d", s.tokens, cumulativeShown),
		X:     figure.Axis{Label: "transition", Log: true}, Y: figure.Axis{Label: "cumulative average"},
	}
	named := false
	for l, lag := range claimed.lags() {
		series := figure.Series{Color: 2, Open: true}
		switch {
		case lag == cumulativeShown:
			series = figure.Series{Name: "true lag", Color: 1}
		case !named:
			series.Name, named = "other lags", true
		}
		for t, average := range s.average {
			series.Add(float64(t+1), average[l])
		}
		chart.Series = append(chart.Series, series)
	}
	return chart
}
