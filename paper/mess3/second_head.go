package mess3

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/text"
	"foretell/paper/internal/trained"

	"gonum.org/v1/gonum/stat"
)

// The rule of M20.
const (
	// atOptimum is the largest share of the information in the sequences that a model may
	// miss to count as the optimal predictor. Below it, differences say how far L-BFGS has
	// come, and nothing about heads.
	atOptimum = 1e-3
)

// aroundThird are the processes of M20. Their ζ have similar distances from 0, which is ζ
// at x = 1/3, on both sides. On each side the nearest comes first: x = 0.37 decides where
// the need begins, and the row shows its number.
var aroundThird = []trained.Source{
	trained.Mess3(0.37, 0.6), trained.Mess3(0.42, 0.6), trained.Mess3(0.47, 0.6),
	trained.Mess3(0.3, 0.6), trained.Mess3(0.25, 0.6), trained.Mess3(0.2, 0.6),
}

// secondHead is M20: Piotrowski et al. 2025, Sec. 4.4.1.
func (l *lab) secondHead() claim.Row {
	settings := l.needSettings()
	return texts.Fill(claim.Row{
		ID: "M20", Kind: claim.Order, RuleCommit: "c0def00", ChangedAfterResult: true,
		First: claim.FirstBy("ba21229", headNeeds.first),
		Setting: fmt.Sprintf("%d steps of L-BFGS on all sequences of %d tokens, width %d",
			settings.Steps, settings.NCtx, settings.DModel),
		Trainings: l.needTrainings(),
		Test: claim.Steps[headNeeds]{
			Measure: l.measureNeeds, Judge: headNeeds.judge, Tabulate: headNeeds.tabulate, Draw: headNeeds.draw,
		}.Test,
	}, map[string]any{
		"width": limitHead, "seeds": text.Count(len(l.limitSeeds()), "seed"), "factor": limitFactor,
		"falls": percent(limitFalls), "optimum": percent(atOptimum),
	})
}

func (p profile) needSettings() trained.Settings {
	return p.need.settings(p.small, limitHead)
}

// needCells returns the models of a process with the given number of heads.
func (p profile) needCells(on trained.Source, heads int) []trained.Condition {
	return p.oneLayerModels(on, heads, p.needSettings(), p.limitSeeds()...)
}

func (p profile) needTrainings() (list []claim.Training) {
	for _, on := range p.needs {
		for heads := 1; heads <= 2; heads++ {
			for _, c := range p.needCells(on, heads) {
				list = append(list, limitTraining(c))
			}
		}
	}
	return list
}

// headNeeds is the measurement of M20.
type headNeeds []headNeed

// headNeed holds the models of a process.
type headNeed struct {
	trained.Source
	information float64 // in the sequences, in nats
	lastTwo     float64 // KL of an optimal observer of the last two tokens
	one, two    []limit // with one head and with two, by seed
}

func (l *lab) measureNeeds(ctx context.Context, s *claim.Study) (found headNeeds, err error) {
	for _, on := range l.needs {
		need := headNeed{Source: on}
		if need.one, err = measureLimit(s, l.needCells(on, 1)); err != nil {
			return nil, err
		}
		if need.two, err = measureLimit(s, l.needCells(on, 2)); err != nil {
			return nil, err
		}
		// limitTraining keeps the name of the run, by which the model is found.
		of, err := trained.NewSubject(ctx, s, need.one[0].Condition)
		if err != nil {
			return nil, err
		}
		need.information, need.lastTwo = of.Information, l.learnable(&subject{Subject: of}).Plateaus[1]
		found = append(found, need)
	}
	return found, nil
}

// missed returns the share of the information that each model misses.
func (n headNeed) missed(models []limit) []float64 {
	return numbers(models, func(m limit) float64 { return m.kl / n.information })
}

// judge gives the verdict on all processes. It is open if no process with negative ζ is
// decided, since the other processes need no second head by any account.
func (m headNeeds) judge() claim.Finding {
	return m.decidedBelow(claim.NewFinding(claim.ConditionsOf(m, headNeed.condition)))
}

