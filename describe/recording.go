package describe

import (
	"context"
	"fmt"

	"foretell/document"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Recording describes your own recording: its size, the part of it that is held out, and
// how well a constant guess predicts. Its best possible prediction is not known.
type Recording struct {
	Samples int `json:"samples"`  // number of samples
	HeldOut int `json:"held_out"` // samples at the end, from which training never draws
	// Validation is the number of samples before those, on which train.stop chooses the
	// step.
	Validation int `json:"validation,omitempty"`
	Clipped    int `json:"clipped"` // samples outside the range of levels, clipped to it
	// Constant is the accuracy of always guessing the most frequent token of the held-out
	// part, or of the whole recording if nothing is held out.
	Constant float64 `json:"constant_accuracy"`
}

const (
	// memorised marks a number that assumes a predictor that has memorised the recording.
	memorised = ", for a predictor that has memorised the recording"
	// noOptimum is shown in place of the optimum of your own recording.
	noOptimum = "not known for recorded data; compare a model's loss on the held-out part with chance"
)

// clippedText returns how many samples of a recording are outside the range of its
// levels, or "" if all are inside.
func clippedText(clipped, samples int) string {
	if clipped == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d samples (%.3g %%) are outside the range and were clipped", clipped, samples,
		100*float64(clipped)/float64(samples))
}

// addRecording adds the size of a recording and of its held-out part, and the loss and
// accuracy of a constant guess on the held-out part, or on all samples if nothing is held
// out.
func (d *Description) addRecording(r *process.Recording) {
	record := r.Record()
	d.Recording = &Recording{Samples: len(record), Clipped: r.Clipped(), Validation: length(r.Validation())}
	if part, ok := r.HeldOut().(*process.Recording); ok {
		record = part.Record()
		d.Recording.HeldOut = len(record)
		d.ChanceOf = " (of the held-out part)"
	}
	frequency := make([]float64, r.Alphabet())
	for _, z := range record {
		frequency[z] += 1 / float64(len(record))
	}
	d.Chance, d.Recording.Constant = stat.Entropy(frequency), floats.Max(frequency)
}

// length returns the number of samples of a part of a recording, 0 for no such part.
func length(part process.Sampler) int {
	if r, ok := part.(*process.Recording); ok {
		return len(r.Record())
	}
	return 0
}

// recordingFacts returns facts about your own recording.
func (d *Description) recordingFacts() []document.Fact {
	r := d.Recording
	held := "nothing is held out, so a model that memorises the samples looks like one that predicts; " +
		"set the parameter holdout"
	if r.HeldOut > 0 {
		held = fmt.Sprintf("the last %d of %d samples; training draws windows from the other samples only",
			r.HeldOut, r.Samples)
	}
	facts := []document.Fact{
		fact("best possible prediction", noOptimum),
		fact("held out", held),
	}
	if r.Validation > 0 {
		facts = append(facts, fact("validation", fmt.Sprintf("%d samples before those, on which train.stop chooses "+
			"the step; training never draws from them", r.Validation)))
	}
	facts = append(facts,
		fact(chance, sixDigits(d.Chance)+" nats"+d.ChanceOf),
		fact("accuracy of always guessing the most frequent token", sixDigits(r.Constant)+d.ChanceOf))
	if text := clippedText(r.Clipped, r.Samples); text != "" {
		facts = append(facts, fact("range", text))
	}
	return facts
}

// TrainingNotes returns notes on the numbers with which a training run on the process s
// is compared, such as chance. nCtx is the context length of the model.
func TrainingNotes(ctx context.Context, s process.Sampler, nCtx int) (notes []string) {
	if r, ok := s.(*process.Recording); ok {
		if r.HeldOut() == nil {
			notes = append(notes, "nothing is held out: the loss is on training windows, so a model that memorises "+
				"them looks like one that predicts; set the parameter holdout")
		}
		if text := clippedText(r.Clipped(), len(r.Record())); text != "" {
			notes = append(notes, text)
		}
	}
	if process.Memorised(s) {
		notes = append(notes, process.MemorisedNote)
	}
	p, known := s.(process.Process)
	if !known {
		return notes
	}
	if first, err := p.Floor(ctx, 2); err == nil {
		if of := chanceOf(ctx, p, first); of != "" {
			notes = append(notes, fmt.Sprintf("chance is the loss of the best constant guess "+
				"at positions 1 … %d; it differs at other positions", nCtx+1))
		}
	}
	return notes
}
