package describe

import (
	"fmt"
	"strings"

	"foretell/document"
	"foretell/internal/text"
	"foretell/theory"
)

const linearFilter = "best sum over tokens (linear filter)"

// fact returns one line of a description.
func fact(name, value string) document.Fact { return document.Fact{Name: name, Value: value} }

// LinearFacts returns facts about the linear filter, or nil if the process does not have
// one; if the spectrum is missing, the reason comes first.
func (d *Description) LinearFacts() (facts []document.Fact) {
	if d.SpectrumError != "" {
		facts = append(facts, fact("how memory decays (spectrum of T)", d.SpectrumError))
	}
	if d.LinearError != "" {
		return append(facts, fact(linearFilter, d.LinearError))
	}
	if d.Linear == nil {
		return facts
	}
	return append(facts, d.Linear.facts()...)
}

// facts returns facts about the linear filter.
func (l *Linear) facts() []document.Fact {
	facts := []document.Fact{fact(linearFilter, "the sum of functions of position and token closest to the belief; "+
		"compare the constrained belief (Piotrowski et al. 2025, Eq. 26)")}
	facts = append(facts, l.longRun()...)
	var linear, constrained []string
	for _, r := range l.ByPosition {
		linear = append(linear, sixDigits(r.Linear))
		constrained = append(constrained, sixDigits(r.Constrained))
	}
	facts = append(facts, fact("  R² after 1, 2, … tokens", strings.Join(linear, " ")),
		fact("  R² of the constrained belief, at most", strings.Join(constrained, " ")))
	for i, h := range l.Heads {
		name := ""
		if i == 0 {
			name = "  constrained beliefs by fewer heads"
		}
		facts = append(facts, fact(name, headsText(h)))
	}
	var decoded []string
	for _, g := range l.Geometric {
		decoded = append(decoded, fmt.Sprintf("λ = %.3f read by a polynomial of degree %d (R² %.6f)",
			g.Decay, g.Degree, g.R2))
	}
	if decoded != nil {
		facts = append(facts, fact("  best single sum decaying as λⁿ (geometric)", fmt.Sprintf("%s, after %s",
			strings.Join(decoded, ", "), text.Count(l.Geometric[0].Length, "token"))))
	}
	return facts
}

// headsText returns the best possible R² of a number of heads, or bounds on it if it is
// not known exactly.
func headsText(h theory.HeadsR2) string {
	heads := "without attention"
	if h.Heads > 0 {
		heads = text.Count(h.Heads, "head")
	}
	r2, bound := sixDigits(h.R2), sixDigits(h.Bound)
	if r2 == bound {
		return heads + ": R² " + r2
	}
	return fmt.Sprintf("%s: R² between %s and %s", heads, r2, bound)
}

// longRun returns facts about the linear filter long after the start.
func (l *Linear) longRun() []document.Fact {
	if l.Steady == nil {
		return []document.Fact{fact("  in the long run", l.NoSteady)}
	}
	var decays []string
	for _, d := range l.Steady.Decays {
		text := sixDigits(d[0])
		if d[1] != 0 {
			text += fmt.Sprintf(" ± %.6fi", d[1])
		}
		decays = append(decays, text)
	}
	if decays == nil {
		decays = []string{"none: in the long run no token adds information"}
	}
	r2 := l.Steady.NoR2
	if r := l.Steady.R2; r != nil {
		r2 = fmt.Sprintf("%.6f; the constrained belief explains at most %.6f (± %.1g)",
			r.Linear, r.Constrained, r.Error)
	}
	return []document.Fact{
		fact("  its decay with lag (compare λ of T)", strings.Join(decays, ", ")),
		fact("  variance of the belief it explains (R²)", r2),
	}
}

func sixDigits(x float64) string { return fmt.Sprintf("%.6f", x) }
