package mess3

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/figure"
	"foretell/internal/text"
	"foretell/paper/internal/trained"
)

// The sizes of M20's training runs. They are smaller than M19's in the full profile,
// because M20 has more models.
const (
	changeCtx   = 6
	changeSteps = 2000
)

// changeSign are the processes of M20. Their ζ have similar distances from 0, which is ζ
// at x = 1/3, on both sides. On each side the nearest comes first: x = 0.37 decides where
// the need begins, and the row shows its number.
var changeSign = []trained.Source{
	trained.Mess3(0.37, 0.6), trained.Mess3(0.42, 0.6), trained.Mess3(0.47, 0.6),
	trained.Mess3(0.3, 0.6), trained.Mess3(0.25, 0.6), trained.Mess3(0.2, 0.6),
}

// secondHead is M20: Piotrowski et al. 2025, Sec. 4.4.1. Its rule is M19's.
func (l *lab) secondHead() claim.Row {
	settings := l.changeSettings()
	return texts.Fill(claim.Row{
		ID: "M20", Kind: claim.Order, Trainings: exactTrainings(l.changeCells()), RuleCommit: "ba21229",
		Setting: fmt.Sprintf("%d steps of L-BFGS on all sequences of %d tokens, width %d",
			settings.Steps, settings.NCtx, settings.DModel),
		Test: claim.Steps[headNeeds]{
			Measure: l.measureNeeds, Judge: headNeeds.judge, Tabulate: headNeeds.tabulate, Draw: headNeeds.draw,
		}.Test,
	}, map[string]any{
		"width": limitHead, "seeds": text.Count(len(l.limitSeeds()), "seed"), "factor": limitFactor,
		"falls": percent(limitFalls),
	})
}

func (p profile) changeSettings() trained.Settings {
	s := p.limitSettings(limitHead)
	s.NCtx, s.Steps = min(s.NCtx, changeCtx), min(s.Steps, changeSteps)
	s.StepsWeak, s.EvaluateAt = s.Steps, s.Steps/2
	return s
}

// changeCells returns the models of M20, with one head and with two.
func (p profile) changeCells() (list []trained.Condition) {
	for heads := 1; heads <= 2; heads++ {
		for _, on := range p.changes {
			list = append(list, p.oneLayerModels(on, heads, p.changeSettings(), p.limitSeeds()...)...)
		}
	}
	return list
}

// headNeeds is the measurement of M20.
type headNeeds struct{ limits }

func (l *lab) measureNeeds(ctx context.Context, s *claim.Study) (headNeeds, error) {
	found, err := l.measureHeadLimits(ctx, s, l.changeCells())
	return headNeeds{found}, err
}

// sources returns the processes, in the order of their models.
func (m headNeeds) sources() (list []trained.Source) {
	for _, c := range m.heads {
		if !slices.Contains(list, c.Source) {
			list = append(list, c.Source)
		}
	}
	return list
}

// judge gives the verdict on all processes. It is open if no process with negative ζ is
// decided, since the other processes need no second head by any account.
func (m headNeeds) judge() claim.Finding {
	found := claim.NewFinding(claim.ConditionsOf(m.sources(), m.condition))
	for i, on := range m.sources() {
		if on.Zeta() < 0 && found.Conditions[i].Verdict != claim.Open {
			return found
		}
	}
	found.Verdict, found.Reason = claim.Open, claim.Untrained
	return found
}

func (m headNeeds) tabulate(c *claim.Claim) {
	title := "KL to the optimum in nats, by process, heads and seed"
	c.Tables = append(c.Tables, m.frame(title, m.heads, "d_head").Table())
}

func (m headNeeds) draw(out *claim.Output) {
	sources := m.sources()
	slices.SortFunc(sources, func(a, b trained.Source) int { return cmp.Compare(a.X, b.X) })
	chart := figure.Chart{
		X: figure.Axis{Label: "x"}, Y: figure.Axis{Label: "KL (nats)", Log: true},
		Refs: []figure.Ref{{Label: "ζ = 0", Value: 1.0 / 3, Vertical: true}},
	}
	for i, name := range []string{"one head", "two heads"} {
		series := figure.Series{Name: name}
		for _, on := range sources {
			addMean(&series, on.X, reached(m.of(on, i+1)))
		}
		chart.Series = append(chart.Series, series)
	}
	lastTwo := figure.Series{Name: "optimal observer of the last two tokens", Open: true}
	for _, on := range sources {
		lastTwo.Add(on.X, m.lastTwo[on])
	}
	chart.Series = append(chart.Series, lastTwo)
	desc := "Lines of KL against x, for one head, two heads and the last two tokens, and a vertical line at x = 1/3."
	out.Figure("heads", figure.Single("One head and two, where ζ changes its sign", desc, chart))
	out.CSV("heads", m.frame("", m.heads))
}
