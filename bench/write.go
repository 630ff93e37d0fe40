package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"foretell/document"
	"foretell/figure"
	"foretell/internal/text"
)

// Value returns the value to write as JSON: the results, or a single result without a
// list around it.
func (r TrainResults) Value() any {
	if len(r) == 1 {
		return r[0]
	}
	return r
}

// print writes a row for each model, in tab-terminated cells.
func (r TrainResults) print(w io.Writer) {
	text.Fprintf(w, "model\tworkers\ttokens/s\tms/step\tGFLOP/s\tpeak\tshare\tCPU\tallocs/step\tISA"+
		"\tprefixes shared\t\n")
	for _, x := range r {
		text.Fprintf(w, "%s\t%d\t%.0f\t%.2f\t%.1f\t%.1f\t%.0f %%\t%s\t%.2f\t%s\t%s\t\n", x.Model, x.Workers,
			x.TokensPerSecond, x.StepMillis, x.GFLOPS, x.PeakGFLOPS, 100*x.GFLOPS/x.PeakGFLOPS, x.processor(),
			x.AllocsPerStep, x.ISA, x.sharing())
	}
	if len(r) > 0 && r[0].PeakCores < r[0].Workers {
		text.Fprintf(w, "The peak is for %s, the whole machine; %d workers share it.\n",
			text.Count(r[0].PeakCores, "core"), r[0].Workers)
	}
	for _, x := range r {
		warnBusy(w, x.Model, x.CPUShare, "results are too low")
	}
}

// busy is the smallest [TrainResult].CPUShare at which a machine does not count as busy.
const busy = 0.9

// processor formats CPUShare, or returns "–" if it is not known.
func (r TrainResult) processor() string {
	if r.CPUShare == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*r.CPUShare)
}

// warnBusy writes a line, with the given effect, if other work took processor time from
// what was timed.
func warnBusy(w io.Writer, what string, share float64, effect string) {
	if share > 0 && share < busy {
		text.Fprintf(w, "%s got %.0f %% of the processor time that it requested: other work shares the "+
			"machine, and the %s; measure again when it is idle.\n", what, 100*share, effect)
	}
}

// sharing returns the cell of the column "prefixes shared": whether common prefixes are
// computed once, and how much that saves.
func (r TrainResult) sharing() string {
	switch r.PrefixesShared {
	case "exact":
		return "all sequences, each prefix once"
	case "on":
		share := r.PositionsPerStep / (r.TokensPerSecond * r.StepMillis / 1000)
		return fmt.Sprintf("yes, %.0f %% of positions computed", 100*share)
	case "off":
		return "off"
	case "both":
		return fmt.Sprintf("%.0f tokens/s", r.SharedTokensPerSecond)
	}
	return "few shared prefixes"
}

// Forms returns the forms of the results: for a terminal and .csv a row for each model;
// .svg draws the share of the machine's peak that each model reaches; .json.
func (r TrainResults) Forms() document.Forms {
	return forms(r.print, r.Value(), []TrainResult(r), func() *figure.Figure {
		var names []string
		var shares []float64
		for _, x := range r {
			names = append(names, x.Model)
			shares = append(shares, x.GFLOPS/x.PeakGFLOPS)
		}
		return peakFigure("Training steps relative to the machine's peak", "model", r[0].ISA, names, shares)
	})
}

// print writes a row for each kernel, in tab-terminated cells.
func (r KernelResults) print(w io.Writer) {
	text.Fprintf(w, "kernel\tshape\tµs\tspeed\n")
	for _, x := range r {
		text.Fprintf(w, "%s\t%s\t%.1f\t%s\n", x.Kernel, x.Shape, x.Micros, x.Speed())
	}
	if len(r) > 0 {
		text.Fprintf(w, "Medians, on one core. The peak is the rate of multiply-adds in registers, "+
			"measured alternately with the calls. ISA: %s.\n", r[0].ISA)
	}
}

// Forms returns the forms of the results: for a terminal and .csv a row for each kernel;
// .svg draws the share of the machine's peak that each matrix product reaches; .json.
func (r KernelResults) Forms() document.Forms {
	return forms(r.print, r, []KernelResult(r), func() *figure.Figure {
		var names []string
		var shares []float64
		for _, x := range r {
			if x.GFLOPS > 0 {
				names = append(names, x.Kernel+" "+x.Shape)
				shares = append(shares, x.GFLOPS/x.Peak)
			}
		}
		return peakFigure("Kernels relative to the peak of one core", "kernel", r[0].ISA, names, shares)
	})
}

