package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/trained"

	"gonum.org/v1/gonum/stat"
)

// cellOff is the threshold of a further question about M13: the largest difference
// between a cell of Table 1, as reproduced here, and the printed cell.
const cellOff = 0.05

// table1 is Table 1 of Piotrowski et al. 2025 as printed: the cumulative explained
// variance of components 0 … 6, by stage and process.
var table1 = []printedColumn{
	{"resid_mid", trained.Mess3(0.15, 0.2), [7]float64{0.5408, 0.8768, 0.9673, 0.9749, 0.9815, 0.9870, 0.9914}},
	{"resid_mid", trained.Mess3(0.15, 0.6), [7]float64{0.4648, 0.8894, 0.9859, 0.9903, 0.9929, 0.9942, 0.9955}},
	{"resid_mid", trained.Mess3(0.5, 0.6), [7]float64{0.4074, 0.8028, 0.8913, 0.9455, 0.9848, 0.9978, 0.9986}},
	{"resid_mid", trained.Mess3(0.5, 0.2), [7]float64{0.5268, 0.8519, 0.9173, 0.9649, 0.9886, 0.9977, 0.9984}},
	{"resid_post", trained.Mess3(0.15, 0.2), [7]float64{0.9618, 0.9825, 0.9943, 0.9960, 0.9969, 0.9976, 0.9981}},
	{"resid_post", trained.Mess3(0.15, 0.6), [7]float64{0.4947, 0.7681, 0.9811, 0.9897, 0.9916, 0.9931, 0.9945}},
	{"resid_post", trained.Mess3(0.5, 0.6), [7]float64{0.4596, 0.7096, 0.8855, 0.9189, 0.9428, 0.9586, 0.9723}},
	{"resid_post", trained.Mess3(0.5, 0.2), [7]float64{0.6503, 0.8592, 0.9689, 0.9755, 0.9807, 0.9850, 0.9886}},
}

type printedColumn struct {
	stage   string
	source  trained.Source
	printed [7]float64
}

// few is the paper's limit for low dimensionality: a stage has few dimensions if three
// components explain more than this share of its variance.
const few = 0.9

// threeComponents is the index of the cumulative share that three components explain:
// component 0 is the first.
const threeComponents = 2

// explainedVariance is M13: Piotrowski et al. 2025, Table 1.
func (l *lab) explainedVariance() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M13", Kind: claim.Number, Setting: l.setting,
		RuleCommit: "684267c", ChangedAfterResult: true,
		Trainings: trained.Trainings(l.onProcesses(sources...)),
		First:     claim.FirstBy("c304182", variances.first),
		Test: claim.Steps[variances]{
			Measure: l.measureVariances, Judge: variances.judge, Tabulate: variances.tabulate, Draw: variances.draw,
		}.Test,
	}, map[string]any{"few": percent(few)})
}

// variances is the measurement of M13: the explained variance of models, by condition.
type variances []replicates[variance]

// variance is the cumulative explained variance of one model, at resid_mid and at the
// last resid_post.
type variance [2]stageVariance

// stageVariance is the cumulative explained variance of a stage, for the components in
// Table 1.
type stageVariance struct {
	literal     []float64 // each prefix counted once
	words       []float64 // all sequences and positions weighted equally
	probability []float64 // weighted by probability
}

// stageNames are the names of the stages in Table 1.
var stageNames = [2]string{"resid_mid", "resid_post"}

func (l *lab) measureVariances(ctx context.Context, s *claim.Study) (variances, error) {
	return measureReplicates(ctx, l, s, sources, measureVariance)
}

func measureVariance(m *subject) (v variance, err error) {
	for i, st := range []*stage{m.mid(), m.final()} {
		n := len(table1[0].printed)
		v[i] = stageVariance{st.literal[:n], st.words[:n], st.probability[:n]}
	}
	return v, nil
}

