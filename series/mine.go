package series

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"foretell/audit"
	"foretell/contexttree"
	"foretell/internal/datafile"
	"foretell/internal/text"
)

// Mine are forecasts of the next value that the reader has made: for some values of a
// series a mean, quantiles, or both.
type Mine struct {
	// Source is the file's name, Rows the number of forecasts, and Beyond the number of
	// these whose time the series does not have.
	Source       string
	Rows, Beyond int

	levels    []float64         // probabilities of the quantiles, increasing
	forecasts map[int][]float64 // by index of the value: the mean, then the quantiles
	order     []int             // the indices, increasing
}

// ReadMine reads forecasts of a series: a table with the columns mean, or q10 … q90 (any
// percentages), or both. If the series has times, the table's first column has them;
// otherwise its rows are about the last values of the series, in their order. A mean that
// is not given is the middle quantile. An error names the place.
func ReadMine(path string, s *Series) (*Mine, error) {
	source, column, data, err := datafile.Load(path, "forecasts", MostBytes)
	if err != nil {
		return nil, err
	}
	if column != "" {
		return nil, fmt.Errorf("%s: forecasts are read from the columns mean and q10 … q90, not from %q",
			source, column)
	}
	if s.Symbols != nil {
		return nil, fmt.Errorf("%s: forecasts are scored of numbers, and %s has symbols", source, s.Source)
	}
	if isSound(data) || datafile.IsJSON(data) {
		return nil, fmt.Errorf("%s is not a table; want forecasts in the columns mean or q10 … q90", source)
	}
	if data, err = datafile.Text(source, data); err != nil {
		return nil, err
	}
	page, err := peek(source, data, ReadOptions{})
	if err != nil {
		return nil, err
	}
	if len(page.rows) == 0 {
		return nil, fmt.Errorf("%s has no forecasts, only one line", source)
	}
	m := &Mine{Source: source, forecasts: map[int][]float64{}}
	columns, err := m.columns(page)
	if err != nil {
		return nil, err
	}
	for k, name := range columns {
		read, err := readTable(source, data, ReadOptions{Column: name})
		if err != nil {
			return nil, err
		}
		if err := m.take(read, s, k, len(columns)); err != nil {
			return nil, err
		}
	}
	return m, m.finish(s, columns)
}

// columns returns the names of the columns that have forecasts, the mean first, then the
// quantiles by level. It sets the levels.
func (m *Mine) columns(p *page) ([]string, error) {
	var means, quantiles []string
	level := map[string]float64{}
	for _, name := range p.names {
		digits, isQuantile := strings.CutPrefix(name, "q")
		percent, err := strconv.ParseFloat(digits, 64)
		isQuantile = isQuantile && err == nil
		_, twice := level[name]
		switch {
		case twice || name == "mean" && means != nil:
			return nil, fmt.Errorf("%s has two columns %q; want one", m.Source, name)
		case name == "mean":
			means = []string{name}
		case isQuantile && !(percent > 0 && percent < 100):
			return nil, fmt.Errorf("%s: column %s is not a quantile; want percentages above 0 and below 100, such as q10",
				m.Source, text.Start(name, 40))
		case isQuantile:
			level[name] = percent / 100
			quantiles = append(quantiles, name)
		}
	}
	slices.SortFunc(quantiles, func(a, b string) int {
		if level[a] < level[b] {
			return -1
		}
		return 1
	})
	for i, name := range quantiles {
		if i > 0 && level[name] == level[quantiles[i-1]] {
			return nil, fmt.Errorf("%s has the columns %s and %s for the same quantile; want one",
				m.Source, quantiles[i-1], name)
		}
		m.levels = append(m.levels, level[name])
	}
	if len(means)+len(quantiles) == 0 {
		return nil, fmt.Errorf("%s has no forecasts: want a column mean, or quantiles such as q10, q50 and q90; "+
			"it has %s", m.Source, p.columns())
	}
	if len(quantiles) == 1 && len(means) == 0 {
		return nil, fmt.Errorf("%s has one quantile, %s, and no mean; want at least two quantiles, or a mean",
			m.Source, quantiles[0])
	}
	return append(means, quantiles...), nil
}

