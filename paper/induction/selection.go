package induction

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

// aboveUniform: a head looks at a token if it gives it so many times what attention gives
// that is uniform over the past.
const aboveUniform = 2

// selection is I12: D'Angelo et al. 2025, App. D, Fig. 7 to 13.
func (l *lab) selection() claim.Row {
	return claim.Row{
		ID: "I12", Source: cite + "App. D, Fig. 7–13", Kind: claim.Picture,
		Quote: "“As expected, the third layer adapts to the input sequence selecting the correct lag and copying the " +
			"correspondent token via the selective induction head.” (App. D, on models with one head in each layer; number " +
			"of models not stated, no error bars)",
		Statement: "The third layer of a trained transformer looks at the token that the true lag asks for.",
		Expected: fmt.Sprintf("lags %s, %s and %s, one head a layer: attention of the third layer to the token at distance "+
			"k−1, mean over destinations from position %d and sequences of the true lag k. A seed selects if under every true "+
			"lag its own token has more than that of any other lag, and at least %d times what uniform attention would give "+
			"it; a condition holds if every seed that has converged selects, fails if none does, else is open. The "+
			"construction and the initialisation stand beside. The factor is ours",
			twoNext, example, nonContiguous, judgedFrom, aboveUniform),
		Trainings: l.trainings(l.selectionModels()), RuleCommit: "5ea30db",
		Test: claim.Steps[selections]{
			Measure: l.measureSelection, Judge: selections.judge, Tabulate: selections.tabulate, Draw: selections.draw,
		}.Test,
	}
}

// oneHead are the heads of the models of App. D.
const oneHead = "1,1,1"

// selectionCells are the conditions of I12.
func (l *lab) selectionCells() []cell {
	var list []cell
	for _, of := range []task{example, twoNext, nonContiguous} {
		list = append(list, cell{of, oneHead, true}, cell{of, oneHead, false})
	}
	return list
}

// cell is a kind of model on a task.
type cell struct {
	task
	heads        string
	disentangled bool
}

func (c cell) String() string { return fmt.Sprintf("%s, %s, [%s]", c.task, c.kind(), c.heads) }

// kind is the transformer's.
func (c cell) kind() string {
	if c.disentangled {
		return "disentangled"
	}
	return "standard"
}

// looked are the models of a cell whose heads are looked at: standard ones without
// normalisation. The profile may have none.
func (l *lab) looked(c cell) []network {
	if !slices.Contains(l.lookedAt, c) {
		return nil
	}
	recipe := l.plain
	if c.disentangled {
		recipe = l.disentangled
	}
	list := make([]network, len(l.few))
	for i, seed := range l.few {
		list[i] = network{task: c.task, heads: c.heads, disentangled: c.disentangled, seed: seed, recipe: recipe}
	}
	return list
}

func (l *lab) selectionModels() (list []network) {
	for _, c := range l.selectionCells() {
		list = append(list, l.looked(c)...)
	}
	return list
}

// selections are the third layers by condition.
type selections struct {
	setting string
	cells   []selecting
}

// selecting is what a condition's models select.
type selecting struct {
	cell
	seeds       [][][]float64 // by seed, true lag and lag: attention to the lag's token
	uniform     []float64     // what uniform attention gives to the token of a lag
	untrained   [][]float64   // by true lag and lag, of the first seed's initialisation
	written     [][]float64   // the same of the construction
	unconverged []string
	shown       []byLag // of the first seed and of the construction, nil for none
}

// byLag are the patterns of one sequence of each true lag.
type byLag struct {
	name     string
	patterns [][]attentionMap // by true lag: of a head of each layer
}

func (l *lab) measureSelection(ctx context.Context, s *claim.Study) (selections, error) {
	found := selections{setting: l.setting}
	for _, c := range l.selectionCells() {
		m, err := l.selecting(ctx, s, c)
		if err != nil {
			return found, err
		}
		found.cells = append(found.cells, m)
	}
	return found, nil
}

