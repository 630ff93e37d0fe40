package inspect

import (
	"fmt"
	"slices"
	"strings"

	"foretell/internal/datafile"
	"foretell/internal/decimal"
	"foretell/internal/text"
)

// ReadSignal parses samples of a signal: numbers separated by commas or spaces, or @FILE,
// see [datafile.Numbers]. It returns an error with the position of a sample that is
// missing or not a number, and an error if there is no sample.
func ReadSignal(list string) ([]float64, error) {
	if file, named := strings.CutPrefix(list, "@"); named {
		return datafile.Numbers(file)
	}
	fields := strings.Fields(list)
	if strings.Contains(list, ",") {
		fields = strings.Split(list, ",")
	}
	samples := make([]float64, len(fields))
	for i, field := range fields {
		field = strings.TrimSpace(field)
		x, err := decimal.Parse(field, 64)
		if err != nil {
			return nil, fmt.Errorf("%q at position %d is not a number; write samples as 2.5,1.8 or @FILE",
				text.Start(field, longestField), i+1)
		}
		samples[i] = x
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("there are no samples; write them as 2.5,1.8 or @FILE")
	}
	return samples, nil
}

// longestField is the largest number of characters of a field in an error message.
const longestField = 60

// Quantise converts samples, in the unit of the signal that the model predicts, to
// tokens: each becomes the nearest level, so samples outside the levels become the first
// or the last one. If there are more samples than fit in the model's context, it uses
// only the last ones. The notes report skipped and clipped samples. Quantise returns an
// error if the model's process is not a signal with levels.
func (m *Model) Quantise(samples []float64) (word []int32, notes []string, err error) {
	levels := m.values()
	if levels == nil {
		return nil, nil, fmt.Errorf("%s does not predict a signal with levels; give tokens", m.Path)
	}
	if n := m.Config().NCtx; len(samples) > n {
		notes = append(notes, fmt.Sprintf("using the last %d of %d samples (the context length)", n, len(samples)))
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
		notes = append(notes, fmt.Sprintf("%d of %d samples are outside the levels, %.5g … %.5g, and were clipped",
			beyond, len(samples), low, high))
	}
	return word, notes, nil
}

// nearest returns the token whose level is nearest to x. The levels must be in ascending
// order. If x is halfway between two levels, it returns the even token, as
// [process.NewSignal] does.
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