// print writes a row for each point, in tab-terminated cells.
func (r CurveResults) print(w io.Writer) {
	text.Fprintf(w, "size\tvalue\ttokens/s\tms/step\tGFLOP/s\tshare of peak\t\n")
	for _, c := range r {
		for _, p := range c.Points {
			text.Fprintf(w, "%s\t%d\t%.0f\t%.2f\t%.1f\t%.0f %%\t\n",
				c.Size, p.Value, p.TokensPerSecond, p.StepMillis, p.GFLOPS, 100*p.GFLOPS/p.PeakGFLOPS)
		}
	}
	if len(r) > 0 {
		text.Fprintf(w, "%s\n", r[0].machine())
	}
}

// machine describes the machine's peak, to which the shares of a curve refer.
func (c Curve) machine() string {
	return fmt.Sprintf("The peak is %.1f GFLOP/s. ISA: %s.", c.Points[0].PeakGFLOPS, c.ISA)
}

// figure draws a panel for each size: the share of the peak at each value of the size.
func (r CurveResults) figure() *figure.Figure {
	const title = "Share of the peak against the context, the width and the batch"
	f := &figure.Figure{
		Title: title, Heading: title, Width: 960, // wide enough for each point to have a marker
		Desc:   "Share of the machine's peak of multiply-adds that the matrix products of training steps reach.",
		Panels: [][]figure.Panel{nil},
	}
	for _, c := range r {
		f.Notes = []string{"Training steps of minigpt, one size changed at a time. " + c.machine()}
		var x, y []float64
		for _, p := range c.Points {
			x = append(x, float64(p.Value))
			y = append(y, 100*p.GFLOPS/p.PeakGFLOPS)
		}
		f.Panels[0] = append(f.Panels[0], &figure.Chart{
			Title: c.Size, X: figure.Axis{Label: c.Size, Log: true},
			Y:      figure.Axis{Label: "share of the peak, %", Include: []float64{0, 100}},
			Series: []figure.Series{{X: x, Y: y}},
		})
	}
	return f
}

// Forms returns the forms of the curves: for a terminal and .csv a row for each point;
// .svg has a panel for each size; .json.
func (r CurveResults) Forms() document.Forms {
	type row struct {
		Size string `json:"size"`
		Point
	}
	var rows []row
	for _, c := range r {
		for _, p := range c.Points {
			rows = append(rows, row{c.Size, p})
		}
	}
	return forms(r.print, r, rows, r.figure)
}

// print writes a row for each way and number of workers, in tab-terminated cells, and the
// reasons why a way has no time.
func (r SolveResults) print(w io.Writer) {
	text.Fprintf(w, "problem\tway\tlr\tschedule\tsteps\tworkers\tseconds\trange\tCPU seconds\t\n")
	for _, x := range r {
		if x.Steps > 0 {
			text.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%.2f\t%.2f–%.2f\t%s\t\n", x.Problem, x.Way,
				dash("%g", x.LR), dash("%.0f", float64(x.Schedule)), x.Steps, x.Workers,
				x.Seconds, x.Least, x.Most, dash("%.2f", x.CPUSeconds))
		}
	}
	for i, x := range r {
		if x.Steps == 0 && (i == 0 || r[i-1].Way != x.Way) {
			text.Fprintf(w, "%s: %s\n", x.Way, x.without())
		}
	}
	if len(r) > 0 {
		text.Fprintf(w, "Until %g %% of what can be learned, medians and ranges of %s. ISA: %s.\n",
			100*r[0].Share, text.Count(r[0].Seeds, "seed"), r[0].ISA)
	}
	for _, x := range r {
		warnBusy(w, fmt.Sprintf("%s, %s,", x.Way, text.Count(x.Workers, "worker")), x.CPUShare, "times are too long")
	}
}

// without says why the result has no time.
func (r SolveResult) without() string {
	if r.Impossible != "" {
		return r.Impossible
	}
	return fmt.Sprintf("no setting with which all seeds learn %g %%", 100*r.Share)
}

// dash formats a number, or returns "–" for 0.
func dash(format string, x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf(format, x)
}

