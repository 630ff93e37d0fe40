package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/trained"

	"gonum.org/v1/gonum/stat"
)

// The rule of M13: the difference of a cell of Table 1 from the printed one.
const (
	cellOff    = 0.05 // of each
	cellFarOff = 0.2  // differs if the mean is at most this
)

// table1 is Table 1 of Piotrowski et al. 2025 as printed: cumulative explained variance
// of components 0 … 6, by stage and process.
var table1 = []printedColumn{
	{"intermediate", trained.Mess3(0.15, 0.2), [7]float64{0.5408, 0.8768, 0.9673, 0.9749, 0.9815, 0.9870, 0.9914}},
	{"intermediate", trained.Mess3(0.15, 0.6), [7]float64{0.4648, 0.8894, 0.9859, 0.9903, 0.9929, 0.9942, 0.9955}},
	{"intermediate", trained.Mess3(0.5, 0.6), [7]float64{0.4074, 0.8028, 0.8913, 0.9455, 0.9848, 0.9978, 0.9986}},
	{"intermediate", trained.Mess3(0.5, 0.2), [7]float64{0.5268, 0.8519, 0.9173, 0.9649, 0.9886, 0.9977, 0.9984}},
	{"final", trained.Mess3(0.15, 0.2), [7]float64{0.9618, 0.9825, 0.9943, 0.9960, 0.9969, 0.9976, 0.9981}},
	{"final", trained.Mess3(0.15, 0.6), [7]float64{0.4947, 0.7681, 0.9811, 0.9897, 0.9916, 0.9931, 0.9945}},
	{"final", trained.Mess3(0.5, 0.6), [7]float64{0.4596, 0.7096, 0.8855, 0.9189, 0.9428, 0.9586, 0.9723}},
	{"final", trained.Mess3(0.5, 0.2), [7]float64{0.6503, 0.8592, 0.9689, 0.9755, 0.9807, 0.9850, 0.9886}},
}

type printedColumn struct {
	stage   string
	source  trained.Source
	printed [7]float64
}

// few is the share of the variance that three components explain where a stage has few
// dimensions.
const few = 0.9

// explainedVariance is M13: Piotrowski et al. 2025, Table 1.
func (l *lab) explainedVariance() claim.Row {
	return claim.Row{
		ID: "M13", Source: cite + "Table 1",
		Statement: "The residual stream has few dimensions: cumulative explained variance of 7 components, " +
			"intermediate and final, 4 conditions.",
		Expected: fmt.Sprintf("each of the 56 cells within %g of the printed one; differs otherwise, fails if the "+
			"mean difference exceeds %g",
			cellOff, cellFarOff),
		Trainings: trained.Trainings(l.paperModels()),
		Test: claim.Steps[variances]{
			Measure: l.measureVariances, Judge: variances.judge, Tabulate: variances.tabulate, Draw: variances.draw,
		}.Test,
	}
}

// variances are the explained variances beside Table 1, by normalisation.
type variances struct {
	setting string
	tables  []varianceTable // the first is what the rule is about
}

// varianceTable is Table 1 again, with one normalisation.
type varianceTable struct {
	norm    string
	columns []varianceColumn
}

// varianceColumn is a column of it: the cumulative explained variance of 7 components.
type varianceColumn struct {
	printedColumn
	words       []float64 // all sequences and positions weighted equally
	probability []float64 // weighted by probability
}

func (l *lab) measureVariances(ctx context.Context, s *claim.Study) (variances, error) {
	found := variances{setting: l.setting}
	for _, norm := range l.norms {
		table := varianceTable{norm: norm}
		for _, column := range table1 {
			models, err := l.of(ctx, s, []trained.Condition{l.paperModel(column.source.X, column.source.A, norm)})
			if err != nil {
				return found, err
			}
			st := models[0].mid()
			if column.stage == "final" {
				st = models[0].final()
			}
			n := len(column.printed)
			table.columns = append(table.columns, varianceColumn{column, st.words[:n], st.probability[:n]})
		}
		found.tables = append(found.tables, table)
	}
	return found, nil
}

// differences are those of all cells from the printed ones.
func (t varianceTable) differences() (list []float64) {
	for _, c := range t.columns {
		for k, printed := range c.printed {
			list = append(list, math.Abs(c.words[k]-printed))
		}
	}
	return list
}

