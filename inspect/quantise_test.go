package inspect

import (
	"path/filepath"
	"slices"
	"testing"

	"foretell/process"
	"foretell/run/runtest"
	"foretell/train"
)

// Samples are quantised by the model's process as the process quantised its own.
func TestQuantise(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Train(t, dir, func(c *train.Config) {
		c.Process = process.Spec{Name: "recording", Params: process.Params{"range": []float64{0, 5}, "levels": 11.0}}
	})
	m, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := mustNamed(t, "recording", process.Params{"range": []float64{0, 5}, "levels": 11.0})
	record, samples := p.Process.(process.Recorder).Record(), p.Params.List("signal")
	n := m.Config().NCtx
	word, notes, err := m.Quantise(samples)
	const last = "using the last 4 of 48 samples (the context length)"
	if err != nil || n != 4 || !slices.Equal(word, record[len(record)-n:]) || !slices.Equal(notes, []string{last}) {
		t.Errorf("%v, %v, %v, want %v", word, notes, err, record[len(record)-n:])
	}
	word, notes, err = m.Quantise([]float64{-1, 7, 1.25, 1.75}) // the last two in the middle between levels
	const beyond = "2 of 4 samples are outside the levels, 0 … 5, and were clipped"
	if err != nil || !slices.Equal(word, []int32{0, 10, 2, 4}) || !slices.Equal(notes, []string{beyond}) {
		t.Errorf("%v, %v, %v", word, notes, err)
	}
	coin, err := Open("craft:coin", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := coin.Quantise(samples); err == nil || err.Error() != "craft:coin does not predict a signal with levels; give tokens" {
		t.Errorf("%v", err)
	}
	for text, want := range map[string]string{
		"2.5,x": `"x" at position 2 is not a number; write samples as 2.5,1.8 or @FILE`,
		"1 NaN": `"NaN" at position 2 is not a number; write samples as 2.5,1.8 or @FILE`,
		"":      "there are no samples; write them as 2.5,1.8 or @FILE",
	} {
		if _, err := ReadSignal(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
