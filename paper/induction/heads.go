package induction

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

// mostHeads is the largest number of heads in row I11, one more than there are lags.
const mostHeads = 6

// noGain is the smallest decrease of the divergence that counts as an improvement, in
// nats.
const noGain = 0.005

// heads returns row I11, which tests D'Angelo et al. 2025, Fig. 5, right, and Fig. 6.
func (l *lab) heads() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I11", Kind: claim.Order, Setting: l.setting,
		Trainings: l.runs(l.headModels()), RuleCommit: "b28b104", ChangedAfterResult: true,
		First: claim.FirstBy("7e360b5", headCounts.first),
		Test: claim.Steps[headCounts]{
			Measure: l.measureHeads, Judge: headCounts.judge, Tabulate: headCounts.tabulate, Draw: headCounts.draw,
		}.Test,
	}, map[string]any{
		"lags": five, "from": judgedFrom, "most": mostHeads - 1, "beyond": mostHeads, "noGain": noGain,
		"fewest": fewestSeeds, "converged": convergence,
	})
}

// secondLayer returns the numbers of heads in three layers, with the given number in
// the second layer.
func secondLayer(heads int) string { return fmt.Sprintf("1,%d,1", heads) }

func (l *lab) headModels() []network {
	var list []network
	for heads := range mostHeads {
		list = append(list, l.ordered(five, secondLayer(heads+1))...)
	}
	return list
}

// headCounts holds the measurements of row I11, by the number of heads in the second
// layer, from 1.
type headCounts struct {
	list    []shaped
	optimal []float64
}

func (l *lab) measureHeads(ctx context.Context, s *claim.Study) (headCounts, error) {
	var found headCounts
	optimal := l.optimal(l.of(five))
	found.optimal = optimal.at()
	for heads := range mostHeads {
		m, err := l.shaped(ctx, s, five, secondLayer(heads+1), (*subject).unsettledLate)
		if err != nil {
			return found, err
		}
		found.list = append(found.list, m)
	}
	return found, nil
}

func (m headCounts) judge() claim.Finding {
	var conditions []claim.Condition
	for i := range m.list[1:] {
		conditions = append(conditions, oneMore(m.list[i], m.list[i+1], i+2))
	}
	return claim.NewFinding(conditions)
}

// oneMore returns the condition on adding one head to the second layer, from heads−1 to
// heads. Models with the same seed and different heads have nothing in common, so the
// difference is between two independent means (Welch).
func oneMore(fewer, more shaped, heads int) claim.Condition {
	before, after := fewer.Values(above), more.Values(above)
	c := claim.Condition{Name: fmt.Sprintf("%d to %d heads", heads-1, heads), Obtained: "not decided"}
	if len(before) == 0 || len(after) == 0 {
		why := slices.DeleteFunc([]string{fewer.Why(), more.Why()}, func(s string) bool { return s == "" })
		return c.Judged(strings.Join(slices.Compact(why), "; "))
	}
	c.Converged = true
	difference, interval := seeds.Difference(after, before)
	c.Obtained = fmt.Sprintf("%+.4f nats", difference)
	c.Effect = &claim.Effect{
		What: "difference with one more head", Unit: "nats", Estimate: difference, Interval: interval,
		Seeds: min(len(before), len(after)),
	}
	if interval == nil || min(len(before), len(after)) < fewestSeeds {
		c.Verdict, c.Reason = claim.Open, claim.Power
		return c
	}
	falls, rises := interval.High < 0, interval.Low > 0
	switch enough := heads > len(five.lags()); {
	case !enough && falls, enough && interval.Low > -noGain:
		c.Verdict = claim.Holds
	case !enough && rises, enough && falls:
		c.Verdict = claim.Fails
	default:
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c
}

func (m headCounts) tabulate(c *claim.Claim) {
	table := document.Frame{
		Title: fmt.Sprintf("lags %s: nats above BMA by the number of heads in the second layer, mean over seeds ± "+
			"standard deviation", five),
		Columns: slices.Concat(
			document.Headed("", "heads", "seeds"),
			document.Headed("%.4f", fmt.Sprintf("positions %d to T", judgedFrom), "last eighth of positions"),
			document.Headed("", "converged"),
		),
	}
	for i, of := range m.list {
		table.Row(i+1, len(of.Models), seeds.Spread(of.All(above)), seeds.Spread(of.All(atEnd)), of.reached())
	}
	c.Tables = append(c.Tables, table.Table())
}

func (m headCounts) draw(out *claim.Output) {
	along := alongChart("lags " + five.String())
	bars := figure.Bars{
		Title: "above BMA", Y: figure.Axis{Label: "nats"}, Label: "heads in the second layer",
		Series: []figure.BarSeries{{Name: fmt.Sprintf("positions %d to T", judgedFrom)}, {Name: "last eighth"}},
	}
	for i, of := range m.list {
		along.Series = append(along.Series, band(strings.ReplaceAll(of.Name, ",", ", "), of.curves(), i+1))
		bars.Groups = append(bars.Groups, fmt.Sprint(i+1))
		bars.Series[0] = seeds.Bar(bars.Series[0], of.All(above))
		bars.Series[1] = seeds.Bar(bars.Series[1], of.All(atEnd))
	}
	along.Series = append(along.Series, band("BMA", [][]float64{m.optimal}, figure.Grey))
	out.Figure("heads", figure.Row("Heads in the second layer",
		"Lines against position for one to six heads, and bars by the number of heads.",
		along, bars))
	out.CSV("heads", bySeedAndPosition("number of heads in the second layer", m.list))
}