// take stores column k of n.
func (m *Mine) take(read, s *Series, k, n int) error {
	index, err := m.index(read, s)
	if err != nil {
		return err
	}
	m.Rows, m.Beyond = 0, 0
	for row, x := range read.Values {
		if math.IsNaN(x) {
			continue
		}
		m.Rows++
		i, ok := index(row)
		if !ok {
			m.Beyond++
			continue
		}
		if m.forecasts[i] == nil {
			m.forecasts[i] = slices.Repeat([]float64{math.NaN()}, n)
		}
		m.forecasts[i][k] = x
	}
	return nil
}

// index returns the function from a row of a table to the index of a value.
func (m *Mine) index(read, s *Series) (func(row int) (int, bool), error) {
	if s.Times == nil {
		first := len(s.Values) - len(read.Values)
		if first < 0 {
			return nil, fmt.Errorf("%s has %s for %s of %s", m.Source, text.Count(len(read.Values), "forecast"),
				text.Count(len(s.Values), "value"), s.Source)
		}
		return func(row int) (int, bool) { return first + row, true }, nil
	}
	if read.Times == nil {
		return nil, fmt.Errorf("%s has no column of times, and %s has one; add it as the first column",
			m.Source, s.Source)
	}
	places := make(map[time.Time]int, len(s.Times))
	for i, t := range s.Times {
		places[t] = i
	}
	return func(row int) (int, bool) {
		i, ok := places[read.Times[row]]
		return i, ok
	}, nil
}

// finish orders the forecasts, and sets means that are not given.
func (m *Mine) finish(s *Series, columns []string) error {
	m.order = slices.Sorted(maps.Keys(m.forecasts))
	quantiles := columns[len(columns)-len(m.levels):]
	for _, i := range m.order {
		f := m.forecasts[i]
		if slices.ContainsFunc(f, math.IsNaN) {
			return fmt.Errorf("%s: the forecast of %s lacks %s",
				m.Source, s.When(i), columns[slices.IndexFunc(f, math.IsNaN)])
		}
		if columns[0] != "mean" {
			f = slices.Insert(f, 0, f[len(f)/2])
			m.forecasts[i] = f
		}
		for k := range len(quantiles) - 1 {
			if q := f[1+k:]; !(q[0] < q[1]) {
				return fmt.Errorf("%s: the forecast of %s has %s = %g and %s = %g; want quantiles that increase",
					m.Source, s.When(i), quantiles[k], q[0], quantiles[k+1], q[1])
			}
		}
	}
	if len(m.order) == 0 {
		return fmt.Errorf("%s has no forecast of a value of %s, which is from %s to %s",
			m.Source, s.Source, s.When(0), s.When(len(s.Values)-1))
	}
	begin := len(s.Values) - len(s.Values)/5 // of the values that are judged
	judged := 0
	for _, i := range m.order {
		if i >= begin && !math.IsNaN(s.Values[i]) {
			judged++
		}
	}
	if judged < fewestScored {
		return fmt.Errorf("%s has forecasts of %d of the last %d values of %s, which are judged; want at least %d",
			m.Source, judged, len(s.Values)-begin, s.Source, fewestScored)
	}
	return nil
}

// Audit bets against the forecasts; see [audit.Ranks.Audit].
func (m *Mine) Audit(s *Series, season int) (*audit.Result, error) {
	var outcomes, means []float64
	var quantiles [][]float64
	for _, i := range m.order {
		outcomes = append(outcomes, s.Values[i])
		means = append(means, m.forecasts[i][0])
		quantiles = append(quantiles, m.forecasts[i][1:])
	}
	var ranks *audit.Ranks
	var err error
	if len(m.levels) > 1 {
		ranks, err = audit.FromQuantiles(m.levels, quantiles, outcomes)
	} else {
		ranks, err = audit.FromPoints(means, outcomes, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Source, err)
	}
	return ranks.Audit(audit.Options{Season: season, Pattern: newPattern})
}

