package describe

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"foretell/document"
	"foretell/internal/limit"
	"foretell/internal/text"
	"foretell/process"
	"foretell/theory"
)

// leftOut returns the reason why a part of the description of p is left out, which names
// the size of the process, or "" if the part is to be computed. If s.All is true, nothing
// is left out, and a part that needs more memory than the machine has is an error.
func (s Subject) leftOut(p process.Process, part process.Part) (reason string, err error) {
	sizer, ok := p.(process.Sizer)
	if !ok {
		return "", nil
	}
	effort := sizer.Effort(part)
	have := limit.Memory()
	tooLarge := have != 0 && effort.Bytes > have
	switch {
	case s.All && tooLarge:
		return "", fmt.Errorf("%s: the %s of %s needs %s of memory, and this machine has %s",
			p.Name(), part, sizeOf(p), limit.Size(effort.Bytes), limit.Size(have))
	case s.All || effort.Quick() && !tooLarge:
		return "", nil
	case tooLarge:
		return fmt.Sprintf("%s need %s of memory, and this machine has %s", sizeOf(p),
			limit.Size(effort.Bytes), limit.Size(have)), nil
	}
	if reason = tooMuch(p, effort); s.Flags.All != "" {
		reason += "; " + s.Flags.All + " computes them anyway"
	}
	return reason, nil
}

// linearLeftOut returns the reason why the linear beliefs after sequences of a given
// length are left out, or "" if they are to be computed. A linear belief is the best
// approximation of the belief by a sum of functions of position and token.
func linearLeftOut(p process.Process, length int) string {
	sizer, ok := p.(process.Sizer)
	if !ok {
		return ""
	}
	step := sizer.Effort(process.PartWords)
	if step.Products *= float64(min(length, settledBy)); step.Quick() {
		return ""
	}
	return tooMuch(p, step)
}

// tooMuch states the work and the memory that a part of a process needs.
func tooMuch(p process.Process, effort process.Effort) string {
	return fmt.Sprintf("%s need about %.1g multiplications and %s of memory", sizeOf(p), effort.Products,
		limit.Size(effort.Bytes))
}

// settledBy is the largest number of positions whose work [linearLeftOut] counts. At
// later positions the linear filter hardly changes.
const settledBy = 100

// linearOf returns the linear beliefs of a table of prefixes, or nil if the process does
// not have them or is too large.
func linearOf(ctx context.Context, p process.Process, words *process.Prefixes) ([]float64, error) {
	if _, ok := p.(*process.HMM); !ok || linearLeftOut(p, words.Length) != "" {
		return nil, nil
	}
	return theory.LinearPrefixes(ctx, words)
}

// sizeOf returns the numbers of states and tokens of a process.
func sizeOf(p process.Process) string {
	tokens := text.Count(p.Alphabet(), "token")
	if o, ok := p.(process.Observer); ok {
		return text.Count(len(o.States()), "state") + " and " + tokens
	}
	return tokens
}

// notComputed lists the parts that were not computed.
func (d *Description) notComputed() (facts []document.Fact) {
	for _, part := range slices.Sorted(maps.Keys(d.NotComputed)) {
		facts = append(facts, fact(string(part), "not computed: "+d.NotComputed[part]))
	}
	return facts
}
