// Package series answers two questions about a recording of your own: how much of it can
// be foreseen, and how good is a forecast of it? No optimum is known for a recording, so
// every answer is one-sided: at least this much can be foreseen, by the best forecaster
// that was found, each value forecast before it was seen.
package series

import "time"

// A Series is one column of a recording, in the order of time.
type Series struct {
	// Source is the file's name, or "standard input".
	Source string
	// Name is the column's name; empty for a file without a heading.
	Name string
	// Values are the observations, in the unit of the data. NaN is a missing one. Of a
	// series of symbols, they are indices into Symbols.
	Values []float64
	// Times are the times of the values; nil for a file without them.
	Times []time.Time
	// Absent are the indices of the missing values whose times the file lacks, too: the
	// gaps of a regular grid, such as a month without a line.
	Absent []int
	// Step is the time from one value to the next that most values have; zero if unknown.
	Step Step
	// Rate is the number of samples in a second of a sound; 0 for anything else.
	Rate float64
	// Symbols are the names of the symbols, nil if the values are numbers.
	Symbols []string
}
