package induction

import (
	"context"
	"math"
	"slices"

	"foretell/claim"
)

// performance returns row I7, which tests D'Angelo et al. 2025, Fig. 3.
func (l *lab) performance() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I7", Kind: claim.Picture, Setting: l.setting,
		Trainings: l.runsVaried((*lab).performanceModels), RuleCommit: "b619ced", ChangedAfterResult: true,
		First: firstIn("5ea30db", panels.first),
		Test: inVariants(l, func(l *lab) claim.Steps[panels] {
			return claim.Steps[panels]{
				Measure: l.measurePanels, Judge: panels.judge, Tabulate: panels.tabulate, Draw: panels.draw,
			}
		}).Test,
	}, map[string]any{"solved": solved, "from": judgedFrom, "errors": significantErrors, "converged": convergence})
}

// panelTasks are the tasks of the panels of Fig. 3.
var panelTasks = []task{example, nonContiguous, five, twoApart}

// panelHeads returns the numbers of heads in the second layers of a panel's models: one,
// and the number that keeps all transitions apart. For two lags, one head is enough (App.
// J).
func (t task) panelHeads() []int {
	if len(t.lags()) == 2 {
		return []int{1}
	}
	return []int{1, t.enoughHeads()}
}

// panelCells returns the kinds of trained models of a panel.
func (t task) panelCells() (list []cell) {
	for _, disentangled := range []bool{false, true} {
		for _, heads := range t.panelHeads() {
			list = append(list, cell{t, secondLayer(heads), disentangled})
		}
	}
	return list
}

// panelModels returns the networks of one kind, and nil if the profile does not train
// this kind.
func (l *lab) panelModels(c cell) []network {
	if !c.disentangled {
		return l.bySeed(c.task, c.heads, l.few)
	}
	if !slices.Contains(l.oneHotCells, c) {
		return nil
	}
	return network{task: c.task, heads: c.heads, disentangled: true, recipe: l.disentangled}.bySeed(l.few)
}

func (l *lab) performanceModels() (list []network) {
	for _, of := range panelTasks {
		for _, c := range of.panelCells() {
			list = append(list, l.panelModels(c)...)
		}
	}
	return list
}

// panels holds the measurements of row I7, by panel of Fig. 3.
type panels []panel

// panel holds the curves of a task along the sequence, and the comparisons between them.
type panel struct {
	task
	bma, ml   []float64
	gram      []float64 // the (k̂+1)-gram that is learned in context
	gramAbove float64   // its divergence minus ML's, mean over the last eighth of positions
	written   []panelWritten
	trained   []panelTrained
	undercuts int // number of positions at which a curve is below the optimum, see beyondNoise
}

// panelWritten holds the measurements of a construction.
type panelWritten struct {
	heads       int
	along       []float64
	aboveML     float64 // divergence minus ML's, mean over the last eighth of positions
	aboveMLFrom float64 // the same, mean from position judgedFrom on
	se, seFrom  float64 // standard errors of both, over sequences
}

// panelTrained holds the measurements of the trained models of one kind.
type panelTrained struct {
	cell
	heads int
	claim.BySeed[panelModel]
	early claim.BySeed[panelEarly] // for two lags only
}

// panelModel compares a model with the construction with the same number of heads.
type panelModel struct {
	along              []float64
	atEnd              float64 // divergence minus the construction's, mean over the last eighth of positions
	difference, se     float64 // the same, mean from position judgedFrom on, with its standard error
	above, aboveAtEnd  float64 // divergence minus BMA's, as in [subject]
	undercutsPositions int
}

// panelEarly holds a model's and ML's divergence minus BMA's, averaged over the positions
// before judgedFrom.
type panelEarly struct{ model, ml float64 }

func (l *lab) measurePanels(ctx context.Context, s *claim.Study) (panels, error) {
	var found panels
	for _, of := range panelTasks {
		p, err := l.panel(ctx, s, of)
		if err != nil {
			return found, err
		}
		found = append(found, p)
		s.Part(len(panelTasks))
	}
	return found, nil
}

