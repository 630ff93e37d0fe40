package describe

import (
	"fmt"
	"slices"
	"strconv"

	"foretell/figure"
	"foretell/internal/random"
	"foretell/process"
)

const (
	drawnBefore = 20  // the picture starts this number of positions before the largest lag, or at 0
	drawnAfter  = 48  // the sequence ends this number of tokens after the largest lag
	mostLined   = 6   // largest number of columns that shares draws as lines
	mostTokens  = 512 // largest number of tokens of a sequence in a picture
)

// lagsPicture draws the posterior over lags along a sequence, and each token's
// probability under the optimal predictor and under a predictor that knows the lag; it
// returns nil if the process does not draw a lag for each sequence.
func lagsPicture(s Subject) (*figure.Figure, error) {
	selector, ok := s.Process.(process.Selector)
	if !ok {
		return nil, nil
	}
	lags := selector.Lags()
	longest := slices.Max(lags)
	first := max(0, longest-drawnBefore)
	sequence := make([]int32, longest+drawnAfter)
	lag := selector.SampleLag(sequence, random.New(1, "sample", 0))
	names, rows := make([]string, len(lags)), make([][]float64, len(sequence)+1)
	for i, k := range lags {
		names[i] = fmt.Sprintf("lag %d", k)
	}
	for t := range rows {
		var err error
		if rows[t], err = selector.Posterior(sequence[:t]); err != nil {
			return nil, err
		}
	}
	right, err := s.rightToken(sequence)
	if err != nil {
		return nil, err
	}
	optimal := &right.Series[0]
	optimal.Name, optimal.X, optimal.Y = "optimal predictor", optimal.X[first:], optimal.Y[first:]
	right.Series = append(right.Series, knowing(selector.P(), sequence, lag, longest))
	seen := figure.Axis{Label: "tokens seen"}
	posterior := shares("posterior over lags", seen, "probability of the lag", first, rows[first:], names, 0)
	f := &figure.Figure{
		Title: s.Process.Name() + ": the posterior over its lags",
		Desc: fmt.Sprintf("A sequence (seed 1) drawn with lag %d. Above: the probability of each lag after its "+
			"tokens. Below: the probability of each token under the optimal predictor and under a predictor that "+
			"knows the lag.", lag),
		Panels: [][]figure.Panel{{posterior}, {right}}, Width: pictureWidth,
	}
	s.head(f, fmt.Sprintf("which lag? a sequence drawn with lag %d", lag),
		fmt.Sprintf("The first %d tokens are independent; each later token carries information about the lag.",
			longest))
	return f, nil
}

// knowing returns the curve of each token's probability under a predictor that knows the
// lag of the sequence. It starts after the largest lag, longest.
func knowing(P [][]float64, sequence []int32, lag, longest int) figure.Series {
	name := fmt.Sprintf("predictor that knows the lag, %d", lag)
	line := figure.Series{Name: name, Color: 2, Style: figure.Scatter, Open: true}
	for t := longest; t < len(sequence); t++ {
		line.Add(float64(t+1), P[sequence[t-lag]][sequence[t]])
	}
	return line
}

// shares draws numbers by position: rows[i] belongs to position first + i, and names[k]
// is the name of column k. It draws a line for each column if there are few columns, else
// a heat map. used is the number of classes of colour and marker that mean something else
// in the figure; lines have the classes after these.
func shares(
	title string, x figure.Axis, y string, first int, rows [][]float64, names []string, used int,
) figure.Panel {
	if len(names) > mostLined {
		z, columns := make([][]float64, len(names)), x.Names
		for k := range names {
			for _, row := range rows {
				z[k] = append(z[k], row[k])
			}
		}
		for n := first; first > 0 && n < first+len(rows); n++ {
			columns = append(columns, strconv.Itoa(n))
		}
		return figure.HeatMap{
			Title: title, Z: z, Rows: names, Cols: columns, X: x.Label, Label: y, BlankZeros: true,
		}
	}
	chart := figure.Chart{
		Title: title, X: x, Y: figure.Axis{Label: y, Include: []float64{0, 1}}, Aspect: 0.36,
	}
	for k, name := range names {
		line := figure.Series{Name: name, Color: used + k + 1, X: figure.Numbers(first, len(rows))}
		for _, row := range rows {
			line.Y = append(line.Y, row[k])
		}
		chart.Series = append(chart.Series, line)
	}
	return chart
}
