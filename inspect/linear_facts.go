package inspect

import (
	"fmt"
	"strings"

	"foretell/internal/plural"
)

const linearFilter = "what a sum over tokens tells (linear filter)"

// Fact is one line of a description.
type Fact struct{ Name, Text string }

// LinearFacts returns facts about the linear filter, or nil if the process has none; if
// the spectrum is missing, the reason comes first.
func (d *Description) LinearFacts() (facts []Fact) {
	if d.SpectrumError != "" {
		facts = append(facts, Fact{"how the past fades (spectrum of T)", d.SpectrumError})
	}
	if d.LinearError != "" {
		return append(facts, Fact{linearFilter, d.LinearError})
	}
	if d.Linear == nil {
		return facts
	}
	return append(facts, d.Linear.facts()...)
}

// facts returns facts about the filter.
func (l *Linear) facts() []Fact {
	facts := []Fact{{
		linearFilter, "the belief as the best sum of functions of position and token, " +
			"beside the constrained belief (Piotrowski et al. 2025, Eq. 26)",
	}}
	facts = append(facts, l.longRun()...)
	var linear, constrained []string
	for _, r := range l.ByPosition {
		linear = append(linear, sixDigits(r.Linear))
		constrained = append(constrained, sixDigits(r.Constrained))
	}
	facts = append(facts, Fact{"  that share after 1, 2, … tokens", strings.Join(linear, " ")},
		Fact{"  of the constrained belief at best", strings.Join(constrained, " ")})
	for i, h := range l.Heads {
		fact := Fact{"", fmt.Sprintf("%s: R² of the constrained beliefs %.6f, at most %.6f",
			plural.Count(h.Heads, "head"), h.R2, h.Bound)}
		if i == 0 {
			fact.Name = "  heads that look at positions alone"
		}
		facts = append(facts, fact)
	}
	var decoded []string
	for _, g := range l.Geometric {
		decoded = append(decoded, fmt.Sprintf("λ = %.3f by a polynomial of degree %d (R² %.6f)", g.Decay, g.Degree, g.R2))
	}
	if decoded != nil {
		facts = append(facts, Fact{"  one sum that fades as λⁿ (geometric)", fmt.Sprintf("tells most with %s, after %s",
			strings.Join(decoded, ", "), plural.Count(l.Geometric[0].Length, "token"))})
	}
	return facts
}

// longRun returns facts about the steady filter.
func (l *Linear) longRun() []Fact {
	if l.Steady == nil {
		return []Fact{{"  in the long run", l.NoSteady}}
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
		decays = []string{"none: in the long run no token tells anything new"}
	}
	r2 := l.Steady.NoR2
	if r := l.Steady.R2; r != nil {
		r2 = fmt.Sprintf("%.6f, of the constrained belief at best %.6f (± %.1g)", r.Linear, r.Constrained, r.Error)
	}
	return []Fact{
		{"  how it fades (decays, beside λ of T)", strings.Join(decays, ", ")},
		{"  share of the belief that it tells (R²)", r2},
	}
}

func sixDigits(x float64) string { return fmt.Sprintf("%.6f", x) }