func (l *lab) panel(ctx context.Context, s *claim.Study, of task) (panel, error) {
	p := panel{task: of}
	bma := l.optimal(l.of(of))
	ml := l.likeliest(l.of(of))
	c := l.chains(l.of(of))
	p.bma, p.ml, p.undercuts = bma.at(), ml.at(), ml.undercuts(bma)
	gram := c.predicted(newGram(of.longest(), len(c.p)))
	p.gram = gram.at()
	p.gramAbove, _ = gram.above(ml, c.end())
	for _, heads := range of.panelHeads() {
		hand, err := l.constructed(ctx, s, handwritten{l.of(of), heads})
		if err != nil {
			return p, err
		}
		w := panelWritten{heads: heads, along: hand.along.at()}
		w.aboveML, w.se = hand.along.above(ml, c.end())
		w.aboveMLFrom, w.seFrom = hand.along.above(ml, judgedFrom)
		p.written, p.undercuts = append(p.written, w), p.undercuts+hand.along.undercuts(bma)
	}
	for _, of := range of.panelCells() {
		t, err := l.panelTrained(ctx, s, of)
		if err != nil {
			return p, err
		}
		p.trained = append(p.trained, t)
	}
	return p, nil
}

// panelTrained measures the models of one kind.
func (l *lab) panelTrained(ctx context.Context, s *claim.Study, of cell) (panelTrained, error) {
	found := panelTrained{cell: of, heads: of.secondHeads()}
	models, err := l.subjects(ctx, s, l.panelModels(of))
	if err != nil {
		return found, err
	}
	found.BySeed, err = group(of.String(), models, (*subject).unsolved, func(m *subject) (panelModel, error) {
		return l.panelModel(ctx, s, m, found.heads)
	})
	if err != nil || len(of.lags()) > 2 {
		return found, err
	}
	final := func(m *subject) string { return m.falling(earlyIn) }
	found.early, err = group(of.String(), models, final, l.panelEarly)
	return found, err
}

func (l *lab) panelEarly(m *subject) (panelEarly, error) {
	bma, ml := l.optimal(m.problem()), l.likeliest(m.problem())
	return panelEarly{m.along.before(bma, judgedFrom), ml.before(bma, judgedFrom)}, nil
}

// secondHeads returns the number of heads in the second layer.
func (c cell) secondHeads() int { return network{heads: c.heads}.layers()[1] }

func (l *lab) panelModel(ctx context.Context, s *claim.Study, m *subject, heads int) (panelModel, error) {
	found := panelModel{along: m.along.at(), above: m.above, aboveAtEnd: m.atEnd}
	hand, err := l.constructed(ctx, s, handwritten{m.problem(), heads})
	if err != nil {
		return found, err
	}
	bma := l.optimal(m.problem())
	found.atEnd = m.atEnd - hand.atEnd
	found.difference, found.se = m.along.above(hand.along, judgedFrom)
	found.undercutsPositions = m.along.undercuts(bma)
	return found, nil
}

// beyondNoise defines when a curve counts as below the optimum at a position: it is
// below by more than this number of standard errors of the paired difference. With
// about 30 curves of 128 positions, chance alone reaches 4.
const beyondNoise = 5

// undercuts returns the number of positions at which the curve is below another one by
// more than noise; see [beyondNoise].
func (c curve) undercuts(other curve) int {
	n, count := float64(c.count()), 0
	for t := range c.context {
		sum, squares := 0.0, 0.0
		for i := t; i < len(c.kl); i += c.context {
			d := c.kl[i] - other.kl[i]
			sum, squares = sum+d, squares+d*d
		}
		mean := sum / n
		if se := math.Sqrt(max(squares/n-mean*mean, 0) / n); mean < -beyondNoise*se-1e-12 {
			count++
		}
	}
	return count
}

// before returns the mean difference of the curve from another one, over the positions
// before the given position.
func (c curve) before(other curve, position int) float64 {
	here, there, sum := c.at(), other.at(), 0.0
	for t := range position - 1 {
		sum += (here[t] - there[t]) / float64(position-1)
	}
	return sum
}
