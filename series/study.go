package series

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"foretell/audit"
	"foretell/contexttree"
	"foretell/fit"
)

// Request are the choices of [Examine]. The zero value is the default of each.
type Request struct {
	Season  int // values in a season; 0 finds it, 1 means no season
	Horizon int // steps ahead; 0 for 1 and one season
	Levels  int // cells for nats; 0 for 16
	Depth   int // of the context tree; 0 for 5
	States  int // of the hidden Markov model; 0 chooses
	Seed    uint64
	// Train compares a [Transformer], too. That takes minutes.
	Train bool
	// Mine are forecasts of the reader's own, which are scored like the others and
	// audited; nil for none.
	Mine *Mine
	// Trying is called with what is being computed; nil for nothing.
	Trying func(what string)
}

// Bounds on a [Request].
const (
	mostLevels    = 256 // as many symbols as a context tree has
	mostDepth     = 255
	mostAsked     = 50     // states; time grows with their square
	mostHorizon   = 10_000 // steps ahead; each origin has forecasts of all of them
	mostSeason    = 1 << 20
	mostMagnitude = 1e150 // of a value, so that its square is finite
)

// Check returns a one-line error for a choice that is wrong for every series. It begins
// with the choice's name in lower case.
func (r Request) Check() error {
	for _, c := range []struct {
		name               string
		value, least, most int
	}{
		{"season", r.Season, 1, mostSeason},
		{"horizon", r.Horizon, 1, mostHorizon},
		{"levels", r.Levels, 2, mostLevels},
		{"depth", r.Depth, 1, mostDepth},
		{"states", r.States, 1, mostAsked},
	} {
		if c.value != 0 && (c.value < c.least || c.value > c.most) {
			return fmt.Errorf("%s %d is outside [%d, %d]", c.name, c.value, c.least, c.most)
		}
	}
	if r.Mine != nil && r.Horizon > 1 {
		return fmt.Errorf("horizon %d: the forecasts in %s are of the next value; want 1", r.Horizon, r.Mine.Source)
	}
	return nil
}

// CheckFolder returns an error if [Report.Write] cannot make its folder. It makes a
// folder in the nearest one that exists, and removes it.
func CheckFolder(dir string) error {
	existing := filepath.Clean(dir)
	for {
		info, err := os.Stat(existing)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not a folder", existing)
		}
		if err == nil || existing == filepath.Dir(existing) {
			break
		}
		existing = filepath.Dir(existing)
	}
	trial, err := os.MkdirTemp(existing, ".foretell-")
	if err != nil {
		return fmt.Errorf("no folder can be made in %s", existing)
	}
	return os.Remove(trial)
}

// Report is what there is to say of a series: facts, forecasters with their scores, a
// verdict, what copies without structure give, fitted models, and a forecast.
type Report struct {
	Source string `json:"source"`
	Column string `json:"column,omitempty"`
	*Comparison
	Facts *Facts `json:"facts"`
	// Copies are what the best forecaster foresees of copies of the series that keep some
	// of its properties. It should foresee nothing of a shuffled one.
	Copies []Copy `json:"copies"`
	// Tree is the context tree of all cells, HMM a hidden Markov model of them.
	Tree *TreeFacts `json:"context_tree,omitempty"`
	HMM  *HMMFacts  `json:"hmm,omitempty"`
	// Forecast is what comes after the series.
	Forecast []Ahead `json:"forecast"`
	// Audit is about forecasts of the reader's own.
	Audit *audit.Result `json:"audit,omitempty"`

	series *Series
	held   string // how often the reader's quantiles held what came
	fitted *fit.Result
	cells  *Cells
}

// Copy is a copy of the series and the skill of the best forecaster on it.
type Copy struct {
	Name  string `json:"name"`
	Keeps string `json:"keeps"` // what the copy has in common with the series
	Skill Skill  `json:"skill"`
}

// TreeFacts are about the context tree of a sequence of cells.
type TreeFacts struct {
	Depth         int     `json:"depth"`
	LogLikelihood float64 `json:"log_likelihood"`  // prior predictive, natural logarithm
	Bits          float64 `json:"bits_per_symbol"` // code length
	// Map is the tree of the highest posterior probability.
	Map MapTree `json:"map"`
}

// MapTree is the most probable tree.
type MapTree struct {
	// Leaves are its contexts, the most recent symbol first.
	Leaves       []string `json:"leaves"`
	LogPosterior float64  `json:"log_posterior"`
}

