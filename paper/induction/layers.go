package induction

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

// solved is our bound for “solves the task”, in nats: how far a model's divergence may be
// above the Bayesian model average's at the end of the sequence. Knowing the lag is worth
// 0.27.
const solved = 0.02

// The architectures of row I10, as the number of heads in each layer (Fig. 5, left). The
// paper does not say how many heads its models with more than three layers have.
var (
	twoLayers  = []string{"1,1", "3,1", "1,3", "3,3"}
	threeHeads = "1,3,1"
	fourLayers = []string{"1,3,1,1", "1,3,3,1"}
)

// depth returns row I10, which tests D'Angelo et al. 2025, Fig. 5, left.
func (l *lab) depth() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I10", Kind: claim.Order, Setting: l.setting,
		Trainings: l.runsVaried((*lab).depthModels), RuleCommit: "b28b104", ChangedAfterResult: true,
		First: firstIn("7e360b5", depths.first),
		Test: inVariants(l, func(l *lab) claim.Steps[depths] {
			return claim.Steps[depths]{
				Measure: l.measureDepth, Judge: depths.judge, Tabulate: depths.tabulate, Draw: depths.draw,
			}
		}).Test,
	}, map[string]any{
		"lags": example, "solved": solved, "equivalent": solved / 2, "fewest": fewestSeeds,
		"converged": convergence,
	})
}

// fewestSeeds is the smallest number of seeds for which an order or an equality of means
// is judged.
const fewestSeeds = 3

// bySeed returns models with the same heads, one for each seed.
func (l *lab) bySeed(of task, heads string, seeds []uint64) []network {
	return network{task: of, heads: heads, recipe: l.standard}.bySeed(seeds)
}

// ordered returns models whose order by heads is judged.
func (l *lab) ordered(of task, heads string) []network {
	if of == five {
		return l.bySeed(of, heads, l.atFive)
	}
	return l.bySeed(of, heads, l.seeds)
}

// unnormalised returns a two-layer model without layer norm, with a learning rate at
// which such models learn.
func (l *lab) unnormalised() network {
	n := l.ordered(example, twoLayers[len(twoLayers)-1])[0]
	n.recipe.name, n.recipe.norm, n.recipe.init, n.recipe.lr = "unnormalised", "none", 0.1, 1.5e-2
	return n
}

func (l *lab) depthModels() []network {
	list := []network{l.unnormalised()}
	for _, heads := range slices.Concat(twoLayers, []string{threeHeads}, fourLayers) {
		list = append(list, l.ordered(example, heads)...)
	}
	return list
}

// depths holds the measurements of row I10, by number of layers.
type depths struct {
	two, three, four []shaped
	bare             *subject  // two layers with the most heads, without layer norm
	optimal          []float64 // the curve of the Bayesian model average (BMA)
}

// shaped holds models with the same heads.
type shaped struct {
	heads string
	claim.BySeed[*subject]
}

// The divergence minus BMA's, as in [subject].
func above(m *subject) float64 { return m.above }
func atEnd(m *subject) float64 { return m.atEnd }

// curves returns the divergence of each model along the sequence, by seed.
func (m shaped) curves() (bySeed [][]float64) {
	for _, of := range m.Models {
		bySeed = append(bySeed, of.Found.along.at())
	}
	return bySeed
}

// reached returns how many of the models have converged, as a text.
func (m shaped) reached() string { return fmt.Sprintf("%d of %d", len(m.Converged()), len(m.Models)) }

func (l *lab) measureDepth(ctx context.Context, s *claim.Study) (depths, error) {
	var found depths
	optimal := l.optimal(l.of(example))
	found.optimal = optimal.at()
	for _, heads := range twoLayers {
		m, err := l.shaped(ctx, s, example, heads, (*subject).unsolved)
		if err != nil {
			return found, err
		}
		found.two = append(found.two, m)
	}
	bare, err := l.subjects(ctx, s, []network{l.unnormalised()})
	if err != nil {
		return found, err
	}
	found.bare = bare[0]
	three, err := l.shaped(ctx, s, example, threeHeads, (*subject).unsolved)
	if err != nil {
		return found, err
	}
	found.three = []shaped{three}
	for _, heads := range fourLayers {
		m, err := l.shaped(ctx, s, example, heads, (*subject).unsolved)
		if err != nil {
			return found, err
		}
		found.four = append(found.four, m)
	}
	return found, nil
}

// shaped measures the models with the given heads, for every seed. The rule is as in
// [group].
func (l *lab) shaped(
	ctx context.Context, s *claim.Study, of task, heads string, rule func(*subject) string,
) (shaped, error) {
	m := shaped{heads: heads}
	subjects, err := l.subjects(ctx, s, l.ordered(of, heads))
	if err != nil {
		return m, err
	}
	m.BySeed, err = group("["+heads+"]", subjects, rule, func(one *subject) (*subject, error) { return one, nil })
	return m, err
}

// within returns the share of numbers that are at most the bound.
func within(list []float64, bound float64) claim.Share {
	k := 0
	for _, x := range list {
		if x <= bound {
			k++
		}
	}
	return claim.NewShare(k, len(list))
}

