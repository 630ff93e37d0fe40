package describe

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"foretell/document"
	"foretell/internal/text"
	"foretell/process"
)

// Floors is the answer key of a process: its floor, which is the least possible loss at
// each position, in nats, and the numbers with which the floor is compared.
type Floors struct {
	Source

	// Chance is the loss of the best constant guess over the positions of Floor, see
	// [process.Floor].
	Chance           float64 `json:"chance"`
	ChanceOf         string  `json:"-"` // text that names the positions of Chance, or "" if they do not matter
	EntropyRate      float64 `json:"entropy_rate"`
	EntropyRateError float64 `json:"entropy_rate_error"`
	// EntropyRateFrom is the position whose floor bounds the entropy rate more tightly than
	// the direct computation, or 0 (and absent from JSON) if no floor does.
	EntropyRateFrom int       `json:"entropy_rate_from,omitempty"`
	Floor           []float64 `json:"floor"` // [t-1]: H(X_t | X_1 … X_{t−1})
	// FloorExact reports whether all of Floor is exact, up to rounding; if not, the
	// positions from ExactPositions+1 are estimated, see [process.Solve].
	FloorExact     bool `json:"floor_exact"`
	ExactPositions int  `json:"exact_positions"`
	// FloorError is the half-width of each entry of Floor: two standard errors if it is
	// estimated, 0 if it is exact; nil if all are exact.
	FloorError []float64 `json:"floor_error,omitempty"`
	Sequences  int       `json:"estimated_from,omitempty"` // number of sampled sequences

	// Memorised reports that the floor assumes a predictor that has memorised the one
	// recording from which sequences are drawn as windows.
	Memorised bool `json:"memorised,omitempty"`

	of Subject
}

const (
	fewestPositions = 10 // default number of positions, if tokens depend on no distant token
	afterDelay      = 8  // default number of positions beyond the longest distance of dependence
)

// FloorPositions returns the default number of positions of a floor: 10, or 8 more than
// the longest distance over which a token depends on another, if that is known and
// larger.
func FloorPositions(p process.Process) int {
	delay := 0
	if r, ok := p.(process.Reacher); ok {
		delay = r.Reach()
	}
	if d, ok := p.(process.Delayed); ok {
		delay = d.LongestDelay()
	}
	if delay == 0 {
		return fewestPositions
	}
	return max(fewestPositions, delay+afterDelay)
}

// countedFrom1 explains the positions of a floor.
const countedFrom1 = "At position t, the t-th token is predicted from the t − 1 tokens before it."

// Forms returns the forms of the floor: for a terminal a line for each position, .svg,
// .csv with a row for each position, .json, and a page (.html).
func (f *Floors) Forms() document.Forms {
	return document.Forms{
		document.Terminal: f.print,
		".svg":            document.Picture(document.Sure(f.Figure)),
		".html":           document.Page(document.Sure(f.page)),
		".csv":            document.CSV(document.Sure(f.numbers)),
		".json":           document.JSON(f),
	}
}

// print writes a line for each position at once, because there may be a million.
func (f *Floors) print(w io.Writer) error {
	for t, h := range f.Floor {
		text.Fprintf(w, "position %-3d  %s nats%s\n", t+1, sixDigits(h), f.ErrorText(t))
	}
	text.Fprintf(w, "entropy rate  %s nats (± %.1g%s)\nchance        %s nats%s\n",
		sixDigits(f.EntropyRate), f.EntropyRateError, f.rateNote(), sixDigits(f.Chance), f.ChanceOf)
	for _, note := range []string{countedFrom1, f.AboveChance(), f.EstimateNote(), f.memorisedNote()} {
		if note != "" {
			text.Fprintf(w, "%s\n", note)
		}
	}
	return nil
}

// numbers returns a row for each position, from 1: the floor, chance, the entropy rate
// and its half-width, and the half-width of the floor, which is 0 if it is exact. All are
// in nats.
func (f *Floors) numbers() document.Frame {
	frame := document.Frame{Columns: document.Named(
		"position", "floor", "chance", "entropy_rate", "entropy_rate_error", "floor_error",
	)}
	for t, h := range f.Floor {
		half := 0.0
		if !f.FloorExact {
			half = f.FloorError[t]
		}
		frame.Row(t+1, h, f.Chance, f.EntropyRate, f.EntropyRateError, half)
	}
	return frame
}

// Floor computes the least possible loss at each of the positions 1 … positions, and the
// entropy rate. Positions that would exceed the budget of [process.Solve] are estimated,
// and marked as estimated. It returns an error if there are too many positions even to
// estimate them, or if ctx ends.
func Floor(ctx context.Context, s Subject, positions int) (*Floors, error) {
	p, err := s.Optimum()
	if err != nil {
		return nil, err
	}
	floor, err := process.Solve(ctx, p, positions)
	if err != nil {
		return nil, err
	}
	f := &Floors{
		Source: s.Source(), of: s,
		Chance: floor.Chance, ChanceOf: chanceOf(ctx, p, floor.Floor), Floor: floor.ByPosition,
		FloorExact: floor.Exact == positions, ExactPositions: floor.Exact, Sequences: floor.Sequences,
	}
	if !f.FloorExact {
		f.FloorError = floor.Error
	}
	f.Memorised = process.Memorised(p)
	if f.EntropyRate, f.EntropyRateError, err = p.EntropyRate(ctx); err != nil {
		return nil, err
	}
	if _, stationary := p.(process.Machine); stationary {
		f.boundRate()
	}
	return f, nil
}

