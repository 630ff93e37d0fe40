package series

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"foretell/document"
	"foretell/figure"
	"foretell/internal/durable"
	"foretell/internal/text"
)

const (
	fewestDrawn = 120  // last values that the figure of a series shows, or more:
	drawnAhead  = 10   // values for each step of the forecast
	significant = 0.05 // largest probability of a trend or a change that is shown
)

// Forms returns the forms of the report: for a terminal, a page (.html), the forecast
// (.csv), the figure of the series with the forecast (.svg), and .json.
func (r *Report) Forms(command string) document.Forms {
	return document.Answer{
		Text: r.text, Figure: r.ahead, Page: r.page, Numbers: document.Sure(r.numbers), Value: r,
	}.Forms(command)
}

// title names the series.
func (r *Report) title() string {
	name := filepath.Base(r.Source)
	if r.Column != "" {
		name += ": " + r.Column
	}
	return name
}

// text returns the facts, the table of forecasters and the verdict.
func (r *Report) text() []document.Section {
	first := document.Section{Text: []string{r.title()}, Facts: r.facts()}
	sections := []document.Section{first, {Text: r.about()}}
	for i, t := range r.tables() {
		sections = append(sections, document.Section{
			Text: []string{r.skill(r.Skills[i])}, Tables: []document.Table{t},
		})
	}
	return append(sections, document.Section{Notes: r.notes()}, document.Section{Text: r.answers()})
}

// answers are the sentences that a reader came for.
func (r *Report) answers() []string {
	answers := []string{r.Verdict}
	if r.Audit != nil {
		answers = append(answers, r.Audit.Sentence(r.Facts.Step.Unit))
	}
	return answers
}

// facts describes the series.
func (r *Report) facts() (list []document.Fact) {
	add := func(name, format string, values ...any) {
		list = append(list, document.Fact{Name: name, Value: fmt.Sprintf(format, values...)})
	}
	f := r.Facts
	length := text.Count(f.Length, r.unit())
	switch {
	case f.Rate > 0:
		length += fmt.Sprintf(", %g in a second: %.4g seconds", f.Rate, float64(f.Length)/f.Rate)
	case f.Step.Unit != "":
		length += ", one each " + strings.TrimPrefix(f.Step.String(), "1 ")
	}
	if f.First != "" && f.Rate == 0 {
		length += fmt.Sprintf(", %s to %s", f.First, f.Last)
	}
	add("length", "%s", length)
	switch {
	case f.Missing > 0:
		add("missing", "%d, the first at %s; they are neither scored nor filled", f.Missing, f.Gap.When)
	default:
		add("missing", "none")
	}
	if f.Uneven != nil {
		add("spacing", "uneven from %s on", f.Uneven.When)
	}
	if f.Counts != nil {
		add("symbols", "%s", r.symbols())
		return list
	}
	add("range", "%.4g to %.4g, mean %.4g, standard deviation %.4g", f.Min, f.Max, f.Mean, f.Deviation)
	switch {
	case f.Season == nil:
		add("season", "not found")
	case !f.Season.Steady && !f.Season.Given:
		add("season", "%s, correlation %.2f; it does not keep its time, so no forecaster uses it",
			f.Season.Name, f.Season.Correlation)
	default:
		add("season", "%s, correlation %.2f", f.Season.Name, f.Season.Correlation)
	}
	if f.Trend != nil && f.Trend.P < significant {
		add("trend", "%s in each step", f.Trend.Estimate)
	}
	if c := f.Change; c != nil && c.P < significant {
		add("change of level", "at %s, from %.4g to %.4g", c.When, c.Before, c.After)
	}
	if f.Level != nil {
		add("second half less first", "%s", f.Level)
	}
	return list
}

// String returns the number with its interval.
func (e Estimate) String() string {
	return fmt.Sprintf("%.3g (95 %%: %.3g to %.3g)", e.Value, e.Low, e.High)
}

// about says what the table's numbers are.
func (r *Report) about() []string {
	p := r.Parts
	about := fmt.Sprintf("Forecasts of the last %s, each before it was seen. Fitted on the %s before; "+
		"the best was chosen on the last %d of these.",
		text.Count(p.Test, r.unit()), text.Count(p.Train+p.Validation, r.unit()), p.Validation)
	if r.series.Symbols == nil {
		about += fmt.Sprintf(" Nats are for the %d cells of a quantiser fitted on them. In 80 %%: values inside "+
			"intervals around the mean, whose width follows earlier errors.", r.Levels)
	}
	return []string{about}
}

// tables returns a table of scores for each horizon.
func (r *Report) tables() (list []document.Table) {
	for _, s := range r.Skills {
		list = append(list, r.table(s.Horizon).Table())
	}
	return list
}