// HMMFacts are about the hidden Markov model of a sequence of cells.
type HMMFacts struct {
	States        int     `json:"states"`
	LogLikelihood float64 `json:"log_likelihood"`
	// Values is the number of values to which it was fitted.
	Values int `json:"values"`
}

// Ahead is the forecast of a value after the end of the series.
type Ahead struct {
	Step int    `json:"step"` // from 1
	Time string `json:"time,omitempty"`
	// Number is the forecast of a number; nil for a symbol.
	*Number
	// Probabilities are of the symbols, in the order of [Series.Symbols]; nil for a number.
	Probabilities []float64 `json:"probabilities,omitempty"`
}

// Number is the forecast of a number, in the unit of the data.
type Number struct {
	Mean float64 `json:"mean"`
	// Quantiles are at the probabilities of [QuantileLevels].
	Quantiles []float64 `json:"quantiles"`
}

// QuantileLevels are the probabilities of the quantiles of a forecast.
var QuantileLevels = []float64{0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975}

// Examine looks at a series, compares forecasters on it, and forecasts what comes next
// with the best of them. Errors have one line.
func Examine(ctx context.Context, s *Series, r Request) (*Report, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if r.Trying == nil {
		r.Trying = func(string) {}
	}
	r.Trying("looking at " + s.Source)
	facts, err := Look(ctx, s, LookOptions{Season: r.Season})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Source, err)
	}
	season := r.Season
	if season == 0 && facts.Season != nil && facts.Season.Steady {
		season = facts.Season.Period
	}
	o := r.options(s, season)
	found, err := Compare(ctx, s, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Source, err)
	}
	report := &Report{Source: s.Source, Column: s.Name, Comparison: found, Facts: facts, series: s}
	if err := report.compareCopies(ctx, o); err != nil {
		return nil, err
	}
	if err := report.describe(ctx, r, o); err != nil {
		return nil, err
	}
	if err := report.forecast(ctx, o); err != nil {
		return nil, err
	}
	if r.Mine != nil {
		r.Trying("auditing your forecasts")
		report.held = r.Mine.held(s)
		if report.Audit, err = r.Mine.Audit(s, season); err != nil {
			return nil, err
		}
	}
	return report, nil
}

// options returns the options of the comparison.
func (r Request) options(s *Series, season int) Options {
	o := Options{
		Season: season, Levels: r.Levels, Seed: r.Seed, Trying: r.Trying,
		Forecasters: append(Forecasters(),
			ContextTree{Depth: r.Depth, Seed: r.Seed}, HiddenMarkov{States: r.States, Seed: r.Seed}),
	}
	if s.Step.Unit != "" {
		o.Step = s.Step.Unit
		if s.Step.Count > 1 {
			o.Step = "step of " + s.Step.String()
		}
	}
	if s.Symbols != nil {
		o.Forecasters = []Forecaster{
			Unconditional{}, ContextTree{Depth: r.Depth, Seed: r.Seed}, HiddenMarkov{States: r.States, Seed: r.Seed},
		}
		o.Step = "symbol"
	}
	if r.Train {
		o.Forecasters = append(o.Forecasters, Transformer{Seed: r.Seed})
	}
	if r.Horizon > 0 {
		o.Horizons = []int{r.Horizon}
	}
	if r.Mine != nil {
		o.Forecasters = append(o.Forecasters, r.Mine.forecaster(s))
	}
	return o
}

// bestOf returns the forecaster that was chosen.
func (c *Comparison) bestOf(all []Forecaster) (Forecaster, error) {
	for _, f := range all {
		if c.Best == f.Name() || strings.HasPrefix(c.Best, f.Name()+"(") {
			return f, nil
		}
	}
	return nil, fmt.Errorf("series: %s is not among the forecasters", c.Best)
}

// mostCopied is the largest number of last values of a series that copies are made of.
const mostCopied = 50_000

// compareCopies scores the best forecaster on copies of the end of the series.
func (r *Report) compareCopies(ctx context.Context, o Options) error {
	best, err := r.bestOf(o.Forecasters)
	if err != nil || isReference(best) || isMine(best) {
		return err
	}
	trying := o.Trying
	o.Forecasters, o.Trying, o.Horizons = []Forecaster{best}, nil, []int{r.Skill.Horizon}
	copies := []struct {
		name, keeps string
		of          func(*Series) (*Series, error)
	}{
		{"shuffled", "values, without their order", func(s *Series) (*Series, error) {
			return s.Shuffled(o.Seed, 0), nil
		}},
		{"phase-randomised", "what is linear: values and autocorrelation", func(s *Series) (*Series, error) {
			return s.PhaseRandomised(ctx, o.Seed, 0)
		}},
	}
	end := r.series.from(max(0, len(r.series.Values)-mostCopied))
	for _, c := range copies {
		if c.name != "shuffled" && r.series.Symbols != nil {
			continue
		}
		trying("comparing with a " + c.name + " copy")
		s, err := c.of(end)
		if err != nil {
			return err
		}
		found, err := Compare(ctx, s, o)
		if errors.Is(err, context.Canceled) {
			return err
		}
		if err == nil {
			r.Copies = append(r.Copies, Copy{c.name, c.keeps, found.Skill})
		}
	}
	return nil
}