func (m variances) judge() claim.Finding {
	list := m.tables[0].differences()
	mean, largest := stat.Mean(list, nil), slices.Max(list)
	found := claim.Finding{
		Verdict: claim.Fails, Obtained: fmt.Sprintf("difference by cell: mean %.3f, largest %.3f", mean, largest),
	}
	switch {
	case largest <= cellOff:
		found.Verdict = claim.Holds
	case mean <= cellFarOff:
		found.Verdict = claim.Differs
	}
	return found
}

func (m variances) tabulate(c *claim.Claim) {
	c.Setting = m.setting
	for _, t := range m.tables {
		c.Tables = append(c.Tables, t.table())
		ours, printed := t.fewDimensions()
		c.Notes = append(c.Notes, fmt.Sprintf("Normalisation %s: mean difference by cell %.3f; the first three "+
			"components explain more than %s in %d of %d columns, in the printed table in %d.",
			t.norm, stat.Mean(t.differences(), nil), percent(few), ours, len(t.columns), printed))
	}
	c.Notes = append(c.Notes,
		"The paper does not say how words are weighted; ours takes all 3^10 sequences at all positions alike. The "+
			"data file has the probability-weighted figures, too.",
		"These numbers depend on what training leaves besides the geometry (positions, above all): the printed ones "+
			"are one model each, without error bars.")
}

// table shows each cell beside the printed one.
func (t varianceTable) table() claim.Table {
	table := claim.Table{
		Title:   "ours (printed; ours less printed), normalisation " + t.norm,
		Columns: []string{"component"},
	}
	for k := range table1[0].printed {
		table.Rows = append(table.Rows, []string{strconv.Itoa(k)})
	}
	for _, c := range t.columns {
		table.Columns = append(table.Columns, fmt.Sprintf("%s, %s", c.stage, c.source))
		for k, printed := range c.printed {
			table.Rows[k] = append(table.Rows[k], besidePrinted(c.words[k], printed))
		}
	}
	return table
}

// besidePrinted is a cell of the table: ours, the printed one and the difference.
func besidePrinted(ours, printed float64) string {
	return strings.ReplaceAll(fmt.Sprintf("%.4f (%.4f; %+.4f)", ours, printed, ours-printed), "-", "−")
}

// fewDimensions counts the columns in which three components explain most.
func (t varianceTable) fewDimensions() (ours, printed int) {
	for _, c := range t.columns {
		if c.words[2] > few {
			ours++
		}
		if c.printed[2] > few {
			printed++
		}
	}
	return ours, printed
}

func (m variances) draw(out *claim.Output) {
	var panels []figure.Panel
	var labels []string
	for _, c := range m.tables[0].columns {
		panels, labels = append(panels, c.chart()), append(labels, c.source.String())
	}
	var rows [][]float64
	for _, t := range m.tables {
		rows = append(rows, t.rows()...)
	}
	out.Figure("variance", "Share of the variance that the first components explain: ours, weighted by sequences "+
		"and by probability, beside the printed one.",
		&figure.Figure{
			Title: "Cumulative explained variance",
			Desc: "Eight charts, four conditions after attention and after the MLP: cumulative explained variance " +
				"by number of components, ours and the printed one.",
			Panels: [][]figure.Panel{panels[:4], panels[4:]},
			Rows:   []string{"after attention", "after the MLP"}, Cols: labels[:4],
		})
	out.CSV("variance", []string{
		"final", "ln", "x", "alpha", "component", "printed", "ours", "difference", "ours_by_probability",
	}, rows)
}

func (c varianceColumn) chart() figure.Panel {
	var x []float64
	for k := range c.printed {
		x = append(x, float64(k+1))
	}
	return figure.Chart{
		X: figure.Axis{Label: "components"}, Y: figure.Axis{Label: "explained", Include: []float64{0.25, 1}},
		Series: []figure.Series{
			{Name: "ours, all sequences alike", X: x, Y: c.words},
			{Name: "ours, by probability", X: x, Y: c.probability},
			{Name: "printed (Table 1)", X: x, Y: c.printed[:], Open: true},
		},
	}
}

// rows are the cells, for the file of data.
func (t varianceTable) rows() (rows [][]float64) {
	for _, c := range t.columns {
		for k, printed := range c.printed {
			rows = append(rows, []float64{
				boolean(c.stage == "final"), boolean(t.norm == "LN"), c.source.X, c.source.A, float64(k),
				printed, c.words[k], c.words[k] - printed, c.probability[k],
			})
		}
	}
	return rows
}
