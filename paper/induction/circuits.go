package induction

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/run"
)

// restsWithin defines when a model predicts like an observer. Divergences above the
// optimum are compared: the model's may differ from the observer's by at most this share
// of the distance to the next observer on that side. A number that has nothing to do with
// the observers is as near to one of them in a fifth of cases.
const restsWithin = 0.1

// circuits returns row I19, which goes beyond the claims of D'Angelo et al. 2025.
func (l *lab) circuits() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I19", Kind: claim.Beyond, Setting: l.setting,
		Trainings: l.runs(l.followed()), RuleCommit: "b28b104", ChangedAfterResult: true,
		First: claim.FirstBy("73aa027", circuitry.first),
		Test: claim.Steps[circuitry]{
			Measure: l.measureCircuits, Judge: circuitry.judge, Tabulate: circuitry.tabulate, Draw: circuitry.draw,
		}.Test,
	}, map[string]any{
		"lags": example, "heads": threeHeads, "from": judgedFrom, "within": 100 * restsWithin, "fewest": fewestSeeds,
		"transitions": plateauTransitions, "falling": 100 * fallingBy, "converged": convergence,
	})
}

// followed returns the models whose weights are saved during training, to be measured
// later.
func (l *lab) followed() []network {
	return append(l.asPrinted(), l.lookedAll(followedCells)...)
}

// followedCells are the kinds of models whose heads are measured during training.
var followedCells = []cell{{example, oneHead, true}, {example, oneHead, false}}

// asPrinted returns the models in the paper's own setting (Sec. 5).
func (l *lab) asPrinted() []network {
	list := l.bySeed(example, threeHeads, l.printed)
	for i := range list {
		list[i].recipe = l.paper
	}
	return list
}

// circuitry holds the measurements of row I19.
type circuitry struct {
	printed claim.BySeed[followedModel]
	cells   []followedCell
}

type followedCell struct {
	cell
	claim.BySeed[followedModel]
}

// followedModel holds the measurements of a model during its training.
type followedModel struct {
	name    string
	at      []moment
	windows []float64 // divergence above the optimum of observers that see only the last 0, 1, … transitions
}

// moment holds the measurements of a model after a number of training steps.
type moment struct {
	step  int
	above float64 // divergence minus the optimal predictor's, mean over positions from judgedFrom
	sees  attention
	lags  []int
}

func (l *lab) measureCircuits(ctx context.Context, s *claim.Study) (circuitry, error) {
	var found circuitry
	models, err := l.subjects(ctx, s, l.asPrinted())
	if err != nil {
		return found, err
	}
	// A plateau is what is looked for.
	final := func(m *subject) string { return m.falling(lateIn) }
	if found.printed, err = l.followAll(ctx, s, "the paper's setting", models, final); err != nil {
		return found, err
	}
	for _, c := range followedCells {
		models, err := l.subjects(ctx, s, l.looked(c))
		if err != nil {
			return found, err
		}
		bySeed, err := l.followAll(ctx, s, c.String(), models, (*subject).unsolved)
		if err != nil {
			return found, err
		}
		found.cells = append(found.cells, followedCell{c, bySeed})
	}
	return found, nil
}

// followAll measures the models of a condition during their training. The rule is as in
// [group].
func (l *lab) followAll(
	ctx context.Context, s *claim.Study, name string, models []*subject, rule func(*subject) string,
) (claim.BySeed[followedModel], error) {
	return group(name, models, rule, func(m *subject) (followedModel, error) {
		return l.follow(ctx, s, m.network)
	})
}

// follow measures a model at its initialisation and at each step whose weights were
// saved.
func (l *lab) follow(ctx context.Context, s *claim.Study, n network) (followedModel, error) {
	found := followedModel{name: n.label()}
	c := l.chains(n.problem())
	bma := l.optimal(n.problem())
	for _, step := range append([]int{0}, n.recipe.snapshots()...) {
		m, err := run.Snapshot(s.Dir(l.training(n)), step)
		if err != nil {
			return found, err
		}
		along, sees, err := observe(ctx, s, c, m)
		if err != nil {
			return found, err
		}
		above, _ := along.above(bma, judgedFrom)
		found.at = append(found.at, moment{step, above, sees, c.lags()})
	}
	for transitions := range plateauTransitions + 1 {
		along := l.window(n.problem(), transitions)
		above, _ := along.above(bma, judgedFrom)
		found.windows = append(found.windows, above)
	}
	return found, nil
}

// looks returns the last layer's attention to the tokens at all lags, added up, averaged
// over true lags and heads.
func (m moment) looks() float64 {
	sum := 0.0
	for _, row := range m.sees.onLags(len(m.sees)-1, m.lags) {
		for _, x := range row {
			sum += x / float64(len(m.lags))
		}
	}
	return sum
}