// skill says what the chosen forecaster foresees at a horizon.
func (r *Report) skill(s Skill) string {
	ahead := text.Count(s.Horizon, "step") + " ahead"
	if s.none() {
		return ahead + "; no forecaster is better than one that does not look:"
	}
	return fmt.Sprintf("%s; %s foresees %s:", ahead, r.Best, s.share())
}

// table returns the scores at a horizon.
func (r *Report) table(horizon int) document.Frame {
	f := document.Frame{
		Title: text.Count(horizon, "step") + " ahead",
		Columns: []document.Column{
			{Name: "forecaster", Heading: "forecaster"},
			{Name: "nats", Heading: "nats", Format: "%.4f", Meaning: "mean surprise of the cell that occurred"},
			{Heading: "95 % interval"},
		},
	}
	numbers := r.series.Symbols == nil
	if numbers {
		f.Columns = append(f.Columns,
			document.Column{
				Name: "mae", Heading: "MAE", Format: "%.4g", Meaning: "mean absolute error, in the unit of the data",
			},
			document.Column{Name: "rmse", Heading: "RMSE", Format: "%.4g"},
			document.Column{Name: "mase", Heading: "MASE", Format: "%.3f"},
			document.Column{Name: "crps", Heading: "CRPS", Format: "%.4g"},
			document.Column{
				Name: "coverage", Heading: "in 80 %", Format: "%.0f %%", Meaning: "share of values in 80 % intervals",
			})
	}
	for _, row := range r.Forecasters {
		if row.Horizon != horizon {
			continue
		}
		name := row.Name
		if name == r.Best {
			name += " *"
		}
		cells := []any{name, row.Nats, fmt.Sprintf("%.4f to %.4f", row.NatsInterval[0], row.NatsInterval[1])}
		if numbers {
			cells = append(cells, row.MAE, row.RMSE, row.MASE, row.CRPS)
			if c, ok := row.Coverage["80"]; ok {
				cells = append(cells, document.Formatted{Format: "%.0f %%", Value: c})
			} else {
				cells = append(cells, "–")
			}
		}
		f.Row(cells...)
	}
	return f
}

// notes says the forecasters that could not be fitted, and the skill on copies.
func (r *Report) notes() (list []string) {
	list = append(list, "* chosen")
	if r.held != "" {
		list = append(list, r.held)
	}
	list = append(list, r.shortened()...)
	for _, out := range r.LeftOut {
		list = append(list, fmt.Sprintf("left out: %s: %s", out.Name, strings.TrimPrefix(out.Reason, out.Name+": ")))
	}
	for _, c := range r.Copies {
		found := "nothing"
		if !c.Skill.none() {
			found = c.Skill.share()
		}
		list = append(list, fmt.Sprintf("On a %s copy, which keeps %s, %s foresees %s.", c.Name, c.Keeps, r.Best, found))
	}
	if r.HMM != nil {
		list = append(list, fmt.Sprintf("A hidden Markov model of %s%s has the log-likelihood %.4f on %s. "+
			"Its floors are exact if the series came from such a model.", text.Count(r.HMM.States, "state"),
			r.ofCells(), r.HMM.LogLikelihood, text.Count(r.HMM.Values, r.unit())))
	}
	if r.Tree != nil {
		list = append(list, fmt.Sprintf(
			"Context trees of depth %d%s code the whole series in %.5f bits a %s; the most probable tree has %s.",
			r.Tree.Depth, r.ofCells(), r.Tree.Bits, r.unit(), leaves(len(r.Tree.Map.Leaves))))
	}
	return list
}

// shortened says which forecasters are fitted to the last values alone.
func (r *Report) shortened() (list []string) {
	for _, f := range []struct {
		Forecaster
		most int
	}{{ETS{}, smoothedValues}, {HiddenMarkov{}, mostFitted}, {Transformer{}, mostTrained}} {
		named := func(row Row) bool { return strings.HasPrefix(row.Name, f.Name()+"(") }
		if r.Parts.Train > f.most && slices.ContainsFunc(r.Forecasters, named) {
			list = append(list, fmt.Sprintf("%s is fitted to the last %d values alone.", f.Name(), f.most))
		}
	}
	return list
}

// leaves counts leaves.
func leaves(n int) string {
	if n == 1 {
		return "1 leaf"
	}
	return fmt.Sprintf("%d leaves", n)
}

