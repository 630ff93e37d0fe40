package inspect

import (
	"fmt"

	"foretell/figure"
	"foretell/process"
)

const (
	drawnSamples  = 64  // of a signal
	drawnRecord   = 800 // tokens of a recording
	drawnLevels   = 48  // up to which each has its mark
	narrow, broad = 0.25, 0.05
)

// signalPicture draws a sequence of a signal with what the optimal predictor expects
// before each sample, and the beginning of a recording; nil of a process that is neither.
func signalPicture(s Subject) (*figure.Figure, error) {
	var levels []float64
	if l, ok := s.Process.(process.Leveller); ok {
		levels = l.Levels()
	}
	recorder, recorded := s.Process.(process.Recorder)
	if levels == nil && !recorded {
		return nil, nil
	}
	if levels == nil {
		levels = positions(0, s.Process.Alphabet())
	}
	panel, err := s.forecast(levels)
	if err != nil {
		return nil, err
	}
	f := figure.Single(s.Process.Name()+": a sequence and its optimal prediction",
		fmt.Sprintf("The first %d samples of a sequence (seed 1), and the mean and the 50 %% and 90 %% bands of the "+
			"distribution that the optimal predictor holds before each, from the samples before it.", drawnSamples), panel)
	f.Width = pictureWidth
	heading := "a sequence, and what the optimal predictor expects before each sample"
	s.head(f, heading, "A sequence of seed 1. Where the bands close the samples before tell the next one for certain.")
	if recorded {
		panel.Title = "a window, at an offset that the tokens have to tell"
		f.Panels = [][]figure.Panel{{panel}, {recordPanel(recorder.Record(), levels)}}
		f.Desc += " Below, the beginning of the recording."
	}
	return f, nil
}

// forecast draws samples against time, with the optimal predictor's bands.
func (s Subject) forecast(levels []float64) (figure.Chart, error) {
	sequence := s.sequence(drawnSamples)
	n := len(sequence)
	x, samples, mean := positions(1, n), make([]float64, n), make([]float64, n)
	bands := [2]figure.Series{
		{Name: "90 % of what is expected", Band: true, Bare: true, Color: figure.Grey},
		{Name: "50 %", Band: true, Bare: true, Color: 1},
	}
	err := s.along(sequence, func(t int, next []float64, _ process.Predictor) {
		samples[t] = levels[sequence[t]]
		for z, p := range next {
			mean[t] += float64(p * levels[z])
		}
		for i, tail := range []float64{broad, narrow} {
			b := &bands[i]
			b.X, b.Y = x, append(b.Y, quantile(next, levels, 0.5))
			b.Lo = append(b.Lo, quantile(next, levels, tail))
			b.Hi = append(b.Hi, quantile(next, levels, 1-tail))
		}
	})
	series := []figure.Series{
		bands[0], bands[1],
		{Name: "mean of what is expected", X: x, Y: mean, Color: 1},
		{Name: "samples", X: x, Y: samples, Color: 2, Dots: true},
	}
	if len(levels) <= drawnLevels {
		series = append(series, figure.Series{
			Name: "levels, the tokens", X: make([]float64, len(levels)), Y: levels, Color: figure.Grey, Dots: true, Open: true,
		})
	}
	return figure.Chart{
		X: figure.Axis{Label: "time, samples"}, Y: figure.Axis{Label: "signal"}, Series: series, Aspect: 0.5,
	}, err
}

// quantile returns the least level at which a distribution has reached a share. Shares
// are compared with room for rounding, so that a certain level is every quantile.
func quantile(p, levels []float64, share float64) float64 {
	const rounding = 1e-12
	sum, last := 0.0, levels[0]
	for z, q := range p {
		if q == 0 {
			continue
		}
		sum, last = sum+q, levels[z]
		if sum >= share-rounding {
			break
		}
	}
	return last
}

// recordPanel draws the beginning of a recording.
func recordPanel(record []int32, levels []float64) figure.Panel {
	title := fmt.Sprintf("the recording, %d samples", len(record))
	if len(record) > drawnRecord {
		title = fmt.Sprintf("the first %d of the recording's %d samples", drawnRecord, len(record))
		record = record[:drawnRecord]
	}
	line := figure.Series{Name: "recording", X: positions(0, len(record)), Color: 3, Unmarked: true}
	for _, z := range record {
		line.Y = append(line.Y, levels[z])
	}
	return figure.Chart{
		Title: title, X: figure.Axis{Label: "time in the recording, samples"}, Y: figure.Axis{Label: "signal"},
		Series: []figure.Series{line}, Aspect: 0.3,
	}
}