// selects returns how much more attention the last layer gives to a lag's token if the
// lag is the true one, averaged over lags.
func (m moment) selects() float64 { return tellsApart(m.sees.onLags(len(m.sees)-1, m.lags)) }

// extracts returns how much the first layer's attention to a lag's token, one lag back,
// changes if the lag is the true one, averaged over lags. The sign is dropped, because a
// decrease carries the same information: later layers can use low attention, too.
func (m moment) extracts() float64 {
	further := make([]int, len(m.lags))
	for i, lag := range m.lags {
		further[i] = lag + 1
	}
	return math.Abs(tellsApart(m.sees.onLags(0, further)))
}

// tellsApart returns the attention to a lag's token when that lag is the true one, minus
// the attention to it when another is, averaged over lags.
func tellsApart(byLag [][]float64) float64 {
	sum, n := 0.0, float64(len(byLag))
	for k, row := range byLag {
		for r, x := range row {
			if r == k {
				sum += x / n
			} else {
				sum -= x / n / (n - 1)
			}
		}
	}
	return sum
}

// halfway returns the index of the first moment at which a number has reached half of
// the way from its first to its last value, or −1 if it does not increase overall.
func (m followedModel) halfway(number func(moment) float64) int {
	from, to := number(m.at[0]), number(m.end())
	if to <= from {
		return -1
	}
	return slices.IndexFunc(m.at, func(at moment) bool { return number(at) >= (from+to)/2 })
}

// inOrder reports whether the heads develop in the order that row I19 states.
func (m followedModel) inOrder() bool {
	looks, extracts := m.halfway(moment.looks), m.halfway(moment.extracts)
	selects := m.halfway(moment.selects)
	return looks >= 0 && looks <= extracts && extracts <= selects
}

func (m circuitry) judge() claim.Finding {
	inOrder := claim.ConditionsOf(m.cells, followedCell.condition)
	return claim.NewFinding(append([]claim.Condition{m.rests()}, inOrder...))
}

// rests returns the condition that models in the paper's setting predict like an observer
// of the last few transitions when training ends.
func (m circuitry) rests() claim.Condition {
	return m.printed.Judge(func(converged []claim.Seeded[followedModel]) (c claim.Condition) {
		k := 0
		var parts []string
		for _, of := range converged {
			transitions, rests := of.Found.observer()
			if rests {
				k++
			}
			parts = append(parts, fmt.Sprintf("%.3f nats, nearest observer (of the last %d transitions) %.3f",
				of.Found.end().above, transitions, of.Found.windows[transitions]))
		}
		c.Effect = m.printed.Over("divergence above BMA at the last step", "nats",
			func(of followedModel) float64 { return of.end().above })
		c.Obtained = fmt.Sprintf("%d of %d models predict like an observer: %s",
			k, len(converged), strings.Join(parts, "; "))
		if c.Verdict, c.Reason = claim.AllOrNone(k, len(converged)); k > 0 && k < fewestSeeds {
			c.Verdict, c.Reason = claim.Open, claim.Power
		}
		return c
	})
}

// end returns the measurements at the last step.
func (m followedModel) end() moment { return m.at[len(m.at)-1] }

// observer returns the number of transitions of the nearest observer, and whether the
// model predicts like it at the last step; see [restsWithin].
func (m followedModel) observer() (transitions int, rests bool) {
	above := m.end().above
	for i, of := range m.windows {
		if math.Abs(above-of) < math.Abs(above-m.windows[transitions]) {
			transitions = i
		}
	}
	nearest := m.windows[transitions]
	var room float64 // to the next observer on the model's side
	switch last := len(m.windows) - 1; {
	case above > nearest && transitions > 0:
		room = m.windows[transitions-1] - nearest
	case above > nearest:
		room = nearest - m.windows[1]
	case transitions < last:
		room = nearest - m.windows[transitions+1]
	default:
		room = m.windows[last-1] - nearest
	}
	return transitions, math.Abs(above-nearest) <= restsWithin*room
}

// condition returns the condition that the heads of models of one kind develop in order.
func (f followedCell) condition() claim.Condition {
	return f.Judge(func(converged []claim.Seeded[followedModel]) (c claim.Condition) {
		k := 0
		var steps []string
		for _, m := range converged {
			if m.Found.inOrder() {
				k++
			}
			steps = append(steps, m.Found.halfwayText())
		}
		c.Obtained = fmt.Sprintf("%d of %d models in this order; half of the way is reached as follows: %s",
			k, len(converged), strings.Join(steps, "; "))
		c.Verdict, c.Reason = claim.AllOrNone(k, len(converged))
		return c
	})
}