func (m depths) judge() claim.Finding {
	noBetter := func(four shaped) claim.Condition { return four.noBetter(m.three[0]) }
	found := claim.NewFinding(slices.Concat(claim.ConditionsOf(m.two, shaped.cannot),
		claim.ConditionsOf(m.three, shaped.can), claim.ConditionsOf(m.four, noBetter)))
	found.Asked = []claim.Question{m.withoutNorm()}
	return found
}

// withoutNorm asks whether two layers fail only because of layer norm, which the paper's
// formulas do not have.
func (m depths) withoutNorm() claim.Question {
	return claim.Question{
		Question: fmt.Sprintf("Without layer norm, do two layers with heads [%s] come within %g nats of BMA at the "+
			"end (one seed)? (our question: the paper's formulas have no normalisation)", m.bare.heads, solved),
		Answer:   claim.AnswerIf(m.bare.atEnd <= solved),
		Obtained: fmt.Sprintf("%.3f nats", m.bare.atEnd),
	}
}

// cannot returns the condition that two layers do not solve the task. A model that solves
// it is a counterexample, however many seeds do not.
func (m shaped) cannot() claim.Condition {
	if reached := within(m.All(atEnd), solved); reached.K > 0 {
		return claim.Condition{
			Name: m.Name, Verdict: claim.Fails, Converged: true,
			Effect:   claim.Over("divergence above BMA at the end", "nats", m.All(atEnd)),
			Obtained: solvedText(seeds.Mean(m.All(atEnd)), reached),
		}
	}
	return m.Judge(func(converged []claim.Seeded[*subject]) claim.Condition {
		c := claim.Condition{Verdict: claim.Holds, Effect: m.Over("divergence above BMA at the end", "nats", atEnd)}
		c.Obtained = solvedText(c.Effect.Estimate, claim.NewShare(0, len(converged)))
		return c
	})
}

// can returns the condition that three layers or more solve the task.
func (m shaped) can() claim.Condition {
	return m.Judge(func([]claim.Seeded[*subject]) claim.Condition {
		c, reached := claim.Condition{}, within(m.Values(atEnd), solved)
		c.Effect = m.Over("divergence above BMA at the end", "nats", atEnd)
		c.Obtained = solvedText(c.Effect.Estimate, reached)
		c.Verdict, c.Reason = claim.AllOrNone(reached.K, reached.N)
		return c
	})
}

// solvedText says how far models are above the optimum, and how many solve the task.
func solvedText(mean float64, reached claim.Share) string {
	return fmt.Sprintf("%.3f nats, %d of %d seeds within %g", mean, reached.K, reached.N, solved)
}

// noBetter returns the condition that four layers solve the task, and are as good as
// three.
func (m shaped) noBetter(three shaped) claim.Condition {
	c, here, there := m.can(), m.Values(atEnd), three.Values(atEnd)
	switch {
	case !c.Converged || c.Verdict != claim.Holds:
		return c
	case len(there) == 0:
		return c.Judged("three layers: " + three.Why())
	case min(len(here), len(there)) < fewestSeeds:
		c.Verdict, c.Reason = claim.Open, claim.Power
		c.Obtained += ", too few seeds for a comparison"
		return c
	}
	base := seeds.Mean(there)
	c.Obtained += fmt.Sprintf(", %+.4f nats compared with three layers", c.Effect.Estimate-base)
	if claim.Equivalent(here, base, solved/2) < significant {
		return c
	}
	c.Verdict, c.Reason = claim.Differs, claim.Size
	return c
}

// significant is the significance level of tests.
const significant = 0.05

func (m depths) tabulate(c *claim.Claim) {
	table := document.Frame{
		Title: fmt.Sprintf("lags %s: nats above BMA, mean over the last eighth of positions", example),
		Columns: slices.Concat(
			document.Headed("", "heads", "seeds"),
			document.Headed("%.4f", "mean ± standard deviation"),
			document.Headed("", "converged"),
		),
	}
	for _, of := range slices.Concat(m.two, m.three, m.four) {
		table.Row(of.Name, len(of.Models), seeds.Spread(of.All(atEnd)), of.reached())
	}
	c.Tables = append(c.Tables, table.Table())
}

func (m depths) draw(out *claim.Output) {
	all := slices.Concat(m.two, m.three, m.four)
	chart := alongChart("lags " + example.String())
	for i, of := range all {
		series := band(of.Name, of.curves(), min(i+1, figure.Grey-1))
		series.Open = i+1 >= figure.Grey // all colours are used
		chart.Series = append(chart.Series, series)
	}
	chart.Series = append(chart.Series, band("BMA", [][]float64{m.optimal}, figure.Grey))
	out.Figure("layers", figure.Single("Layers of attention",
		"Divergence against position, a line for each number of layers and heads.", chart))
	out.CSV("layers", bySeedAndPosition("heads in each layer, by their row in the table, from 1", all))
}

// bySeedAndPosition returns a frame of curves. Its column heads numbers the items of the
// list from 1, as its meaning says.
func bySeedAndPosition(heads string, list []shaped) document.Frame {
	f := document.Frame{Columns: []document.Column{
		{Name: "heads", Meaning: heads}, {Name: "seed"}, {Name: "position"}, {Name: "kl"},
	}}
	for i, of := range list {
		for seed, curve := range of.curves() {
			for t, x := range curve {
				f.Row(i+1, of.Models[seed].Seed, t+1, x)
			}
		}
	}
	return f
}
