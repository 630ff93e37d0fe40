package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/process"
)

// holdOut says how a model of a recording is judged beyond it.
const holdOut = "To hold a part out, make it a recording of its own, quantised alike (of the same range), " +
	"and let the model predict its windows"

// heldOutLoss says by which command the loss on such a part is found.
const heldOutLoss = "; the loss on them is that of step 0 of `foretell train RUN/config.yaml " +
	"--set process.params.signal=@HELD.csv --set train.init=RUN --set train.num_steps=1 --out runs/held`, " +
	"of a RUN that was given a range"

// byHeart says whose floor and ceiling those of a recording are; it is empty for a
// process that is none.
func byHeart(p process.Process) string {
	if _, ok := p.(process.Recorder); !ok {
		return ""
	}
	return "those of who knows the recording by heart, which training and evaluation alike take windows of: " +
		"they say nothing of a signal that the model has not seen"
}

// clipped says how many samples of a recording are beyond the range of its levels; it is
// empty where none is.
func clipped(p process.Process) string {
	r, ok := p.(*process.Recording)
	if !ok || r.Clipped() == 0 {
		return ""
	}
	n, all := r.Clipped(), len(r.Record())
	return fmt.Sprintf("%d of %d samples (%.3g %%) are beyond the range, and clipped to it",
		n, all, 100*float64(n)/float64(all))
}

// wrapped says that windows wrap around the end of a recording, and how many of those of
// so many tokens do; it is empty for a process that is none.
func wrapped(p process.Process, tokens int) string {
	r, ok := p.(process.Recorder)
	if !ok {
		return ""
	}
	switch all := len(r.Record()); {
	case tokens > all:
		return fmt.Sprintf("each window, of %d tokens, is longer than the recording, of %d, and goes on at its beginning: "+
			"what a model can learn beyond the first %d is to repeat them", tokens, all, all)
	default:
		return fmt.Sprintf("a window that passes the recording's end goes on at its beginning: of those of %d tokens "+
			"%.2g %% do", tokens, 100*float64(tokens-1)/float64(all))
	}
}

// recordingFacts says in lines what there is to know of a recording.
func (d *Description) recordingFacts() (facts []Fact) {
	if d.ByHeart == "" {
		return nil
	}
	how := d.ByHeart + ". " + holdOut
	if slices.ContainsFunc(d.Parameters, func(p Parameter) bool { return p.Name == "signal" }) {
		how += heldOutLoss
	}
	facts = []Fact{{"floor and ceiling", how}, {"windows", d.Wrapped}}
	if d.Clipped != "" {
		facts = append(facts, Fact{"range", d.Clipped})
	}
	return facts
}

// TrainingNotes says what there is to know of the floor and the chance that a training on
// a process with a context of so many tokens stands beside, and of the windows of a
// recording.
func TrainingNotes(ctx context.Context, p process.Process, nCtx int) (notes []string) {
	if heart := byHeart(p); heart != "" {
		notes = append(notes, "floor and accuracy ceiling are "+heart)
	}
	for _, note := range []string{wrapped(p, nCtx+1), clipped(p)} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	if first, err := p.Floor(ctx, 2); err == nil {
		if of := chanceOf(ctx, p, first); of != "" {
			notes = append(notes, fmt.Sprintf("chance is the loss of the best constant guess "+
				"at positions 1 … %d; over others it is another", nCtx+1))
		}
	}
	return notes
}

// heartOf is [byHeart] of the process of a run, whose configuration is at a path. It is
// empty of one that Go code makes, of which a run's folder does not say that.
func (r RunCurve) heartOf(config string) string {
	entry, known := process.Spec{Name: r.setting(processName)}.Entry()
	if !known || entry.Kind != "signal" {
		return ""
	}
	s, err := learned(config)
	if err != nil {
		return ""
	}
	return byHeart(s.Process)
}

// byHeart says in a sentence of which runs the floor is that of who knows a recording by
// heart, and what it does not say; it is empty where it is of none.
func (c *Curves) byHeart() string {
	var runs []string
	heart := ""
	for _, r := range c.Runs {
		if r.byHeart != "" {
			runs, heart = append(runs, r.Run), r.byHeart
		}
	}
	of := "Floor"
	switch {
	case heart == "":
		return ""
	case len(runs) < len(c.Runs):
		of = "Of " + strings.Join(runs, ", ") + " floor"
	}
	return of + " and accuracy ceiling are " + heart + "."
}