// figure draws the seconds of each way that has a time as dots with their ranges, in a
// series for each number of workers. It returns an error if none has.
func (r SolveResults) figure() (*figure.Figure, error) {
	var names []string
	var series []figure.DotSeries
	for _, x := range r {
		if x.Steps == 0 {
			continue
		}
		if len(names) == 0 || names[len(names)-1] != x.Way {
			names = append(names, x.Way)
		}
		label := text.Count(x.Workers, "worker")
		at := slices.IndexFunc(series, func(s figure.DotSeries) bool { return s.Name == label })
		if at < 0 {
			at, series = len(series), append(series, figure.DotSeries{Name: label})
		}
		s := &series[at]
		s.X = append(s.X, x.Seconds)
		s.Lo = append(s.Lo, x.Least)
		s.Hi = append(s.Hi, x.Most)
	}
	if len(names) == 0 {
		return nil, errors.New("no way to train solved the problem, so there is nothing to draw")
	}
	title := fmt.Sprintf("Seconds until %g %% of what can be learned: %s", 100*r[0].Share, r[0].Problem)
	desc := fmt.Sprintf("Time of the training steps, medians of %s. ISA: %s.", text.Count(r[0].Seeds, "seed"), r[0].ISA)
	f := figure.Single(title, desc, figure.Dots{
		X: figure.Axis{Label: "seconds", Log: true}, Label: "way to train", Groups: names, Series: series,
	})
	f.Heading, f.Notes, f.Width = title, []string{desc}, 640
	return f, nil
}

// Forms returns the forms of the results: for a terminal and .csv a row for each way and
// number of workers; .svg draws the times; .json.
func (r SolveResults) Forms() document.Forms {
	list := forms(r.print, r, []SolveResult(r), nil)
	list[".svg"] = document.Picture(r.figure)
	return list
}

// print writes the result as a sentence.
func (r PrefixesResult) print(w io.Writer) {
	text.Fprintf(w, "%s, width %d: %d sequences, %d prefixes in %.3f s, the median of %s; "+
		"%.0f prefixes/s, %s, ISA: %s\n", r.Model, r.Width, r.Sequences, r.Prefixes, r.Seconds,
		text.Count(r.Passes, "round"), float64(r.Prefixes)/r.Seconds, text.Count(r.Workers, "worker"), r.ISA)
}

// Forms returns the forms of the result: a sentence for a terminal, .csv and .json.
func (r PrefixesResult) Forms() document.Forms { return forms(r.print, r, []PrefixesResult{r}, nil) }

// print writes the result as a sentence.
func (r SampleResult) print(w io.Writer) {
	text.Fprintf(w, "%s: %.1f million tokens per second, sequences of %d, ISA: %s\n", r.Process,
		r.TokensPerSecond/1e6, r.Length, r.ISA)
}

// Forms returns the forms of the result: a sentence for a terminal, .csv and .json.
func (r SampleResult) Forms() document.Forms { return forms(r.print, r, []SampleResult{r}, nil) }

// peakFigure draws shares of the peak, in percent, as dots.
func peakFigure(title, label, isa string, names []string, shares []float64) *figure.Figure {
	percent := make([]float64, len(shares))
	for i, x := range shares {
		percent[i] = 100 * x
	}
	desc := "Share of the machine's peak of multiply-adds, measured alternately with the calls. ISA: " + isa + "."
	f := figure.Single(title, desc, figure.Dots{
		X: figure.Axis{Label: "share of the peak, %", Include: []float64{0, 100}}, Label: label, Groups: names,
		Series: []figure.DotSeries{{X: percent}},
	})
	f.Heading, f.Notes, f.Width = title, []string{f.Desc}, 520
	return f
}

// forms returns the forms of results: text for a terminal, a table of the rows, the value
// as JSON, and a figure unless draw is nil.
func forms[R any](text func(io.Writer), value any, rows []R, draw func() *figure.Figure) document.Forms {
	list := document.Forms{
		document.Terminal: func(w io.Writer) error {
			text(w)
			return nil
		},
		".csv":  document.CSV(document.Sure(func() document.Frame { return table(rows) })),
		".json": func(w io.Writer) error { return json.NewEncoder(w).Encode(value) },
	}
	if draw != nil {
		list[".svg"] = document.Picture(document.Sure(draw))
	}
	return list
}

// table returns the rows with a column for each field, named as in JSON.
func table[R any](rows []R) document.Frame {
	var fields []reflect.StructField
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			fields = append(fields, f)
			names = append(names, name)
		}
	}
	table := document.Frame{Columns: document.Named(names...)}
	for _, row := range rows {
		cells := make([]any, len(fields))
		for i, f := range fields {
			cells[i] = fmt.Sprint(reflect.ValueOf(row).FieldByIndex(f.Index))
		}
		table.Row(cells...)
	}
	return table
}
