package curves

import (
	"fmt"
	"slices"
	"strings"

	"foretell/document"
	"foretell/process"
	"foretell/run"
	"foretell/settings"
	"foretell/train"
)

// text returns a table with a row for each run, which shows its last evaluation. Its last
// cells need no heading.
func (c *Set) text() []document.Section {
	f := document.Frame{Columns: []document.Column{
		{Heading: "run"},
		{Heading: "step"},
		{Heading: "loss", Format: "%.5f"},
		{Heading: "floor", Format: "%.5f"},
		{Heading: "chance", Format: "%.5f"},
		{Heading: "gap closed"},
		{Heading: "KL", Format: "%.2e"},
		{Heading: "accuracy"},
	}}
	observed, gap := c.optima() == 0, "%.1f %%"
	if observed { // runs on recordings, whose floor is not known
		f.Columns[3].Heading, f.Columns[5].Heading, f.Columns[6].Heading = "measured on", "compared with chance", ""
		gap = ""
	}
	for _, r := range c.Runs {
		last := r.Last()
		var floor, kl any = "not known", "–"
		switch {
		case last.Optimum != nil:
			floor, kl = last.Floor, last.KL
		case observed && last.HeldOut:
			floor = "held-out part"
		case observed:
			floor = "training windows"
		}
		f.Row(r.Label, fmt.Sprintf("%d of %d", last.Step, r.Steps), last.LossEval, floor, last.Chance,
			last.GapText(gap), kl, last.AccuracyText(""))
	}
	table := f.Table()
	table.Columns = table.Columns[:len(table.Columns)-1]
	s := document.Section{Tables: []document.Table{table}}
	if note := c.memorisedNote(); note != "" {
		s.Notes = []string{note}
	}
	if note := c.stopNote(); note != "" {
		s.Notes = append(s.Notes, note)
	}
	return []document.Section{s}
}

// numbers returns the numbers behind the figure: a row for each evaluation of each run. A
// number that the evaluation does not have is an empty cell. The last columns are the
// settings in which the runs differ.
func (c *Set) numbers() document.Frame {
	names, positions := c.watchedNames(), 0
	for _, r := range c.Runs {
		positions = max(positions, len(r.KLByPosition))
	}
	paths := c.Differing()
	varied := c.values(paths)
	f := document.Frame{Columns: document.Named(slices.Concat(
		[]string{"run", "label", "process"}, columnsOf(positions, names), paths)...)}
	for i, r := range c.Runs {
		for _, row := range r.Evaluations {
			f.Row(slices.Concat([]any{r.Dir, r.Label, r.Process}, cells(row, positions, names), varied[i])...)
		}
	}
	return f
}

// values returns for each run the values of settings, as cells.
func (c *Set) values(paths []string) [][]any {
	rows, list := make([][]any, len(c.Runs)), c.settings()
	for _, path := range paths {
		for i, value := range settings.Column(list, path) {
			switch of := value.(type) {
			case nil:
				value = ""
			case bool:
				value = document.Truth(of)
			}
			rows[i] = append(rows[i], value)
		}
	}
	return rows
}

// Long returns the numbers behind the figure with one number in a row: the run, the step,
// the name of the number and its value. A number that an evaluation does not have is left
// out.
func (c *Set) Long() document.Frame {
	names := c.watchedNames()
	f := document.Frame{Columns: document.Named("run", "step", "metric", "value")}
	for _, r := range c.Runs {
		for _, row := range r.Evaluations {
			positions := len(row.KLByPosition)
			columns := columnsOf(positions, names)
			for i, cell := range cells(row, positions, names) {
				if value, has := numberIn(cell); has && columns[i] != "step" {
					f.Row(r.Dir, row.Step, columns[i], value)
				}
			}
		}
	}
	return f
}

// numberIn returns the number in a cell of [cells].
func numberIn(cell any) (x float64, ok bool) {
	switch cell := cell.(type) {
	case int:
		return float64(cell), true
	case int64:
		return float64(cell), true
	case float64:
		return cell, true
	case *float64:
		if cell != nil {
			return *cell, true
		}
	}
	return 0, false
}

// LongForms returns the forms of [Set.Long].
func (c *Set) LongForms() document.Forms {
	numbers := document.Sure(c.Long)
	return document.Forms{".csv": document.CSV(numbers), ".parquet": document.Parquet(numbers)}
}

// columnsOf returns the names of the cells that [cells] returns.
func columnsOf(positions int, watched []string) []string {
	names := []string{
		"step", "tokens", "loss_train", "loss_eval", "floor", "chance", "gap_closed", "kl", "lr", "grad_norm",
		"accuracy", "accuracy_ceiling", "accuracy_retrieval",
	}
	for t := range positions {
		names = append(names, fmt.Sprintf("kl_position_%d", t+1))
	}
	return append(names, watched...)
}

