package induction

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/model"
)

// nearlyIdentical is the smallest overlap at which attention maps count as nearly
// identical; 1 means the same. It is our choice.
const nearlyIdentical = 0.9

// maps returns row I8, which tests D'Angelo et al. 2025, Fig. 4a and 4b.
func (l *lab) maps() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I8", Kind: claim.Picture, Setting: l.setting,
		Trainings: l.runsVaried((*lab).mapModels), RuleCommit: "9bd3662", ChangedAfterResult: true,
		First: firstIn("5ea30db", mapped.first),
		Test: inVariants(l, func(l *lab) claim.Steps[mapped] {
			return claim.Steps[mapped]{
				Measure: l.measureMaps, Judge: mapped.judge, Tabulate: mapped.tabulate, Draw: mapped.draw,
			}
		}).Test,
	}, map[string]any{
		"lags": spread, "from": judgedFrom, "pairs": len(transition) * len(transition), "shownTokens": shownTokens,
		"converged": convergence, "comparable": solved,
	})
}

// mapCells returns the kinds of models of row I8.
func (l *lab) mapCells() []cell {
	heads := secondLayer(spread.enoughHeads())
	return []cell{{spread, heads, false}, {spread, heads, true}}
}

func (l *lab) mapModels() []network { return l.lookedAll(l.mapCells()) }

// mapped holds the measurements of row I8, by kind of model.
type mapped []mappedCell

// mappedCell compares the models of a kind with the construction.
type mappedCell struct {
	cell
	claim.BySeed[mappedModel]
	untrained claim.Seeded[mappedModel]
	beta      float64             // of the construction
	ignorant  [3]float64          // overlap with the construction, by layer, of heads that know only the lags
	shown     [2][][]attentionMap // of the first trained model, and of the construction
	wanted    tokenScores         // log P

	wantedOutput tokenScores // log P, as [outputScores]
}

// mappedModel compares a model with the construction.
type mappedModel struct {
	overlap [3]float64 // by layer
	scores  tokenScores
	output  tokenScores // of disentangled models: see [outputScores]
	behind  float64     // divergence minus the construction's, mean over the last eighth of positions
	beta    float64     // of the last layer; see [temperature]
}

func (l *lab) measureMaps(ctx context.Context, s *claim.Study) (mapped, error) {
	var found mapped
	for _, c := range l.mapCells() {
		m, err := l.mappedCell(ctx, s, c, 0)
		if err != nil {
			return found, err
		}
		found = append(found, m)
	}
	return found, nil
}

// mappedCell compares the models of a kind with the construction whose second layer has
// the given number of heads, as in [handwritten].
func (l *lab) mappedCell(ctx context.Context, s *claim.Study, of cell, heads int) (mappedCell, error) {
	networks := l.looked(of)
	if len(networks) == 0 {
		return mappedCell{cell: of}, nil
	}
	models, err := l.subjects(ctx, s, networks)
	if err != nil {
		return mappedCell{}, err
	}
	random, err := l.untrained(ctx, s, networks[0])
	if err != nil {
		return mappedCell{}, err
	}
	c := l.chains(networks[0].problem())
	hand, err := l.constructed(ctx, s, handwritten{networks[0].problem(), heads})
	if err != nil {
		return mappedCell{}, err
	}
	found, err := compareAttention(ctx, s, of, c, hand.model, models, random, (*subject).unsolved)
	if err != nil {
		return found, err
	}
	for i, m := range models {
		if err := found.Models[i].Found.compare(c, m, hand); err != nil {
			return found, err
		}
	}
	if err := found.untrained.Found.compare(c, random, hand); err != nil {
		return found, err
	}
	found.wanted, found.wantedOutput = logP(c.p), centredOutput(c.p)
	found.beta, err = temperature(c, hand.model)
	return found, err
}

// compareAttention compares the attention of models, and of an untrained one, with the
// construction's. The rule unconverged says why a model is not judged, and is empty if it
// is.
func compareAttention(
	ctx context.Context, s *claim.Study, of cell, c *chains, hand *model.Transformer[float64],
	models []*subject, random *subject, unconverged func(*subject) string,
) (mappedCell, error) {
	found := mappedCell{cell: of}
	looks := []look{ignorant(c.lags()), looking(random.model)}
	for _, m := range models {
		looks = append(looks, looking(m.model))
	}
	all, err := overlap(ctx, s, c, looking(hand), looks...)
	if err != nil {
		return found, err
	}
	found.ignorant = byLayer(all[0])
	found.untrained.Unconverged, found.untrained.Found.overlap = random.plateau, byLayer(all[1])
	found.BySeed, err = group(of.String(), models, unconverged, func(m *subject) (mappedModel, error) {
		return mappedModel{overlap: byLayer(all[2+slices.Index(models, m)])}, nil
	})
	if err != nil {
		return found, err
	}
	return found, found.show(c, models[0], hand)
}

