package describe

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"foretell/figure"
	"foretell/internal/text"
	"foretell/process"
	"foretell/theory"
)

// panelsInRow is the number of heads drawn in a row.
const panelsInRow = 3

// Attention draws the attention patterns that theory (Piotrowski et al. 2025) predicts
// for one layer that builds the constrained beliefs, over 10 positions. It returns an
// error if the process has no spectrum ([ErrNoHMM]), or if theory predicts no head or
// more than 16.
func Attention(ctx context.Context, p process.Process) (*figure.Figure, error) {
	h, ok := p.(*process.HMM)
	if !ok {
		return nil, noHMM(ctx, p)
	}
	spectrum, err := theory.Of(h).Spectrum(ctx)
	if err != nil {
		return nil, err
	}
	if n := spectrum.Heads().Belief; n > mostAttended {
		return nil, fmt.Errorf("%s: %d heads are too many for a picture, want at most %d", p.Name(), n, mostAttended)
	}
	heads := spectrum.Attention(attendedPositions).Heads
	if len(heads) == 0 {
		return nil, fmt.Errorf("%s: theory predicts no attention, because no token carries information about "+
			"states more than one step later; there is nothing to draw", p.Name())
	}
	f := &figure.Figure{
		Title: p.Name() + ": attention that builds the constrained beliefs",
		Desc: fmt.Sprintf("Attention by destination and source for %s, as predicted from the spectrum of the process.",
			text.Count(len(heads), "head")),
	}
	for row := range slices.Chunk(patterns(heads), panelsInRow) {
		f.Panels = append(f.Panels, row)
	}
	return f, nil
}

// patterns returns, for each head, a panel that shows its attention pattern.
func patterns(heads []theory.AttentionHead) []figure.Panel {
	var names []string
	for t := range attendedPositions {
		names = append(names, strconv.Itoa(t+1))
	}
	var panels []figure.Panel
	for i, head := range heads {
		panels = append(panels, figure.HeatMap{
			Title: fmt.Sprintf("head %d", i), Z: square(head.Pattern, attendedPositions), Rows: names, Cols: names,
			X: "source", Y: "destination", Label: "attention", Lower: true, Range: [2]float64{0, 1},
		})
	}
	return panels
}
