package signals

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
)

const (
	// allOf is the smallest accuracy that rounds to the printed “100.0 %”.
	allOf = 0.9995
	// nearCeiling is the largest distance from the ceiling (the greatest possible accuracy)
	// at which a model counts as having learned the signal. A GPT that is farther from the
	// ceiling, and not better than the other models, may be on a plateau.
	nearCeiling = 0.03
	// nearPrinted is the largest difference, in points, at which a gap counts as the printed
	// gap.
	nearPrinted = 5
)

// printedResults are the numbers of “Main Results: Where Attention Wins”, in per cent.
var printedResults = map[signal][3]float64{
	sine:        {100, 100, 100},
	mackeyGlass: {37.5, 44.1, 54.0},
	switching:   {68.5, 71.9, 78.7},
	brackets:    {5.9, 7.1, 9.4},
	routing:     {4.8, 6.1, 27.9},
}

// mainTable returns row S3: the lecture's main table.
func (l *lab) mainTable() claim.Row {
	return texts.Fill(claim.Row{
		ID: "S3", Kind: claim.Order, Setting: l.setting,
		Trainings: l.trainings(mainNetworks()), RuleCommit: "fd049f4", ChangedAfterResult: true,
		StandsOn: []string{"S4", "S5", "S6"},
		First:    claim.FirstBy("85ed7f0", mainResults.first),
		Test: claim.Steps[mainResults]{
			Measure: l.measureMain, Judge: mainResults.judge, Tabulate: mainResults.tabulate, Draw: mainResults.draw,
		}.Test,
	}, map[string]any{
		"context": contextLength, "all": 100 * allOf, "nearCeiling": 100 * nearCeiling, "chosen": shared.Notes[0],
	})
}

// mainNetworks are the three architectures on each of the five signals.
func mainNetworks() (list []network) {
	for _, s := range allSignals {
		for _, a := range architectures {
			list = append(list, of(s, a))
		}
	}
	return list
}

// mainResults holds the measurements for the lecture's main table.
type mainResults []compared

// compared holds the accuracies of the three architectures on a signal.
type compared struct {
	signal
	printed [3]float64  // the lecture's, in per cent
	end     [3]accuracy // at the end of training
	half    [3]accuracy // after half of the steps
	seen    [3]accuracy // on the recording used for training; Mackey–Glass only
}

func (l *lab) measureMain(ctx context.Context, s *claim.Study) (mainResults, error) {
	var found mainResults
	for _, on := range allSignals {
		c := compared{signal: on, printed: printedResults[on]}
		for i, a := range architectures {
			t, err := l.measured(ctx, s, of(on, a))
			if err != nil {
				return found, err
			}
			c.end[i], c.half[i], c.seen[i] = t.end, t.half, t.seen
		}
		found = append(found, c)
	}
	return found, nil
}

// rival returns the index of the better of the linear model and the MLP.
func (c compared) rival() int {
	if c.end[0].either(c.signal) > c.end[1].either(c.signal) {
		return 0
	}
	return 1
}

// lead returns the GPT's accuracy minus the accuracy of the better of the other two
// models.
func (c compared) lead() float64 {
	return c.end[2].either(c.signal) - c.end[c.rival()].either(c.signal)
}

func (m mainResults) judge() claim.Finding {
	var conditions []claim.Condition
	for _, c := range m {
		if c.signal == sine {
			conditions = append(conditions, c.all())
		} else {
			conditions = append(conditions, c.order())
		}
	}
	fails := func(c claim.Condition) bool { return c.Verdict == claim.Fails }
	if !slices.ContainsFunc(conditions, fails) { // if one fails, there is no lead to compare
		conditions = append(conditions, m.gaps(conditions))
	}
	found := claim.NewFinding(conditions)
	if found.Verdict == claim.Holds {
		found.Effect = narrowest(conditions)
	}
	for _, c := range m {
		if c.signal != sine {
			found.Asked = append(found.Asked, c.ofPrintedSize())
		}
	}
	return found
}