// compare compares scores, output and performance of a model with the construction's.
func (found *mappedModel) compare(c *chains, m *subject, hand *byHand) (err error) {
	found.behind, found.output = m.atEnd-hand.atEnd, outputScores(m.model)
	if found.beta, err = temperature(c, m.model); err != nil {
		return err
	}
	found.scores, err = firstScores(c, m.model)
	return err
}

func byLayer(o overlaps) (list [3]float64) {
	for layer := range list {
		list[layer] = o.matched(layer)
	}
	return list
}

// show sets the maps to draw, for one sequence whose true lag is the middle one.
func (m *mappedCell) show(c *chains, trained *subject, hand *model.Transformer[float64]) (err error) {
	lags := c.lags()
	sequence := c.sequence(slices.Index(c.lag, lags[len(lags)/2]))
	if m.shown[0], err = patterns(trained.model, sequence); err != nil {
		return err
	}
	m.shown[1], err = patterns(hand, sequence)
	return err
}

func (m mapped) judge() claim.Finding {
	var conditions []claim.Condition
	var asked []claim.Question
	for _, c := range m {
		layers, identical := c.layers()
		conditions = append(conditions, layers...)
		asked = append(asked, identical...)
		conditions = append(conditions, c.scores(), c.comparable())
		if c.disentangled {
			conditions = append(conditions, c.output())
		}
	}
	found := claim.NewFinding(conditions)
	found.Asked = asked
	return found
}

// layers returns the conditions on attention in each layer, with their questions.
func (m mappedCell) layers() (conditions []claim.Condition, asked []claim.Question) {
	for layer := range m.ignorant {
		conditions = append(conditions, m.layer(layer))
		asked = append(asked, m.identical(layer))
	}
	return conditions, asked
}

// layer returns the condition that a layer attends like the construction.
func (m mappedCell) layer(layer int) claim.Condition {
	control := max(m.ignorant[layer], m.untrained.Found.overlap[layer])
	c, _ := m.Each("overlap with the construction", "",
		func(of mappedModel) float64 { return of.overlap[layer] },
		func(of mappedModel) bool { return of.overlap[layer] > control })
	c.Name = fmt.Sprintf("%s, layer %d", m.cell, layer+1)
	if c.Converged {
		c.Effect.Against("the larger of the two controls", control)
		c.Obtained = fmt.Sprintf("overlap %.2f, controls %.2f", c.Effect.Estimate, control)
	}
	return c
}

// identical asks whether a layer's attention is nearly the construction's.
func (m mappedCell) identical(layer int) claim.Question {
	q := claim.Question{
		Question: fmt.Sprintf("%s: in layer %d, is the overlap at least %g, which we call “nearly identical”? "+
			"(our question)", m.cell, layer+1, nearlyIdentical),
		Answer: claim.Undecided, Obtained: "no model has converged",
	}
	if c := m.layer(layer); c.Converged {
		q.Answer = claim.AnswerIf(c.Effect.Estimate >= nearlyIdentical)
		q.Obtained = fmt.Sprintf("%.2f", c.Effect.Estimate)
	}
	return q
}

// scores returns the condition that the first layer's scores are proportional to log P.
func (m mappedCell) scores() claim.Condition {
	return m.correlated("log P", "correlation of layer 1's scores with log P", m.wanted,
		func(of mappedModel) tokenScores { return of.scores })
}

// output returns the condition that the output block that reads the copied token is P.
func (m mappedCell) output() claim.Condition {
	return m.correlated("output block", "correlation of the output block with log P", m.wantedOutput,
		func(of mappedModel) tokenScores { return of.output })
}

// correlated returns the condition that numbers by pair of tokens are proportional to the
// wanted ones.
func (m mappedCell) correlated(
	name, what string, wanted tokenScores, of func(mappedModel) tokenScores,
) claim.Condition {
	forwards := func(m mappedModel) float64 { return of(m).correlation(wanted) }
	control := forwards(m.untrained.Found)
	c, _ := m.Each(what, "", forwards, func(m mappedModel) bool {
		r, backwards := forwards(m), of(m).correlation(wanted.transposed())
		return fisherLow(r, len(wanted)*len(wanted)) > 0 && r > max(control, backwards)
	})
	c.Name = fmt.Sprintf("%s, %s", m.cell, name)
	if c.Converged {
		c.Effect.Against("random initialisation", control)
		c.Obtained = fmt.Sprintf("correlation %.2f, untrained %.2f", c.Effect.Estimate, control)
	}
	return c
}

