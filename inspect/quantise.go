package inspect

import (
	"fmt"
	"slices"
	"strings"

	"foretell/internal/decimal"
	"foretell/process"
)

// ReadSignal reads samples of a signal as a person gives them: numbers separated by
// commas, or by blanks, or @FILE, see [process.ReadList]. It is an error where a sample
// is missing or is not a number, with its position, and where there is none.
func ReadSignal(text string) ([]float64, error) {
	if file, named := strings.CutPrefix(text, "@"); named {
		return process.ReadList(file)
	}
	fields := strings.Fields(text)
	if strings.Contains(text, ",") {
		fields = strings.Split(text, ",")
	}
	samples := make([]float64, len(fields))
	for i, field := range fields {
		field = strings.TrimSpace(field)
		x, err := decimal.Parse(field, 64)
		if err != nil {
			return nil, fmt.Errorf("%q at position %d is not a number; write samples as 2.5,1.8 or @FILE", brief(field), i+1)
		}
		samples[i] = x
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("no sample is given; write samples as 2.5,1.8 or @FILE")
	}
	return samples, nil
}

// Quantise returns the tokens of samples of the signal that the model predicts, in its
// unit: of each the nearest level, which for those beyond the levels is the first or
// the last. Of more samples than the model takes they are the last. Notes say in lines
// what was left out and what was clipped. It is an error where the model's process is
// no signal whose tokens are levels.
func (m *Model) Quantise(samples []float64) (word []int32, notes []string, err error) {
	levels := m.values()
	if levels == nil {
		return nil, nil, fmt.Errorf("%s predicts no signal with levels; give tokens", m.Path)
	}
	if n := m.Config().NCtx; len(samples) > n {
		notes = append(notes, fmt.Sprintf("of %d samples the last %d are taken, as many as the model sees", len(samples), n))
		samples = samples[len(samples)-n:]
	}
	low, high, beyond := levels[0], levels[len(levels)-1], 0
	for _, x := range samples {
		if x < low || x > high {
			beyond++
		}
		word = append(word, nearest(levels, x))
	}
	if beyond > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d samples are beyond the levels, %.5g … %.5g, and clipped to them",
			beyond, len(samples), low, high))
	}
	return word, notes, nil
}

// nearest returns the token whose level, of ascending ones, is nearest to x; of two as
// near the even one, as [process.NewSignal] rounds.
func nearest(levels []float64, x float64) int32 {
	above, _ := slices.BinarySearch(levels, x)
	switch {
	case above == 0:
		return 0
	case above == len(levels):
		return int32(above - 1)
	}
	down, up := x-levels[above-1], levels[above]-x
	if down < up || down == up && above%2 == 1 {
		return int32(above - 1)
	}
	return int32(above)
}