// held says how many values were between the outer quantiles, if these are as far from 0
// as from 1; otherwise nothing.
func (m *Mine) held(s *Series) string {
	last := len(m.levels) - 1
	if last < 1 || math.Abs(m.levels[0]+m.levels[last]-1) > 1e-9 {
		return ""
	}
	inside, judged := 0, 0
	for _, i := range m.order {
		if x, q := s.Values[i], m.forecasts[i][1:]; !math.IsNaN(x) {
			judged++
			if q[0] <= x && x <= q[last] {
				inside++
			}
		}
	}
	return fmt.Sprintf("Between your quantiles of %g and %g %% were %d of %s (%s %%; right ones have %g %%).",
		100*m.levels[0], 100*m.levels[last], inside, text.Count(judged, "value"),
		percent(float64(inside)/float64(max(1, judged))), 100*(m.levels[last]-m.levels[0]))
}

// newPattern returns a bettor on the order of the errors' quarters.
func newPattern() audit.Bettor {
	tree, err := contexttree.New(contexttree.Options{Alphabet: 4, Depth: 3})
	if err != nil {
		panic(err) // these options are valid
	}
	return tree
}

// mineName is the name of the reader's forecasts among others.
const mineName = "yours"

// given is the reader's forecasts as a forecaster.
type given struct {
	mine   *Mine
	series *Series
}

func (m *Mine) forecaster(s *Series) Forecaster { return given{m, s} }

func isMine(f Forecaster) bool {
	_, is := f.(given)
	return is
}

func (given) Name() string { return mineName }

// Fit returns an error if the past is not the beginning of the series.
func (g given) Fit(_ context.Context, past Past) (Model, error) {
	if len(past.Values) >= len(g.series.Values) {
		return nil, errors.New("your forecasts end with the series")
	}
	m := &repeatedGiven{given: g}
	for _, x := range past.Values {
		m.Observe(x)
	}
	return m, nil
}

// repeatedGiven is the reader's forecasts at a place of the series.
type repeatedGiven struct {
	given
	next          int     // index of the next value
	squares, seen float64 // of the errors of means so far
}

func (m *repeatedGiven) Observe(x float64) {
	if f := m.mine.forecasts[m.next]; f != nil && !math.IsNaN(x) {
		m.squares += (x - f[0]) * (x - f[0])
		m.seen++
	}
	m.next++
}

// Forecast returns the distribution of the next value alone. Between quantiles it is
// spread evenly; beyond the outer ones over the width of the whole. Without quantiles it
// is normal, with the size of the errors so far, and missing before the third.
func (m *repeatedGiven) Forecast(h int) []Distribution {
	all := make([]Distribution, h)
	f := m.mine.forecasts[m.next]
	switch {
	case f == nil:
	case len(f) > 2:
		all[0] = fromQuantiles(f[0], m.mine.levels, f[1:])
	case m.seen > 2:
		all[0] = Normal{f[0], math.Sqrt(m.squares / m.seen)}
	}
	return all
}

// fromQuantiles returns the distribution with a mean and quantiles, or nil if these do
// not increase.
func fromQuantiles(mean float64, levels, quantiles []float64) Distribution {
	last := len(quantiles) - 1
	width := quantiles[last] - quantiles[0]
	h := histogram{mean: mean, below: slices.Concat([]float64{0}, levels, []float64{1})}
	h.borders = slices.Concat([]float64{quantiles[0] - width}, quantiles, []float64{quantiles[last] + width})
	for i := range h.borders[1:] {
		if !(h.borders[i] < h.borders[i+1]) {
			return nil
		}
	}
	return h
}

// after returns the time of the value k steps after the last, or that value's number.
func (s *Series) after(k int) string {
	if s.Times == nil {
		return fmt.Sprintf("value %d", len(s.Values)+k)
	}
	g := gridOf(s.Times)
	if g.per == 0 {
		return ""
	}
	t := s.Times[len(s.Times)-1]
	for range k {
		t = g.next(t)
	}
	return t.Format(s.Step.format())
}