// numbers returns the forecast, a row for each step.
func (r *Report) numbers() document.Frame {
	if r.series.Symbols != nil {
		return r.odds()
	}
	names := []string{"time", "mean"}
	for _, p := range QuantileLevels {
		names = append(names, "q"+strconv.FormatFloat(100*p, 'g', -1, 64))
	}
	f := document.Frame{Title: "the forecast", Columns: document.Plain(names...)}
	for j := range f.Columns[1:] {
		f.Columns[1+j].Format = "%.4g"
	}
	for _, a := range r.Forecast {
		cells := []any{a.Time, a.Mean}
		for _, q := range a.Quantiles {
			cells = append(cells, q)
		}
		f.Row(cells...)
	}
	return f
}

// ahead draws the forecast.
func (r *Report) ahead() (*figure.Figure, error) {
	if r.series.Symbols != nil {
		return r.next(), nil
	}
	return r.fan(), nil
}

// aheadCaption says what is drawn.
func (r *Report) aheadCaption() string {
	if r.series.Symbols != nil {
		return r.nextCaption()
	}
	return r.fanCaption()
}

// fan draws the end of the series and the forecast with its intervals.
func (r *Report) fan() *figure.Figure {
	n := len(r.series.Values)
	past := figure.Series{Name: "observed", Style: figure.Curve, Color: 1}
	for i := n - r.drawn(); i < n; i++ {
		if x := r.series.Values[i]; !math.IsNaN(x) {
			past.Add(r.x(i), x)
		}
	}
	wide := figure.Series{Name: "95 %", Style: figure.Band, Color: 2}
	narrow := figure.Series{Name: "50 %", Style: figure.Band, Color: 2, Upon: 2}
	mean := figure.Series{Name: "mean of the forecast", Style: figure.Curve, Color: 2}
	for _, a := range r.Forecast {
		x, q := r.x(n-1+a.Step), a.Quantiles
		mean.Add(x, a.Mean)
		wide.AddInterval(x, a.Mean, q[0], q[len(q)-1])
		narrow.AddInterval(x, a.Mean, q[2], q[4])
	}
	chart := figure.Chart{
		X: figure.Axis{Label: r.timeLabel()}, Y: figure.Axis{Label: r.Column},
		Series: []figure.Series{past}, Aspect: 0.5,
	}
	switch {
	case len(r.Forecast) > 1:
		chart.Series = []figure.Series{wide, narrow, mean, past}
	case len(r.Forecast) == 1:
		point := figure.Series{Name: "forecast, 95 %", Style: figure.Scatter, Color: 2}
		point.AddInterval(mean.X[0], mean.Y[0], wide.Lo[0], wide.Hi[0])
		chart.Series = append(chart.Series, point)
	}
	f := figure.Single(r.title(), r.fanCaption(), chart)
	f.Width = 480
	f.Heading = f.Title
	return f
}

func (r *Report) fanCaption() string {
	return fmt.Sprintf("The last %s, and the forecast by %s.",
		text.Count(r.drawn(), "value"), r.Best)
}

// drawn returns how many of the last values are drawn.
func (r *Report) drawn() int {
	return min(len(r.series.Values), max(fewestDrawn, drawnAhead*len(r.Forecast)))
}

// x returns the place of value i on the axis: its year, its seconds, or its number.
func (r *Report) x(i int) float64 {
	s, n := r.series, len(r.series.Values)
	switch {
	case s.Rate > 0:
		return float64(i) / s.Rate
	case s.Times == nil:
		return float64(i + 1)
	}
	first, last := s.Times[0], s.Times[n-1]
	share := float64(i) / float64(max(1, n-1))
	return year(first.Unix()) + share*(year(last.Unix())-year(first.Unix()))
}

// year returns the time of a Unix second in years.
func year(seconds int64) float64 { return 1970 + float64(seconds)/(365.2425*24*3600) }

func (r *Report) timeLabel() string {
	switch {
	case r.series.Rate > 0:
		return "seconds"
	case r.series.Times == nil:
		return "value"
	}
	return "year"
}

// skills draws the skill of the best forecaster by horizon and on copies.
func (r *Report) skills() *figure.Figure {
	d := figure.Dots{
		X:    figure.Axis{Label: "share of the uncertainty foreseen", Include: []float64{0}},
		Refs: []figure.Ref{{Vertical: true}},
	}
	s := figure.DotSeries{Name: r.Best}
	add := func(group string, skill Skill) {
		d.Groups = append(d.Groups, group)
		s.X = append(s.X, skill.Estimate)
		s.Lo = append(s.Lo, skill.Low)
		s.Hi = append(s.Hi, skill.High)
	}
	for _, skill := range r.Skills {
		add(text.Count(skill.Horizon, "step")+" ahead", skill)
	}
	for _, c := range r.Copies {
		add(c.Name+" copy", c.Skill)
	}
	d.Series = []figure.DotSeries{s}
	return figure.Single("Skill", r.skillCaption(), d)
}