// decidedBelow returns a finding on the processes, which it makes open if no condition on
// a process with negative ζ is decided.
func (m headNeeds) decidedBelow(found claim.Finding) claim.Finding {
	for i, n := range m {
		if n.Zeta() < 0 && found.Conditions[i].Verdict != claim.Open {
			return found
		}
	}
	found.Verdict, found.Reason = claim.Open, claim.Untrained
	return found
}

// condition judges whether one head suffices where ζ is positive, or whether a second one
// is needed where ζ is negative.
func (n headNeed) condition() claim.Condition {
	one, two := n.missed(n.one), n.missed(n.two)
	least, most := slices.Min(one), slices.Max(two)
	effect := claim.Over("share of the information that one head misses", "", one)
	c := claim.Condition{
		Name: n.String(), Effect: effect.Against("two heads", stat.Mean(two, nil)),
		Obtained: fmt.Sprintf("one head misses %.2g %% of the information, two heads %.2g %%",
			100*stat.Mean(one, nil), 100*stat.Mean(two, nil)),
		Verdict: claim.Open, Reason: claim.Power,
	}
	optimal := atOptimum * n.information
	falls := slices.IndexFunc(n.one, func(m limit) bool { return m.kl > optimal && !m.rests() })
	switch {
	case slices.Max(one) <= atOptimum:
		c.Verdict, c.Reason = claim.HoldsIf(n.Zeta() > 0), ""
	case falls >= 0:
		return c.Judged(n.one[falls].falling())
	case least > atOptimum && least > limitFactor*most:
		c.Verdict, c.Reason = claim.HoldsIf(n.Zeta() < 0), ""
	}
	return c.Judged("")
}

func (m headNeeds) tabulate(c *claim.Claim) { c.Tables = append(c.Tables, m.frame().Table()) }

// frame returns a row for each model.
func (m headNeeds) frame() document.Frame {
	f := document.Frame{
		Title: "KL to the optimum in nats, and as a share of the information in the sequences",
		Columns: []document.Column{
			{Heading: "process"},
			{Name: "x"},
			{Name: "heads", Heading: "heads"},
			{Name: "seed", Heading: "seed"},
			{Name: "kl_half", Heading: "after half of the steps", Format: "%.2e"},
			{Name: "kl", Heading: "after all", Format: "%.2e"},
			{Name: "missed", Heading: "share", Format: "%.2g %%"},
			{Heading: "last two tokens", Format: "%.2e"},
		},
	}
	for _, n := range m {
		for _, c := range slices.Concat(n.one, n.two) {
			f.Row(n.Source, n.X, c.Heads, c.Seed, c.half, c.kl, c.kl/n.information, n.lastTwo)
		}
	}
	return f
}

func (m headNeeds) draw(out *claim.Output) {
	one, two := figure.Series{Name: "one head"}, figure.Series{Name: "two heads"}
	lastTwo := figure.Series{Name: "optimal observer of the last two tokens", Open: true}
	sorted := slices.SortedFunc(slices.Values(m), func(a, b headNeed) int { return cmp.Compare(a.X, b.X) })
	for _, n := range sorted {
		addMean(&one, n.X, n.missed(n.one))
		addMean(&two, n.X, n.missed(n.two))
		lastTwo.Add(n.X, n.lastTwo/n.information)
	}
	desc := "Lines of the missed share against x, for one head, two heads and the last two tokens. A horizontal line " +
		"at the share that counts as the optimum, and a vertical line at x = 1/3."
	out.Figure("heads", figure.Single("One head and two, where ζ changes its sign", desc, figure.Chart{
		X: figure.Axis{Label: "x"}, Y: figure.Axis{Label: "share of the information that is missed", Log: true},
		Series: []figure.Series{one, two, lastTwo},
		Refs: []figure.Ref{
			{Label: "ζ = 0", Value: 1.0 / 3, Vertical: true}, {Label: "counts as the optimum", Value: atOptimum},
		},
	}))
	out.CSV("heads", m.frame())
}
