package inspect

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"foretell/document"
	"foretell/figure"
	"foretell/internal/csvtable"
	"foretell/internal/printable"
	"foretell/run"
	"foretell/train"
)

// Print writes a table with a row for each run, which shows its last evaluation. Tabs
// separate the cells.
func (c *Curves) Print(w io.Writer) {
	if c.optima() == 0 {
		c.printObserved(w)
		return
	}
	printable.Fprintf(w, "run\tstep\tloss\tfloor\tchance\tgap closed\tKL\n")
	for _, r := range c.Runs {
		last := r.Last()
		floor, kl := "not known", "–"
		if last.Optimum != nil {
			floor, kl = fmt.Sprintf("%.5f", last.Floor), fmt.Sprintf("%.2e", last.KL)
		}
		printable.Fprintf(w, "%s\t%d of %d\t%.5f\t%s\t%.5f\t%s\t%s\t%s\n", r.Label, last.Step, r.Steps, last.LossEval,
			floor, last.Chance, last.GapText("%.1f %%"), kl, last.AccuracyText(""))
	}
	if note := c.memorisedNote(); note != "" {
		printable.Fprintf(w, "%s\n", note)
	}
}

// printObserved is [Curves.Print] for runs on recordings, whose floor is not known.
func (c *Curves) printObserved(w io.Writer) {
	printable.Fprintf(w, "run\tstep\tloss\tmeasured on\tchance\tcompared with chance\n")
	for _, r := range c.Runs {
		last, of := r.Last(), "training windows"
		if last.HeldOut {
			of = "held-out part"
		}
		printable.Fprintf(w, "%s\t%d of %d\t%.5f\t%s\t%.5f\t%s\t%s\n", r.Label, last.Step, r.Steps, last.LossEval, of,
			last.Chance, last.GapText(""), last.AccuracyText(""))
	}
}

// CSV returns the numbers behind the figure: a row for each evaluation of each run. A
// number that the evaluation does not have is an empty cell.
func (c *Curves) CSV() ([]byte, error) {
	watched, positions := c.watchedNames(), 0
	for _, r := range c.Runs {
		positions = max(positions, len(r.KLByPosition))
	}
	head := []string{
		"run", "label", "process", "step", "tokens", "loss_train", "loss_eval", "floor", "chance", "gap_closed",
		"kl", "lr", "grad_norm", "accuracy", "accuracy_ceiling", "accuracy_retrieval",
	}
	for t := range positions {
		head = append(head, fmt.Sprintf("kl_position_%d", t+1))
	}
	rows := [][]string{append(head, watched...)}
	for _, r := range c.Runs {
		for _, row := range r.Evaluations {
			rows = append(rows, append([]string{r.Run, r.Label, r.Process}, cells(row, positions, watched)...))
		}
	}
	return csvtable.Bytes(rows)
}

// cells returns the numbers of an evaluation as text: the numbers that every table has,
// the KL at each of the given number of positions, and the watched numbers with the given
// names. A number that the evaluation does not have is an empty cell.
func cells(row run.Row, positions int, watched []string) []string {
	list := []string{strconv.Itoa(row.Step), strconv.FormatInt(row.Tokens, 10)}
	add := func(x *float64) {
		if x == nil {
			list = append(list, "")
			return
		}
		list = append(list, strconv.FormatFloat(*x, 'g', -1, 64))
	}
	var floor, kl *float64
	if o := row.Optimum; o != nil {
		floor, kl = &o.Floor, &o.KL
	}
	for _, x := range []*float64{
		&row.LossTrain, &row.LossEval, floor, &row.Chance, row.GapClosed, kl, &row.LR, &row.GradNorm,
	} {
		add(x)
	}
	accuracy := [3]*float64{}
	if a := row.Accuracy; a != nil {
		accuracy = [3]*float64{&a.Overall, &a.Ceiling, a.Retrieval}
		if row.Observed != nil {
			accuracy[1] = nil
		}
	}
	for _, x := range accuracy {
		add(x)
	}
	for t := range positions {
		var x *float64
		if t < len(row.KLByPosition) {
			x = &row.KLByPosition[t]
		}
		add(x)
	}
	for _, name := range watched {
		var x *float64
		if value, ok := row.Watch[name]; ok {
			x = &value
		}
		add(x)
	}
	return list
}

// HTML returns a self-contained page with the figure, the last evaluation of each run,
// and the numbers. command is the command line that made it, which the page names.
func (c *Curves) HTML(command string) ([]byte, error) {
	section, err := c.section()
	if err != nil {
		return nil, err
	}
	return document.Document{
		Title: c.title(), Subtitle: "Made by `" + command + "`", Sections: []document.Section{section},
	}.HTML()
}

