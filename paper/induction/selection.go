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

// ofConstruction defines when a head counts as attending to a token: its attention there
// is at least this share of the construction's.
const ofConstruction = 0.5

// selection returns row I12, which tests D'Angelo et al. 2025, App. D, Fig. 7 to 13.
func (l *lab) selection() claim.Row {
	row := texts.Fill(claim.Row{
		ID: "I12", Kind: claim.Picture, Setting: l.setting,
		Trainings: l.runsVaried((*lab).selectionModels), RuleCommit: "373a903", ChangedAfterResult: true,
		First: firstIn("5ea30db", selections.first),
		Test: inVariants(l, func(l *lab) claim.Steps[selections] {
			return claim.Steps[selections]{
				Measure: l.measureSelection, Judge: selections.judge,
				Tabulate: selections.tabulate, Draw: selections.draw,
			}
		}).Test,
	}, map[string]any{
		"first": twoNext, "second": example, "third": nonContiguous, "from": judgedFrom,
		"percent": 100 * ofConstruction, "shownTokens": shownTokens, "converged": convergence,
	})
	for _, c := range l.selectionCells() {
		row.Captions[c.figure()] = row.Captions["maps"]
	}
	return row
}

// oneHead is the number of heads in each layer of App. D's models.
const oneHead = "1,1,1"

// selectionCells returns the conditions of row I12.
func (l *lab) selectionCells() []cell {
	var list []cell
	for _, of := range []task{example, twoNext, nonContiguous} {
		list = append(list, cell{of, oneHead, true}, cell{of, oneHead, false})
	}
	return list
}

func (l *lab) selectionModels() []network { return l.lookedAll(l.selectionCells()) }

// cell is a kind of model: its task, its heads and the kind of transformer.
type cell struct {
	task
	heads        string
	disentangled bool
}

func (c cell) String() string { return fmt.Sprintf("%s, %s, [%s]", c.task, c.kind(), c.heads) }

// kind returns the kind of transformer.
func (c cell) kind() string {
	if c.disentangled {
		return "disentangled"
	}
	return "standard"
}

// figure returns the name of a figure of attention maps.
func (c cell) figure() string { return fmt.Sprintf("maps-%s-%s", c.kind(), c.file()) }

// looked returns the models of one kind whose heads are examined; standard transformers
// are without normalisation. It returns nil if the profile does not train this kind.
func (l *lab) looked(c cell) []network {
	if !slices.Contains(l.lookedAt, c) {
		return nil
	}
	recipe := l.plain
	if c.disentangled {
		recipe = l.disentangled
	}
	return network{task: c.task, heads: c.heads, disentangled: c.disentangled, recipe: recipe}.bySeed(l.few)
}

// lookedAll returns the models of several kinds; see [lab.looked].
func (l *lab) lookedAll(cells []cell) (list []network) {
	for _, c := range cells {
		list = append(list, l.looked(c)...)
	}
	return list
}

// selections holds the measurements of row I12, by condition.
type selections []selecting

// selecting holds the attention of the third layer in a condition's models.
type selecting struct {
	cell
	claim.BySeed[[][]float64]             // [true lag][lag]: attention to the lag's token
	uniform                   float64     // uniform attention to a token
	untrained                 [][]float64 // [true lag][lag], for the first seed's initialisation
	written                   [][]float64 // the same for the construction
	shown                     []byLag     // for the first seed and for the construction; nil if not trained
	maps                      *mappedCell // comparison with the construction, for the lags of Fig. 7; nil for others
}

// byLag holds the patterns of one sequence of each true lag.
type byLag struct {
	name     string
	patterns [][]attentionMap // by true lag: the first head of each layer
}

func (l *lab) measureSelection(ctx context.Context, s *claim.Study) (selections, error) {
	var found selections
	for _, c := range l.selectionCells() {
		m, err := l.selecting(ctx, s, c)
		if err != nil {
			return found, err
		}
		found = append(found, m)
	}
	return found, nil
}