// cells returns the numbers of an evaluation: the numbers that every table has, the KL at
// each of the given number of positions, and the watched numbers with the given names. A
// number that the evaluation does not have is nil.
func cells(row run.Row, positions int, names []string) []any {
	var floor, kl, accuracy, ceiling, retrieval *float64
	if o := row.Optimum; o != nil {
		floor, kl = &o.Floor, &o.KL
	}
	if a := row.Accuracy; a != nil {
		accuracy, retrieval = &a.Overall, a.Retrieval
		if row.Observed == nil {
			ceiling = &a.Ceiling
		}
	}
	list := []any{
		row.Step, row.Tokens, row.LossTrain, row.LossEval, floor, row.Chance,
		row.GapClosed, kl, row.LR, row.GradNorm, accuracy, ceiling, retrieval,
	}
	for t := range positions {
		var x *float64
		if t < len(row.KLByPosition) {
			x = &row.KLByPosition[t]
		}
		list = append(list, x)
	}
	for _, name := range names {
		list = append(list, watched(row, name))
	}
	return list
}

// Forms returns the forms of the curves: a table for a terminal, .svg, .csv with a row
// for each evaluation, .json, and a page (.html) with the figure and the numbers of each
// run, which names the command line.
func (c *Set) Forms(command string) document.Forms {
	page := func() (document.Document, error) {
		section, err := c.Section()
		return document.Document{Title: c.title(), Sections: []document.Section{section}}, err
	}
	return document.Answer{
		Text: c.text, Figure: c.figure, Page: page,
		Numbers: document.Sure(c.numbers), Value: c,
	}.Forms(command)
}

// Section returns the part of a page that shows the curves: the figure, and the numbers
// of each run.
func (c *Set) Section() (document.Section, error) {
	f, err := c.figure()
	if err != nil {
		return document.Section{}, err
	}
	s := document.Section{Figure: f, Caption: c.caption()}
	for _, r := range c.Runs {
		s.Tables = append(s.Tables, r.table())
	}
	return s, nil
}

// caption explains how to read the figure.
func (c *Set) caption() string {
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
	for _, note := range c.notes() {
		text += note + " "
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
func (c *Set) optima() (known int) {
	for _, r := range c.Runs {
		if r.Last().Optimum != nil {
			known++
		}
	}
	return known
}

// expectation returns a phrase that says what the losses are averaged over.
func (c *Set) expectation() string { return train.MeanOver(c.exact(), len(c.Runs)) }

// exact returns the number of runs with the exact objective.
func (c *Set) exact() (exact int) {
	for _, r := range c.Runs {
		if r.Setting(settings.Objective) == "exact" {
			exact++
		}
	}
	return exact
}

// table returns a table with a row for each of a run's evaluations.
func (r Run) table() document.Table {
	f := document.Frame{Title: "Numbers of " + r.Title(), Columns: []document.Column{
		{Heading: "step"},
		{Heading: "loss", Format: "%.6f"},
		{Heading: "floor", Format: "%.6f"},
		{Heading: "chance", Format: "%.6f"},
		{Heading: "gap closed"},
		{Heading: "KL", Format: "%.3e"},
		{Heading: "learning rate", Format: "%.3g"},
		{Heading: "gradient norm", Format: "%.3g"},
	}}
	for _, row := range r.Evaluations {
		var floor, kl any = "not known", "–"
		if row.Optimum != nil {
			floor, kl = row.Floor, row.KL
		}
		gap := row.GapText("%.2f %%")
		f.Row(row.Step, row.LossEval, floor, row.Chance, gap, kl, row.LR, row.GradNorm)
	}
	return f.Table()
}

// stopNote says which models train.stop has chosen for the runs, or returns "".
func (c *Set) stopNote() string {
	var runs []string
	for _, r := range c.Runs {
		if r.Stop != nil {
			runs = append(runs, fmt.Sprintf("%s %s", r.Dir, r.Stop))
		}
	}
	if runs == nil {
		return ""
	}
	return strings.Join(runs, ". ") + "."
}

// memorisedNote returns a note if the optimal predictor of some runs has memorised a
// recording, or "".
func (c *Set) memorisedNote() string {
	var runs []string
	for _, r := range c.Runs {
		if o := r.Last().Optimum; o != nil && o.Memorised {
			runs = append(runs, r.Dir)
		}
	}
	switch len(runs) {
	case 0:
		return ""
	case len(c.Runs):
		return process.MemorisedNote
	}
	return strings.Join(runs, ", ") + ": " + process.MemorisedNote
}