// theLead is the effect of the conditions on signals other than the sine.
const theLead = "lead of the GPT"

// narrowest returns the smallest lead of the GPT on a signal that is decided, or nil if
// no such signal is.
func narrowest(conditions []claim.Condition) (least *claim.Effect) {
	for _, c := range conditions {
		e := c.Effect
		if c.Verdict == claim.Holds && e != nil && e.What == theLead && (least == nil || e.Estimate < least.Estimate) {
			least = e
		}
	}
	return least
}

// all judges the condition that all three models predict the sine.
func (c compared) all() claim.Condition {
	least, gained := 1.0, 0.0
	for i := range c.end {
		least = min(least, c.end[i].global)
		gained = max(gained, c.end[i].global-c.half[i].global)
	}
	found := claim.Condition{
		Name: c.title, Verdict: claim.Holds, Obtained: fmt.Sprintf("the lowest accuracy of the three models is %.2f %%",
			100*least),
		Effect: claim.Over("lowest accuracy of three models", "%", []float64{100 * least}).Beside(authors, 100),
	}
	why := ""
	if least < allOf {
		found.Verdict = claim.Fails
		if gained > 0 {
			why = fmt.Sprintf("a model still gains %.2f points in the second half of the steps", 100*gained)
		}
	}
	return found.Judged(why)
}

// order judges the condition, on a signal other than the sine, that the GPT is more
// accurate than both other models. It is open if the GPT has learned no more than a
// guess.
func (c compared) order() claim.Condition {
	found, end := c.ordered(), c.end[2]
	if why := atGuess("the GPT", end.either(c.signal), end.guess, end.windows); why != "" {
		return found.Judged(why)
	}
	return found
}

// ordered is order, whatever a guess is.
func (c compared) ordered() claim.Condition {
	best, lead := c.rival(), c.lead()
	here, there := c.end[2].either(c.signal), c.end[best].either(c.signal)
	gained := there - c.half[best].either(c.signal)
	found := claim.Condition{
		Name: c.title, Verdict: claim.Holds,
		Obtained: fmt.Sprintf("GPT %.1f %%, %s %.1f %%", 100*here, architectures[best], 100*there),
		Effect: claim.Over(theLead, "points", []float64{100 * lead}).
			Beside(authors, c.printed[2]-max(c.printed[0], c.printed[1])),
	}
	switch {
	case lead > noise(here, there, c.end[2].windows):
		if gained >= lead {
			return found.Judged(fmt.Sprintf("%s gains %.1f points in the second half of the steps, at least as much "+
				"as it trails the GPT",
				architectures[best], 100*gained))
		}
	case c.top()-here > nearCeiling:
		return found.Judged(fmt.Sprintf("the GPT is not above the other models: it has %.1f %%, the ceiling is %.1f "+
			"%%, and the GPT may be on a plateau",
			100*here, 100*c.top()))
	default:
		found.Verdict = claim.Fails
	}
	return found.Judged("")
}

// top returns the greatest possible value of the accuracy that the lecture uses for the
// signal.
func (c compared) top() float64 {
	if c.symbolic() {
		return 1
	}
	return c.end[2].ceiling
}

// gaps judges the condition that the GPT's lead is largest in routing and smallest in
// brackets.
func (m mainResults) gaps(orders []claim.Condition) claim.Condition {
	found := claim.Condition{Name: "largest and smallest gap", Verdict: claim.Holds}
	largest, smallest, why := m[1], m[1], ""
	for i, c := range m {
		if c.signal == sine {
			continue
		}
		if c.lead() > largest.lead() {
			largest = c
		}
		if c.lead() < smallest.lead() {
			smallest = c
		}
		if orders[i].Verdict == claim.Open && why == "" {
			why = c.title + " is not decided"
		}
	}
	found.Obtained = fmt.Sprintf("the largest gap is on %s, %.1f points; the smallest is on %s, %.1f points",
		largest.title, 100*largest.lead(), smallest.title, 100*smallest.lead())
	if largest.signal != routing || smallest.signal != brackets {
		found.Verdict, found.Reason = claim.Differs, claim.Convention
	}
	return found.Judged(why)
}