func (r *Report) skillCaption() string {
	levels := fmt.Sprintf(" at %d levels", r.Levels)
	if r.series.Symbols != nil {
		levels = ""
	}
	return fmt.Sprintf("Share of the uncertainty, in nats%s, that %s foresees, with 95 %% intervals. "+
		"Of a shuffled copy nothing can be foreseen.", levels, r.Best)
}

// calibration draws how many values were in intervals of 50, 80 and 95 %.
func (r *Report) calibration() (*figure.Figure, bool) {
	s := figure.Series{Style: figure.Line}
	for _, row := range r.Forecasters {
		if row.Name != r.Best || row.Horizon != r.Skill.Horizon || row.Errors == nil {
			continue
		}
		for _, level := range []string{"50", "80", "95"} {
			if share, ok := row.Coverage[level]; ok {
				x, _ := strconv.ParseFloat(level, 64)
				interval := row.CoverageInterval[level]
				s.AddInterval(x, 100*share, 100*interval[0], 100*interval[1])
			}
		}
	}
	if len(s.X) == 0 {
		return nil, false
	}
	right := figure.Series{Name: "as stated", X: []float64{50, 95}, Y: []float64{50, 95}, Style: figure.Curve, Color: 2}
	s.Name = r.Best
	return figure.Single("Calibration", calibrationCaption, figure.Chart{
		X: figure.Axis{Label: "stated, %"}, Y: figure.Axis{Label: "values inside, %"},
		Series: []figure.Series{s, right},
	}), true
}

const calibrationCaption = "Share of values inside the intervals of the best forecaster, with 95 % intervals by the " +
	"bootstrap; on the line, an interval states what it covers."

// page returns the report as a page.
func (r *Report) page() (document.Document, error) {
	ahead, err := r.ahead()
	if err != nil {
		return document.Document{}, err
	}
	d := document.Document{Title: r.title(), Sections: []document.Section{
		{Text: r.answers(), Facts: r.facts()},
		{Title: "Forecast", Figure: ahead, Caption: r.aheadCaption(), Tables: []document.Table{r.numbers().Table()}},
		r.compared(),
	}}
	if drawn, ok := r.calibration(); ok {
		d.Sections = append(d.Sections, document.Section{
			Title: "Calibration", Figure: drawn, Caption: calibrationCaption,
		})
	}
	if r.Audit != nil {
		d.Sections = append(d.Sections, r.audited())
	}
	return d, nil
}

// compared returns the scores of all forecasters.
func (r *Report) compared() document.Section {
	s := document.Section{Title: "Forecasters", Text: r.about(), Tables: r.tables(), Notes: r.notes()}
	if !r.Skill.none() {
		s.Figure, s.Caption = r.skills(), r.skillCaption()
	}
	return s
}

// audited returns what was found of the reader's forecasts.
func (r *Report) audited() document.Section {
	a := r.Audit
	counts := figure.Series{Name: "yours", Style: figure.Scatter}
	expected := figure.Series{Name: "if they are right", Style: figure.Curve, Color: 2}
	for i, n := range a.Ranks.Counts {
		x := (a.Ranks.Edges[i] + a.Ranks.Edges[i+1]) / 2
		counts.Add(x, float64(n))
		expected.Add(x, a.Ranks.Expected[i])
	}
	caption := "Ranks of outcomes among what you forecast: flat is right. The hypothesis: " + a.Hypothesis + "."
	return document.Section{
		Title: "Your forecasts", Text: []string{a.Sentence(r.Facts.Step.Unit)},
		Figure: figure.Single("Ranks", caption, figure.Chart{
			X: figure.Axis{Label: "rank"}, Y: figure.Axis{Label: "outcomes", Include: []float64{0}},
			Series: []figure.Series{counts, expected},
		}),
		Caption: caption,
	}
}

// Write writes the report into a folder, which it makes if it is missing: series.html,
// series.svg, forecast.csv, series.json, and hmm.yaml if there is a hidden Markov model.
// Each file is complete or absent.
func (r *Report) Write(dir, command string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	forms := r.Forms(command)
	for _, name := range []string{"series.html", "series.svg", "series.json", "forecast.csv"} {
		var b bytes.Buffer
		if err := forms.Write(&b, filepath.Ext(name)); err != nil {
			return err
		}
		if err := durable.WriteFile(filepath.Join(dir, name), b.Bytes()); err != nil {
			return err
		}
	}
	model, err := r.YAML()
	if err != nil || model == nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, "hmm.yaml"), model)
}