// comparable returns the condition that trained models perform like the construction.
func (m mappedCell) comparable() claim.Condition {
	c, k := m.Each("divergence above the construction at the end", "nats",
		func(of mappedModel) float64 { return of.behind },
		func(of mappedModel) bool { return math.Abs(of.behind) <= solved })
	c.Name = fmt.Sprintf("%s, performance", m.cell)
	if c.Converged {
		c.Obtained = fmt.Sprintf("%+.4f nats compared with the construction, %d of %d models within %g",
			c.Effect.Estimate, k, len(m.Converged()), solved)
	}
	return c
}

// fisherLow returns the lower end of the 95 % interval of a correlation over n pairs
// (Fisher 1921).
func fisherLow(r float64, n int) float64 {
	return math.Tanh(math.Atanh(min(r, 1-1e-12)) - 1.96/math.Sqrt(float64(n-3)))
}

func (m mapped) tabulate(c *claim.Claim) {
	if table := m.table(); len(table.Rows) > 0 {
		c.Tables = append(c.Tables, table.Table())
	}
}

// table returns the comparison of models with the construction for a set of lags.
func (m mapped) table() document.Frame {
	table := document.Frame{
		Title: fmt.Sprintf("lags %s: overlap with the constructed attention, heads matched; correlation of layer 1's "+
			"scores and of the output block with log P; β of the last layer's scores; nats above the construction at "+
			"the end", m[0].task),
		Columns: slices.Concat(
			document.Headed("", "model"),
			document.Headed("%.2f", "layer 1", "layer 2", "layer 3", "log P", "log P, transposed", "output block"),
			document.Headed("%.1f", "β"), document.Headed("%+.3f", "above the construction"),
			document.Headed("", "converged"),
		),
	}
	for _, of := range m {
		if len(of.Models) == 0 {
			continue
		}
		for _, one := range of.Models {
			table.Row(of.row(fmt.Sprintf("%s, seed %d", of.cell, one.Seed), one)...)
		}
		table.Row(of.row(of.String()+", initialisation", of.untrained)...)
		known := of.ignorant
		table.Row("heads that know only the lags", known[0], known[1], known[2], "–", "–", "–", "–", "–", "–")
		table.Row("the construction", "–", "–", "–", "–", "–", "–", of.beta, "–", "–")
	}
	return table
}

func (m mappedCell) row(name string, of claim.Seeded[mappedModel]) []any {
	overlap, scores := of.Found.overlap, of.Found.scores
	var output any = "–"
	if m.disentangled {
		output = of.Found.output.correlation(m.wantedOutput)
	}
	return []any{
		name, overlap[0], overlap[1], overlap[2],
		scores.correlation(m.wanted), scores.correlation(m.wanted.transposed()), output, of.Found.beta, of.Found.behind,
		claim.IfConverged(of.Unconverged),
	}
}

func (m mapped) draw(out *claim.Output) {
	pairs := document.Frame{Columns: []document.Column{
		{Name: "model", Meaning: "the kind of model, from 1"},
		{Name: "seed"},
		{Name: "source", Meaning: "source token, from 0"},
		{Name: "destination", Meaning: "destination token, from 0"},
		{Name: "log_p"},
		{Name: "score"},
	}}
	chart := figure.Chart{
		X: figure.Axis{Label: "log P, centred"}, Y: figure.Axis{Label: "score of layer 1, centred"},
	}
	for i, of := range m {
		for _, one := range of.Models {
			series := figure.Series{Name: fmt.Sprintf("%s, seed %d", of.cell, one.Seed), Style: figure.Scatter}
			for from, row := range one.Found.scores {
				for to, x := range row {
					series.Add(of.wanted[from][to], x)
					pairs.Row(i+1, one.Seed, from, to, of.wanted[from][to], x)
				}
			}
			chart.Series = append(chart.Series, series)
		}
		if len(of.Models) > 0 {
			of.drawMaps(out)
		}
	}
	out.CSV("scores", pairs)
	if len(chart.Series) > 0 {
		out.Figure("scores", figure.Single(
			"The first layer's scores against log P", "Dots, one for each pair of tokens.", chart))
	}
}

// drawMaps draws the trained attention maps above the constructed ones.
func (m mappedCell) drawMaps(out *claim.Output) {
	f := &figure.Figure{
		Title: fmt.Sprintf("Attention maps: %s", m.cell),
		Desc:  "Heat maps of attention: trained above, constructed below.", Rows: []string{"trained", "constructed"},
		Width: 1200,
	}
	for layer, heads := range m.shown[0] {
		for h := range heads {
			f.Cols = append(f.Cols, fmt.Sprintf("layer %d, head %d", layer+1, h+1))
		}
	}
	for _, layers := range m.shown {
		f.Panels = append(f.Panels, heatMaps(slices.Concat(layers...)))
	}
	out.Figure("maps-"+m.kind(), f)
}