// selecting measures a condition.
func (l *lab) selecting(ctx context.Context, s *claim.Study, c cell) (selecting, error) {
	found := selecting{cell: c}
	found.Name = c.String()
	if c.task == twoNext {
		maps, err := l.mappedCell(ctx, s, c, 1)
		if err != nil {
			return found, err
		}
		found.maps = &maps
	}
	networks := l.looked(c)
	if len(networks) == 0 {
		return found, nil
	}
	models, err := l.subjects(ctx, s, networks)
	if err != nil {
		return found, err
	}
	lags := c.lags()
	found.BySeed, err = group(c.String(), models, (*subject).unsolved, func(m *subject) ([][]float64, error) {
		return m.sees.onLags(len(m.sees)-1, lags), nil
	})
	if err != nil {
		return found, err
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
	found.uniform = uniform(networks[0].recipe.context)
	return found, found.show(l, models[0], hand)
}

// show sets the patterns to draw.
func (m *selecting) show(l *lab, trained *subject, hand *byHand) error {
	c := l.chains(trained.problem())
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

// onLags returns a layer's attention to the token of each lag, at distance lag−1: [true
// lag][lag], averaged over heads.
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

// uniform returns what uniform attention gives to one token of the past, averaged over
// destinations from position judgedFrom on.
func uniform(context int) float64 {
	mean := 0.0
	for i := judgedFrom; i <= context; i++ {
		mean += 1 / float64(i) / float64(context-judgedFrom+1)
	}
	return mean
}

// selects reports whether attention, [true lag][lag], is selective: for every true lag,
// its token gets more attention than the token of any other lag, and at least the share
// [ofConstruction] of the construction's attention to it.
func selects(byLag, written [][]float64) bool {
	for k, row := range byLag {
		for r, x := range row {
			if r != k && x >= row[k] {
				return false
			}
		}
		if row[k] < ofConstruction*written[k][k] {
			return false
		}
	}
	return true
}

// selected returns the attention to the true lag's token, averaged over true lags.
func selected(byLag [][]float64) float64 {
	sum := 0.0
	for k, row := range byLag {
		sum += row[k] / float64(len(byLag))
	}
	return sum
}

func (m selections) judge() claim.Finding {
	conditions := claim.ConditionsOf(m, selecting.condition)
	for _, maps := range m.maps() {
		for layer := range maps.ignorant {
			conditions = append(conditions, maps.layer(layer))
		}
	}
	return claim.NewFinding(conditions)
}

// maps returns the comparisons with the construction.
func (m selections) maps() (list mapped) {
	for _, of := range m {
		if of.maps != nil {
			list = append(list, *of.maps)
		}
	}
	return list
}

func (m selecting) condition() claim.Condition {
	c, k := m.Each("attention to the true lag's token", "", selected, func(byLag [][]float64) bool {
		return selects(byLag, m.written)
	})
	if c.Converged {
		c.Effect.Against("random initialisation", selected(m.untrained))
		c.Obtained = fmt.Sprintf("%d of %d models select, with an attention of %.2f to the true lag's token "+
			"(construction: %.2f)", k, len(m.Converged()), c.Effect.Estimate, selected(m.written))
	}
	return c
}

func (m selections) tabulate(c *claim.Claim) {
	table := document.Frame{
		Title: "attention of the third layer to the token at distance k−1 for the true lag k, mean over true lags",
		Columns: slices.Concat(
			document.Headed("", "model", "seeds"),
			document.Headed("%.3f", "trained", "trained: most to the token of a wrong lag", "uniform", "random initialisation",
				"constructed"),
			document.Headed("", "converged"),
		),
	}
	for _, of := range m {
		if len(of.Models) > 0 {
			table.Row(of.cell, len(of.Models), seeds.Spread(of.All(selected)), seeds.Spread(of.All(others)),
				of.uniform, selected(of.untrained), selected(of.written),
				fmt.Sprintf("%d of %d", len(of.Converged()), len(of.Models)))
		}
	}
	if len(table.Rows) > 0 {
		c.Tables = append(c.Tables, table.Table())
	}
	if maps := m.maps(); len(maps) > 0 {
		maps.tabulate(c)
	}
}

// others returns the largest attention to the token of a lag other than the true one.
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
	shares := document.Frame{Columns: []document.Column{
		{Name: "model", Meaning: "the kind of model, from 1"},
		{Name: "seed"},
		{Name: "true_lag"},
		{Name: "lag", Meaning: "the lag whose token is attended to"},
		{Name: "attention"},
		{Name: "uniform"},
	}}
	for i, of := range m {
		lags := of.lags()
		for _, model := range of.Models {
			for k, row := range model.Found {
				for r, x := range row {
					shares.Row(i+1, model.Seed, lags[k], lags[r], x, of.uniform)
				}
			}
		}
		if len(of.shown) > 0 {
			of.drawMaps(out)
		}
	}
	out.CSV("selection", shares)
}

// drawMaps draws the patterns of one sequence for each true lag.
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
	out.Figure(m.figure(), f)
}