// halfwayText returns, for each of risings, the step at which it reaches half of the way,
// and the model's divergence at this step.
func (m followedModel) halfwayText() string {
	var parts []string
	for _, of := range risings {
		at := m.halfway(of.number)
		if at < 0 {
			parts = append(parts, of.name+" never")
			continue
		}
		parts = append(parts, fmt.Sprintf("%s at step %d (%.3f nats)", of.name, m.at[at].step, m.at[at].above))
	}
	return strings.Join(parts, ", ")
}

// risings are the quantities of row I19 that increase during training, in the order that
// the row states.
var risings = []struct {
	name   string
	number func(moment) float64
}{
	{"layer 3 attends to the lags", moment.looks},
	{"layer 1 distinguishes transitions", moment.extracts},
	{"layer 3 selects", moment.selects},
}

func (m circuitry) tabulate(c *claim.Claim) {
	table := document.Frame{
		Title: "step at which each quantity is half of the way from its value at the initialisation to its value at " +
			"the end, and the divergence above BMA at that step, in nats",
		Columns: slices.Concat(
			document.Headed("", "model", "layer 3 attends to the tokens at the lags",
				"layer 1 distinguishes transitions", "layer 3 selects"),
			document.Headed("%.3f", "divergence at the end"),
		),
	}
	for _, of := range m.all() {
		line := []any{of.name}
		for _, rising := range risings {
			cell := "never"
			if at := of.halfway(rising.number); at >= 0 {
				cell = fmt.Sprintf("%d: %.3f", of.at[at].step, of.at[at].above)
			}
			line = append(line, cell)
		}
		table.Row(append(line, of.end().above)...)
	}
	c.Tables = append(c.Tables, table.Table())
}

// all returns all models that are measured during training.
func (m circuitry) all() []followedModel {
	var list []followedModel
	for _, of := range m.printed.Models {
		list = append(list, of.Found)
	}
	for _, c := range m.cells {
		for _, of := range c.Models {
			list = append(list, of.Found)
		}
	}
	return list
}

func (m circuitry) draw(out *claim.Output) {
	moments := document.Frame{Columns: []document.Column{
		{Name: "model", Meaning: "the model, by its row in the table, from 1"},
		{Name: "step", Meaning: "training step"},
		{Name: "above_bma"},
		{Name: "looks"},
		{Name: "extracts"},
		{Name: "selects"},
	}}
	for i, of := range m.all() {
		for _, at := range of.at {
			moments.Row(i+1, at.step, at.above, at.looks(), at.extracts(), at.selects())
		}
	}
	m.printed.Models[0].Found.draw(out, "paper")
	for _, c := range m.cells {
		if len(c.Models) > 0 {
			c.Models[0].Found.draw(out, c.kind())
		}
	}
	out.CSV("circuits", moments)
}

// draw draws the measurements of a model during its training.
func (m followedModel) draw(out *claim.Output, name string) {
	loss := figure.Chart{
		Title: "divergence", X: figure.Axis{Label: "step"},
		Y:      figure.Axis{Label: "nats above BMA", Include: []float64{0}},
		Series: []figure.Series{{Name: "model", Color: 1}},
	}
	for transitions, of := range m.windows {
		loss.Refs = append(loss.Refs, figure.Ref{Label: fmt.Sprintf("last %d", transitions), Value: of})
	}
	for _, at := range m.at {
		loss.Series[0].Add(float64(at.step), at.above)
	}
	charts := []figure.Panel{loss}
	for layer := range m.at[0].sees {
		for head := range m.at[0].sees[layer] {
			charts = append(charts, m.headChart(layer, head))
		}
	}
	out.Figure("heads-"+name, figure.Grid(3, "Heads during training: "+m.name,
		"The divergence against the step, and for each head the attention to the tokens of the lags against "+
			"the step.", charts...))
}

// headChart returns a chart of a head's attention during training: to the token k−1 back
// in the last layer and k back in the others, when k is the true lag and when it is not.
func (m followedModel) headChart(layer, head int) figure.Chart {
	chart := figure.Chart{
		Title: fmt.Sprintf("layer %d, head %d", layer+1, head+1), X: figure.Axis{Label: "step"},
		Y: figure.Axis{Label: "attention", Include: []float64{0, 1}},
	}
	last := len(m.at[0].sees) - 1
	for k, lag := range m.at[0].lags {
		back := lag
		if layer == last {
			back--
		}
		own := figure.Series{Name: fmt.Sprintf("token of lag %d, true", lag), Color: k + 1}
		other := figure.Series{Name: fmt.Sprintf("token of lag %d, not true", lag), Color: k + 1, Open: true}
		for _, at := range m.at {
			of := at.sees[layer][head]
			sum := 0.0
			for r := range of {
				if r != k {
					sum += of[r][back] / float64(len(of)-1)
				}
			}
			own.Add(float64(at.step), of[k][back])
			other.Add(float64(at.step), sum)
		}
		chart.Series = append(chart.Series, own, other)
	}
	return chart
}