// ofPrintedSize answers the question of whether the lead is as printed.
func (c compared) ofPrintedSize() claim.Question {
	printed := c.printed[2] - max(c.printed[0], c.printed[1])
	apart := 100*c.lead() - printed
	return claim.Question{
		Question: fmt.Sprintf("%s: is the lead of the GPT within %d points of the printed %+.1f? (The laboratory's "+
			"own margin)",
			c.title, nearPrinted, printed),
		Answer:   claim.AnswerIf(apart >= -nearPrinted && apart <= nearPrinted),
		Obtained: fmt.Sprintf("%+.1f points", 100*c.lead()),
	}
}

// accuracies returns the accuracies on each signal as a table and as data.
func (m mainResults) accuracies() document.Frame {
	f := document.Frame{
		Title: "accuracy on the token after the window, per cent: global for the first two signals, conditional for " +
			"the others",
		Columns: document.Headed("", "signal"),
	}
	for _, a := range architectures {
		name := string(a)
		f.Columns = append(f.Columns, document.Headed("%.1f", name, "printed")...)
		f.Columns = append(f.Columns, document.Named(name, name+"_half", name+"_printed")...)
	}
	f.Columns = append(f.Columns, document.Headed("%+.1f", "gap", "printed")...)
	f.Columns = append(f.Columns,
		document.Headed("%.1f", "guess from one token", "ceiling", "± two standard errors")...)
	for _, s := range m {
		cells := []any{s.title}
		for i := range architectures {
			end, half := s.end[i].either(s.signal), s.half[i].either(s.signal)
			cells = append(cells, 100*end, s.printed[i], end, half, s.printed[i]/100)
		}
		here, there := s.end[2].either(s.signal), s.end[s.rival()].either(s.signal)
		f.Row(append(cells, 100*s.lead(), s.printed[2]-max(s.printed[0], s.printed[1]), 100*s.end[2].guess, 100*s.top(),
			100*noise(here, there, s.end[2].windows))...)
	}
	return f
}

func (m mainResults) tabulate(c *claim.Claim) {
	global := document.Frame{
		Title: "global accuracy, per cent: on symbolic signals, and on windows of the Mackey–Glass recording used " +
			"for training",
		Columns: document.Headed("%.1f", "signal", "Linear", "MLP", "GPT", "ceiling"),
	}
	for _, s := range m {
		of := s.end
		if s.signal == mackeyGlass {
			of = s.seen
		}
		if s.signal != sine {
			global.Row(s.title, 100*of[0].global, 100*of[1].global, 100*of[2].global, 100*of[0].ceiling)
		}
	}
	c.Tables = append(c.Tables, m.accuracies().Table(), global.Table())
}

func (m mainResults) draw(out *claim.Output) {
	bars := figure.Bars{Y: figure.Axis{Label: "accuracy, %", Include: []float64{0, 100}}}
	for _, s := range m {
		bars.Groups = append(bars.Groups, s.title)
	}
	for i, a := range architectures {
		ours := figure.BarSeries{Name: string(a), Color: i + 1}
		theirs := figure.BarSeries{Name: string(a) + ", printed", Color: i + 1, Open: true}
		for _, s := range m {
			ours.Y = append(ours.Y, 100*s.end[i].either(s.signal))
			theirs.Y = append(theirs.Y, s.printed[i])
		}
		bars.Series = append(bars.Series, ours, theirs)
	}
	f := figure.Single("Where attention wins", "Three models on five signals, with the printed numbers.", bars)
	f.Width = 720
	out.Figure("accuracy", f)
	out.CSV("accuracy", m.accuracies())
}
