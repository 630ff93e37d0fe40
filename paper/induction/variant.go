package induction

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/process"
)

// variant is another setting in which models are trained. Rows that have variants repeat
// their measurements and their rule in each of them, with one seed for each kind of
// model. The zero value changes nothing.
type variant struct {
	name, file string // for readers, and for names of folders
	tokens     int    // alphabet of another matrix P, from the same law; 0 for [transition]
	matrix     uint64 // the number of this matrix
	sampled    bool   // sampled tokens as targets, as in the paper
}

// variants is the list of the deep profile.
var variants = []variant{
	{name: "second P", file: "p2", tokens: 5, matrix: 1},
	{name: "third P", file: "p3", tokens: 5, matrix: 2},
	{name: "|S| = 10", file: "s10", tokens: 10},
	{name: "sampled targets", file: "sampled", sampled: true},
}

// variantSeed is the seed from which matrices of variants are drawn.
const variantSeed = 30

// p returns the transition matrix P.
func (v variant) p() [][]float64 {
	if v.tokens == 0 {
		return transition
	}
	return must(process.DirichletRows(v.tokens, 1, variantSeed, v.matrix))
}

// varied returns the profile with all models trained as the variant says.
func (p profile) varied(v variant) profile {
	for _, r := range []*recipe{&p.standard, &p.disentangled, &p.plain, &p.paper} {
		r.variant = v
		if v.sampled {
			r.objective = ""
		}
	}
	for _, list := range []*[]uint64{&p.seeds, &p.few, &p.atFive, &p.printed} {
		*list = (*list)[:1]
	}
	p.variants = nil
	return p
}

// runsVaried returns the training runs of a row's models, in the profile's own setting
// and in its variants.
func (l *lab) runsVaried(of func(*lab) []network) []claim.Training {
	list := l.runs(of(l))
	for _, v := range l.varied {
		list = append(list, v.runs(of(v))...)
	}
	return list
}

// repeated is a measurement, and the same one in each variant.
type repeated[M any] struct {
	own      M
	variants []M
}

// inVariants returns steps that repeat a row's measurement in the variants. The verdict
// is about the profile's own setting. A question names the conditions whose verdicts turn
// in a variant, and a table has the verdicts of all conditions.
func inVariants[M any](l *lab, steps func(l *lab) claim.Steps[M]) claim.Steps[repeated[M]] {
	own := steps(l)
	found := claim.Steps[repeated[M]]{
		Measure: func(ctx context.Context, s *claim.Study) (m repeated[M], err error) {
			if m.own, err = own.Measure(ctx, s); err != nil {
				return m, err
			}
			for _, v := range l.varied {
				of, err := steps(v).Measure(ctx, s)
				if err != nil {
					return m, fmt.Errorf("%s: %w", v.standard.variant.name, err)
				}
				m.variants = append(m.variants, of)
			}
			return m, nil
		},
		Draw: func(m repeated[M], out *claim.Output) { own.Draw(m.own, out) },
	}
	found.Judge = func(m repeated[M]) claim.Finding {
		f := own.Judge(m.own)
		if len(m.variants) > 0 {
			f.Asked = append(f.Asked, turned(f.Conditions, l.variants, m.conditions(own)))
		}
		return f
	}
	found.Tabulate = func(m repeated[M], c *claim.Claim) {
		own.Tabulate(m.own, c)
		if len(m.variants) > 0 {
			c.Tables = append(c.Tables, byVariant(c.Conditions, l.variants, m.conditions(own)))
		}
	}
	return found
}

// conditions returns the conditions in each variant.
func (m repeated[M]) conditions(steps claim.Steps[M]) (list [][]claim.Condition) {
	for _, of := range m.variants {
		list = append(list, steps.Judge(of).Conditions)
	}
	return list
}

// turned asks whether the verdict on a condition is another one in a variant. Only
// verdicts that are decided in both are compared.
func turned(own []claim.Condition, variants []variant, others [][]claim.Condition) claim.Question {
	var names, turns []string
	decided := 0
	for i, v := range variants {
		names = append(names, v.name)
		for _, c := range own {
			other := conditionNamed(others[i], c.Name)
			if c.Verdict == claim.Open || other.Verdict == claim.Open {
				continue
			}
			if decided++; c.Verdict != other.Verdict {
				turns = append(turns, fmt.Sprintf("%s, %s: %s and not %s (%s)",
					v.name, c.Name, other.Verdict, c.Verdict, other.Obtained))
			}
		}
	}
	q := claim.Question{
		Question: fmt.Sprintf("Does the verdict on a condition turn in another setting: %s (one seed each)? "+
			"(our question: the document does not print its P)", strings.Join(names, ", ")),
		Answer:   claim.Undecided,
		Obtained: fmt.Sprintf("%d verdicts are decided in both, %d turn", decided, len(turns)),
	}
	if decided > 0 {
		q.Answer = claim.AnswerIf(len(turns) > 0)
	}
	if len(turns) > 0 {
		q.Obtained += ": " + strings.Join(turns, "; ")
	}
	return q
}

// conditionNamed returns the condition with a name, or an open one.
func conditionNamed(list []claim.Condition, name string) claim.Condition {
	if i := slices.IndexFunc(list, func(c claim.Condition) bool { return c.Name == name }); i >= 0 {
		return list[i]
	}
	return claim.Condition{Verdict: claim.Open}
}

// byVariant returns the table of verdicts, with the number that each depends on.
func byVariant(own []claim.Condition, variants []variant, others [][]claim.Condition) document.Table {
	table := document.Frame{
		Title:   "verdicts on the conditions in other settings, one seed each",
		Columns: document.Headed("", "condition", "as in this row"),
	}
	for _, v := range variants {
		table.Columns = append(table.Columns, document.Column{Heading: v.name})
	}
	for _, c := range own {
		row := []any{c.Name, verdictText(c)}
		for _, other := range others {
			row = append(row, verdictText(conditionNamed(other, c.Name)))
		}
		table.Row(row...)
	}
	return table.Table()
}

func verdictText(c claim.Condition) string {
	if c.Effect == nil {
		return string(c.Verdict)
	}
	return fmt.Sprintf("%s (%.3g)", c.Verdict, c.Effect.Estimate)
}
