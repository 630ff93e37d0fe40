package series

import (
	"context"
	"fmt"
	"math"
	"strconv"
)

// Facts are what a series is. Numbers are in the unit of the data, and indices count from
// 0. What cannot be said of a series, for instance because it is too short or constant,
// is nil. Intervals are at 95 %.
type Facts struct {
	// Length is the number of values, Missing the number of missing ones, and Absent the
	// number of these whose time the file lacks, too.
	Length  int `json:"n"`
	Missing int `json:"missing"`
	Absent  int `json:"absent"`
	// Gap is the first value that is missing.
	Gap *Place `json:"gap"`
	// Step is the time between values; its unit is empty if there are no times. Rate is
	// the number of samples in a second of a sound, or 0.
	Step Step    `json:"step"`
	Rate float64 `json:"rate"`
	// First and Last are the times of the first and the last value; empty if unknown.
	First string `json:"first"`
	Last  string `json:"last"`
	// Uneven is the first value that is not one step after the value before.
	Uneven *Place `json:"uneven"`
	// Counts are the numbers of values by symbol; nil if the values are numbers. A series
	// of symbols has no other facts below, except Run.
	Counts []int `json:"counts"`
	// Symbols are their names.
	Symbols []string `json:"symbols,omitempty"`
	// Moments are nil if all values are missing.
	*Moments
	// Run is the longest run of equal values. It has all values if they are constant.
	Run Run `json:"run"`
	// Season is what repeats; see [Look].
	Season *Season `json:"season"`
	// Trend is a change by the same amount in each step.
	Trend *Trend `json:"trend"`
	// Change is the place of the largest change of level.
	Change *Change `json:"change"`
	// Level is the mean of the second half minus the mean of the first. Spread is the
	// ratio of their standard deviations within blocks.
	Level  *Estimate `json:"level"`
	Spread *Estimate `json:"spread"`
}

// Moments are of the values that are not missing; Deviation is the standard deviation.
type Moments struct {
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
	Min       float64 `json:"min"`
	Max       float64 `json:"max"`
}

// A Place is a value of a series.
type Place struct {
	Index int    `json:"index"`
	When  string `json:"when"` // see [Series.When]
}

// A Run is a number of equal values that follow each other.
type Run struct {
	Place
	Length int     `json:"length"`
	Value  float64 `json:"value"`
}

// An Estimate is a number with its interval.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// LookOptions are what the caller knows of a series.
type LookOptions struct {
	// Season is the number of values in a season: 0 finds it, and 1 means no season.
	Season int
}

// Look describes a series.
//
// The season is found by autocorrelation, after a line is removed, at lags up to a third
// of the length (at most 2^20). It is the local maximum with the highest correlation; if
// this is a multiple of another one that is as high, up to two standard errors, it is the
// other one. A local maximum counts if it exceeds z times its standard error for
// uncorrelated values beyond smaller lags (Bartlett 1946), where a normal number exceeds
// z with probability 0.05 divided by the number of lags, and if the correlation was not
// positive at a smaller lag. Thus white noise has a season in at most 5 % of cases.
//
// Level, Spread, Trend and Change are judged by the means of at most 20 blocks of equal
// length, whole seasons if there is one. Their variance is multiplied by (1+ρ)/(1−ρ),
// where ρ is the correlation of consecutive blocks; so short memory makes intervals
// wider, not wrong. Memory of more than a tenth of the series does make them wrong: a
// random walk has a change of level.
//
// The error is the end of the context, or a season of less than 0 or more than half of
// the length.
func Look(ctx context.Context, s *Series, o LookOptions) (*Facts, error) {
	n := len(s.Values)
	if o.Season < 0 || o.Season > n/2 {
		return nil, fmt.Errorf("a season of %d values; want 1 to %d, half of the length", o.Season, n/2)
	}
	f := &Facts{Length: n, Absent: len(s.Absent), Step: s.Step, Rate: s.Rate}
	f.lookAtTimes(s)
	f.lookAtValues(s)
	if s.Symbols != nil || f.Missing == n || f.Run.Length == n {
		return f, ctx.Err()
	}
	if err := f.lookForSeason(ctx, s, o.Season); err != nil {
		return nil, err
	}
	period := 1
	if f.Season != nil {
		period = f.Season.Period
	}
	b := blocksOf(s.Values, period)
	f.Trend = b.trend()
	f.Level, f.Spread = b.halves()
	f.Change = b.change(s)
	return f, ctx.Err()
}

// lookAtTimes sets the span, and the first value that is uneven.
func (f *Facts) lookAtTimes(s *Series) {
	last := len(s.Values) - 1
	if last < 0 || s.Times == nil && s.Rate == 0 {
		return
	}
	f.First, f.Last = s.When(0), s.When(last)
	if s.Times == nil {
		return
	}
	if at := gridOf(s.Times).uneven(s.Times); at >= 0 {
		f.Uneven = &Place{at, s.When(at)}
	}
}

// lookAtValues counts missing values and symbols, and sets moments and the longest run.
func (f *Facts) lookAtValues(s *Series) {
	var run Run
	m := &Moments{Min: math.Inf(1), Max: math.Inf(-1)}
	if s.Symbols != nil {
		f.Counts, f.Symbols = make([]int, len(s.Symbols)), s.Symbols
	}
	squares, present := 0.0, 0
	for i, x := range s.Values {
		if math.IsNaN(x) {
			f.Missing++
			if f.Gap == nil {
				f.Gap = &Place{i, s.When(i)}
			}
			run.Length = 0
			continue
		}
		if f.Counts != nil {
			f.Counts[int(x)]++
		}
		present++
		d := x - m.Mean // Welford 1962
		m.Mean += d / float64(present)
		squares += d * (x - m.Mean)
		m.Min, m.Max = min(m.Min, x), max(m.Max, x)
		if run.Length == 0 || x != run.Value {
			run = Run{Place: Place{Index: i}, Value: x}
		}
		if run.Length++; run.Length > f.Run.Length {
			f.Run = run
		}
	}
	if present > 1 {
		m.Deviation = math.Sqrt(squares / float64(present-1))
	}
	if f.Run.Length > 0 {
		f.Run.When = s.When(f.Run.Index)
	}
	if s.Symbols == nil && present > 0 {
		f.Moments = m
	}
}

// named returns a number of values as time, such as "12 months"; about rounds it to two
// digits, in years from 24 months on.
func (s *Series) named(values int, about bool) string {
	if s.Rate > 0 {
		hertz := strconv.FormatFloat(s.Rate/float64(values), 'g', 4, 64)
		return s.Step.times(values) + " (" + hertz + " Hz)"
	}
	if !about {
		return s.Step.times(values)
	}
	total, unit := float64(values*max(1, s.Step.Count)), s.Step.Unit
	switch {
	case unit == "":
		unit = "value"
	case unit == "month" && total >= 24:
		total, unit = total/12, "year"
	case unit == "quarter" && total >= 8:
		total, unit = total/4, "year"
	}
	digits, _ := strconv.ParseFloat(strconv.FormatFloat(total, 'g', 2, 64), 64)
	return "about " + strconv.FormatFloat(digits, 'f', -1, 64) + " " + unit + "s"
}