// selecting measures a condition.
func (l *lab) selecting(ctx context.Context, s *claim.Study, c cell) (selecting, error) {
	found := selecting{cell: c}
	networks := l.looked(c)
	if len(networks) == 0 {
		return found, nil
	}
	models, err := l.subjects(ctx, s, networks)
	if err != nil {
		return found, err
	}
	lags := c.lags()
	for _, m := range models {
		found.seeds = append(found.seeds, m.sees.onLags(len(m.sees)-1, lags))
		found.unconverged = append(found.unconverged, m.unconverged)
	}
	random, err := l.untrained(ctx, s, networks[0])
	if err != nil {
		return found, err
	}
	hand, err := l.constructed(ctx, s, handwritten{networks[0].problem(), 1})
	if err != nil {
		return found, err
	}
	last := len(random.sees) - 1
	found.untrained, found.written = random.sees.onLags(last, lags), hand.sees.onLags(last, lags)
	found.uniform = uniform(networks[0].recipe.context, lags)
	return found, found.show(l, models[0], hand)
}

// show keeps the patterns that the figure shows.
func (m *selecting) show(l *lab, trained *subject, hand *byHand) error {
	c, err := l.chains(trained.problem())
	if err != nil {
		return err
	}
	ours, theirs := byLag{name: "trained"}, byLag{name: "constructed"}
	for _, lag := range m.lags() {
		sequence := c.sequence(slices.Index(c.lag, lag))
		first, err := patterns(trained.model, sequence)
		if err != nil {
			return err
		}
		second, err := patterns(hand.model, sequence)
		if err != nil {
			return err
		}
		ours.patterns = append(ours.patterns, firstHeads(first))
		theirs.patterns = append(theirs.patterns, firstHeads(second))
	}
	m.shown = []byLag{ours, theirs}
	return nil
}

// onLags is a layer's attention to the token of each lag, at distance lag−1, by true lag,
// in the mean over its heads.
func (a attention) onLags(layer int, lags []int) [][]float64 {
	found := make([][]float64, len(lags))
	for k := range lags {
		for _, lag := range lags {
			sum := 0.0
			for _, head := range a[layer] {
				sum += head[k][lag-1]
			}
			found[k] = append(found[k], sum/float64(len(a[layer])))
		}
	}
	return found
}

// uniform is what attention that is uniform over the past gives to one token, in the mean
// over the destinations that count; the same for each lag.
func uniform(context int, lags []int) []float64 {
	mean := 0.0
	for i := judgedFrom; i <= context; i++ {
		mean += 1 / float64(i) / float64(context-judgedFrom+1)
	}
	return slices.Repeat([]float64{mean}, len(lags))
}

// selects says whether attention by true lag and lag is that of a selective head.
func selects(byLag [][]float64, uniform []float64) bool {
	for k, row := range byLag {
		for r, x := range row {
			if r != k && x >= row[k] {
				return false
			}
		}
		if row[k] < aboveUniform*uniform[k] {
			return false
		}
	}
	return true
}

// selected is the attention to the true lag's own token, in the mean over true lags.
func selected(byLag [][]float64) float64 {
	sum := 0.0
	for k, row := range byLag {
		sum += row[k] / float64(len(byLag))
	}
	return sum
}

func (m selections) judge() claim.Finding {
	var conditions []claim.Condition
	for _, c := range m.cells {
		conditions = append(conditions, c.condition())
	}
	return claim.NewFinding(conditions)
}

