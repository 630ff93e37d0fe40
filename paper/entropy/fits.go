package entropy

import (
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/fit"
	"foretell/internal/random"
	"foretell/internal/text"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/seeds"
	"foretell/process"
)

const (
	mostStates     = 5    // of a hidden Markov model that is fitted
	fittedStarts   = 3    // random starts of a fit
	floorPositions = 10   // at which floors are compared
	nearFloor      = 0.05 // of the learnable gap (our threshold)
	leastDrawn     = 1e-6 // share of the gap that the figure shows
)

// fits is E6: a hidden Markov model that is fitted to a sequence has the floors of the
// process.
func (l *lab) fits() claim.Row {
	row := claim.Row{
		ID: "E6", Kind: claim.Beyond, RuleCommit: rulesSince,
		Test: claim.Steps[fitted]{
			Measure: l.measureFits, Judge: fitted.judge, Tabulate: fitted.tabulate, Draw: fitted.draw,
		}.Test,
	}
	return texts.Fill(row, map[string]any{
		"states": mostStates, "positions": floorPositions, "near": 100 * nearFloor, "starts": fittedStarts,
		"symbols": numerals.Grouped(l.fitted), "gap": leastGap, "least": numerals.Scientific(leastDrawn),
	})
}

// fitted is what hidden Markov models say, by source and seed.
type fitted []claim.BySeed[fittedModel]

// fittedModel is what one fitted model says.
type fittedModel struct {
	off   float64 // largest error of a floor, as a share of the learnable gap
	share float64 // of the learnable gap that the model's entropy rate sees
	width float64 // of that share: the half-width of the model's entropy rate
}

// machine returns the process if it is a hidden Markov model to be fitted.
func (s source) machine() (process.Machine, bool) {
	m, ok := s.process.(process.Machine)
	return m, ok && !m.Generalised() && len(m.States()) <= mostStates && s.gap() >= leastGap
}

func (l *lab) measureFits(ctx context.Context, s *claim.Study) (fitted, error) {
	sources, err := exactSources(ctx, s)
	if err != nil {
		return nil, err
	}
	var list []source
	var m fitted
	for _, of := range sources {
		if _, ok := of.machine(); ok && l.judges(of.name) {
			list = append(list, of)
			m = append(m, claim.BySeed[fittedModel]{Name: of.name, Models: make([]claim.Seeded[fittedModel], l.seeds)})
		}
	}
	n := len(list) * l.seeds
	return m, s.Each(ctx, n, func(ctx context.Context, i int) (err error) {
		of, seed := list[i%len(list)], i/len(list)
		s.Tell(fmt.Sprintf("fitting a hidden Markov model to %s, seed %d", of.name, seed))
		m[i%len(list)].Models[seed], err = l.fit(ctx, of, seed)
		s.Part(n)
		return err
	})
}

// fit fits a model with the process's number of states to one of its sequences.
func (l *lab) fit(ctx context.Context, of source, seed int) (claim.Seeded[fittedModel], error) {
	found := claim.Seeded[fittedModel]{Seed: seed}
	x := make([]int32, l.fitted)
	of.process.Sample(x, random.New(uint64(seed), "paper/entropy/fit/"+of.name))
	machine, _ := of.machine()
	r, err := fit.HMM(ctx, x, of.process.Tokens(), len(machine.States()),
		fit.Options{Starts: fittedStarts, Start: fit.Stationary, Seed: uint64(seed)})
	if err != nil {
		return found, fmt.Errorf("%s, seed %d: %w", of.name, seed, err)
	}
	if !r.Converged {
		found.Unconverged = r.Stopped
	}
	exact, err := of.process.Floor(ctx, floorPositions)
	if err != nil {
		return found, err
	}
	floor, err := r.HMM.Floor(ctx, floorPositions)
	if err != nil {
		return found, err
	}
	for t, h := range floor.ByPosition {
		found.Found.off = max(found.Found.off, math.Abs(h-exact.ByPosition[t])/of.gap())
	}
	rate, halfWidth, err := r.HMM.EntropyRate(ctx)
	found.Found.share, found.Found.width = (of.chance-rate)/of.gap(), halfWidth/of.gap()
	return found, err
}

func (m fitted) judge() claim.Finding {
	return claim.NewFinding(claim.ConditionsOf(m, func(g claim.BySeed[fittedModel]) claim.Condition {
		return g.Judge(func(converged []claim.Seeded[fittedModel]) claim.Condition {
			e := claim.Over("largest error of a floor, as a share of the learnable gap", "",
				g.Values(func(f fittedModel) float64 { return f.off }))
			return claim.Condition{
				Verdict: claim.HoldsIf(e.Estimate <= nearFloor), Effect: e,
				Obtained: fmt.Sprintf("off by %.2g of the gap; %d of %s converged", e.Estimate, len(converged),
					text.Count(len(g.Models), "fit")),
			}
		})
	}))
}

func (m fitted) frame() document.Frame {
	f := document.Frame{Title: "fitted hidden Markov models, over all seeds", Columns: []document.Column{
		{Name: "source", Heading: "source", Codes: m.names()},
		{Name: "converged", Heading: "converged", Meaning: "number of seeds whose fit has converged"},
		{Name: "seeds", Heading: "seeds", Meaning: "number of seeds"},
		{Name: "off", Heading: "largest error of a floor, share of the gap", Format: "%.4f"},
		{Name: "off_deviation", Heading: "its deviation", Format: "%.4f"},
		{Name: "fitted_share", Heading: "share of the gap seen", Format: "%.4f"},
		{Name: "fitted_share_deviation", Heading: "its deviation", Format: "%.4f"},
		{Name: "fitted_share_width", Heading: "its half-width", Format: "%.4f"},
	}}
	for i, g := range m {
		off := g.All(func(f fittedModel) float64 { return f.off })
		share := g.All(func(f fittedModel) float64 { return f.share })
		width := g.All(func(f fittedModel) float64 { return f.width })
		f.Row(i, len(g.Converged()), len(g.Models), seeds.Mean(off), seeds.StdDev(off), seeds.Mean(share),
			seeds.StdDev(share), seeds.Mean(width))
	}
	return f
}

func (m fitted) names() []string {
	list := make([]string, len(m))
	for i, g := range m {
		list[i] = g.Name
	}
	return list
}

func (m fitted) tabulate(c *claim.Claim) { c.Tables = append(c.Tables, m.frame().Table()) }

func (m fitted) draw(out *claim.Output) {
	series := figure.DotSeries{Name: "fitted model"}
	for _, g := range m {
		series = seeds.Dot(series, g.All(func(f fittedModel) float64 { return max(f.off, leastDrawn) }))
	}
	out.Figure("fits", figure.Single("Fitted hidden Markov models", "For each source, the largest error of a fitted "+
		"model's floors as a share of the learnable gap: mean and range over seeds.", figure.Dots{
		Title: "largest error of a floor", X: figure.Axis{Label: "share of the learnable gap", Log: true},
		Groups: m.names(), Series: []figure.DotSeries{series},
		Refs: []figure.Ref{{Label: "threshold", Value: nearFloor, Vertical: true}},
	}))
	out.CSV("fits", m.frame())
}
