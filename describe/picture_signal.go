package describe

import (
	"fmt"

	"foretell/figure"
	"foretell/process"
	"foretell/token"
)

const (
	drawnSamples  = 64  // number of samples of a signal that are drawn
	drawnRecord   = 800 // largest number of samples of a recording that are drawn
	drawnLevels   = 48  // largest number of levels that are marked one by one
	narrow, broad = 0.25, 0.05
)

// signalPicture draws a sequence of a signal, with what the optimal predictor expects
// before each sample. For a recording it also draws the beginning of the recording. It
// returns nil if the process is neither a signal nor a recording.
func signalPicture(s Subject) (*figure.Figure, error) {
	levels := process.LevelsOf(s.Process)
	recorder, recorded := s.Process.(process.Recorder)
	if levels == nil && !recorded {
		return nil, nil
	}
	if levels == nil {
		levels = figure.Numbers(0, s.Process.Alphabet())
	}
	panel, err := s.forecast(levels)
	if err != nil {
		return nil, err
	}
	f := figure.Single(s.Process.Name()+": a sequence and its optimal prediction",
		fmt.Sprintf("The first %d samples of a sequence (seed 1). For each, the optimal prediction from the samples "+
			"before it: the mean and the fewest levels that hold 50 %% and 90 %% of the probability.",
			drawnSamples), panel)
	f.Width = pictureWidth
	observer := "the optimal predictor"
	if recorded {
		observer = "a predictor that has memorised the recording"
	}
	heading := "a sequence, and what " + observer + " expects before each sample"
	s.head(f, heading, "A sequence (seed 1). If only one level remains, the next sample is certain.")
	if recorded {
		panel.Title = "a window, whose offset must be inferred from its tokens"
		f.Panels = [][]figure.Panel{{panel}, {recordPanel(recorder.Record(), levels, 0, 0)}}
		f.Desc += " Below: the beginning of the recording, which the optimal predictor has memorised."
	}
	return f, nil
}

// forecast draws samples against time, with the mean and the likeliest levels of the
// optimal prediction before each sample.
func (s Subject) forecast(levels []float64) (figure.Chart, error) {
	sequence := s.sequence(drawnSamples)
	n := len(sequence)
	x, samples, mean := figure.Numbers(1, n), make([]float64, n), make([]float64, n)
	var series []figure.Series
	sets := []figure.Series{
		{Name: "fewest levels that hold 90 % of the probability", Color: figure.Grey},
		{Name: "50 %", Color: 1, Upon: figure.Grey},
	}
	err := s.along(sequence, func(t int, next []float64, _ process.Predictor) {
		samples[t] = levels[sequence[t]]
		for z, p := range next {
			mean[t] += float64(p * levels[z])
		}
		for i, share := range []float64{1 - 2*broad, 1 - 2*narrow} {
			series = append(series, pieces(sets[i], x[t], token.Likeliest(next, share), levels)...)
			sets[i].Name = "" // once in the legend
		}
	})
	series = append(series,
		figure.Series{Name: "mean of the prediction", X: x, Y: mean, Color: 1, Style: figure.Curve},
		figure.Series{Name: "samples, quantised", X: x, Y: samples, Color: 2, Style: figure.Scatter})
	if len(levels) <= drawnLevels {
		series = append(series, figure.Series{
			Name: "levels, the tokens", X: make([]float64, len(levels)), Y: levels,
			Color: figure.Grey, Style: figure.Scatter, Open: true,
		})
	}
	return figure.Chart{
		X: figure.Axis{Label: "time, samples"}, Y: figure.Axis{Label: "signal"}, Series: series, Aspect: 0.5,
	}, err
}

// pieces draws the runs of levels at one time as areas in the style of a series. Each
// area covers the values that its levels represent. Only the first area has the name of
// the style.
func pieces(style figure.Series, time float64, runs [][2]int, levels []float64) (list []figure.Series) {
	const half = 0.42 // half the width of an area, as a fraction of the distance between samples
	style.Style, style.X = figure.Band, []float64{time - half, time + half}
	for _, run := range runs {
		lo, hi := token.Interval(levels, run)
		style.Lo, style.Hi, style.Y = []float64{lo, lo}, []float64{hi, hi}, []float64{lo, lo}
		list = append(list, style)
		style.Name = ""
	}
	return list
}

// recordPanel draws the beginning of a recording. held is the number of samples held out
// at its end; if it is not 0, the panel shows instead the samples around the first
// held-out one. Before them, `kept` samples are for validation.
func recordPanel(record []int32, levels []float64, kept, held int) figure.Panel {
	all, first := len(record), 0
	title := fmt.Sprintf("the recording, %d samples", all)
	if all > drawnRecord {
		if held > 0 {
			first = max(0, min(all-held-drawnRecord/2, all-drawnRecord))
		}
		title = fmt.Sprintf("%d of the recording's %d samples, starting at number %d", drawnRecord, all, first)
		record = record[first : first+drawnRecord]
	}
	values := make([]float64, len(record))
	for n, z := range record {
		values[n] = levels[z]
	}
	x, at := figure.Numbers(first, len(record)), 0
	var series []figure.Series
	part := func(name string, to, color int) { // up to a sample of the whole recording
		if to = min(len(record), max(at, to-first)); to > at {
			series = append(series, figure.Series{
				Name: name, X: x[at:to], Y: values[at:to], Color: color, Style: figure.Curve,
			})
			at = to
		}
	}
	name := "recording, quantised"
	if kept+held > 0 {
		name += ": training draws its windows here"
	}
	part(name, all-kept-held, 3)
	part("for validation", all-held, 1)
	part("held out", all, 2)
	return figure.Chart{
		Title: title, X: figure.Axis{Label: "time in the recording, samples"}, Y: figure.Axis{Label: "signal"},
		Series: series, Aspect: 0.3,
	}
}

// recordingPicture draws your own recording.
func recordingPicture(s Subject, r *process.Recording) *figure.Figure {
	levels := r.Levels()
	if levels == nil {
		levels = figure.Numbers(0, r.Alphabet())
	}
	f := figure.Single(r.Name()+": a recording", "The recording, quantised, and the part of it that is held out.",
		recordPanel(r.Record(), levels, length(r.Validation()), length(r.HeldOut())))
	f.Width = pictureWidth
	s.head(f, "a recording", "Its best possible prediction is not known.")
	return f
}