// describe fits the context tree and the hidden Markov model to the cells of the whole
// series.
func (r *Report) describe(ctx context.Context, request Request, o Options) (err error) {
	if _, err := o.complete(r.series); err != nil {
		return err
	}
	if r.cells, err = o.cells(r.series.Values); err != nil {
		return err
	}
	past := Past{Values: r.series.Values, Season: o.Season, Cells: r.cells}
	request.Trying("fitting a context tree to all values")
	model, err := ContextTree{Depth: request.Depth, Seed: request.Seed}.Fit(ctx, past)
	if err != nil {
		return err
	}
	r.Tree = newTreeFacts(model.(*branching))
	request.Trying("fitting a hidden Markov model to all values")
	fitted, err := HiddenMarkov{States: request.States, Seed: request.Seed}.fit(ctx, past, fit.Free, manyStarts)
	if errors.Is(err, context.Canceled) {
		return err
	}
	if err == nil {
		r.fitted = fitted
		r.HMM = &HMMFacts{
			States: fitted.HMM.NumStates(), LogLikelihood: fitted.LogLikelihood,
			Values: min(len(longestRecord(past)), mostFitted),
		}
	}
	return nil
}

func newTreeFacts(m *branching) *TreeFacts {
	best := m.tree.Best(1)[0]
	return &TreeFacts{
		Depth: m.depth, LogLikelihood: m.tree.LogLikelihood(), Bits: m.tree.BitsPerSymbol(),
		Map: MapTree{Leaves: contexts(best, m.tree.Alphabet()), LogPosterior: best.LogPosterior},
	}
}

// contexts writes the leaves of a tree, with blanks between symbols of several digits.
func contexts(m *contexttree.Model, alphabet int) (list []string) {
	between := ""
	if alphabet > 10 {
		between = " "
	}
	for _, leaf := range m.Leaves {
		var symbols []string
		for _, z := range leaf.Context {
			symbols = append(symbols, strconv.Itoa(int(z)))
		}
		list = append(list, strings.Join(symbols, between))
	}
	return list
}

// forecast fits the best forecaster to the whole series and forecasts up to the longest
// horizon.
func (r *Report) forecast(ctx context.Context, o Options) error {
	best, err := r.bestOf(o.Forecasters)
	if err != nil || isMine(best) {
		return err
	}
	o.Trying("forecasting")
	h := 1
	for _, s := range r.Skills {
		h = max(h, s.Horizon)
	}
	model, err := best.Fit(ctx, Past{Values: r.series.Values, Season: o.Season, Cells: r.cells})
	if err != nil {
		return err
	}
	for k, d := range model.Forecast(h) {
		if d == nil || math.IsNaN(d.Mean()) {
			continue
		}
		a := Ahead{Step: k + 1, Time: r.series.after(k + 1)}
		if symbols := len(r.series.Symbols); symbols > 0 {
			a.Probabilities = probabilities(d, symbols)
		} else {
			a.Number = newNumber(d)
		}
		r.Forecast = append(r.Forecast, a)
	}
	return nil
}

func newNumber(d Distribution) *Number {
	n := &Number{Mean: d.Mean()}
	for _, p := range QuantileLevels {
		n.Quantiles = append(n.Quantiles, d.Quantile(p))
	}
	return n
}

// probabilities returns the probabilities of the numbers of symbols.
func probabilities(d Distribution, symbols int) (list []float64) {
	below := 0.0
	for k := range symbols {
		upTo := d.CDF(float64(k) + 0.5)
		list = append(list, upTo-below)
		below = upTo
	}
	return list
}

// YAML returns the hidden Markov model as a process, a file that [process.Load] reads, or
// nil if there is no such model.
func (r *Report) YAML() ([]byte, error) {
	if r.fitted == nil {
		return nil, nil
	}
	return r.fitted.YAML()
}
