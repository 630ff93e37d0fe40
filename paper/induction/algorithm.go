package induction

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/internal/random"
	"foretell/model"
	"foretell/process"
)

// Constants of row I20's rule.
const (
	mostSeeds     = 0.8 // the share of models for which the statement must be true: four of five
	otherMatrices = 10  // number of matrices other than P
	otherSeed     = 20  // the seed from which they are drawn
	otherShare    = 8   // the factor by which there are fewer sequences of each than of P
)

// algorithm returns row I20, which goes beyond the claims of D'Angelo et al. 2025.
func (l *lab) algorithm() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I20", Kind: claim.Beyond, Setting: l.setting,
		Trainings: l.runs(l.everyModel()), RuleCommit: "9176f11",
		Test: claim.Steps[computed]{
			Measure: l.measureComputed, Judge: computed.judge, Tabulate: computed.tabulate, Draw: computed.draw,
		}.Test,
	}, map[string]any{
		"solved": solved, "from": judgedFrom, "matrices": otherMatrices, "beta": paperBeta,
		"window": plateauTransitions, "percent": 100 * mostSeeds, "fewest": fewestSeeds, "falling": 100 * fallingBy,
	})
}

// everyModel returns all models that the other rows train, each once.
func (l *lab) everyModel() (list []network) {
	depth := l.depthModels()
	for _, n := range slices.Concat(depth[1:], depth[:1], l.headModels(), l.performanceModels(),
		l.selectionModels(), l.asPrinted(), l.mapModels()) {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// candidate is an observer that a model may compute.
type candidate struct {
	name string
	by   process.Predictor
}

// selectors is the number of candidates that select by all evidence under P. They are the
// first ones of [chains.candidates].
const selectors = 2

// judgedCandidates is the number of candidates that the rule compares: the first ones.
// The others are BMA with the likelihood raised to a power below 1, a softer selection.
const judgedCandidates = 8

// powers are the powers of the other candidates.
var powers = []float64{1. / 2, 1. / 4, 1. / 8, 1. / 16, 1. / 32}

// candidates returns the observers of row I20, for sequences of P.
func (c *chains) candidates() []candidate {
	alphabet := len(c.p)
	list := []candidate{
		{"BMA with P", c.process.Predictor()},
		{"Eq. 3 with P", must(c.process.SelectiveInduction(paperBeta))},
		{"last T/4 transitions, with P", c.observer(last(c.context / 4))},
		{fmt.Sprintf("last %d transitions, with P", plateauTransitions), c.observer(last(plateauTransitions))},
		{"no evidence, with P", c.observer(last(0))},
		{"bigram in context", newGram(1, alphabet)},
		{"(k̂+1)-gram in context", newGram(c.longest(), alphabet)},
		{"BMA, P learned in context", newLearner(c.lags(), alphabet)},
	}
	for _, power := range powers {
		by := c.observer(func(int) bool { return true })
		by.power = power
		list = append(list, candidate{fmt.Sprintf("likelihood to the power 1/%g", 1/power), by})
	}
	return list
}

// computed holds the measurements of row I20.
type computed struct {
	candidates []string
	kinds      []computedKind
	scale      [][]float64 // [control][candidate]: divergence of the control from the candidate, other matrices
}

// controls are the candidates that are measured like models, for comparison.
var controls = []int{0, 4}

// computedKind holds the models that differ only in their seed.
type computedKind struct {
	problem
	layers int
	claim.BySeed[computing]
}

// computing compares what a model predicts with the candidates' predictions.
type computing struct {
	byMatrix []distances // for P, and for each other matrix
	along    []float64   // D_KL(BMA ‖ model) by position, for sequences of P
	falls    string      // why this is not final; empty if it is
	atEnd    float64     // as in [subject]
}

// distances are the divergences between a model and each candidate, in nats, averaged
// over sequences and over positions from judgedFrom on.
type distances struct {
	forward []float64 // D_KL(candidate ‖ model)
	reverse []float64 // D_KL(model ‖ candidate)
}

func (l *lab) measureComputed(ctx context.Context, s *claim.Study) (computed, error) {
	var found computed
	var problems []problem
	list := l.everyModel()
	for _, n := range list {
		if !slices.Contains(problems, n.problem()) {
			problems = append(problems, n.problem())
		}
	}
	byNetwork := map[network]*computing{}
	for _, of := range problems {
		if err := l.compute(ctx, s, &found, of, list, byNetwork); err != nil {
			return found, err
		}
		s.Part(len(problems))
	}
	return found, l.sortComputed(ctx, s, &found, list, byNetwork)
}

// compute compares the models of a problem with the candidates.
func (l *lab) compute(
	ctx context.Context, s *claim.Study, found *computed, of problem, list []network, to map[network]*computing,
) error {
	own := l.chains(of)
	candidates := own.candidates()
	for matrix := range 1 + otherMatrices {
		c := own
		if matrix > 0 {
			c = l.otherChains(of, matrix)
		}
		v, err := newViews(ctx, s, c, candidates)
		if err != nil {
			return err
		}
		if matrix > 0 && of == l.of(example) {
			found.addScale(v)
		}
		for _, n := range list {
			if n.problem() != of {
				continue
			}
			if to[n] == nil {
				to[n] = &computing{}
			}
			if err := v.measure(ctx, s, s.Trained(l.training(n)).Model, to[n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// otherChains returns sequences of another matrix, by its number from 1. Its rows are
// drawn from the same law as the rows of P, the flat Dirichlet distribution.
func (l *lab) otherChains(of problem, matrix int) *chains {
	p := must(process.DirichletRows(len(transition), 1, otherSeed, uint64(matrix)))
	return drawChains(of.task, p, max(1, l.heldOut/otherShare), of.context, func(k, i int) *random.Stream {
		return random.New(otherSeed, "paper/induction/others", uint64(matrix), uint64(k), uint64(i))
	})
}

// addScale adds the divergences of the controls, as the mean over matrices.
func (m *computed) addScale(v *views) {
	if m.scale == nil {
		for range controls {
			m.scale = append(m.scale, make([]float64, len(v.byCandidate)))
		}
	}
	for i, control := range controls {
		for r := range v.byCandidate {
			m.scale[i][r] += v.between(r, control) / otherMatrices
		}
	}
}

// sortComputed sets the names of the candidates and sorts the models by kind.
func (l *lab) sortComputed(
	ctx context.Context, s *claim.Study, to *computed, list []network, by map[network]*computing,
) error {
	for _, r := range l.chains(l.of(example)).candidates() {
		to.candidates = append(to.candidates, r.name)
	}
	for _, kind := range byKind(list) {
		models, err := l.subjects(ctx, s, kind)
		if err != nil {
			return err
		}
		of := computedKind{problem: kind[0].problem(), layers: len(kind[0].layers())}
		of.BySeed, err = group(kind[0].labelled(""), models, (*subject).unsolved, func(m *subject) (computing, error) {
			found := *by[m.network]
			found.falls, found.atEnd = m.unsettledLate(), m.atEnd
			return found, nil
		})
		if err != nil {
			return err
		}
		to.kinds = append(to.kinds, of)
	}
	return nil
}

// views are the predictions of candidates on sequences.
type views struct {
	*chains
	byCandidate [][]float64 // (N, T, A) each
}

func newViews(ctx context.Context, s *claim.Study, c *chains, candidates []candidate) (*views, error) {
	v := &views{c, make([][]float64, len(candidates))}
	err := s.Each(ctx, len(candidates), func(_ context.Context, i int) error {
		v.byCandidate[i] = c.predictions(candidates[i].by)
		return nil
	})
	return v, err
}

// at returns a candidate's prediction after t+1 tokens of sequence n.
func (v *views) at(candidate, n, t int) []float64 {
	a := len(v.p)
	return v.byCandidate[candidate][(n*v.context+t)*a:][:a]
}

// between returns D_KL(candidate ‖ other candidate), as in [distances].
func (v *views) between(candidate, other int) float64 {
	sum, n := 0.0, 0.0
	for i := range v.count() {
		for t := judgedFrom - 1; t < v.context; t++ {
			sum, n = sum+divergence(v.at(candidate, i, t), v.at(other, i, t)), n+1
		}
	}
	return sum / n
}

// viewed are the sums, over the sequences of one pass, of the divergences between a model
// and each candidate.
type viewed struct {
	forward [][]float64 // by candidate and position
	reverse []float64   // by candidate, over positions from judgedFrom on
}

// measure compares a model with the candidates on the sequences, and adds the result. The
// first call is for sequences of P.
func (v *views) measure(ctx context.Context, s *claim.Study, m *model.Transformer[float32], to *computing) error {
	passes := make([]viewed, (v.count()+pass-1)/pass)
	err := s.Each(ctx, len(passes), func(_ context.Context, i int) (err error) {
		passes[i], err = v.pass(m, i*pass, min((i+1)*pass, v.count()))
		return err
	})
	if err != nil {
		return err
	}
	late, n := lateIn(v.context), float64(v.count())
	positions := float64(late.last - late.first + 1)
	var found distances
	for r := range v.byCandidate {
		along, reverse := make([]float64, v.context), 0.0
		for _, p := range passes {
			for t, x := range p.forward[r] {
				along[t] += x / n
			}
			reverse += p.reverse[r] / n / positions
		}
		found.forward = append(found.forward, late.mean(along))
		found.reverse = append(found.reverse, reverse)
		if r == 0 && len(to.byMatrix) == 0 {
			to.along = along
		}
	}
	to.byMatrix = append(to.byMatrix, found)
	return nil
}

// pass compares a model with the candidates on the sequences from first to last−1.
func (v *views) pass(m *model.Transformer[float32], first, last int) (viewed, error) {
	found := viewed{reverse: make([]float64, len(v.byCandidate))}
	for range v.byCandidate {
		found.forward = append(found.forward, make([]float64, v.context))
	}
	logits, _, err := m.RunWithCache(v.tokens[first*v.context:last*v.context], last-first)
	if err != nil {
		return found, err
	}
	for i := range (last - first) * v.context {
		n, t := first+i/v.context, i%v.context
		row := logits[i*len(v.p):][:len(v.p)]
		predicted := model.Probabilities(row)
		for r := range v.byCandidate {
			found.forward[r][t] += model.Divergence(v.at(r, n, t), row)
			if t >= judgedFrom-1 {
				found.reverse[r] += divergence(predicted, v.at(r, n, t))
			}
		}
	}
	return found, nil
}