// section returns the part of a page that shows the curves.
func (c *Curves) section() (document.Section, error) {
	f, err := c.Figure()
	if err != nil {
		return document.Section{}, err
	}
	s := document.Section{Figure: withoutHeading(f), Caption: c.caption()}
	for _, r := range c.Runs {
		s.Tables = append(s.Tables, r.table())
	}
	return s, nil
}

// caption explains how to read the figure.
func (c *Curves) caption() string {
	if c.optima() == 0 {
		return observedLosses + " " + c.leftOut() + " " + c.stepsNote()
	}
	text := "Losses " + c.expectation() + ", in nats per token. The floor is the loss of the best possible " +
		"predictor, chance the loss of the best constant guess. "
	if !c.SameFloor {
		text = "These runs have different floors, so each loss is drawn relative to its own floor, the loss of the " +
			"best possible predictor, in nats per token. "
	}
	if c.optima() < len(c.Runs) {
		text += observedLosses + " The panel of losses leaves such runs out; the tables include them. "
	}
	for _, note := range []string{c.memorisedNote(), c.leftOut(), c.stepsNote()} {
		if note != "" {
			text += note + " "
		}
	}
	return text + "The share of the gap closed is (chance − loss)/(chance − floor); at 100 %, nothing more can " +
		"be learned. It is drawn from the first evaluation whose loss is below chance, or from the start if no loss " +
		"is. KL is the divergence from the optimal prediction to the model's, by number of tokens seen: a model that has " +
		"learned to use its context is as close to the optimum at late positions as at early ones."
}

// observedLosses explains the losses of runs on recordings.
const observedLosses = "The best possible prediction of a recording is not known. Its losses are on windows of the " +
	"held-out part, if there is one, and chance is the loss of the best constant guess on the same windows."

// optima returns the number of runs with a floor, that is, a known optimal prediction.
func (c *Curves) optima() (known int) {
	for _, r := range c.Runs {
		if r.Last().Optimum != nil {
			known++
		}
	}
	return known
}

// expectation returns a phrase that says what the losses are averaged over.
func (c *Curves) expectation() string { return train.MeanOver(c.exact(), len(c.Runs)) }

// exact returns the number of runs with the exact objective.
func (c *Curves) exact() (exact int) {
	for _, r := range c.Runs {
		if r.setting("train.objective") == "exact" {
			exact++
		}
	}
	return exact
}

// table returns a table with a row for each of a run's evaluations.
func (r RunCurve) table() document.Table {
	t := document.Table{
		Title:   "Numbers of " + r.Title(),
		Columns: []string{"step", "loss", "floor", "chance", "gap closed", "KL", "learning rate", "gradient norm"},
	}
	for _, row := range r.Evaluations {
		floor, kl := "not known", "–"
		if row.Optimum != nil {
			floor, kl = fmt.Sprintf("%.6f", row.Floor), fmt.Sprintf("%.3e", row.KL)
		}
		t.Rows = append(t.Rows, []string{
			strconv.Itoa(row.Step), fmt.Sprintf("%.6f", row.LossEval), floor,
			fmt.Sprintf("%.6f", row.Chance), row.GapText("%.2f %%"), kl,
			fmt.Sprintf("%.3g", row.LR), fmt.Sprintf("%.3g", row.GradNorm),
		})
	}
	return t
}

// Write returns the curves in the format of a file extension: .svg is the figure, .html a
// self-contained page that names the command line, .csv the numbers, and .json
// everything. Any other extension is an error.
func (c *Curves) Write(ending, command string) ([]byte, error) {
	return written(ending, c.Figure, func() ([]byte, error) { return c.HTML(command) }, c.CSV, c)
}

// written returns a result in the format of a file extension: it calls the function draw
// for .svg, html for .html and csv for .csv, and encodes the value for .json. Any other
// extension is an error.
func written(
	ending string, draw func() (*figure.Figure, error), html, csv func() ([]byte, error), value any,
) ([]byte, error) {
	switch ending {
	case ".svg":
		f, err := draw()
		if err != nil {
			return nil, err
		}
		return f.SVG()
	case ".html":
		return html()
	case ".csv":
		return csv()
	case ".json":
		data, err := json.MarshalIndent(value, "", "  ")
		return append(data, '\n'), err
	}
	return nil, fmt.Errorf("cannot write the format %q, want .svg, .html, .csv or .json", ending)
}
