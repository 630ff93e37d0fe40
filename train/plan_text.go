package train

import (
	"fmt"
	"io"

	"foretell/internal/limit"
	"foretell/internal/text"
)

// Print writes the plan as text with tabs between cells. Its lines fit in 78 columns,
// apart from long names.
func (p *Plan) Print(w io.Writer) {
	line := func(name, format string, args ...any) {
		text.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line("process", "%s", p.Process)
	line("model", "%s", text.Count(p.Parameters, "parameter"))
	most := ""
	if p.Stop != nil {
		most = "at most "
	}
	line("steps", "%s%d, each on %s", most, p.Steps, p.Batch)
	line("in all", "%s%.0f sequences, %.0f tokens", most, p.Sequences, p.Tokens)
	line("workers", "%d", p.Workers)
	line("shards", "%d", p.Shards)
	line("passes", "%s", p.passesText())
	line("prefixes", "%s", p.prefixesText())
	line("evaluations", "%d, one every %s, on %s", p.Evaluations,
		text.Count(p.EvaluateEvery, "step"), text.Count(p.EvaluateSequences, "sequence"))
	for i, text := range p.stopTexts() {
		line([]string{"stops", ""}[min(i, 1)], "%s", text)
	}
	line("checkpoints", "%s", p.checkpointsText())
	line("kept", "%s", p.keptText())
	machine := ""
	if p.Machine != 0 {
		machine = fmt.Sprintf("; the machine has %s", limit.Size(p.Machine))
	}
	text.Fprintf(w, "memory: about %s%s\n", limit.Size(p.Bytes), machine)
	for _, part := range p.Memory {
		text.Fprintf(w, "  %s\t%s\t%s\n", part.What, limit.Size(part.Bytes), part.Fields)
	}
}

// passesText describes the passes of a step.
func (p *Plan) passesText() string {
	if p.PassRows > 0 {
		return fmt.Sprintf("of at most %d prefixes", p.PassRows)
	}
	return fmt.Sprintf("%d in a step, of at most %s", p.Passes, text.Count(p.Pass, "sequence"))
}

// prefixesText describes whether sequences share prefixes, and why.
func (p *Plan) prefixesText() string {
	shared := "not shared"
	if p.SharesPrefixes {
		shared = "shared"
	}
	switch {
	case p.objective.Exact:
		return "each once (train.objective: exact)"
	case p.SharePrefixes != shareAuto:
		return fmt.Sprintf("%s (train.share_prefixes: %s)", shared, p.SharePrefixes)
	case p.DistinctPrefixes == nil:
		return shared + ", because only one position is learned"
	}
	return fmt.Sprintf("%s: %.3g %% are distinct, and auto shares up to %.3g %%",
		shared, 100**p.DistinctPrefixes, 100*shareBelow)
}

// stopTexts describes how train.stop may end the training, in lines; nil without it.
func (p *Plan) stopTexts() []string {
	if p.Stop == nil {
		return nil
	}
	first := float64(p.Stop.Patience) * float64(p.EvaluateEvery)
	when := fmt.Sprintf("at step %.0f at the earliest", first)
	if first >= float64(p.Steps) {
		when = fmt.Sprintf("never before the last step, since %d evaluations take longer", p.Stop.Patience)
	}
	return []string{p.Stop.String(), when, "the model is from the best evaluation"}
}

// checkpointsText describes when checkpoints are written.
func (p *Plan) checkpointsText() string {
	text := fmt.Sprintf("%d, one every %s", p.Checkpoints, text.Count(p.CheckpointEvery, "step"))
	if p.CheckpointMinutes > 0 {
		text += fmt.Sprintf(" or %.10g minutes", p.CheckpointMinutes)
	}
	return text
}

// keptText describes which weights are kept.
func (p *Plan) keptText() string {
	const last = "the last two checkpoints"
	if p.CheckpointRule == keepLast {
		return last
	}
	return fmt.Sprintf("%s, and the weights of %s (%s)", last, text.Count(p.KeptWeights, "step"), p.CheckpointRule)
}