func (m selecting) condition() claim.Condition {
	c := claim.Condition{Name: m.String(), Obtained: "no model"}
	if len(m.seeds) == 0 {
		return c.Judged(claim.NotTrained)
	}
	var values []float64
	k, why := 0, ""
	for i, byLag := range m.seeds {
		if m.unconverged[i] != "" {
			why = m.unconverged[i]
			continue
		}
		values = append(values, selected(byLag))
		if selects(byLag, m.uniform) {
			k++
		}
	}
	if len(values) == 0 {
		return c.Judged(why)
	}
	share := claim.NewShare(k, len(values))
	c.Effect = claim.Over("attention to the true lag's token", "", values).
		Against("random initialisation", selected(m.untrained))
	c.Effect.Reached = &share
	c.Obtained = fmt.Sprintf("%d of %d select, with %.2f of their attention", k, len(values), c.Effect.Estimate)
	c.Verdict, c.Reason = claim.AllOrNone(k, len(values))
	return c.Judged("")
}

func (m selections) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title: "attention of the third layer to the token at distance k−1 for the true lag k, mean over true lags",
		Columns: []string{
			"model", "seeds", "trained", "largest other lag's", "uniform", "random initialisation", "constructed", "converged",
		},
	}
	for _, of := range m.cells {
		if len(of.seeds) > 0 {
			table.Rows = append(table.Rows, of.row())
		}
	}
	if len(table.Rows) > 0 {
		c.Tables = append(c.Tables, table)
	}
	c.Setting = m.setting
	c.Notes = append(c.Notes, "The paper does not say where its models have layer normalisation; its formulas have none, "+
		"and neither have these. Standard transformers with it solve the task with a third layer that looks at tokens "+
		"by what they are, wherever they stand (docs/log.md).",
		chosenBefore,
		retrained+" The share of attention on the true lag rose from 0.70 to 0.83, the verdict was the same.")
}

func (m selecting) row() []string {
	var own, other []float64
	converged := 0
	for i, byLag := range m.seeds {
		own = append(own, selected(byLag))
		other = append(other, others(byLag))
		if m.unconverged[i] == "" {
			converged++
		}
	}
	return []string{
		m.String(), fmt.Sprint(len(m.seeds)), seeds.Text("%.3f", own), seeds.Text("%.3f", other),
		fmt.Sprintf("%.3f", m.uniform[0]), fmt.Sprintf("%.3f", selected(m.untrained)),
		fmt.Sprintf("%.3f", selected(m.written)), fmt.Sprintf("%d of %d", converged, len(m.seeds)),
	}
}

// others is the largest attention to the token of another lag than the true one.
func others(byLag [][]float64) float64 {
	most := 0.0
	for k, row := range byLag {
		for r, x := range row {
			if r != k {
				most = max(most, x)
			}
		}
	}
	return most
}

func (m selections) draw(out *claim.Output) {
	header := []string{"model", "seed", "true_lag", "lag", "attention", "uniform"}
	rows := [][]float64{}
	for i, of := range m.cells {
		for seed, byLag := range of.seeds {
			for k, row := range byLag {
				for r, x := range row {
					rows = append(rows, []float64{
						float64(i + 1), float64(seed + 1), float64(of.lags()[k]), float64(of.lags()[r]), x, of.uniform[r],
					})
				}
			}
		}
		if len(of.shown) > 0 {
			of.drawMaps(out)
		}
	}
	out.CSV("selection", header, rows)
}

// drawMaps draws the patterns of one sequence of each true lag.
func (m selecting) drawMaps(out *claim.Output) {
	f := &figure.Figure{
		Title: fmt.Sprintf("Attention by true lag: %s", m.cell),
		Desc:  "Heat maps of attention, a row for each model and true lag, a column for each layer.",
		Cols:  []string{"layer 1", "layer 2", "layer 3"},
	}
	for k, lag := range m.lags() {
		for _, of := range m.shown {
			f.Rows = append(f.Rows, fmt.Sprintf("%s, true lag %d", of.name, lag))
			f.Panels = append(f.Panels, heatMaps(of.patterns[k]))
		}
	}
	out.Figure(fmt.Sprintf("maps-%s-%s", m.kind(), m.file()), fmt.Sprintf("Attention over the first %d tokens of one "+
		"sequence of each true lag: destinations are rows, sources columns. The third layer should have one diagonal, at "+
		"distance k−1 for the true lag k.", shownTokens), f)
}