// memorisedNote returns a note if the floor assumes a memorised recording, or "".
func (f *Floors) memorisedNote() string {
	if !f.Memorised {
		return ""
	}
	return process.MemorisedNote
}

// boundRate lowers the entropy rate to the floor at the last position if that floor is
// smaller: no floor of a stationary process is below its entropy rate.
func (f *Floors) boundRate() {
	const rounding = 1e-9
	last := len(f.Floor)
	floor, half := f.Floor[last-1], 0.0
	if f.FloorError != nil {
		half = f.FloorError[last-1]
	}
	if f.EntropyRate <= floor+rounding {
		return
	}
	below := f.EntropyRate - f.EntropyRateError // a lower bound of the rate
	f.EntropyRate, f.EntropyRateError, f.EntropyRateFrom = floor, max(half, floor-below), last
}

// rateNote returns text to append to the entropy rate: that it assumes a memorised
// recording, or that the floor at a position bounds it; or "".
func (f *Floors) rateNote() string {
	if f.Memorised {
		return memorised
	}
	if f.EntropyRateFrom == 0 {
		return ""
	}
	return fmt.Sprintf(", at most the floor at position %d", f.EntropyRateFrom)
}

// AboveChance returns a line that explains why a floor is above chance, or "" if no floor
// is.
func (f *Floors) AboveChance() string {
	const rounding = 1e-9
	at := slices.IndexFunc(f.Floor, func(h float64) bool { return h > f.Chance+rounding })
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("Chance is the mean loss of one constant guess over positions 1 … %d: "+
		"the floor at a single position, such as %d, can be above it.", len(f.Floor), at+1)
}

// ErrorText returns the half-width of the floor at a position, counted from 0, such as "
// (± 0.003, estimated)", or "" if it is exact.
func (f *Floors) ErrorText(at int) string {
	if at < f.ExactPositions {
		return ""
	}
	return fmt.Sprintf(" (± %.1g, estimated)", f.FloorError[at])
}

// EstimateNote returns a line that says which positions are estimated and how, or "" if
// all are exact.
func (f *Floors) EstimateNote() string {
	if f.FloorExact {
		return ""
	}
	from := fmt.Sprintf("Position %d is", len(f.Floor))
	if n := f.ExactPositions + 1; n < len(f.Floor) {
		from = fmt.Sprintf("Positions %d to %d are", n, len(f.Floor))
	}
	return fmt.Sprintf("%s estimated: the mean entropy of the optimal prediction over %d sampled sequences, "+
		"± two standard errors. The exact value would take too long.", from, f.Sequences)
}

// Findings lists notable properties of a process.
type Findings struct {
	Source

	Problems []process.Problem `json:"problems"`
}

// Forms returns the form of the problems for a terminal.
func (f *Findings) Forms() document.Forms {
	return document.Forms{document.Terminal: document.Text(f.text)}
}

func (f *Findings) text() []document.Section {
	if len(f.Problems) == 0 {
		return []document.Section{{Text: []string{f.Process + ": nothing to report"}}}
	}
	return []document.Section{{Text: noteLines(f.Problems)}}
}

// noteLines returns the lines of [problemLines], marked as notes.
func noteLines(problems []process.Problem) (lines []string) {
	for _, line := range problemLines(problems) {
		lines = append(lines, "note: "+line)
	}
	return lines
}

// mostUnused is the largest number of unused tokens that are named.
const mostUnused = 24

// problemLines returns the problems, one per line. Tokens that never occur share a line.
func problemLines(problems []process.Problem) []string {
	var lines, unused []string
	at := 0
	for _, problem := range problems {
		if problem.Kind != process.UnusedToken {
			lines = append(lines, problem.Text)
			continue
		}
		if unused = append(unused, problem.Token); len(unused) == 1 {
			at = len(lines)
		}
	}
	switch n := len(unused); {
	case n == 1:
		lines = slices.Insert(lines, at, "token "+unused[0]+" never occurs")
	case n > 1:
		text := strings.Join(unused[:min(n, mostUnused)], ", ")
		if n > mostUnused {
			text += fmt.Sprintf(" and %d more", n-mostUnused)
		}
		lines = slices.Insert(lines, at, fmt.Sprintf("%d tokens never occur: %s", n, text))
	}
	return lines
}

// Check returns notable properties of a process, such as indistinguishable states and
// beliefs that reveal the state. It returns an error if the process cannot be checked
// ([ErrNoHMM]), or if ctx ends.
func Check(ctx context.Context, s Subject) (*Findings, error) {
	p, err := s.Optimum()
	if err != nil {
		return nil, err
	}
	c, ok := p.(process.Checker)
	if !ok {
		return nil, noHMM(ctx, p)
	}
	found, err := c.Check(ctx)
	if err != nil {
		return nil, err
	}
	return &Findings{s.Source(), append([]process.Problem{}, found...)}, nil
}