// printed returns the column of Table 1 for a process and an index into stageNames.
func printed(on trained.Source, stage int) []float64 {
	at := slices.IndexFunc(table1, func(c printedColumn) bool {
		return c.source == on && c.stage == stageNames[stage]
	})
	return table1[at].printed[:]
}

// three returns the function that gives the share of a stage's variance explained by
// three components. The argument is an index into stageNames.
func three(stage int) func(v variance) float64 {
	return func(v variance) float64 { return v[stage].literal[threeComponents] }
}

func (m variances) judge() claim.Finding {
	finding := claim.NewFinding(claim.ConditionsOf(m, func(g replicates[variance]) claim.Condition {
		return g.judged(three(1), func(found, random []variance) claim.Condition {
			return judgeVariances(found, random, g.Source)
		})
	}))
	for _, g := range trainedOnly(m) {
		finding.Asked = append(finding.Asked, askCells(g))
	}
	return finding
}

// judgeVariances judges the models of a condition.
func judgeVariances(found, random []variance, on trained.Source) claim.Condition {
	counts := map[claim.Verdict]int{}
	var texts []string
	var c claim.Condition
	asPrinted := false // whether a stage is on the printed side together with its random initialisation
	for stage, name := range stageNames {
		shares, control := numbers(found, three(stage)), mean(random, three(stage))
		beside := printed(on, stage)[threeComponents]
		verdict := besideFew(shares, control, beside)
		counts[verdict]++
		power := ""
		if verdict == claim.Open && (control > few) == (beside > few) {
			power = ", no power: the random initialisation is also on that side"
			asPrinted = asPrinted || sign(shares, few) != 0
		}
		texts = append(texts, fmt.Sprintf("%s %s (printed %.4f, random initialisation %.3f%s)",
			name, withInterval("%.3f", shares), beside, control, power))
		if c.Effect == nil || verdict != claim.Open {
			c.Effect = claim.Over("share of three components, "+name, "", shares).Beside("Table 1", beside).
				Against("random initialisation", control)
		}
	}
	c.Obtained = "three components explain: " + strings.Join(texts, ", ")
	switch {
	case counts[claim.Fails] > 0 && (counts[claim.Holds] > 0 || asPrinted):
		c.Verdict, c.Reason = claim.Differs, claim.Size
	case counts[claim.Fails] > 0:
		c.Verdict = claim.Fails
	case counts[claim.Holds] > 0:
		c.Verdict = claim.Holds
	default:
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c
}

// besideFew compares the shares of the seeds, and the printed share, with the limit few.
// It returns Fails if the interval of the shares is on the other side of the limit than
// the printed share. It returns Open if the interval contains the limit. If both are on
// the same side, it returns Open if the share at random initialisation is there, too, and
// Holds if it is not.
func besideFew(shares []float64, control, printed float64) claim.Verdict {
	side, want := sign(shares, few), -1
	if printed > few {
		want = 1
	}
	switch {
	case side == -want:
		return claim.Fails
	case side == 0 || (control > few) == (printed > few):
		return claim.Open
	}
	return claim.Holds
}

// differences returns, for each cell of Table 1, the absolute difference between the mean
// over models and the printed share.
func differences(models []variance, on trained.Source) (list []float64) {
	for stage := range stageNames {
		for k, want := range printed(on, stage) {
			cell := mean(models, func(v variance) float64 { return v[stage].literal[k] })
			list = append(list, math.Abs(cell-want))
		}
	}
	return list
}

// askCells asks whether the printed cells themselves are reproduced.
func askCells(g replicates[variance]) claim.Question {
	question := fmt.Sprintf("%s: is the mean over seeds within %g of the printed share in each of 14 cells? (The "+
		"laboratory's own question: the printed shares come from one model each, without error bars.)", g, cellOff)
	return g.asked(question, func(q *claim.Question, found, random []variance) {
		off, control := differences(found, g.Source), differences(random, g.Source)
		q.Answer = claim.AnswerIf(slices.Max(off) <= cellOff)
		q.Obtained = fmt.Sprintf("difference by cell: mean %.3f, largest %.3f; for the random initialisation %.3f "+
			"and %.3f",
			stat.Mean(off, nil), slices.Max(off), stat.Mean(control, nil), slices.Max(control))
	})
}

func (m variances) tabulate(c *claim.Claim) {
	for _, g := range trainedOnly(m) {
		c.Tables = append(c.Tables, varianceTable(g))
	}
}

// varianceTable returns a table of a condition: each cell of Table 1 as reproduced, as
// printed and at random initialisation.
func varianceTable(g replicates[variance]) document.Table {
	table := document.Frame{
		Title: fmt.Sprintf("%s: cumulative explained variance, mean over seeds that have converged (printed; ours "+
			"minus printed), and at random initialisation", g),
		Columns: document.Headed("", "component"),
	}
	for _, name := range stageNames {
		table.Columns = append(table.Columns, document.Headed("%.4f", name, "random init")...)
	}
	found, random := g.tabulated()
	for k := range table1[0].printed {
		cells := []any{k}
		for stage := range stageNames {
			share := func(v variance) float64 { return v[stage].literal[k] }
			cells = append(cells, besidePrinted(mean(found, share), printed(g.Source, stage)[k]), mean(random, share))
		}
		table.Row(cells...)
	}
	return table.Table()
}

// besidePrinted formats a cell of the table: our share, the printed one and the
// difference.
func besidePrinted(ours, printed float64) string {
	return strings.ReplaceAll(fmt.Sprintf("%.4f (%.4f; %+.4f)", ours, printed, ours-printed), "-", "−")
}

func (m variances) draw(out *claim.Output) {
	var panels [][]figure.Panel
	var labels []string
	cells := document.Frame{Columns: document.Named(
		"final", "x", "alpha", "seed", "converged", "component", "printed", "each_prefix_once", "random_init",
		"all_sequences_alike", "by_probability",
	)}
	for _, g := range trainedOnly(m) {
		labels = append(labels, g.String())
		panels = append(panels, []figure.Panel{varianceChart(g, 0), varianceChart(g, 1)})
		addCells(&cells, g)
	}
	out.Figure("variance", &figure.Figure{
		Title: "Cumulative explained variance",
		Desc: "Two charts for each condition, after attention and after the MLP: cumulative explained variance " +
			"by number of components: ours, printed, and at random initialisation.",
		Panels: panels, Cols: []string{"resid_mid", "resid_post"}, Rows: labels,
	})
	out.CSV("variance", cells)
}

// varianceChart draws the explained variance of a stage in the models of a condition,
// with Table 1.
func varianceChart(g replicates[variance], stage int) figure.Panel {
	ours := figure.Series{Name: "ours, mean and 95 %"}
	untrained := figure.Series{Name: "random initialisation", Color: figure.Grey}
	beside := figure.Series{Name: "printed (Table 1)", Color: 2, Open: true}
	found, random := g.tabulated()
	for k, want := range printed(g.Source, stage) {
		cell := func(v variance) float64 { return v[stage].literal[k] }
		x := float64(k + 1)
		addMean(&ours, x, numbers(found, cell))
		untrained.Add(x, mean(random, cell))
		beside.Add(x, want)
	}
	return figure.Chart{
		X: figure.Axis{Label: "components"}, Y: figure.Axis{Label: "explained", Include: []float64{0.25, 1}},
		Series: []figure.Series{ours, beside, untrained}, Refs: []figure.Ref{{Label: "90 %", Value: few}},
	}
}

// addCells adds a row for each cell of Table 1 and each model of a condition.
func addCells(f *document.Frame, g replicates[variance]) {
	for _, m := range g.Models {
		for stage := range stageNames {
			of := m.Found[stage]
			for k, want := range printed(g.Source, stage) {
				f.Row(stage, g.X, g.A, m.Seed, m.Unconverged == "", k, want,
					of.literal[k], m.Random[stage].literal[k], of.words[k], of.probability[k])
			}
		}
	}
}
